"""From a place in the plain text back to the place in the raw file it came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from rag1.text.aozora_nouns import Cut
from rag1.types import Span

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Offsets(Sequence[int]):
    """`offsets[i]` is the raw offset of character `i` of the text; `offsets[len(text)]` is that of its end.

    Kept as runs: characters from `starts[n]` on stand at `raws[n]` and after it.
    """

    starts: Sequence[int]
    raws: Sequence[int]
    length: int

    @classmethod
    def of(cls, offsets: Sequence[int]) -> Offsets:
        """From the offset of every character and of the end."""
        places = np.asarray(offsets, dtype=np.int64)
        breaks = np.flatnonzero(np.diff(places, prepend=-2) != 1)
        return cls(breaks.tolist(), places[breaks].tolist(), len(offsets) - 1)

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        if isinstance(index, slice):
            return list(self)[index]
        place = index + self.length if index < 0 else index
        if not 0 <= place <= self.length:
            raise IndexError(f"offset {index} of a text of {self.length} characters")
        run = bisect_right(self.starts, place) - 1
        return self.raws[run] + place - self.starts[run]

    def __iter__(self) -> Iterator[int]:
        for start, raw, end in zip(self.starts, self.raws, [*self.starts[1:], self.length], strict=True):
            yield from range(raw, raw + end - start)

    def raw_span(self, span: Span) -> Span:
        """The raw file's span from the first to the last character of a span of the text, marks between included."""
        start, end = span
        return (self[start], self[end - 1] + 1) if end > start else (self[start], self[start])


@dataclass(frozen=True)
class Newlines:
    """Places in a text with LF newlines to places in the raw text, whose CRLF are a character longer."""

    crlf: Places

    @classmethod
    def of(cls, raw: str) -> Newlines:
        if "\r\n" not in raw:
            return cls(np.zeros(0, dtype=np.int64))
        codes = np.frombuffer(raw.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        returns = np.flatnonzero((codes[:-1] == 13) & (codes[1:] == 10))
        return cls(returns - np.arange(len(returns)))

    def raw(self, places: Sequence[int] | Places) -> Places:
        """Raw offsets of characters: for a newline, that of its LF."""
        at = np.asarray(places, dtype=np.int64)
        return at + np.searchsorted(self.crlf, at, side="right").astype(np.int64)

    def raw_end(self, places: Sequence[int] | Places) -> Places:
        """Raw offsets of the ends of spans: before a newline, that of its CR."""
        at = np.asarray(places, dtype=np.int64)
        return at + np.searchsorted(self.crlf, at, side="left").astype(np.int64)


def offsets_of(anchors: Sequence[tuple[int, int]], newlines: Newlines, length: int) -> Offsets:
    """The offsets of a text that was copied in runs: `anchors` are (place in text, place in the LF source)."""
    texts, sources = np.asarray(anchors, dtype=np.int64).reshape(-1, 2).T
    runs = np.searchsorted(sources, newlines.crlf, side="right") - 1
    breaks = newlines.crlf - sources[runs] + texts[runs]
    ends = np.append(texts[1:], length)
    inside = (runs >= 0) & (breaks < ends[runs])
    starts = np.concatenate([texts, breaks[inside]])
    raws = np.concatenate([newlines.raw(sources), newlines.raw(newlines.crlf[inside])])
    order = np.argsort(starts, kind="stable")
    starts, raws = starts[order], raws[order]
    last = np.append(np.diff(starts) > 0, True)
    return Offsets(starts[last].tolist(), raws[last].tolist(), length)


@dataclass(frozen=True)
class Origin:
    """Where a plain text came from, in tuples as the renderer left them.

    Worked out when first asked for: most readers want the text alone.
    """

    raw: str
    text: str
    anchors: Sequence[tuple[int, int]]
    readings: Sequence[tuple[int, int, str]]
    more_ruby: Sequence[tuple[str, str]]
    source_cuts: Sequence[tuple[str, int, int]]

    @cached_property
    def newlines(self) -> Newlines:
        return Newlines.of(self.raw)

    @cached_property
    def offsets(self) -> Offsets:
        return offsets_of(self.anchors, self.newlines, len(self.text))

    @cached_property
    def cuts(self) -> Sequence[Cut]:
        """Spans of the raw text."""
        kinds, starts, ends = zip(*self.source_cuts, strict=True) if self.source_cuts else ((), (), ())
        return list(map(Cut, kinds, self.newlines.raw(starts).tolist(), self.newlines.raw_end(ends).tolist()))

    @cached_property
    def ruby(self) -> Mapping[str, tuple[str, ...]]:
        """Each base with its readings, in order of first appearance; those of the title block come last."""
        found: dict[str, tuple[str, ...]] = {}
        in_text = [(self.text[start:end], reading) for start, end, reading in self.readings]
        for base, reading in [*in_text, *self.more_ruby]:
            known = found.get(base, ())
            if reading not in known:
                found[base] = (*known, reading)
        return found
