"""Steps of an agent by rule: which tool next, answer or simpler question."""

from __future__ import annotations

from collections.abc import Sequence

from rag1.llm.rules.chains import Chain, read_chain, splits, steps
from rag1.llm.rules.classify import kind_of
from rag1.llm.rules.facts import follow, read_fact, read_facts
from rag1.llm.rules.kin_asked import after, asked_kin, next_of
from rag1.llm.rules.kin_end import asks_deed
from rag1.llm.rules.kin_walk import Solved, solve
from rag1.llm.rules.kinship import presumed
from rag1.llm.rules.names import names_in
from rag1.llm.rules.question import read_question
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
EMPTY = ("error", "Error", "エラー", "(何も")
"""How an observation begins that tells nothing."""


def answer_or_refine(task: AnswerOrRefine) -> AnswerOrRefineReply:
    """Follow the question's chain over the facts; what they told so far makes the question shorter.

    Where they tell nothing of a chain's first step, that step alone is asked, and its answer put into the question
    before it.
    """
    passages = tuple(Passage(id=str(at), text=text) for at, text in enumerate(task.facts))
    along = _along_kin(task, passages)
    if along:
        return along
    chain = read_chain(task.question)
    followed = _followed(task, chain, passages) if chain else None
    if followed:
        return followed
    reply = answer_from(AnswerFrom(question=task.question, context=passages))
    if settles(reply, task.question, passages):
        found = AnswerOrRefineReply(answer=reply.answer, evidence=reply.evidence)
        return _put_back(task, reply.answer, reply.evidence) or found
    return _simpler(task, chain)


def _along_kin(task: AnswerOrRefine, passages: Sequence[Passage]) -> AnswerOrRefineReply | None:
    """The end of a chain of kin, or the question of whoever the facts lead to; None where they lead nowhere."""
    solved = solve(task.question, read_facts(passages))
    if solved is None:
        return None
    evidence = "\n".join(solved.lines)
    if solved.answer:
        back = _put_back(task, solved.answer, evidence) if solved.asked.who else None
        return back or AnswerOrRefineReply(answer=solved.answer, evidence=evidence)
    if solved.ends and solved.asked.steps and asks_deed(solved.asked.final):
        read = answer_from(AnswerFrom(question=task.question, context=tuple(passages)))
        if read.answer != ABSTENTION:
            return AnswerOrRefineReply(answer=read.answer, evidence="\n".join(filter(None, (evidence, read.evidence))))
    if len(solved.names) > 1 and solved.rest not in task.asked:
        return AnswerOrRefineReply(question=solved.rest, evidence=evidence)
    return None


def _followed(task: AnswerOrRefine, chain: Chain, passages: Sequence[Passage]) -> AnswerOrRefineReply | None:
    """The end of the chain, or the question with the names that the facts lead to in place of what leads there."""
    names, used = follow(read_facts(passages), chain.start, chain.relations)
    evidence = "\n".join(fact.line for fact in used)
    whole = len(names) == len(chain.relations)
    if whole and chain.asks_last:
        return _put_back(task, names[-1], evidence) or AnswerOrRefineReply(answer=names[-1], evidence=evidence)
    if not names or (whole and not splits(task.question)):
        return None
    question = _rest(chain, names)
    return None if question in task.asked else AnswerOrRefineReply(question=question, evidence=evidence)


def _rest(chain: Chain, names: Sequence[str]) -> str:
    rest = "".join(f"の{relation}" for relation in chain.relations[len(names) :])
    return f"{chain.lead}{names[-1]}{rest}{chain.tail}"


def _put_back(task: AnswerOrRefine, answer: str, evidence: str) -> AnswerOrRefineReply | None:
    """The answer to the first step of the question before, put into that question."""
    kin = asked_kin(task.asked[-1]) if task.asked else None
    before = read_chain(task.asked[-1]) if task.asked else None
    if kin is not None and task.question == next_of(kin, kin.start, 0):
        question = after(kin, answer, 1)
    elif before is not None and task.question == _first_step(before):
        question = _rest(before, [answer])
    else:
        return None
    return None if question in task.asked else AnswerOrRefineReply(question=question, evidence=evidence)


