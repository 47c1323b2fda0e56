"""BM25 by the package rank-bm25, for runs that must match earlier work done with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rag1.chunk.chunks import Chunks
from rag1.errors import ConfigError
from rag1.index.index import best, check_bm25, in_scope
from rag1.types import Chunk, Query, Tokenizer

VARIANTS = ("BM25Okapi", "BM25Plus", "BM25L")


@dataclass(frozen=True)
class RankBm25Index:
    """Built in memory at each start. BM25Okapi gives a term that most chunks hold a small idf, not a negative one.

    A chunk that shares no term with the query is left out, also where the variant would score it above 0.
    """

    chunks: Chunks
    tokenizer: Tokenizer
    variant: str = "BM25Okapi"
    k1: float = 1.5
    b: float = 0.75

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ConfigError(f"index.variant {self.variant!r} is not one of {', '.join(VARIANTS)}")

        check_bm25(self.k1, self.b)
        _ = self._engine  # built before the first question: many threads that ask at once would each build it

    @cached_property
    def _terms(self) -> list[list[str]]:
        return [self.tokenizer(chunk.text) for chunk in self.chunks.items]

    @cached_property
    def _engine(self) -> Any:
        import rank_bm25

        return getattr(rank_bm25, self.variant)(self._terms, k1=self.k1, b=self.b)

    def search(self, query: Query, k: int) -> list[tuple[Chunk, float]]:
        wanted = self.tokenizer(query.text)
        scores = np.asarray(self._engine.get_scores(wanted), dtype=np.float32)
        shares = np.fromiter((not set(wanted).isdisjoint(terms) for terms in self._terms), dtype=bool)
        rows = np.flatnonzero(in_scope(self.chunks, query.scope) & shares)
        return [(self.chunks.items[row], score) for row, score in best(scores, rows, k)]
