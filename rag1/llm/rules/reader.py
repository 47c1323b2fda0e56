"""AnswerFrom by rule: the best candidate of the sentences that share the most with the question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rag1.llm.rules.chains import read_chain
from rag1.llm.rules.facts import best_fact, follow, read_facts
from rag1.llm.rules.features import features
from rag1.llm.rules.question import Question, read_question
from rag1.llm.rules.scene import Scene, scenes_of
from rag1.llm.rules.spans import Candidate, candidates
from rag1.llm.rules.weights import WEIGHTS
from rag1.llm.tasks import AnswerFrom, AnswerReply, Passage
from rag1.types import ABSTENTION

THRESHOLD = 0.15
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
    told = _from_facts(task)
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


def _from_facts(task: AnswerFrom) -> AnswerReply | None:
    facts = read_facts(task.context)
    if not facts:
        return None
    chain = read_chain(task.question)
    if chain:
        names, used = follow(facts, chain.start, chain.relations)
        if len(names) == len(chain.relations):
            return AnswerReply(answer=names[-1], evidence=used[-1].line, confidence=0.8)
    best = best_fact(facts, task.question)
    if best and best[2] >= 0.6:
        return AnswerReply(answer=best[0], evidence=best[1].line, confidence=round(min(best[2], 1.0) * 0.8, 3))
    return None


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
