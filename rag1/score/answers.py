"""Rule scores of an answer against its gold. Each scorer takes the best of the accepted golds.

Character F1 is JSQuAD's (Kurihara, Kawahara and Shibata, "JGLUE", LREC 2022, section 4.3): F1 over the multisets
of characters. CRAG points are those of Yang et al., "CRAG: Comprehensive RAG Benchmark", NeurIPS 2024, section 3.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rag1.score import match
from rag1.types import Answer, Gold, Score

NOT_APPLICABLE = "not_applicable"
"""The label of a score that has no meaning for its question: left out of the mean, and counted."""

POINTS = {"Perfect": 1.0, "Acceptable": 0.5, "Missing": 0.0, "Incorrect": -1.0}


def not_applicable(name: str, why: str) -> Score:
    return Score(name, None, NOT_APPLICABLE, why)


@dataclass(frozen=True)
class ExactMatch:
    """1 where the answer equals a gold after normalisation (spelling, numerals, punctuation, units), else 0."""

    name: str = "exact_match"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        return Score(self.name, float(any(match.same(answer.text, one) for one in gold.answers)))


@dataclass(frozen=True)
class CharacterF1:
    """F1 of the characters of the normalised answer and gold, in [0, 1]."""

    name: str = "f1"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        return Score(self.name, max((character_f1(answer.text, one) for one in gold.answers), default=0.0))


@dataclass(frozen=True)
class Contains:
    """1 where a gold stands somewhere in the answer, else 0."""

    name: str = "contains"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        return Score(self.name, float(any(match.contains(answer.text, one) for one in gold.answers)))


@dataclass(frozen=True)
class Abstention:
    """1 where the answer is 「分かりません」 or says the same, else 0: its mean is the abstention rate."""

    name: str = "abstention"

    def __call__(self, answer: Answer, gold: Gold) -> Score:  # noqa: ARG002 - a Scorer
        return Score(self.name, float(match.abstains(answer.text)))


@dataclass(frozen=True)
class ListF1:
    """F1 of the items of the answer against those of the gold, order ignored; for golds of two items or more."""

    name: str = "list_f1"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        lists = [one for one in gold.answers if len(match.items(one)) > 1]
        if not lists:
            return not_applicable(self.name, "the gold is no list")
        return Score(self.name, max(list_f1(answer.text, one) for one in lists))


@dataclass(frozen=True)
class NumberMatch:
    """1 where the gold's numbers and dates, with their units, stand in the answer and no rival of them does.

    For questions all of whose accepted golds hold a number: where one does not, no number is needed.
    """

    name: str = "number_match"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        verdicts = [match.quantities_agree(answer.text, one) for one in gold.answers]
        if not verdicts or None in verdicts:
            return not_applicable(self.name, "the gold needs no number")
        return Score(self.name, float(any(verdicts)))


@dataclass(frozen=True)
class RuleJudge:
    """CRAG points by rule: a strict stand-in for a model judge, and every page says that it is one.

    Perfect (1): equal, or a list with the same items. Acceptable (.5): the gold stands in the answer, half of a list
    is right, or the characters agree (F1 at least `acceptable`); numbers must agree. Missing (0): an abstention where
    the gold has an answer. Incorrect (−1): the rest.
    """

    acceptable: float = 0.8
    name: str = "crag"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        labels = [self.label(answer.text, one) for one in gold.answers]
        label = max(labels, key=POINTS.__getitem__, default="Incorrect")
        return Score(self.name, POINTS[label], label)

    def label(self, answer: str, gold: str) -> str:
        if match.abstains(answer):
            return "Perfect" if match.abstains(gold) else "Missing"
        if match.same(answer, gold):
            return "Perfect"
        listed = list_f1(answer, gold) if len(match.items(gold)) > 1 else 0.0
        if listed == 1.0:
            return "Perfect"
        if match.quantities_agree(answer, gold) is False:
            return "Incorrect"
        near = match.contains(answer, gold) or listed >= 0.5 or character_f1(answer, gold) >= self.acceptable
        return "Acceptable" if near and not match.abstains(gold) else "Incorrect"


def character_f1(answer: str, gold: str) -> float:
    ours, theirs = match.key(answer), match.key(gold)
    shared = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * shared / (len(ours) + len(theirs)) if shared else 0.0


def list_f1(answer: str, gold: str) -> float:
    """F1 of two lists of items joined with 、; an item counts where `match.same` holds."""
    ours, theirs = match.items(answer), match.items(gold)
    hits = sum(any(match.same(one, other) for other in ours) for one in theirs)
    right = sum(any(match.same(one, other) for other in theirs) for one in ours)
    if not hits or not right:
        return 0.0
    precision, recall = right / len(ours), hits / len(theirs)
    return 2 * precision * recall / (precision + recall)
