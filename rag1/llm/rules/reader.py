"""AnswerFrom by rule: the best candidate of the sentences that share the most with the question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from rag1.llm.rules.causal_chain import first_cause
from rag1.llm.rules.causes import as_happening, negated, without_time
from rag1.llm.rules.chains import is_chain, read_chain
from rag1.llm.rules.compare import choose_by_facts, confirm_by_facts
from rag1.llm.rules.fact_questions import for_facts
from rag1.llm.rules.facts import (
    Fact,
    best_fact,
    causes_of,
    covers,
    follow,
    onward,
    read_fact,
    read_facts,
    restates,
    stated,
    suits,
    touches,
)
from rag1.llm.rules.features import features
from rag1.llm.rules.kin_end import told_deed
from rag1.llm.rules.kin_steps import STEPS
from rag1.llm.rules.kin_walk import Solved, solve
from rag1.llm.rules.kinds import BY_KIND, Scored, Told
from rag1.llm.rules.question import Question, read_question
from rag1.llm.rules.roles import ASKS_COMPANIONS, ASKS_MAKER, companions_of, maker_of
from rag1.llm.rules.scene import Scene, Sought, scenes_of
from rag1.llm.rules.spans import candidates
from rag1.llm.rules.sums import read_sum, reckon, unit_fits
from rag1.llm.rules.weights import CONFIDENCE, WEIGHTS
from rag1.llm.rules.why import ROOT
from rag1.llm.rules.words import sentence_texts
from rag1.llm.tasks import AnswerFrom, AnswerReply, Passage
from rag1.types import ABSTENTION

THRESHOLD = 0.05
COUNT_CONFIDENCE = 0.9
CHAIN_CONFIDENCE = 0.8
CAUSE_CONFIDENCE = 0.5
TOLD_SUM, SUM_CONFIDENCE = 0.5, 0.4
FACT_SCORE = 0.6
LEAST_COVERED = 0.5
"""The share of the question's nouns that facts must speak of: a long question asks for more than one fact tells."""
LEAST_BESIDE_TEXT = 0.75
"""The same where there is text to read instead."""
UNRECKONED = 0.2
"""What a sum that could not be reckoned, or an amount of another unit than asked, leaves of the confidence."""
CHAIN_UNTOLD = 0.04
"""What a chain of relations that no facts lead along leaves of the confidence in one sentence."""
_OCCURRENCES = re.compile("(?:何回|何度|いくつ|何箇所|何か所|何カ所)[^、。]*(?:出て|現れ|登場|書か|使わ|あり)")
ABSTAINS = AnswerReply(answer=ABSTENTION, confidence=0.0)


def answer_from(task: AnswerFrom, abstain_below: float = THRESHOLD) -> AnswerReply:
    """Graph facts and counts first, then the text; 「分かりません」 where neither tells."""
    question = read_question(task.question)
    counted = _from_counts(question, task.context)
    if counted:
        return counted
    if _OCCURRENCES.search(task.question):
        return ABSTAINS  # passages are a part of the text: what stands in them is not all there is to count
    texts = [_prose(passage.text) for passage in task.context]
    solved = None if question.asks in {"why", "choice", "yes_no"} else solve(task.question, read_facts(task.context))
    if solved is not None and (told := _from_kin(solved, texts, abstain_below)):
        return told
    beside = any(map(str.strip, texts))
    if not beside or for_facts(question, read_facts(task.context)):
        told = _from_facts(task, question, LEAST_BESIDE_TEXT if beside else LEAST_COVERED)
        if told:
            return told
    return _from_text(question, texts, abstain_below)


