"""Chains of causes over facts that name the events they link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from rag1.llm.rules.causes import FIRST

LONGEST = 24
"""Links of a chain; each may be followed by one that says where its cause was told."""


class Linked(Protocol):
    """A fact 「effect - 原因 -> cause」."""

    @property
    def head(self) -> str: ...
    @property
    def tail(self) -> str: ...
    @property
    def properties(self) -> Mapping[str, str]: ...


VOTES = 6
"""Links of a chain that tell its first cause."""

L = TypeVar("L", bound=Linked)


def joined(causes: Sequence[L]) -> bool:
    """Does one of them name another's cause as its effect?"""
    heads = {cause.head for cause in causes}
    return any(cause.tail in heads for cause in causes)


def onward(causes: Sequence[L], first: L) -> list[L]:
    """The longest chain that begins with `first`, each effect the cause before it; of equals the first found."""
    of_effect: dict[str, list[L]] = {}
    for cause in causes:
        of_effect.setdefault(cause.head, []).append(cause)
    best: list[L] = []
    stack: list[list[L]] = [[first]]
    looked = 0
    while stack and looked < 2000:
        looked += 1
        chain = stack.pop()
        if len(chain) > len(best):
            best = chain
        told = {each.head for each in chain}
        further = [each for each in of_effect.get(chain[-1].tail, ()) if each.tail not in told]
        if len(chain) < LONGEST:
            stack += [[*chain, each] for each in reversed(further)]
    return best


def first_cause(chain: Sequence[Linked]) -> str:
    """The first cause that most of the chain's links name, of equals the one named first; "" where none does."""
    named = Counter(link.properties[FIRST] for link in chain[:VOTES] if link.properties.get(FIRST))
    return max(named, key=lambda first: named[first], default="")
