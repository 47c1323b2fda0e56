"""AnswerFrom by rule: the best candidate of the sentences that share the most with the question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rag1.llm.rules.chains import read_chain
from rag1.llm.rules.facts import best_fact, follow, read_facts
from rag1.llm.rules.features import Scene, Sought, features, hits, seek
from rag1.llm.rules.question import Question, read_question
from rag1.llm.rules.ranking import idf
from rag1.llm.rules.spans import Candidate, candidates
from rag1.llm.rules.weights import WEIGHTS
from rag1.llm.rules.words import fine_terms, sentences
from rag1.llm.tasks import AnswerFrom, AnswerReply, Passage
from rag1.types import ABSTENTION

TOP_SENTENCES = 8
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


def scenes_of(question: Question, texts: Sequence[str]) -> tuple[list[Scene], Sought]:
    """The sentences worth reading and the question prepared for them."""
    lines = [(text[start:end], at) for at, text in enumerate(texts) for start, end in sentences(text)]
    sought = seek(question, idf([line for line, _ in lines]))
    return _scenes(lines, sought), sought


def score(values: dict[str, float]) -> float:
    return sum(WEIGHTS.get(name, 0.0) * value for name, value in values.items())


def _scenes(lines: Sequence[tuple[str, int]], sought: Sought) -> list[Scene]:
    """The sentences that hold the most of the question's weight, with what their neighbours add."""
    held = [set(fine_terms(line)) & set(sought.weights) for line, _ in lines]
    own = [_share(terms, sought) for terms in held]
    around = []
    for at, (_, text) in enumerate(lines):
        near = [held[i] for i in (at - 1, at + 1) if 0 <= i < len(lines) and lines[i][1] == text]
        around.append(_share(set().union(held[at], *near), sought) - own[at])
    order = sorted(range(len(lines)), key=lambda at: -(own[at] + 0.4 * around[at]))[:TOP_SENTENCES]
    best = max(own, default=0.0)
    return [_scene(lines[at][0], own[at], around[at], best, sought) for at in order]


def _scene(text: str, own: float, around: float, best: float, sought: Sought) -> Scene:
    heading = len(text) < 30 and text[-1:] not in "。！？」"
    places = hits(text, sought)
    predicates = tuple(start for start, end, _ in places if set(fine_terms(text[start:end])) & sought.predicate)
    return Scene(text, own, around, best, heading, places, predicates)


def _share(terms: set[str], sought: Sought) -> float:
    return sum(sought.weights[term] for term in terms) / sought.total