def _by_presumption(task: AnswerOrRefine) -> list[str]:
    """Of a first step that was asked alone in vain: the question before, with 父の妻 for 母."""
    before = read_chain(task.asked[-1]) if task.asked else None
    if before is None or task.question != _first_step(before):
        return []
    ways = ["の".join((before.start, *steps)) for steps in presumed(before.relations[0])]
    rest = "".join(f"の{relation}" for relation in before.relations[1:])
    return [f"{before.lead}{way}{rest}{before.tail}" for way in ways]


def _first_step(chain: Chain) -> str:
    return steps(Chain(chain.start, chain.relations, "は誰か"))[0]


def settles(reply: AnswerReply, question: str, context: Sequence[Passage]) -> bool:
    """Whether a reply answers the question rather than one like it: 楓の墓所 does not tell of 主膳の墓所.

    Facts that lead along its chain settle it. Else its evidence must name whom the chain starts from, by the end of
    the name at least (a fact: at its head), and the answer may not stand in the question.
    """
    if reply.answer == ABSTENTION or (reply.confidence or 0) < SURE:
        return False
    chain = read_chain(question)
    if chain is None or not chain.asks_last:
        return True
    names, _ = follow(read_facts(context), chain.start, chain.relations)
    if len(names) == len(chain.relations):
        return reply.answer == names[-1]
    fact = read_fact(reply.evidence)
    told = fact.head if fact else reply.evidence
    named = any(part in told for part in _ends_of(chain.start))
    return len(chain.relations) == 1 and named and reply.answer not in question


