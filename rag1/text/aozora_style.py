"""Changes to a plain text that keep its offsets: readings shown, or the cleaning of the prize-winner's entry."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from rag1.text.aozora_nouns import Reading
from rag1.text.aozora_offsets import Offsets
from rag1.types import Span

RubyStyle = Literal["drop", "paren", "only"]


class Edit(NamedTuple):
    """Text to stand in place of `text[start:end]`, and why. Edits are in order and do not overlap."""

    start: int
    end: int
    new: str
    kind: str


def ruby_edits(readings: Iterable[Reading], ruby: RubyStyle) -> list[Edit]:
    """`paren` writes 青梅（おうめ）, `only` writes おうめ, `drop` changes nothing."""
    if ruby == "paren":
        return [Edit(r.end, r.end, f"（{r.reading}）", "reading") for r in readings]
    if ruby == "only":
        return [Edit(r.start, r.end, r.reading, "base") for r in readings]
    return []


def _matches(pattern: str, kind: str) -> Callable[[str], list[Edit]]:
    compiled = re.compile(pattern, re.M)
    return lambda text: [Edit(m.start(), m.end(), "", kind) for m in compiled.finditer(text)]


SEED003: Sequence[Callable[[str], list[Edit]]] = (
    _matches(r"[―—─…‥]+", "dash or ellipsis"),
    _matches(r"^[　]+", "indent"),
    _matches(r"「」|『』", "empty quotation"),
    _matches(r"^[^\n]\n|^[^\n]\Z", "line of one character"),
)
"""The prize-winner's cleaning, a pass at a time: each sees what the one before left."""


class Edits:
    """Applies edits to a text, and carries places in the old text over to the new one."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self.edits = edits
        self._starts = [e.start for e in edits]
        self._shift = [0, *accumulate(len(e.new) - (e.end - e.start) for e in edits)]

    def text(self, old: str) -> str:
        parts: list[str] = []
        at = 0
        for edit in self.edits:
            parts += (old[at : edit.start], edit.new)
            at = edit.end
        return "".join([*parts, old[at:]])

    def place(self, old: int) -> int:
        """Where a place of the old text is in the new one; within replaced text, the start of what replaced it."""
        after = bisect_right(self._starts, old)
        if after and old < self.edits[after - 1].end:
            return self.edits[after - 1].start + self._shift[after - 1]
        return old + self._shift[after]

    def end(self, old: int) -> int:
        """Like `place` for the end of a span: text put in right at the end is not part of the span."""
        after = bisect_right(self._starts, old - 1) if old else 0
        if after and old < self.edits[after - 1].end:
            return self.edits[after - 1].start + self._shift[after - 1] + len(self.edits[after - 1].new)
        return old + self._shift[after]

    def span(self, start: int, end: int) -> Span:
        """A span of the old text in the new one; empty where all of it went."""
        return self.place(start), max(self.place(start), self.end(end))

    def offsets(self, old: Offsets) -> Offsets:
        """Offsets of the new text's characters, from those of the old one's."""
        places = [*old, old[len(old)]]
        new: list[int] = []
        at = 0
        for edit in self.edits:
            new += places[at : edit.start]
            from_base = edit.start if edit.end > edit.start else max(edit.start - 1, 0)
            new += [places[from_base]] * len(edit.new)
            at = edit.end
        return Offsets.of([*new, *places[at:]])
