"""Triples as sentences, nearest to the question: `by="graph:triples"`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rag1.retrieve.facts import lines
from rag1.retrieve.walk import Walk
from rag1.types import Query, Retrieved


@dataclass(frozen=True)
class Triples:
    """The `start` facts nearest to the question by cosine and shared terms, then those around their ends.

    `walk` None: nothing but the nearest facts. A question over two facts names only the first one's entity, so that
    the second is found by walking on.
    """

    walk: Walk
    start: int = 8
    onward: bool = True
    by: str = "graph:triples"

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        table = self.walk.table
        relevance = table.relevance(query.text)
        rows = np.flatnonzero(table.in_scope(query.scope))
        order = rows[np.argsort(-relevance[rows], kind="stable")]
        near = [(table.facts[row], float(relevance[row])) for row in order if relevance[row] > 0]
        if not self.onward or not near:
            return lines(near, k, self.by)
        seeds: dict[str, float] = {}
        for fact, score in near[: self.start]:
            for name in (fact.head, fact.tail):
                seeds[name] = max(seeds.get(name, 0.0), score / near[0][1])
        around = self.walk(query, seeds)
        head = near[: max(1, k // 2)]
        return lines([*head, *around, *near], k, self.by)
