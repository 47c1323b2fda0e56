"""What an index is: rows are chunks, a search gives the best of those in scope."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag1.chunk.chunks import Chunks
from rag1.errors import ConfigError
from rag1.types import Chunk, Query


class Index(Protocol):
    @property
    def chunks(self) -> Chunks: ...

    def search(self, query: Query, k: int) -> list[tuple[Chunk, float]]:
        """The best `k` chunks within the query's scope with their scores, best first; empty when none matches."""
        ...


def check_bm25(k1: float, b: float) -> None:
    """Raises ConfigError outside Robertson and Zaragoza's ranges: k1 at least 0, b from 0 to 1."""
    if k1 < 0:
        raise ConfigError(f"index.k1={k1} must be at least 0")
    if not 0 <= b <= 1:
        raise ConfigError(f"index.b={b} must lie between 0 and 1")


def best(scores: NDArray[np.float32], rows: NDArray[np.int64], k: int) -> list[tuple[int, float]]:
    """The `k` rows of highest score among `rows`; equal scores keep row order."""
    if k < len(rows):
        # A row that ties with the k-th must not lose to a later one: cut at the k-th value, then sort stably.
        least = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
        rows = rows[scores[rows] >= least]
    order = rows[np.argsort(-scores[rows], kind="stable")][:k]
    return [(int(row), float(scores[row])) for row in order]


def in_scope(chunks: Chunks, scope: frozenset[str]) -> NDArray[np.bool_]:
    """A mask over the rows; all rows for an empty scope."""
    if not scope:
        return np.ones(len(chunks.items), dtype=bool)
    return np.fromiter((c.doc_id in scope for c in chunks.items), dtype=bool, count=len(chunks.items))
