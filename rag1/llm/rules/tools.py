"""Steps of an agent by rule: which tool next, answer or simpler question."""

from __future__ import annotations

from collections.abc import Sequence

from rag1.llm.rules.chains import read_chain, splits, steps
from rag1.llm.rules.classify import kind_of
from rag1.llm.rules.facts import follow, read_facts
from rag1.llm.rules.names import names_in
from rag1.llm.rules.reader import answer_from
from rag1.llm.rules.words import content_words
from rag1.llm.tasks import (
    AnswerFrom,
    AnswerOrRefine,
    AnswerOrRefineReply,
    AnswerReply,
    ChooseTool,
    Observation,
    Passage,
    ToolChoice,
)
from rag1.types import ABSTENTION

SURE = 0.3


def answer_or_refine(task: AnswerOrRefine) -> AnswerOrRefineReply:
    """Follow the question's chain over the facts; what they told so far makes the question shorter."""
    passages = tuple(Passage(id=str(at), text=text) for at, text in enumerate(task.facts))
    chain = read_chain(task.question)
    if chain:
        names, used = follow(read_facts(passages), chain.start, chain.relations)
        if names and len(names) < len(chain.relations):
            rest = "".join(f"の{relation}" for relation in chain.relations[len(names) :])
            question = f"{chain.lead}{names[-1]}{rest}{chain.tail}"
            if question not in task.asked:
                return AnswerOrRefineReply(question=question, evidence=used[-1].line)
        if names and splits(task.question) and not chain.asks_last:
            question = f"{chain.lead}{names[-1]}{chain.tail}"
            if question not in task.asked:
                return AnswerOrRefineReply(question=question, evidence=used[-1].line)
    reply = answer_from(AnswerFrom(question=task.question, context=passages))
    if reply.answer != ABSTENTION:
        return AnswerOrRefineReply(answer=reply.answer, evidence=reply.evidence)
    return _simpler(task)


def _simpler(task: AnswerOrRefine) -> AnswerOrRefineReply:
    question = " ".join(word.surface for word in content_words(task.question))
    if question and question != task.question and question not in task.asked:
        return AnswerOrRefineReply(question=question)
    return AnswerOrRefineReply(answer=ABSTENTION)


def choose_tool(task: ChooseTool) -> ToolChoice:
    """Answer the sub-questions one by one from what the tools returned; call a tool for the first open one."""
    done, question = _progress(task)
    if question is None:
        last = done[-1]
        return ToolChoice(thought="the observations tell it", answer=last.answer, evidence=last.evidence)
    if task.turns_left > 1:
        for tool, argument in _calls(task, question):
            if not any(o.tool == tool and o.argument == argument for o in task.observations):
                return ToolChoice(thought=f"open: {question}", tool=tool, argument=argument)
    reply = answer_from(AnswerFrom(question=question, context=_context(task.observations)))
    return ToolChoice(thought="no tool is left to try", answer=reply.answer, evidence=reply.evidence)


def _progress(task: ChooseTool) -> tuple[list[AnswerReply], str | None]:
    """Answers of the sub-questions so far, and the first sub-question that is still open."""
    chain = splits(task.question)
    questions = steps(chain) if chain else [task.question]
    context = _context(task.observations)
    done: list[AnswerReply] = []
    for question in questions:
        filled = _fill(question, [reply.answer for reply in done])
        reply = answer_from(AnswerFrom(question=filled, context=context)) if context else None
        if reply is None or reply.answer == ABSTENTION or (reply.confidence or 0) < SURE:
            return done, filled
        done.append(reply)
    return done, None


def _fill(question: str, answers: Sequence[str]) -> str:
    for at, answer in enumerate(answers, start=1):
        question = question.replace(f"{{{at}}}", answer)
    return question


def _context(observations: Sequence[Observation]) -> tuple[Passage, ...]:
    kept = [o for o in observations if o.result.strip() and not o.result.startswith(("error", "Error", "エラー"))]
    return tuple(Passage(id=str(at), text=o.result, label=o.tool) for at, o in enumerate(kept))


def _calls(task: ChooseTool, question: str) -> list[tuple[str, str]]:
    """(tool, argument) worth trying for a question, likeliest first, of the tools there are."""
    names = {tool.name: tool for tool in task.tools}
    entities = names_in(question)
    wanted: list[tuple[str, str]] = []
    if kind_of(question) == "counting" and entities:
        wanted.append(("count", entities[0]))
    wanted += [("neighbours", entity) for entity in entities[:1]]
    wanted += [("search", question), ("search", " ".join(word.surface for word in content_words(question)))]
    wanted += [("neighbours", entity) for entity in entities[1:3]]
    return [(tool, argument) for tool, argument in wanted if tool in names and argument]
