"""Sentence spans of Japanese prose. A line of dialogue 「…。」 is kept whole, with the words that report it."""

from __future__ import annotations

import re

from rag1.types import Span

LONGEST_QUOTE = 240
"""Characters: within brackets longer than this, sentences are split all the same."""

_OPEN = "「『（(〈《【〔［“"
_CLOSE = "」』）)〉》】〕］”"
_PAIR = dict(zip(_CLOSE, _OPEN, strict=True))
_SPECIAL = re.compile(rf"[\n{re.escape(_OPEN + _CLOSE)}]|[。！？!?]+|(?<!\d)．|．(?!\d)")
_REPORTED = re.compile(r"[とっがはをにのもでなや、。，．！？!?…―—]|など|だけ|くらい|ぐらい|から|まで")
"""What follows a closing bracket where the sentence goes on: 「…。」と言った。"""


def sentences(text: str) -> list[Span]:
    """Spans of the sentences, in order; together they cover `text` without gap or overlap.

    A line break always ends a sentence and belongs to the sentence before it, as do blank lines.
    """
    ends = sorted(_ends(text))
    spans: list[Span] = []
    start = 0
    for end in [*ends, len(text)]:
        if end <= start:
            continue
        if spans and not text[start:end].strip():
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
        start = end
    return spans


def _ends(text: str) -> list[int]:
    ends: list[int] = []
    start = 0
    while start < len(text):
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline + 1
        ends += [*_line_ends(text, start, end), end]
        start = end
    return ends


def _line_ends(text: str, start: int, end: int) -> list[int]:
    """Ends of the sentences within one line. `stack` holds the open brackets as (bracket, place)."""
    ends: list[int] = []
    inner: list[int] = []
    stack: list[tuple[str, int]] = []
    for match in _SPECIAL.finditer(text, start, end):
        mark = match.group()
        if mark in _PAIR:
            closed = _close(stack, mark, match.end(), inner, ends)
            if closed and not stack and _ended(text, match.start(), match.end()):
                ends.append(match.end())
        elif mark in _OPEN:
            stack.append((mark, match.start()))
        elif mark != "\n":
            (inner if stack else ends).append(match.end())
    if stack:
        ends += [e for e in inner if e > stack[0][1]]
    return ends


def _close(stack: list[tuple[str, int]], mark: str, place: int, inner: list[int], ends: list[int]) -> bool:
    """Closes the innermost bracket of this kind; a stray closing bracket changes nothing, and gives False."""
    for depth in range(len(stack) - 1, -1, -1):
        bracket, opened = stack[depth]
        if bracket == _PAIR[mark]:
            del stack[depth:]
            if not stack:
                if place - opened > LONGEST_QUOTE:
                    ends.extend(e for e in inner if e < place - 1)
                inner.clear()
            return True
    return False


def _ended(text: str, close: int, after: int) -> bool:
    """Whether a sentence ends with this closing bracket: a full stop inside, and no report after it."""
    if text[close - 1] not in "。！？!?．…―—」』":
        return False
    return not _REPORTED.match(text, after)
