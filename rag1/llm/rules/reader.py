"""AnswerFrom by rule: the best candidate of the sentences that share the most with the question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag1.llm.rules.chains import read_chain
from rag1.llm.rules.facts import Fact, best_fact, causes_of, follow, read_facts
from rag1.llm.rules.features import features
from rag1.llm.rules.question import Question, read_question
from rag1.llm.rules.scene import Scene, scenes_of
from rag1.llm.rules.spans import Candidate, candidates
from rag1.llm.rules.weights import WEIGHTS
from rag1.llm.tasks import AnswerFrom, AnswerReply, Passage
from rag1.types import ABSTENTION

THRESHOLD = 0.15
CHAIN_CONFIDENCE = 0.8
CAUSE_CONFIDENCE = 0.5
FACT_SCORE = 0.6
_ROOT = re.compile("もとをたど|元をたど|そもそも|根本|もとは|元は|大もと|おおもと|発端")
ABSTAINS = AnswerReply(answer=ABSTENTION, confidence=0.0)


@dataclass(frozen=True)
class Scored:
    candidate: Candidate
    scene: Scene
    score: float


def answer_from(task: AnswerFrom, abstain_below: float = THRESHOLD) -> AnswerReply:
    """Graph facts and counts first, then the text; 「分かりません」 where neither tells."""
    question = read_question(task.question)
    counted = _from_counts(question, task.context)
    if counted:
        return counted
    told = _from_facts(task, question)
    if told:
        return told
    scored = rank(question, [passage.text for passage in task.context])
    if not scored:
        return ABSTAINS
    best = scored[0]
    confidence = 1 / (1 + math.exp(-(best.score - 3.0)))
    if confidence < abstain_below:
        return AnswerReply(answer=ABSTENTION, confidence=confidence)
    return AnswerReply(answer=best.candidate.text, evidence=best.scene.text, confidence=round(confidence, 3))


def _from_counts(question: Question, context: Sequence[Passage]) -> AnswerReply | None:
    """A line of exact counting answers a how-many question."""
    if question.asks != "quantity":
        return None
    for passage in context:
        if passage.label.startswith("count"):
            return AnswerReply(answer=passage.text.strip(), evidence=passage.text.strip(), confidence=0.6)
    return None


def _from_facts(task: AnswerFrom, question: Question) -> AnswerReply | None:
    facts = read_facts(task.context)
    if not facts:
        return None
    if question.asks == "why":
        return _from_causes(causes_of(facts, task.question), task.question)
    chain = read_chain(task.question)
    if chain:
        names, used = follow(facts, chain.start, chain.relations)
        if len(names) == len(chain.relations) and chain.asks_last:
            return AnswerReply(answer=names[-1], evidence=used[-1].line, confidence=CHAIN_CONFIDENCE)
        if len(chain.relations) > 1 and chain.asks_last:
            return None
    best = best_fact(facts, task.question)
    if best and best[2] >= FACT_SCORE:
        return AnswerReply(answer=best[0], evidence=best[1].line, confidence=round(CHAIN_CONFIDENCE * best[2], 3))
    return None


def _from_causes(chain: Sequence[Fact], question: str) -> AnswerReply | None:
    """The nearest cause, or the first of all where the question asks for the root."""
    if not chain:
        return None
    fact = chain[-1] if _ROOT.search(question) else chain[0]
    return AnswerReply(answer=f"{fact.tail}こと", evidence=fact.line, confidence=CAUSE_CONFIDENCE)


def rank(question: Question, texts: Sequence[str]) -> list[Scored]:
    """Every candidate of the best sentences, best first."""
    scenes, sought = scenes_of(question, texts)
    found = [
        Scored(candidate, scene, score(features(candidate, scene, sought)))
        for scene in scenes
        for candidate in candidates(scene.text)
    ]
    return sorted(found, key=lambda scored: -scored.score)


def score(values: dict[str, float]) -> float:
    return sum(WEIGHTS.get(name, 0.0) * value for name, value in values.items())
