"""AnswerFrom by rule: the best candidate of the sentences that share the most with the question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from rag1.llm.rules.causes import negated
from rag1.llm.rules.chains import read_chain
from rag1.llm.rules.compare import choose_by_facts, confirm_by_facts
from rag1.llm.rules.facts import (
    Fact,
    best_fact,
    causes_of,
    covers,
    follow,
    onward,
    read_fact,
    read_facts,
    stated,
    suits,
)
from rag1.llm.rules.features import features
from rag1.llm.rules.kinds import BY_KIND, Scored
from rag1.llm.rules.question import Question, read_question
from rag1.llm.rules.scene import Scene, Sought, scenes_of
from rag1.llm.rules.spans import candidates
from rag1.llm.rules.weights import CONFIDENCE, WEIGHTS
from rag1.llm.tasks import AnswerFrom, AnswerReply, Passage
from rag1.types import ABSTENTION

THRESHOLD = 0.05
COUNT_CONFIDENCE = 0.9
CHAIN_CONFIDENCE = 0.8
CAUSE_CONFIDENCE = 0.5
FACT_SCORE = 0.6
LEAST_COVERED = 0.5
"""The share of the question's nouns that facts must speak of: a long question asks for more than one fact tells."""
_OCCURRENCES = re.compile("(?:何回|何度|いくつ|何箇所|何か所|何カ所)[^、。]*(?:出て|現れ|登場|書か|使わ|あり)")
_ROOT = re.compile("もとをたど|元をたど|そもそも|根本|もとは|元は|大もと|おおもと|発端")
ABSTAINS = AnswerReply(answer=ABSTENTION, confidence=0.0)


def answer_from(task: AnswerFrom, abstain_below: float = THRESHOLD) -> AnswerReply:
    """Graph facts and counts first, then the text; 「分かりません」 where neither tells."""
    question = read_question(task.question)
    counted = _from_counts(question, task.context)
    if counted:
        return counted
    if _OCCURRENCES.search(task.question):
        return ABSTAINS  # passages are a part of the text: what stands in them is not all there is to count
    told = _from_facts(task, question)
    if told:
        return told
    return _from_text(question, [_prose(passage.text) for passage in task.context], abstain_below)


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
    confidence = max(confidence_of(ranked), _chance(question))
    if confidence < abstain_below:
        return AnswerReply(answer=ABSTENTION, confidence=confidence)
    rule = BY_KIND.get(question.asks)
    told = rule(question, ranked, scenes, sought) if rule else None
    answer, evidence = told or (ranked[0].candidate.text, ranked[0].scene.text)
    return AnswerReply(answer=answer, evidence=evidence, confidence=confidence)


def _chance(question: Question) -> float:
    """What a guess is worth where the question gives the alternatives."""
    if question.asks == "yes_no":
        return 0.5
    return round(1 / len(question.options), 3) if question.options else 0.0


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


def _from_facts(task: AnswerFrom, question: Question) -> AnswerReply | None:
    facts = read_facts(task.context)
    if not facts:
        return None
    if question.asks == "why":
        return _from_causes(causes_of(facts, task.question), task.question)
    if question.asks in {"choice", "yes_no"}:
        told = (choose_by_facts if question.asks == "choice" else confirm_by_facts)(question, facts)
        return AnswerReply(answer=told[0], evidence=told[1].line, confidence=CAUSE_CONFIDENCE) if told else None
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
        if not suits(question, answer) or covers(question, (best[1], fact)) < LEAST_COVERED:
            return None
        return AnswerReply(answer=answer, evidence=fact.line, confidence=round(CHAIN_CONFIDENCE * best[2], 3))
    return None


def _from_causes(chain: Sequence[Fact], question: str) -> AnswerReply | None:
    """The nearest cause, or the first of all where the question asks for the root."""
    if not chain:
        return None
    nearest = next((fact for fact in chain if not stated(fact.tail, question)), chain[0])
    fact = chain[-1] if _ROOT.search(question) else nearest
    return AnswerReply(answer=f"{negated(fact.tail)}こと", evidence=fact.line, confidence=CAUSE_CONFIDENCE)


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
