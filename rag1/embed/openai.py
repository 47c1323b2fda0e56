"""Embeddings of any OpenAI-shaped endpoint, through the same cache, limits and ledger as every other call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag1.errors import UnreadableReply
from rag1.llm.vectors import Vectors


@dataclass(frozen=True)
class EndpointEmbedder:
    """`query_prefix`, `document_prefix`: what some models (e5, ruri) want before a text."""

    vectors: Vectors
    query_prefix: str = ""
    document_prefix: str = ""

    @property
    def name(self) -> str:
        client = self.vectors.client
        return f"{client.endpoint.identity} {client.model} {self.document_prefix!r}"

    @property
    def dimensions(self) -> int:
        return self.vectors.dimensions

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return unit(self.vectors([self.document_prefix + text for text in texts]))

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return unit(self.vectors([self.query_prefix + text for text in texts]))


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows scaled to length 1. Raises UnreadableReply for a row of zeros, which has no direction."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if (lengths == 0).any():
        raise UnreadableReply("the endpoint sent a vector of zeros", "")
    return np.asarray(vectors / lengths, dtype=np.float32)
