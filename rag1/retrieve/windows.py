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

    def __call__(self, hits: Sequence[Retrieved], k: int) -> list[Retrieved]:
        """At most `k` passages: hits are taken in order until one would open another."""
        passages: list[Retrieved] = []
        for hit in hits:
            window = self._window(hit)
            touched = [n for n, passage in enumerate(passages) if _touch(window, hit.doc_id, passage)]
            if not touched:
                if len(passages) == k:
                    break
                passages.append(self._passage(hit, window))
                continue
            assert window is not None
            spans = [window, *(span for n in touched if (span := passages[n].span))]
            joined = min(start for start, _ in spans), max(end for _, end in spans)
            passages[touched[0]] = self._passage(passages[touched[0]], joined)
            for n in reversed(touched[1:]):
                del passages[n]
        return passages

    def _window(self, hit: Retrieved) -> Span | None:
        chunk = self.chunks.by_id.get(hit.id)
        if chunk is None:
            return None
        if self.unit == "chapter":
            return chapter_of(self.chunks.corpus[hit.doc_id], chunk.span)
        around = self.chunks.around(chunk, self.before, self.after)
        return around[0].span[0], max(c.span[1] for c in around)

    def _passage(self, hit: Retrieved, span: Span | None) -> Retrieved:
        if span is None or span == hit.span:
            return hit
        text = self.chunks.corpus[hit.doc_id].text[slice(*span)]
        return replace(hit, id=f"{hit.doc_id}:{span[0]}-{span[1]}", text=text, span=span)


def _touch(window: Span | None, doc_id: str, passage: Retrieved) -> bool:
    """True where a window reaches a passage of the same document; facts and counts touch nothing."""
    if window is None or passage.span is None or passage.doc_id != doc_id:
        return False
    is_passage = passage.id == f"{doc_id}:{passage.span[0]}-{passage.span[1]}"
    return is_passage and window[0] <= passage.span[1] and passage.span[0] <= window[1]


def chapter_of(document: Document, span: Span) -> Span:
    """The span between the headings around the start of `span`; the document where it has none."""
    starts = [0, *(start for _, _, start, _ in headings(document.meta)), len(document.text)]
    for start, end in pairwise(starts):
        if start <= span[0] < end:
            return start, max(end, span[1])
    return 0, len(document.text)
