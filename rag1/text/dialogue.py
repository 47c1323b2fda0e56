"""What is said and what is told: the spans of direct speech 「…」 『…』."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from rag1.types import Span

_QUOTE = re.compile(r"[「『」』\n]")
_NEW_SPEECH = re.compile(r"\n[ 　]*[「『]")
_LONGEST_LINES = 40
"""Lines that one speech may go on for where its bracket is not closed on its own line."""


def dialogue_spans(text: str) -> list[Span]:
    """The outermost quoted spans in order, brackets included; they do not overlap.

    A speech may go on over lines until its bracket closes. One that never closes, or is not closed before the
    next line that begins with a bracket, ends with its line.
    """
    spans: list[Span] = []
    at = 0
    while True:
        start = _first(text, at)
        if start < 0:
            return spans
        at = _close(text, start)
        spans.append((start, at))


def _first(text: str, at: int) -> int:
    places = [place for place in (text.find("「", at), text.find("『", at)) if place >= 0]
    return min(places, default=-1)


def _close(text: str, start: int) -> int:
    depth, lines, line_end = 0, 0, -1
    for match in _QUOTE.finditer(text, start):
        mark = match.group()
        if mark == "\n":
            line_end = match.start() if line_end < 0 else line_end
            lines += 1
            if lines > _LONGEST_LINES or _NEW_SPEECH.match(text, match.start()):
                return line_end
        else:
            depth += 1 if mark in "「『" else -1
            if depth == 0:
                return match.end()
    return line_end if line_end >= 0 else len(text)


def within(spans: Sequence[Span], place: int) -> bool:
    """Whether a place is in one of these spans, which are in order and apart."""
    after = bisect_right(spans, place, key=lambda span: span[0])
    return after > 0 and place < spans[after - 1][1]
