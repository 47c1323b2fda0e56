"""The model's own knowledge, no documents: `pipeline=zero_shot`, what retrieval has to beat."""

from __future__ import annotations

from dataclasses import dataclass

from rag1.answer.reader import Reader
from rag1.types import Answer, Query


@dataclass(frozen=True)
class ZeroShot:
    """`reader.closed_book` must be true, else every answer is an abstention."""

    reader: Reader

    def __call__(self, query: Query) -> Answer:
        return self.reader(query, ())
