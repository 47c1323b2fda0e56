"""Several chunk retrievers fused to one: the half of GraphRAG that reads the text itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rag1.types import Fuser, Query, Retrieved, Retriever


@dataclass(frozen=True)
class Unstructured:
    """`depth`: how far down each ranking is fused. Results keep the name of the retriever that ranked them best."""

    retrievers: Mapping[str, Retriever]
    fuser: Fuser
    depth: int = 50

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        return self.fuser([retriever(query, self.depth) for retriever in self.retrievers.values()])[:k]
