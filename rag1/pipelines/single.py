"""One retriever, then the reader: `pipeline=bm25`, `pipeline=vector`."""

from __future__ import annotations

from dataclasses import dataclass

from rag1.answer.reader import Reader
from rag1.retrieve.gather import gather
from rag1.types import Answer, Query, Retriever


@dataclass(frozen=True)
class Single:
    """`k`: passages retrieved and read."""

    name: str
    retriever: Retriever
    reader: Reader
    k: int = 8

    def __call__(self, query: Query) -> Answer:
        found = gather(query, {self.name: self.retriever}, self.k)
        return self.reader(query, found.rankings[0], found.steps, found.flags)
