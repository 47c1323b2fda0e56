"""Embeddings over HTTP: only vectors that can be right are let through."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rag1.errors import AuthError, CallFailed
from rag1.llm.client import Client
from rag1.llm.http import HttpEndpoint
from rag1.llm.vectors import EmbeddingsEndpoint, Vectors
from tests.fake_llm import FakeLlm, Plan, raw, status, vector_of

from .conftest import QUICK

Make = Callable[..., Client]
TEXTS = ["翁", "竹取の翁", "媼", "かぐや姫", "帝"]


@pytest.fixture
def vectors_for(client_for: Make) -> Callable[..., Vectors]:
    def make(fake: FakeLlm, batch: int = 64) -> Vectors:
        endpoint = EmbeddingsEndpoint(HttpEndpoint(fake.base_url), 3)
        return Vectors(client_for(fake, endpoint=endpoint, model="text-embedding-3-small"), 3, batch)

    return make


def data(vectors: list[Any], indexes: list[Any] | None = None) -> Plan:
    named = zip(indexes or range(len(vectors)), vectors, strict=True)
    rows = [{"index": index, "embedding": vector} for index, vector in named]
    return raw(json.dumps({"data": rows, "usage": {"prompt_tokens": 5}}))


def test_vectors_come_in_the_order_of_the_texts_in_batches_and_once(vectors_for: Callable[..., Vectors]) -> None:
    with FakeLlm() as fake:
        vectors = vectors_for(fake, batch=2)
        for _ in range(2):
            assert np.array_equal(vectors(TEXTS), np.array([vector_of(text) for text in TEXTS], np.float32))
        assert [len(seen.body["input"]) for seen in fake.log] == [2, 2, 1]
        assert vectors([]).shape == (0, 3)
        # text-embedding-3-small: 0.02 dollars a million tokens
        assert vectors.client.ledger.total().usd == pytest.approx(3 * 5 * 0.02 / 1e6)


def test_shuffled_vectors_are_put_back_by_their_index(vectors_for: Callable[..., Vectors]) -> None:
    with FakeLlm({"embeddings": [data([[2, 2, 2], [0, 0, 0], [1, 1, 1]], [2, 0, 1])]}) as fake:
        assert vectors_for(fake)(["a", "b", "c"])[:, 0].tolist() == [0.0, 1.0, 2.0]


WRONG = {
    "wrong size": data([[1, 2], [1, 2]]),
    "unequal sizes": data([[1, 2, 3], [1, 2]]),
    "NaN": data([[1, 2, 3], [1, float("nan"), 3]]),
    "infinity": data([[1, 2, 3], [1, float("inf"), 3]]),
    "too few": data([[1, 2, 3]]),
    "one index twice": data([[1, 2, 3], [1, 2, 3]], [0, 0]),
    "indexes of two types": data([[1, 2, 3], [1, 2, 3]], [0, None]),
    "an index that is text": data([[1, 2, 3], [1, 2, 3]], [0, "1"]),
    "a number beyond 32 bits": data([[1, 2, 3], [1e300, 2, 3]]),
    "a number beyond all floats": data([[1, 2, 3], [10**400, 2, 3]]),
    "words": data([["a", "b", "c"], [1, 2, 3]]),
    "null": raw({"data": None}),
    "an error body": raw({"error": {"message": "overloaded"}}),
}


@pytest.mark.parametrize("fault", WRONG.values(), ids=WRONG)
def test_vectors_that_cannot_be_right_are_asked_again_and_never_used(
    vectors_for: Callable[..., Vectors], fault: Plan
) -> None:
    with FakeLlm({"embeddings": [fault]}) as fake:
        assert np.array_equal(vectors_for(fake)(["翁", "媼"]), np.array([vector_of("翁"), vector_of("媼")], np.float32))
        assert fake.asked() == 2
    with FakeLlm({"embeddings": [fault.forever()]}) as fake:
        with pytest.raises(CallFailed):
            vectors_for(fake)(["翁", "媼"])
        assert fake.asked() == 1 + QUICK.max_retries


def test_a_wrong_key_stops_at_the_first_request(vectors_for: Callable[..., Vectors]) -> None:
    with FakeLlm({"embeddings": [status(401).forever()]}) as fake:
        with pytest.raises(AuthError):
            vectors_for(fake)(["翁"])
        assert fake.asked() == 1
