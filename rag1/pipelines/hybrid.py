"""Several retrievers on one question, fused, then the reader: `pipeline=hybrid`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rag1.answer.reader import Reader
from rag1.retrieve.gather import gather
from rag1.retrieve.windows import Windows
from rag1.types import Answer, Fuser, Query, Retriever


@dataclass(frozen=True)
class Hybrid:
    """`depth`: how far down each ranking is fused; `k`: passages read."""

    retrievers: Mapping[str, Retriever]
    fuser: Fuser
    reader: Reader
    k: int = 8
    depth: int = 50
    windows: Windows | None = None

    def __call__(self, query: Query) -> Answer:
        found = gather(query, self.retrievers, self.depth)
        fused = self.fuser(found.rankings)
        read = self.windows(fused, self.k) if self.windows else fused[: self.k]
        return self.reader(query, read, found.steps, found.flags)
