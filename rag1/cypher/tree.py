"""What a parse leaves behind: names with their places, the steps of every path, and what is known of each variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rag1.cypher.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Labels:
    """Which labels (or relationship types) an expression leaves possible: `names`, or all but `names`.

    A node may carry several labels, so `A&B` leaves both A and B possible: a schema that lists either fits.
    """

    names: frozenset[str] = frozenset()
    excluded: bool = True
    joint: bool = False

    def inverse(self) -> Labels:
        """`!`; what `!(A&B)` leaves possible is everything, for a node may have one of the two."""
        return ANY if self.joint else Labels(self.names, excluded=not self.excluded)

    def admits(self, name: str) -> bool:
        return (name in self.names) != self.excluded


ANY = Labels()


def all_of(parts: list[Labels]) -> Labels:
    """`&`: the labels that one node can have where every part holds."""
    if len(parts) < 2:
        return parts[0] if parts else ANY
    barred = frozenset[str]().union(*(part.names for part in parts if part.excluded))
    named = [part.names for part in parts if not part.excluded]
    if not named:
        return Labels(barred)
    return Labels(frozenset[str]().union(*named) - barred, excluded=False, joint=len(named) > 1)


def any_of(parts: list[Labels]) -> Labels:
    """`|`: the labels that one node can have where at least one part holds."""
    if len(parts) < 2:
        return parts[0] if parts else ANY
    named = frozenset[str]().union(*(part.names for part in parts if not part.excluded))
    barred = [part.names for part in parts if part.excluded]
    if not barred:
        return Labels(named, excluded=False, joint=any(part.joint for part in parts))
    return Labels(barred[0].intersection(*barred[1:]) - named)


class Binding:
    """What one variable stands for; `said` grows while the statement is read, and is looked at when it has ended."""

    __slots__ = ("_known", "outer", "said")

    def __init__(self, outer: Binding | None = None) -> None:
        self.said: list[Labels] = []
        self.outer = outer
        self._known: Labels | None = None

    def known(self) -> Labels:
        """All that the statement says of the variable here: its own mentions and those around it."""
        if self._known is None:
            around = [self.outer.known()] if self.outer else []
            self._known = all_of([*around, *self.said])
        return self._known


class Scope:
    """The variables in sight. What is said of an outer variable here is not known outside."""

    __slots__ = ("base", "names", "outer")

    def __init__(self, outer: Scope | None = None, base: Scope | None = None) -> None:
        self.names: dict[str, Binding] = {}
        self.outer = outer
        self.base = base  # what stays in sight after a WITH

    def find(self, name: str) -> Binding | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def meet(self, name: str) -> Binding:
        """The variable as this scope knows it, new where nobody has met it."""
        binding = self.names.get(name)
        if binding is None:
            binding = self.names[name] = Binding(self.find(name))
        return binding

    def visible(self) -> dict[str, Binding]:
        around = self.outer.visible() if self.outer else {}
        return around | self.names


@dataclass(frozen=True, slots=True)
class Name:
    """One mention of a label, type, clause, function or procedure, and its place in the statement."""

    text: str
    start: int
    end: int
    row: int


@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship pattern. `left` and `right` are the places of its two dashes (start, end), without heads,
    and `row` the left one's row in the tokens; `low` and `high` its number of hops, `high` None where there is no
    limit."""

    types: Labels
    direction: Literal["->", "<-", "--"]
    left: tuple[int, int]
    right: tuple[int, int]
    low: int
    high: int | None
    row: int


@dataclass(frozen=True, slots=True)
class Step:
    """Two nodes and the relationship between them, as written from left to right."""

    start: Binding
    relationship: Relationship
    end: Binding
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A statement, read. Every list is in the order of the text."""

    tokens: Tokens
    clauses: tuple[Name, ...]
    functions: tuple[Name, ...]
    procedures: tuple[Name, ...]
    labels: tuple[Name, ...]
    types: tuple[Name, ...]
    steps: tuple[Step, ...]
    limited: bool
