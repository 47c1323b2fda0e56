"""Embeddings from an OpenAI-shaped endpoint, read strictly, through the same attempts, pool, cache and ledger.

The wire format is that of "Create embeddings" in OpenAI's API reference.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag1.llm.client import Call, Client
from rag1.llm.http import HttpEndpoint
from rag1.llm.limiter import Slot
from rag1.llm.wire import Completion, Fault, read_body, read_tokens, scrub


@dataclass(frozen=True)
class EmbeddingsEndpoint:
    """The `/embeddings` of an endpoint. `dimensions`: the size that each vector must have."""

    http: HttpEndpoint
    dimensions: int

    @property
    def identity(self) -> str:
        return f"{self.http.identity} embeddings {self.dimensions}"

    @property
    def server(self) -> str:
        return self.http.server

    @property
    def paid(self) -> bool:
        return self.http.paid

    def ready(self) -> None:
        self.http.ready()

    def send(self, body: Mapping[str, Any], seconds: float, slot: Slot) -> Completion:
        """The vectors of `body["input"]` as one reply. Raises Fault, also for vectors that cannot be right."""
        status, headers, raw = self.http.post("/embeddings", body, seconds, slot)
        try:
            read = read_body(status, headers, raw)
            vectors = read_vectors(read.get("data"), len(body["input"]), self.dimensions)
        except Fault as fault:
            fault.args = (scrub(str(fault), self.http.key),)
            raise
        return Completion(base64.b64encode(vectors.tobytes()).decode(), "stop", read_tokens(read.get("usage")))


def read_vectors(data: object, count: int, dimensions: int) -> NDArray[np.float32]:
    """Shape (count, dimensions), each at its `index`. Raises Fault for too few, a wrong size, or NaN."""
    if not isinstance(data, list) or len(data) != count or not all(isinstance(each, dict) for each in data):
        got = len(data) if isinstance(data, list) else "no"
        raise Fault("again", f"{got} vectors for {count} texts", maybe_paid=True)
    placed = {each.get("index"): each.get("embedding") for each in data if type(each.get("index")) is int}
    if sorted(placed) != list(range(count)):
        raise Fault("again", "vectors whose indexes are not those of the texts", maybe_paid=True)
    try:
        with np.errstate(over="ignore"):  # becomes infinity, which is refused below
            vectors = np.array([placed[number] for number in range(count)], dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        raise Fault("again", "vectors of unequal size, or not of numbers", maybe_paid=True) from None
    if vectors.shape != (count, dimensions):
        raise Fault("again", f"vectors of shape {vectors.shape}, not {(count, dimensions)}", maybe_paid=True)
    if not np.isfinite(vectors).all():
        raise Fault("again", "vectors that hold NaN or infinity", maybe_paid=True)
    return vectors


@dataclass(frozen=True)
class Vectors:
    """Texts to vectors by a client whose endpoint is an `EmbeddingsEndpoint`; `batch` texts a request."""

    client: Client
    dimensions: int
    batch: int = 64

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions), in the order of `texts`, as the endpoint scales them."""
        batches = [list(texts[start : start + self.batch]) for start in range(0, len(texts), self.batch)]
        rows = [self._ask(each) for each in batches]
        return np.concatenate(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    def _ask(self, texts: list[str]) -> NDArray[np.float32]:
        call = Call("embed", {"model": self.client.model, "input": texts}, None, 0, self._read)
        return self.client.ask(call).reshape(len(texts), self.dimensions)

    @staticmethod
    def _read(completion: Completion) -> NDArray[np.float32]:
        return np.frombuffer(base64.b64decode(completion.text), dtype=np.float32)
