"""Cypher text → tokens with exact positions, in one pass.

What lies between two tokens (white space and comments) is skipped, never copied: `Tokens.gaps` gives it back to
whoever must judge it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from rag1.errors import CypherSyntax

MAX_LENGTH = 8_000
"""Longest statement that is read, in characters: sixteen times the longest of 3,987 that models wrote."""

MAX_NESTING = 32
"""Deepest nesting of brackets, and of CASE, that is read; it bounds the recursion of the parser."""

NAME, OPERATOR, STRING, NUMBER, PARAMETER, QUOTED, END = range(1, 8)

# Possessive quantifiers keep every alternative linear in the input: nothing is ever tried twice.
_GAP = r"(?:\s++|//[^\r\n]*+|/\*(?s:.*?)\*/)*+"
_QUOTED = r"`[^`]*+(?:``[^`]*+)*+`"
_TOKEN = re.compile(
    _GAP + r"(?:"
    # Combining marks, for text in which が is written as か and a voicing mark.
    r"([^\W\d][\w\u0300-\u036f\u3099\u309a]*+)"
    r"|(<>|<=|>=|=~|\+=|!=|::|\.\.(?!\.)|\|\||/(?![*/])|\.(?![.\d])|\$(?=\()|[-+*%^=<>()\[\]{},:;|&!])"
    r"|('(?s:[^'\\]*+(?:\\.[^'\\]*+)*+)'|\"(?s:[^\"\\]*+(?:\\.[^\"\\]*+)*+)\")"
    r"|((?:0[xX][0-9a-fA-F_]++|0o[0-7_]++|(?:[0-9][0-9_]*+(?:\.[0-9]++)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)(?!\w))"
    r"|\$([^\W]\w*+|" + _QUOTED + r")"
    r"|(" + _QUOTED + r"))"
)
_REST = re.compile(_GAP + r"\Z")
_SYMBOL = {STRING: "'", NUMBER: "0", PARAMETER: "$", QUOTED: "`"}
_OPEN_ENDS = {"'": "a string", '"': "a string", "`": "a backticked name", "/": "a comment"}
_CLOSES = {")": "(", "]": "[", "}": "{"}
_OPENS = frozenset(_CLOSES.values())


@dataclass(frozen=True, slots=True)
class Tokens:
    """Parallel lists, a row a token, the last row being the end.

    `words` is what the parser compares: a name in capitals (ASCII names only), an operator as it stands, and `'`,
    `0`, `$`, `` ` `` for a string, number, parameter and backticked name. `pairs[i]` is the row of the bracket that
    closes the one in row `i`, else -1.
    """

    text: str
    kinds: list[int]
    words: list[str]
    starts: list[int]
    ends: list[int]
    pairs: list[int]

    def raw(self, row: int) -> str:
        return self.text[self.starts[row] : self.ends[row]]

    def value(self, row: int) -> str:
        """The name that a row stands for, without its backticks."""
        raw = self.raw(row)
        return raw[1:-1].replace("``", "`") if raw[:1] == "`" else raw

    def gaps(self) -> Iterator[tuple[int, str]]:
        """What lies before, between and after the tokens, with where it starts."""
        before = 0
        for start, end in zip(self.starts, self.ends, strict=True):
            if start > before:
                yield before, self.text[before:start]
            before = end


def tokenize(text: str) -> Tokens:
    """The tokens of a statement, its brackets paired.

    Raises CypherSyntax for a statement over `MAX_LENGTH`, an unknown character, an open string, comment or
    backtick, and brackets that do not match or nest deeper than `MAX_NESTING`.
    """
    if len(text) > MAX_LENGTH:
        raise CypherSyntax(
            f"the statement has {len(text)} characters, the limit is {MAX_LENGTH}: shorten it", MAX_LENGTH
        )
    kinds: list[int] = []
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while match := _TOKEN.match(text, at):
        kind = match.lastindex or 0
        at = match.end()
        start = match.start(kind) - (kind == PARAMETER)
        kinds.append(kind)
        words.append(_SYMBOL.get(kind) or _word(text[start:at]))
        starts.append(start)
        ends.append(at)
    _end(text, at)
    kinds.append(END)
    words.append("")
    starts.append(len(text))
    ends.append(len(text))
    return Tokens(text, kinds, words, starts, ends, _pair(words, starts))


def _word(raw: str) -> str:
    return raw.upper() if raw.isascii() else raw


def _end(text: str, at: int) -> None:
    if _REST.match(text, at):
        return
    while (gap := re.compile(_GAP).match(text, at)) and gap.end() > at:
        at = gap.end()
    char = text[at]
    name = unicodedata.name(char, f"U+{ord(char):04X}")
    open_end = _OPEN_ENDS.get(char)
    fault = f"{open_end} that is never closed" if open_end else f"the character {char!r} ({name})"
    raise CypherSyntax(f"cannot read {fault} at {at}", at)


def _pair(words: list[str], starts: list[int]) -> list[int]:
    pairs = [-1] * len(words)
    open_rows: list[int] = []
    for row, word in enumerate(words):
        if word in _OPENS:
            open_rows.append(row)
            if len(open_rows) > MAX_NESTING:
                raise CypherSyntax(f"brackets nest deeper than {MAX_NESTING} at {starts[row]}", starts[row])
        elif word in _CLOSES:
            if not open_rows or words[open_rows[-1]] != _CLOSES[word]:
                raise CypherSyntax(f"{word!r} at {starts[row]} closes nothing", starts[row])
            pairs[open_rows.pop()] = row
    if open_rows:
        row = open_rows[-1]
        raise CypherSyntax(f"{words[row]!r} at {starts[row]} is never closed", starts[row])
    return pairs