def _from_kin(solved: Solved, texts: Sequence[str], abstain_below: float) -> AnswerReply | None:
    """What facts tell of the last person of a chain of kin; else what the sentences about that person do.

    Where a side is named (父方) and nobody is known on it, nothing else is looked for.
    """
    if solved.answer:
        evidence = "\n".join(solved.lines)
        return AnswerReply(answer=solved.answer, evidence=evidence, confidence=CHAIN_CONFIDENCE)
    if not solved.ends:
        return ABSTAINS if solved.asked.sided else None
    about = _about(solved.names[-1], texts)
    if deed := told_deed(solved.asked.final, about):
        return AnswerReply(answer=deed[0], evidence=deed[1], confidence=CAUSE_CONFIDENCE)
    if not solved.asked.steps:
        return None
    read = _from_text(read_question(solved.rest), ["\n".join(about)], abstain_below) if about else ABSTAINS
    if read.answer != ABSTENTION and read.answer not in STEPS and solved.names[-1] not in read.answer:
        return read
    return ABSTAINS if solved.settled else None


def _about(name: str, texts: Sequence[str]) -> list[str]:
    """The sentences that name somebody, by the end of the name at least."""
    ends = (name, name[-2:]) if len(name) > 3 else (name,)
    told = [sentence for text in texts for sentence in sentence_texts(text) if any(end in sentence for end in ends)]
    return list(dict.fromkeys(told))


def _prose(text: str) -> str:
    """The text without its lines of graph facts: those are no sentences."""
    if " -> " not in text:
        return text
    return "\n".join(line for line in text.splitlines() if read_fact(line) is None)


def _from_text(question: Question, texts: Sequence[str], abstain_below: float) -> AnswerReply:
    scenes, sought = scenes_of(question, texts)
    ranked = rank(scenes, sought)
    if not ranked:
        return ABSTAINS
    sure = confidence_of(ranked)
    told = _computed(question, scenes) or _by_kind(question, ranked, scenes, sought)
    told = told or Told(ranked[0].candidate.text, ranked[0].scene.text)
    confidence = sure if told.confidence is None else told.confidence
    if told.confidence is None and (_is_reckoned(question) or not unit_fits(question.text, told.answer)):
        confidence = round(UNRECKONED * confidence, 3)
    if is_chain(question.text):
        confidence = round(CHAIN_UNTOLD * confidence, 3)
    if confidence < abstain_below:
        return AnswerReply(answer=ABSTENTION, confidence=confidence)
    return AnswerReply(answer=told.answer, evidence=told.evidence, confidence=confidence)


def _by_kind(question: Question, ranked: Sequence[Scored], scenes: Sequence[Scene], sought: Sought) -> Told | None:
    rule = BY_KIND.get(question.asks)
    return rule(question, ranked, scenes, sought) if rule else None


def _computed(question: Question, scenes: Sequence[Scene]) -> Told | None:
    """A sum or difference of two amounts that the text tells."""
    asked = read_sum(question.text) if _is_reckoned(question) else None
    found = reckon(asked, question.text, scenes) if asked else None
    return Told(found.text, found.evidence, TOLD_SUM if found.told else SUM_CONFIDENCE) if found else None


def _is_reckoned(question: Question) -> bool:
    return question.asks not in {"choice", "yes_no", "why"} and read_sum(question.text) is not None


def confidence_of(ranked: Sequence[Scored]) -> float:
    """How likely the first candidate is right, 0 to 1: a logistic of `doubts`, fitted like the feature weights."""
    total = sum(CONFIDENCE[name] * value for name, value in doubts(ranked).items()) + CONFIDENCE["bias"]
    return round(1 / (1 + math.exp(-total)), 3)


def doubts(ranked: Sequence[Scored]) -> dict[str, float]:
    """What tells a sure answer from a guess: score, lead over other texts, how much of the question is covered."""
    first = ranked[0]
    rivals = [s.score for s in ranked if not _same_answer(s, first)]
    return {
        "score": first.score,
        "lead": min(5.0, first.score - max(rivals, default=first.score - 5.0)),
        "coverage": first.scene.coverage,
        "around": first.scene.around,
    }


def _same_answer(a: Scored, b: Scored) -> bool:
    return a.candidate.text in b.candidate.text or b.candidate.text in a.candidate.text


