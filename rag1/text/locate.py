"""Where a piece of evidence stands in the documents: verbatim, but for its spelling, or nearly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz

from rag1.text.normalize import key_span, normalize, normalize_with_offsets
from rag1.types import Document, Span

How = Literal["exact", "normalised", "near", "none"]

NEAR = 0.6
"""The least similarity that counts as a near passage."""


_SLACK = 6
"""Characters by which a near passage may begin or end elsewhere than its alignment."""


@dataclass(frozen=True, slots=True)
class Located:
    """The place of a piece of evidence. `span` counts in `Document.text`; `similarity` is in [0, 1].

    With `how == "none"` there is no place: `doc_id` is "" and `span` is (0, 0).
    """

    doc_id: str
    span: Span
    how: How
    similarity: float


NOWHERE = Located("", (0, 0), "none", 0.0)


@lru_cache(maxsize=256)
def _key(text: str) -> tuple[str, list[int]]:
    return normalize_with_offsets(text)


def locate(evidence: str, documents: Sequence[Document], near: float = NEAR) -> Located:
    """The best place of `evidence`: exact, else normalised, else the nearest passage with its similarity.

    Similarity is the normalised indel similarity of evidence and passage as keys (rapidfuzz `ratio`), the passage
    being the best partial alignment with its ends fitted.
    """
    wanted = evidence.strip()
    key = normalize(wanted)
    if not key:
        return NOWHERE
    for document in documents:
        place = document.text.find(wanted)
        if place >= 0:
            return Located(document.id, (place, place + len(wanted)), "exact", 1.0)
    for document in documents:
        span = _normalised(key, document.text)
        if span:
            return Located(document.id, span, "normalised", 1.0)
    return _nearest(key, documents, near)


def _normalised(key: str, text: str) -> Span | None:
    whole, offsets = _key(text)
    place = whole.find(key)
    return key_span(text, offsets, place, place + len(key)) if place >= 0 else None


def _nearest(key: str, documents: Sequence[Document], near: float) -> Located:
    best = NOWHERE
    for document in documents:
        whole, offsets = _key(document.text)
        found = fuzz.partial_ratio_alignment(key, whole, score_cutoff=100 * max(near, best.similarity))
        if found and found.score / 100 > best.similarity:
            start, end, similarity = _fitted(key, whole, found.dest_start, found.dest_end)
            best = Located(document.id, key_span(document.text, offsets, start, end), "near", similarity)
    return best if best.similarity >= near else NOWHERE


def _fitted(key: str, whole: str, start: int, end: int) -> tuple[int, int, float]:
    """Moves the ends of a passage a little to where it is most alike; an alignment has the key's length only."""
    ends = range(max(start + 1, end - _SLACK), min(len(whole), end + _SLACK) + 1)
    end = max(ends, key=lambda place: (fuzz.ratio(key, whole[start:place]), -place))
    starts = range(max(0, start - _SLACK), min(end - 1, start + _SLACK) + 1)
    start = max(starts, key=lambda place: (fuzz.ratio(key, whole[place:end]), place))
    return start, end, fuzz.ratio(key, whole[start:end]) / 100
