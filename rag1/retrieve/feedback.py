"""Keyword search with relevance feedback: the best chunks of a first search lend their telling words to a second.

RM3: Lavrenko & Croft 2001, "Relevance-Based Language Models", eq. 5 (RM1), interpolated with the query as in
Abdul-Jaleel et al. 2004, "UMass at TREC 2004", here with BM25 scores as the weight of a feedback chunk and idf to
hold common words down.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rag1.errors import ConfigError
from rag1.index.bm25 import Bm25Index
from rag1.index.index import best, in_scope
from rag1.retrieve.search import retrieved
from rag1.types import Chunk, Query, Retrieved


@dataclass(frozen=True)
class Feedback:
    """`chunks`: how many lend words; `terms`: how many words; `original`: the share of the asked words, 0 to 1."""

    index: Bm25Index
    by: str = "rm3"
    chunks: int = 5
    terms: int = 20
    original: float = 0.7

    def __post_init__(self) -> None:
        if not 0 < self.original <= 1:
            raise ConfigError(f"retriever.original {self.original} must lie above 0 and at most at 1")

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        first = self.index.search(query, self.chunks)
        if not first:
            return []
        scores = np.zeros(len(self.index.chunks.items), dtype=np.float32)
        for term, weight in self.weights(query, first).items():
            if term in self.index.engine.vocab_dict:
                scores += np.float32(weight) * np.asarray(self.index.engine.get_scores([term]), dtype=np.float32)
        rows = np.flatnonzero(in_scope(self.index.chunks, query.scope) & (scores > 0))
        return [retrieved(self.index.chunks.items[row], score, self.by) for row, score in best(scores, rows, k)]

    def weights(self, query: Query, first: list[tuple[Chunk, float]]) -> Mapping[str, float]:
        """Term → weight, each half summing to its share."""
        lent: dict[str, float] = {}
        for chunk, score in first:
            counts = Counter(self._terms[chunk.id])
            for term, count in counts.items():
                lent[term] = lent.get(term, 0.0) + score * count / counts.total() * self._idf(term)
        chosen = dict(sorted(lent.items(), key=lambda item: -item[1])[: self.terms])
        total = sum(chosen.values()) or 1.0
        asked = Counter(self.index.tokenizer(query.text))
        weights = {term: self.original * count / asked.total() for term, count in asked.items()}
        for term, value in chosen.items():
            weights[term] = weights.get(term, 0.0) + (1 - self.original) * value / total
        return weights

    @cached_property
    def _terms(self) -> Mapping[str, list[str]]:
        return {chunk.id: self.index.tokenizer(chunk.text) for chunk in self.index.chunks.items}

    @cached_property
    def _frequency(self) -> Mapping[str, int]:
        return Counter(term for terms in self._terms.values() for term in set(terms))

    def _idf(self, term: str) -> float:
        n, df = len(self._terms), self._frequency.get(term, 0)
        return math.log(1 + (n - df + 0.5) / (df + 0.5))
