"""An index as a retriever of chunks."""

from __future__ import annotations

from dataclasses import dataclass

from rag1.index.index import Index
from rag1.types import Chunk, Query, Retrieved


@dataclass(frozen=True)
class Search:
    """The best chunks of one index. `by` names it in results, reports and traces."""

    index: Index
    by: str

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        return [retrieved(chunk, score, self.by) for chunk, score in self.index.search(query, k)]


def retrieved(chunk: Chunk, score: float, by: str) -> Retrieved:
    return Retrieved(chunk.id, chunk.text, chunk.doc_id, chunk.span, score, by)
