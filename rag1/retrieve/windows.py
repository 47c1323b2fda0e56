"""Hits with their surroundings: neighbouring chunks, or the chapter, joined to one passage without overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from rag1.chunk.chunks import Chunks
from rag1.corpus.notation import headings
from rag1.types import Document, Retrieved, Span


@dataclass(frozen=True)
class Windows:
    """`before`, `after`: neighbouring chunks added to a hit; `unit="chapter"`: the whole chapter instead.

    Windows that touch or overlap become one passage at the place of the best of them. What has no span in a
    document (facts, counts) passes through untouched.
    """

    chunks: Chunks
    before: int = 1
    after: int = 1
    unit: Literal["chunk", "chapter"] = "chunk"

    def __call__(self, hits: Sequence[Retrieved]) -> list[Retrieved]:
        spans = [self._window(hit) for hit in hits]
        merged: list[Retrieved] = []
        done: set[int] = set()
        for place, hit in enumerate(hits):
            if place in done:
                continue
            span = spans[place]
            if span is None:
                merged.append(hit)
                continue
            span, members = _grown(span, [(n, hits[n].doc_id, spans[n]) for n in range(len(hits))], hit.doc_id)
            done |= members
            merged.append(self._passage(hit, span))
        return merged

    def _window(self, hit: Retrieved) -> Span | None:
        chunk = self.chunks.by_id.get(hit.id)
        if chunk is None:
            return None
        if self.unit == "chapter":
            return chapter_of(self.chunks.corpus[hit.doc_id], chunk.span)
        around = self.chunks.around(chunk, self.before, self.after)
        return around[0].span[0], max(c.span[1] for c in around)

    def _passage(self, hit: Retrieved, span: Span) -> Retrieved:
        if span == hit.span:
            return hit
        text = self.chunks.corpus[hit.doc_id].text[slice(*span)]
        return replace(hit, id=f"{hit.doc_id}:{span[0]}-{span[1]}", text=text, span=span)


def _grown(span: Span, others: Sequence[tuple[int, str, Span | None]], doc_id: str) -> tuple[Span, set[int]]:
    """`span` joined with every window of the document that touches it, directly or through another."""
    mine = sorted((s, n) for n, doc, s in others if s is not None and doc == doc_id)
    members: set[int] = set()
    grew = True
    while grew:  # ends: each turn adds a member, and there are finitely many
        grew = False
        for other, number in mine:
            if number not in members and other[0] <= span[1] and span[0] <= other[1]:
                span = (min(span[0], other[0]), max(span[1], other[1]))
                members.add(number)
                grew = True
    return span, members


def chapter_of(document: Document, span: Span) -> Span:
    """The span between the headings around the start of `span`; the document where it has none."""
    starts = [0, *(start for _, _, start, _ in headings(document.meta)), len(document.text)]
    for start, end in pairwise(starts):
        if start <= span[0] < end:
            return start, max(end, span[1])
    return 0, len(document.text)
