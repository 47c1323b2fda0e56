"""A walk over the graph from some entities: facts around them, then around the ends of the best of these, and so on."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rag1.graph.model import Fact
from rag1.graph.store import GraphStore
from rag1.retrieve.facts import FactTable, Key, key_of
from rag1.types import Query

SURE = 0.75
"""How surely a seed is meant from which its name's words say nothing more about its facts."""
LEAST_INSIDE = 2
LONGEST_INSIDE = 16
"""Characters of a name that is looked for inside longer ones."""


@dataclass(frozen=True)
class Walk:
    """`hops`: steps from the entities. `beam`: facts whose ends are walked on from. `decay`: what a step costs.

    `floor`: worth of a fact that has nothing of the question but an entity's neighbourhood. `fan`: facts read a step.
    Names of events hold other names (玉虫がいなくなる): a step also leads into them and out of them.
    """

    store: GraphStore
    table: FactTable
    hops: int = 2
    beam: int = 12
    decay: float = 0.7
    floor: float = 0.15
    fan: int = 5000

    def __call__(self, query: Query, seeds: Mapping[str, float]) -> list[tuple[Fact, float]]:
        """Facts in scope with their scores, best first. `seeds`: entity name → how surely it is meant (0 to 1)."""
        relevance = self.table.relevance(query.text, [name for name, strength in seeds.items() if strength >= SURE])
        reach: dict[str, float] = {}
        scored: dict[Key, tuple[Fact, float]] = {}
        frontier = dict(seeds)
        for _ in range(self.hops):
            frontier = self._with_inside(frontier, reach)
            if not frontier:
                break
            for name, strength in frontier.items():
                reach[name] = max(strength, reach.get(name, 0.0))
            met = self._facts(query, frontier, reach, relevance)
            scored |= {key: value for key, value in met.items() if value[1] > scored.get(key, (None, -1.0))[1]}
            frontier = self._onward(scored, reach, relevance)
        return sorted(scored.values(), key=lambda each: (-each[1], each[0].id))

    def _facts(
        self, query: Query, frontier: Mapping[str, float], reach: Mapping[str, float], relevance: NDArray[np.float32]
    ) -> dict[Key, tuple[Fact, float]]:
        found = {}
        for fact in self.store.neighbours(sorted(frontier), self.fan, query.scope):
            strength = max(reach.get(fact.head, 0.0), reach.get(fact.tail, 0.0))
            found[key_of(fact)] = (fact, strength * (self.floor + self._worth(fact, relevance)))
        return found

    def _worth(self, fact: Fact, relevance: NDArray[np.float32]) -> float:
        """Relevance of a fact; 0 for one that was written after the table was read."""
        row = self.table.row_of.get(key_of(fact))
        return float(relevance[row]) if row is not None else 0.0

    def _onward(
        self, scored: Mapping[Key, tuple[Fact, float]], reach: Mapping[str, float], relevance: NDArray[np.float32]
    ) -> dict[str, float]:
        """The far ends of the best facts, with the strength that is left on arrival."""
        onward: dict[str, float] = {}
        open_ended = [v for v in scored.values() if v[0].head not in reach or v[0].tail not in reach]
        for fact, _ in sorted(open_ended, key=lambda each: (-each[1], each[0].id))[: self.beam]:
            strength = max(reach.get(fact.head, 0.0), reach.get(fact.tail, 0.0))
            left = strength * self.decay * min(1.0, 0.5 + self._worth(fact, relevance))
            for name in (fact.head, fact.tail):
                if name not in reach:
                    onward[name] = max(left, onward.get(name, 0.0))
        return onward

    def _with_inside(self, frontier: Mapping[str, float], reach: Mapping[str, float]) -> dict[str, float]:
        """The frontier with the longer names that hold one of its names, and the names that its long ones hold."""
        wider = dict(frontier)
        for name, strength in frontier.items():
            for other in (*self.inside.holders.get(name, ()), *self.inside.parts.get(name, ())):
                if other not in reach:
                    wider[other] = max(self.decay * strength, wider.get(other, 0.0))
        return wider

    @cached_property
    def inside(self) -> Inside:
        return Inside.of([entity.name for entity in self.table.entities])


@dataclass(frozen=True, slots=True)
class Inside:
    """Names inside names. `parts`: a long name → names that stand in it; `holders`: the other way round."""

    parts: Mapping[str, tuple[str, ...]]
    holders: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, names: list[str]) -> Inside:
        known = {name for name in names if LEAST_INSIDE <= len(name) <= LONGEST_INSIDE}
        parts = {name: tuple(names_inside(name, known)) for name in names if len(name) > LEAST_INSIDE}
        holders: dict[str, list[str]] = {}
        for name, inner in parts.items():
            for part in inner:
                holders.setdefault(part, []).append(name)
        return cls({n: p for n, p in parts.items() if p}, {n: tuple(h) for n, h in holders.items()})


def names_inside(text: str, known: Container[str]) -> Iterator[str]:
    """Known names in `text`, the longest at each place, other than the text itself."""
    at = 0
    while at < len(text):
        longest = min(LONGEST_INSIDE, len(text) - at, len(text) - 1)
        stretches = (text[at : at + n] for n in range(longest, LEAST_INSIDE - 1, -1))
        found = next((stretch for stretch in stretches if stretch in known), "")
        if found:
            yield found
        at += len(found) or 1
