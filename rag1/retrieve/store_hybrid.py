"""The graph database's own hybrid search over chunks: its full-text index and its vector index, joined.

What LangChain's Neo4jVector calls hybrid is `MaxUnion`; any `Fuser` may stand in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rag1.chunk.chunks import Chunks
from rag1.graph.store import GraphStore, Hit
from rag1.index.dense import open_dense
from rag1.retrieve.search import retrieved
from rag1.types import Embedder, Fuser, Query, Retrieved


@dataclass(frozen=True)
class MaxUnion:
    """A `Fuser`: each ranking's scores divided by its highest; an item's score is the best of its shares.

    Not CombMAX's min-max: the lowest of a ranking keeps its share. A ranking whose highest is not above 0 says
    nothing and is left out.
    """

    def __call__(self, rankings: Sequence[Sequence[Retrieved]]) -> list[Retrieved]:
        best: dict[str, Retrieved] = {}
        for ranking in rankings:
            highest = max((item.score for item in ranking), default=0.0)
            for item in ranking if highest > 0 else ():
                share = replace(item, score=item.score / highest)
                if item.id not in best or share.score > best[item.id].score:
                    best[item.id] = share
        return sorted(best.values(), key=lambda item: -item.score)


def open_store_hybrid(
    store: GraphStore, chunks: Chunks, embedder: Embedder, artifacts: str, fuser: Fuser | None = None, depth: int = 50
) -> StoreHybrid:
    """Gives the store the chunks' vectors where it has not all of them; they are the artifact of `open_dense`."""
    if store.indexed_chunks(embedder.name) < len(chunks.items):
        vectors = open_dense(chunks, embedder, artifacts).vectors
        store.index_chunks(embedder.name, [chunk.id for chunk in chunks.items], vectors)
    return StoreHybrid(store, chunks, embedder, fuser or MaxUnion(), depth)


@dataclass(frozen=True)
class StoreHybrid:
    """`depth`: how far down each of the two rankings is joined."""

    store: GraphStore
    chunks: Chunks
    embedder: Embedder
    fuser: Fuser = field(default_factory=MaxUnion)
    depth: int = 50
    by: str = "store:hybrid"

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        if not self.chunks.items:
            return []
        vector = np.asarray(self.embedder.queries([query.text])[0], np.float32)
        by_vector = self.store.nearest_chunks(vector, self.depth, query.scope)
        by_text = self.store.match_chunks(query.text, self.depth, query.scope)
        return self.fuser([self._chunks(by_vector), self._chunks(by_text)])[:k]

    def _chunks(self, hits: Sequence[Hit]) -> list[Retrieved]:
        by_id = self.chunks.by_id
        return [retrieved(by_id[name], score, self.by) for name, score in hits if name in by_id]
