"""Embeddings over HTTP: in order, of length 1, paid for once; what cannot be right is never kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag1.embed.openai import EndpointEmbedder, unit
from rag1.errors import UnreadableReply
from rag1.llm.cache import Cache
from rag1.llm.client import Client
from rag1.llm.http import HttpEndpoint
from rag1.llm.ledger import Ledger
from rag1.llm.prompts import PromptSet
from rag1.llm.vectors import EmbeddingsEndpoint, Vectors
from tests.fake_llm import FakeLlm


def embedder(server: FakeLlm, folder: Path, dimensions: int = 3, prefix: str = "") -> EndpointEmbedder:
    client = Client(
        EmbeddingsEndpoint(HttpEndpoint(server.base_url), dimensions),
        "embedding-model",
        PromptSet("conf/prompt/ja"),
        Cache(str(folder)),
        Ledger(),
    )
    return EndpointEmbedder(Vectors(client, dimensions), prefix, prefix)


def test_vectors_come_in_order_and_have_length_one(tmp_path: Path) -> None:
    with FakeLlm() as server:
        found = embedder(server, tmp_path).documents(["朝", "昼", "夜"])
        again = embedder(server, tmp_path).documents(["昼"])
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(found[1], again[0], rtol=1e-6)


def test_a_text_is_paid_for_once(tmp_path: Path) -> None:
    with FakeLlm() as server:
        embedder(server, tmp_path).queries(["朝"])
        embedder(server, tmp_path).queries(["朝"])
        assert len(server.log) == 1


def test_a_zero_vector_has_no_direction() -> None:
    with pytest.raises(UnreadableReply, match="zeros"):
        unit(np.zeros((1, 4), dtype=np.float32))
