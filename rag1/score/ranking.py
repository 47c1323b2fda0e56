"""Scores of what was retrieved against the gold evidence: recall at k, all evidence at k, reciprocal rank.

A gold passage counts as retrieved where the spans of the first k items cover it, or one of their texts holds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag1.score.answers import not_applicable
from rag1.text.locate import locate
from rag1.text.normalize import normalize
from rag1.types import Answer, Document, Gold, Retrieved, Score, Span

COVER = 0.95
"""The share of a passage that spans must cover: chunks leave out the white space between them."""

_NOT_NEARLY = 1.01
"""A similarity that nothing has: a passage that only nearly stands there is not looked for."""


@dataclass(frozen=True)
class EvidenceRecall:
    """The share of the gold's evidence passages among the first `k` retrieved."""

    documents: Iterable[Document]
    k: int = 8

    @property
    def name(self) -> str:
        return f"evidence_recall_at_{self.k}"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        if not gold.evidence:
            return not_applicable(self.name, "the gold has no evidence")
        found = passages_found(answer.support[: self.k], gold, self.documents)
        return Score(self.name, sum(found) / len(found))


@dataclass(frozen=True)
class AllEvidence:
    """1 where every evidence passage of the gold is among the first `k` retrieved, else 0."""

    documents: Iterable[Document]
    k: int = 8

    @property
    def name(self) -> str:
        return f"all_evidence_at_{self.k}"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        if not gold.evidence:
            return not_applicable(self.name, "the gold has no evidence")
        return Score(self.name, float(all(passages_found(answer.support[: self.k], gold, self.documents))))


@dataclass(frozen=True)
class ReciprocalRank:
    """1 / rank of the first retrieved item that holds an evidence passage; 0 where none does. Its mean is MRR."""

    documents: Iterable[Document]
    name: str = "mrr"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        if not gold.evidence:
            return not_applicable(self.name, "the gold has no evidence")
        for rank, item in enumerate(answer.support, start=1):
            if any(passages_found([item], gold, self.documents)):
                return Score(self.name, 1 / rank)
        return Score(self.name, 0.0)


@dataclass(frozen=True)
class DocumentRecall:
    """The share of the gold's documents among those of the first `k` retrieved."""

    k: int = 8

    @property
    def name(self) -> str:
        return f"document_recall_at_{self.k}"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        if not gold.doc_ids:
            return not_applicable(self.name, "the gold names no document")
        found = {item.doc_id for item in answer.support[: self.k]}
        return Score(self.name, len(found & gold.doc_ids) / len(gold.doc_ids))


@dataclass(frozen=True)
class RouteRight:
    """1 where the router's first document is one that the gold names; `label` says how clearly it led.

    `sure`: the margin from which a lead is clear. `note`: the document and the margin.
    """

    sure: float = 0.2
    name: str = "route_right"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        if answer.route is None or not gold.doc_ids:
            return not_applicable(self.name, "no router, or the gold names no document")
        first = next((doc_id for doc_id, score in answer.route.ranking[:1] if score > 0), "")
        label = "clear" if answer.route.margin >= self.sure else "thin"
        return Score(self.name, float(first in gold.doc_ids), label, f"{first} (margin {answer.route.margin:.2f})")


def passages_found(items: Sequence[Retrieved], gold: Gold, documents: Iterable[Document]) -> list[bool]:
    """For each evidence passage of the gold: is it among the items?"""
    if not items:
        return [False] * len(gold.evidence)
    scope = [document for document in documents if document.id in gold.doc_ids] or list(documents)
    return [_covered(passage, items, scope) for passage in gold.evidence]


def _covered(passage: str, items: Sequence[Retrieved], documents: Sequence[Document]) -> bool:
    place = _place(passage, documents)
    if place and share(place[1], [item.span for item in items if item.span and item.doc_id == place[0]]) >= COVER:
        return True
    wanted = _key(passage)
    return bool(wanted) and any(wanted in _key(item.text) for item in items)


def share(span: Span, others: Sequence[Span]) -> float:
    """The share of `span` that the union of `others` covers."""
    covered, place = 0, span[0]
    for start, end in sorted(others):
        low, high = max(start, place), min(end, span[1])
        if high > low:
            covered, place = covered + high - low, high
    return covered / (span[1] - span[0]) if span[1] > span[0] else 0.0


def _place(passage: str, documents: Sequence[Document]) -> tuple[str, Span] | None:
    found = locate(passage, documents, near=_NOT_NEARLY)
    return (found.doc_id, found.span) if found.how != "none" else None


@lru_cache(maxsize=16384)
def _key(text: str) -> str:
    return normalize(text)
