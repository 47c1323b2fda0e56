"""Nodes by their vectors: entities nearest to the question's names, and the facts around them: `by="graph:nodes"`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag1.graph.model import Entity
from rag1.llm.tasks import ExtractEntities
from rag1.retrieve.facts import lines, open_vectors
from rag1.retrieve.walk import Walk
from rag1.types import Embedder, Llm, Query, Retrieved


def node_text(entity: Entity) -> str:
    """`name (type)`, as seed graphs are embedded; types joined by ・."""
    return f"{entity.name} ({'・'.join(entity.labels)})" if entity.labels else entity.name


def open_nodes(walk: Walk, embedder: Embedder, llm: Llm, artifacts: str, nearest: int = 10) -> Nodes:
    """The vectors of all nodes, an artifact by the fingerprint of their texts."""
    vectors = open_vectors([node_text(e) for e in walk.table.entities], embedder, artifacts, "nodes")
    return Nodes(walk, embedder, llm, vectors, nearest)


@dataclass(frozen=True)
class Nodes:
    """`vectors`: unit length, shape (entities, dimensions). `nearest`: nodes whose facts are looked at."""

    walk: Walk
    embedder: Embedder
    llm: Llm
    vectors: NDArray[np.float32]
    nearest: int = 10
    by: str = "graph:nodes"

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        seeds = self.seeds(query)
        return lines(self.walk(query, seeds), k, self.by) if seeds else []

    def seeds(self, query: Query) -> dict[str, float]:
        """The `nearest` nodes in scope with their cosine to the question or to the nearest name in it, best first."""
        table = self.walk.table
        if not table.entities:
            return {}
        asked = [query.text, *self.llm(ExtractEntities(question=query.text)).names]
        cosines = self.vectors @ self.embedder.queries(asked).T
        best = np.max(cosines, axis=1)
        allowed = [
            row
            for row, entity in enumerate(table.entities)
            if not query.scope or not query.scope.isdisjoint(table.documents_of.get(entity.name, frozenset()))
        ]
        order = sorted(allowed, key=lambda row: (-best[row], row))[: self.nearest]
        return {table.entities[row].name: float(best[row]) for row in reversed(order) if best[row] > 0}
