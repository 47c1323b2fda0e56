"""Exact search over vectors: one matrix product, no approximation."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag1.artifacts import fingerprint, get_or_build
from rag1.chunk.chunks import Chunks
from rag1.embed.resumable import check_vectors, embed_documents
from rag1.errors import ConfigError
from rag1.index.index import best, in_scope
from rag1.types import Chunk, Embedder, Query


def open_dense(chunks: Chunks, embedder: Embedder, artifacts: str) -> DenseIndex:
    """The vectors of `chunks`, opened from `artifacts`; embedded first (resumably) where they are not there yet."""
    key = fingerprint("dense", 1, chunks.fingerprint, embedder.name, embedder.dimensions)

    def build(folder: Path) -> None:
        parts = Path(artifacts) / "dense" / f".{key}.parts"
        vectors = embed_documents(embedder, [chunk.text for chunk in chunks.items], parts)
        np.save(folder / "vectors.npy", vectors, allow_pickle=False)

    folder = get_or_build(Path(artifacts), "dense", key, build)
    vectors = np.load(folder / "vectors.npy", allow_pickle=False)
    return DenseIndex(chunks, embedder, vectors)


@dataclass(frozen=True)
class DenseIndex:
    """Cosine similarity. `vectors`: unit length, shape (chunks, dimensions); checked against the embedder at once."""

    chunks: Chunks
    embedder: Embedder
    vectors: NDArray[np.float32]
    _queries: dict[str, NDArray[np.float32]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        wanted = self.vectors.shape[1]
        if wanted != self.embedder.dimensions:
            raise ConfigError(
                f"embedder {self.embedder.name!r} gives {self.embedder.dimensions} dimensions, the index has {wanted}; "
                "choose the embedder that the index was built with"
            )
        check_vectors(self.vectors, len(self.chunks.items), wanted, "dense index")

    def vector(self, text: str) -> NDArray[np.float32]:
        """The query vector of `text`, shape (dimensions,); remembered, as fusion and sweeps ask again."""
        if text not in self._queries:
            found = self.embedder.queries([text])
            self._queries[text] = check_vectors(found, 1, self.vectors.shape[1], self.embedder.name)[0]
        return self._queries[text]

    def search(self, query: Query, k: int) -> list[tuple[Chunk, float]]:
        if not self.chunks.items:
            return []
        scores = np.asarray(self.vectors @ self.vector(query.text), dtype=np.float32)
        rows = np.flatnonzero(in_scope(self.chunks, query.scope))
        return [(self.chunks.items[row], score) for row, score in best(scores, rows, k)]
