"""The parser's place in the tokens, and what it has gathered so far."""

from __future__ import annotations

from typing import NoReturn

from rag1.cypher.tokens import END, NAME, QUOTED, Tokens
from rag1.cypher.tree import Name, Parsed, Step
from rag1.errors import CypherSyntax


class Cursor:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.kinds = tokens.kinds
        self.words = tokens.words
        self.pairs = tokens.pairs
        self.i = 0
        self.limited = False
        self.cases = 0
        self.clauses: list[Name] = []
        self.functions: list[Name] = []
        self.procedures: list[Name] = []
        self.labels: list[Name] = []
        self.types: list[Name] = []
        self.steps: list[Step] = []

    def at(self, *words: str) -> bool:
        return self.words[self.i] in words

    def peek(self, ahead: int = 1) -> str:
        """The word `ahead` rows further on; the end where there is none."""
        row = self.i + ahead
        return self.words[row] if row < len(self.words) else ""

    def take(self, word: str) -> bool:
        """Step over `word` if it is next."""
        if self.words[self.i] == word:
            self.i += 1
            return True
        return False

    def expect(self, word: str) -> None:
        if self.words[self.i] != word:
            self.fail(repr(word))
        self.i += 1

    def is_name(self, ahead: int = 0) -> bool:
        row = self.i + ahead
        return row < len(self.kinds) and self.kinds[row] in (NAME, QUOTED)

    def name(self, what: str = "a name") -> str:
        if self.kinds[self.i] not in (NAME, QUOTED):
            self.fail(what)
        self.i += 1
        return self.tokens.value(self.i - 1)

    def mention(self, sink: list[Name], text: str, first: int, last: int | None = None) -> None:
        """Note a name that stands in the rows `first` to `last`."""
        last = first if last is None else last
        sink.append(Name(text, self.tokens.starts[first], self.tokens.ends[last], first))

    def place(self, row: int) -> tuple[int, int]:
        return self.tokens.starts[row], self.tokens.ends[row]

    def fail(self, wanted: str) -> NoReturn:
        start = self.tokens.starts[self.i]
        found = "the end" if self.kinds[self.i] == END else repr(self.tokens.raw(self.i)[:40])
        raise CypherSyntax(f"expected {wanted} at {start}, found {found}", start)

    def parsed(self, limited: bool) -> Parsed:
        return Parsed(
            self.tokens,
            tuple(self.clauses),
            tuple(self.functions),
            tuple(self.procedures),
            tuple(self.labels),
            tuple(self.types),
            tuple(self.steps),
            limited,
        )
