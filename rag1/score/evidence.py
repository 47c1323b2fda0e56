"""Scores of the evidence that an answer gives: does it stand in the corpus, and does it hold the answer?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rag1.score import match
from rag1.score.answers import not_applicable
from rag1.text.locate import Located, locate
from rag1.types import NO_EVIDENCE, Answer, Document, Gold, Score

_JOINT = re.compile(r"｜｜|\n+")
"""Between passages that stand in different places."""


def passages(evidence: str) -> list[str]:
    """The passages of an evidence cell; none for 「なし」."""
    parts = [part.strip() for part in _JOINT.split(evidence)]
    return [part for part in parts if part and part != NO_EVIDENCE]


@dataclass(frozen=True)
class EvidenceVerbatim:
    """The share of the evidence's passages that stand in the corpus word for word (but for spelling).

    `label` is the least exact of exact, normalised, near, none; `note` is where each stands. An abstention without
    evidence is not counted; an answer without evidence scores 0.
    """

    documents: Iterable[Document]
    name: str = "evidence_verbatim"

    def __call__(self, answer: Answer, gold: Gold) -> Score:  # noqa: ARG002 - a Scorer
        parts = passages(answer.evidence)
        if not parts and match.abstains(answer.text):
            return not_applicable(self.name, "an abstention without evidence")
        places = [locate(part, list(self.documents)) for part in parts]
        stands = [place.how in ("exact", "normalised") for place in places]
        label = max((place.how for place in places), key=_LOOSENESS.index, default="none")
        return Score(self.name, sum(stands) / len(stands) if stands else 0.0, label, " ".join(map(_place, places)))


_LOOSENESS = ("exact", "normalised", "near", "none")


def _place(place: Located) -> str:
    if place.how == "none":
        return "nowhere"
    shown = f"{place.doc_id}:{place.span[0]}-{place.span[1]}"
    return f"{shown} ({place.similarity:.2f})" if place.how == "near" else shown


@dataclass(frozen=True)
class EvidenceSupports:
    """1 where the evidence holds the answer, else the share of the answer's items that it holds."""

    name: str = "evidence_supports"

    def __call__(self, answer: Answer, gold: Gold) -> Score:  # noqa: ARG002 - a Scorer
        if match.abstains(answer.text):
            return not_applicable(self.name, "an abstention")
        if match.contains(answer.evidence, answer.text):
            return Score(self.name, 1.0)
        parts = [part for part in re.split(r"[、\n]", answer.text) if part.strip()]
        held = sum(match.contains(answer.evidence, part) for part in parts)
        return Score(self.name, held / len(parts) if parts else 0.0)
