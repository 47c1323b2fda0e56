"""BM25 over the terms of our own tokenizers.

Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework", eq. 3.15, in Lucene's form (idf with +1, never
negative), as implemented by bm25s (Lù 2024).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag1.artifacts import fingerprint, get_or_build
from rag1.chunk.chunks import Chunks
from rag1.errors import ConfigError
from rag1.index.index import best, check_bm25, in_scope
from rag1.types import Chunk, Query, Tokenizer

METHODS = ("lucene", "robertson", "atire", "bm25+", "bm25l")


def open_bm25(
    chunks: Chunks,
    tokenizer: Tokenizer,
    artifacts: str,
    k1: float = 1.5,
    b: float = 0.75,
    method: str = "lucene",
) -> Bm25Index:
    """The index of `chunks`, opened from `artifacts`; built first where it is not there yet."""
    if method not in METHODS:
        raise ConfigError(f"index.method {method!r} is not one of {', '.join(METHODS)}")
    check_bm25(k1, b)
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG when it is imported

    def build(folder: Path) -> None:
        engine = bm25s.BM25(k1=k1, b=b, method=method)
        # An empty chunk would leave the vocabulary without a document; the empty term matches no query.
        engine.index([tokenizer(chunk.text) or [""] for chunk in chunks.items], show_progress=False)
        engine.save(str(folder), corpus=None)

    key = fingerprint("bm25", 1, chunks.fingerprint, tokenizer.name, k1, b, method)
    folder = get_or_build(Path(artifacts), "bm25", key, build)
    return Bm25Index(chunks, tokenizer, bm25s.BM25.load(str(folder), load_vocab=True, allow_pickle=False))


@dataclass(frozen=True)
class Bm25Index:
    """Keyword index. A query none of whose terms stands in a chunk finds nothing, rather than k chunks of score 0."""

    chunks: Chunks
    tokenizer: Tokenizer
    engine: Any

    def scores(self, text: str) -> NDArray[np.float32]:
        """The BM25 score of every chunk for a text, shape (chunks,)."""
        known = [term for term in self.tokenizer(text) if term and term in self.engine.vocab_dict]
        if not known:
            return np.zeros(len(self.chunks.items), dtype=np.float32)
        return np.asarray(self.engine.get_scores(known), dtype=np.float32)

    def search(self, query: Query, k: int) -> list[tuple[Chunk, float]]:
        scores = self.scores(query.text)
        rows = np.flatnonzero(in_scope(self.chunks, query.scope) & (scores > 0))
        return [(self.chunks.items[row], score) for row, score in best(scores, rows, k)]
