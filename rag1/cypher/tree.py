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

    def both(self, other: Labels) -> Labels:
        if self.excluded and other.excluded:
            return Labels(self.names | other.names)
        if self.excluded or other.excluded:
            named, barred = (other, self) if self.excluded else (self, other)
            return Labels(named.names - barred.names, excluded=False, joint=named.joint)
        return Labels(self.names | other.names, excluded=False, joint=True)

    def either(self, other: Labels) -> Labels:
        if self.excluded and other.excluded:
            return Labels(self.names & other.names)
        if self.excluded or other.excluded:
            named, barred = (other, self) if self.excluded else (self, other)
            return Labels(barred.names - named.names)
        return Labels(self.names | other.names, excluded=False, joint=self.joint or other.joint)

    def inverse(self) -> Labels:
        """`!`; what `!(A&B)` leaves possible is everything, for a node may have one of the two."""
        return ANY if self.joint else Labels(self.names, excluded=not self.excluded)

    def admits(self, name: str) -> bool:
        return (name in self.names) != self.excluded


ANY = Labels()


class Binding:
    """What one variable stands for; `labels` grows while the statement is read."""

    __slots__ = ("labels", "outer")

    def __init__(self, outer: Binding | None = None) -> None:
        self.labels = ANY
        self.outer = outer

    def known(self) -> Labels:
        """All that the statement says of the variable here: its own mentions and those around it."""
        labels = self.labels
        outer = self.outer
        while outer is not None:
            labels = labels.both(outer.labels)
            outer = outer.outer
        return labels


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
    """One relationship pattern. `left` and `right` are the places of its two dashes (start, end), without heads;
    `low` and `high` its number of hops, `high` None where there is no limit."""

    types: Labels
    direction: Literal["->", "<-", "--"]
    left: tuple[int, int]
    right: tuple[int, int]
    low: int
    high: int | None


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