def _from_counts(question: Question, context: Sequence[Passage]) -> AnswerReply | None:
    """A line of exact counting answers a how-many question: its number with unit, and the sentence it quotes."""
    if question.asks != "quantity":
        return None
    for passage in context:
        counted, _, example = passage.text.strip().partition("\n例: ")
        number = re.search(r"\d+(?:回|か所|か国|種類|[人種匹頭個])", counted)
        if passage.label.startswith("count") and number:
            return AnswerReply(answer=number.group(), evidence=example, confidence=COUNT_CONFIDENCE)
    return None


def _from_facts(task: AnswerFrom, question: Question, least: float) -> AnswerReply | None:
    """`least`: the share of the question's nouns that a single fact must speak of."""
    facts = read_facts(task.context)
    if not facts:
        return None
    if question.asks == "why":
        return _from_causes(causes_of(facts, task.question), task.question)
    if question.asks in {"choice", "yes_no"}:
        told = (choose_by_facts if question.asks == "choice" else confirm_by_facts)(question, facts)
        return AnswerReply(answer=told[0], evidence=told[1].line, confidence=CAUSE_CONFIDENCE) if told else None
    if (told_of := _from_roles(facts, question)) is not None:
        return told_of
    chain = read_chain(task.question)
    if chain:
        names, used = follow(facts, chain.start, chain.relations)
        if len(names) == len(chain.relations) and chain.asks_last:
            return AnswerReply(answer=names[-1], evidence=used[-1].line, confidence=CHAIN_CONFIDENCE)
        if len(chain.relations) > 1 and chain.asks_last:
            return None
    best = best_fact(facts, task.question)
    if best and best[2] >= FACT_SCORE:
        answer, fact = onward(facts, task.question, best[0], best[1])
        if not suits(question, answer) or covers(question, (best[1], fact)) < least:
            return None
        return AnswerReply(answer=answer, evidence=fact.line, confidence=round(CHAIN_CONFIDENCE * best[2], 3))
    return None


def _from_roles(facts: Sequence[Fact], question: Question) -> AnswerReply | None:
    """Companions, all of them, and makers."""
    if question.asks not in {"person", "list", "name", "thing"}:
        return None
    told = None
    if ASKS_MAKER.search(question.text):
        told = maker_of(facts, question.text)
    elif ASKS_COMPANIONS.search(question.text):
        told = companions_of(facts, question.text)
    if told is None:
        return None
    evidence = "\n".join(dict.fromkeys(fact.line for fact in told[1]))
    return AnswerReply(answer=told[0], evidence=evidence, confidence=CHAIN_CONFIDENCE)


def _from_causes(chain: Sequence[Fact], question: str) -> AnswerReply | None:
    """The nearest cause, or the first of all where the question asks for the root; of what the question tells."""
    ends = (chain[0].head, chain[0].tail) if chain else ()
    root = bool(ROOT.search(question))
    if not any(stated(event, question) or touches(event, question, 1 if root else 2) for event in ends):
        return None
    nearest = next((fact for fact in chain if not stated(fact.tail, question) and not restates(fact, chain)), chain[0])
    if not root:
        return _cause_reply(negated(nearest.tail), chain, nearest)
    first = first_cause(chain) or negated(chain[-1].tail)
    told = next((fact for fact in chain if negated(fact.tail) == first), chain[-1])
    return _cause_reply(first, chain, told)


def _cause_reply(event: str, chain: Sequence[Fact], last: Fact) -> AnswerReply:
    evidence = "\n".join(each.line for each in chain[: chain.index(last) + 1])
    return AnswerReply(answer=as_happening(without_time(event)), evidence=evidence, confidence=CAUSE_CONFIDENCE)


def rank(scenes: Sequence[Scene], sought: Sought) -> list[Scored]:
    """Every candidate of the scenes, best first."""
    found = [
        Scored(candidate, scene, score(features(candidate, scene, sought)))
        for scene in scenes
        for candidate in candidates(scene.text)
    ]
    return sorted(found, key=lambda scored: -scored.score)


def score(values: dict[str, float]) -> float:
    return sum(WEIGHTS[name] * value for name, value in values.items() if value and name in WEIGHTS)