def _ends_of(name: str) -> list[str]:
    least = max(2, len(name) // 3)
    return [name[at:] for at in range(max(1, len(name) - least + 1))]


def _simpler(task: AnswerOrRefine, chain: Chain | None) -> AnswerOrRefineReply:
    """The first step of a chain alone; what is presumed of it; the question's words; else nothing is left to ask."""
    words = " ".join(word.surface for word in content_words(task.question))
    kin = asked_kin(task.question)
    alone = _first_step(chain) if chain and len(chain.relations) > 1 else ""
    alone = next_of(kin, kin.start, 0) if kin else alone
    for question in (alone, *_by_presumption(task), words):
        if question and question != task.question and question not in task.asked:
            return AnswerOrRefineReply(question=question)
    return AnswerOrRefineReply(answer=ABSTENTION)


def choose_tool(task: ChooseTool) -> ToolChoice:
    """Answer the sub-questions one by one from what the tools returned; call a tool for the first open one."""
    along = _kin_tool(task)
    if along:
        return along
    done, question = _progress(task)
    if question is None:
        evidence = "\n".join(dict.fromkeys(reply.evidence for reply in done if reply.evidence))
        return ToolChoice(thought="the observations tell it", answer=done[-1].answer, evidence=evidence)
    if task.turns_left > 1:
        for tool, argument in _calls(task, question):
            if not any(o.tool == tool and o.argument == argument for o in task.observations):
                return ToolChoice(thought=f"open: {question}", tool=tool, argument=argument)
    reply = answer_from(AnswerFrom(question=question, context=_context(task.observations)))
    return ToolChoice(thought="no tool is left to try", answer=reply.answer, evidence=reply.evidence)


def _kin_tool(task: ChooseTool) -> ToolChoice | None:
    """Along a chain of kin: the answer, or a tool for whoever was reached last; None for another question."""
    asked = asked_kin(task.question)
    if asked is None or read_question(task.question).asks == "why":
        return None
    context = _context(task.observations)
    facts = read_facts(context)
    solved = solve(task.question, facts)
    unseen = _unseen(task, solved.names[:-1]) if solved is not None and solved.answer else []
    if unseen:
        return ToolChoice(thought="there may be more of that relation", tool="neighbours", argument=unseen[0])
    if solved is not None and solved.answer:
        return ToolChoice(thought="the facts tell it", answer=solved.answer, evidence="\n".join(solved.lines))
    name, question = (solved.names[-1], solved.next) if solved else (asked.start, next_of(asked, asked.start, 0))
    known = {tool.name for tool in task.tools}
    around = dict.fromkeys(solved.around(facts)) if solved and not solved.ends else {}
    calls = [("neighbours", name), *(("neighbours", each) for each in around)]
    for tool, argument in (*calls, ("cypher", question), ("cypher", task.question), ("search", question)):
        fresh = not any((o.tool, o.argument) == (tool, argument) for o in task.observations)
        if tool in known and fresh and task.turns_left > 1:
            return ToolChoice(thought=f"open: {question}", tool=tool, argument=argument)
    return _told_last(task, solved, context)


def _unseen(task: ChooseTool, names: Sequence[str]) -> list[str]:
    """Persons not looked at yet, while there are turns for it: of several sons only one may be known."""
    seen = {observation.argument for observation in task.observations if observation.tool == "neighbours"}
    able = task.turns_left > 2 and any(tool.name == "neighbours" for tool in task.tools)
    return [name for name in names if name not in seen] if able else []


def _told_last(task: ChooseTool, solved: Solved | None, context: Sequence[Passage]) -> ToolChoice:
    """What is read of the person at the end; nothing where the chain does not get there."""
    ended = solved is not None and solved.ends
    reply = answer_from(AnswerFrom(question=task.question, context=tuple(context))) if ended else None
    if reply is None or reply.answer == ABSTENTION:
        return ToolChoice(thought="no tool is left to try", answer=ABSTENTION)
    evidence = "\n".join(dict.fromkeys([*(solved.lines if solved else ()), reply.evidence]))
    return ToolChoice(thought="the text tells it", answer=reply.answer, evidence=evidence)


def _progress(task: ChooseTool) -> tuple[list[AnswerReply], str | None]:
    """Answers of the sub-questions so far, and the first sub-question that is still open."""
    chain = splits(task.question)
    questions = steps(chain) if chain else [task.question]
    context = _context(task.observations)
    done: list[AnswerReply] = []
    for question in questions:
        filled = _fill(question, [reply.answer for reply in done])
        reply = answer_from(AnswerFrom(question=filled, context=context)) if context else None
        if reply is None or not settles(reply, filled, context):
            return done, filled
        done.append(reply)
    return done, None


def _fill(question: str, answers: Sequence[str]) -> str:
    for at, answer in enumerate(answers, start=1):
        question = question.replace(f"{{{at}}}", answer)
    return question


def _context(observations: Sequence[Observation]) -> tuple[Passage, ...]:
    kept = [o for o in observations if o.result.strip() and not o.result.startswith(EMPTY)]
    return tuple(Passage(id=str(at), text=o.result, label=o.tool) for at, o in enumerate(kept))


def _calls(task: ChooseTool, question: str) -> list[tuple[str, str]]:
    """(tool, argument) worth trying for a question, likeliest first, of the tools there are."""
    names = {tool.name: tool for tool in task.tools}
    entities = names_in(question)
    wanted: list[tuple[str, str]] = []
    if kind_of(question) == "counting" and entities:
        wanted.append(("count", entities[0]))
    wanted += [("neighbours", entity) for entity in entities[:1]]
    wanted += [("cypher", question)]
    wanted += [("search", question), ("search", " ".join(word.surface for word in content_words(question)))]
    wanted += [("neighbours", entity) for entity in entities[1:3]]
    return [(tool, argument) for tool, argument in wanted if tool in names and argument]
