"""Vector search is exact, its vectors are kept, and an interrupted embedding goes on where it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rag1.chunk.chunkers import Sentences
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.embed.resumable import embed_documents
from rag1.embed.use import UseEmbedder
from rag1.errors import ConfigError, StorageError
from rag1.index.dense import DenseIndex, open_dense
from rag1.types import Document, Query

CHUNKS = Chunks(
    Corpus((Document("a", "", "雨が降った。猫が眠る。"), Document("b", "", "電車が遅れた。会社に着いた。"))),
    Sentences(1, 1),
)


@dataclass(frozen=True)
class Angles:
    """Embeds the n-th text at n/10 radians on a circle; counts what it was asked for."""

    asked: list[str] = field(default_factory=list)
    fails_after: int = 10**9
    name: str = "angles"
    dimensions: int = 2

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(self.asked) + len(texts) > self.fails_after:
            raise ConnectionError
        start = len(self.asked)
        self.asked.extend(texts)
        turns = np.arange(start, start + len(texts)) / 10
        return np.stack([np.cos(turns), np.sin(turns)], axis=1).astype(np.float32)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[np.cos(0.21), np.sin(0.21)]] * len(texts), dtype=np.float32)


def test_the_nearest_comes_first_and_scores_are_cosines(tmp_path: Path) -> None:
    found = open_dense(CHUNKS, Angles(), str(tmp_path)).search(Query("1", "?"), 2)
    assert [chunk.text for chunk, _ in found] == ["電車が遅れた。", "会社に着いた。"]
    assert [score for _, score in found] == pytest.approx([np.cos(0.01), np.cos(0.09)], abs=1e-6)


def test_vectors_are_made_once(tmp_path: Path) -> None:
    first, second = Angles(), Angles()
    open_dense(CHUNKS, first, str(tmp_path))
    open_dense(CHUNKS, second, str(tmp_path))
    assert (len(first.asked), len(second.asked)) == (4, 0)


def test_an_interrupted_embedding_asks_for_the_rest_only(tmp_path: Path) -> None:
    texts = [str(n) for n in range(10)]
    broken, whole = Angles(fails_after=7), Angles()
    with pytest.raises(ConnectionError):
        embed_documents(broken, texts, tmp_path / "parts", batch=3)
    vectors = embed_documents(whole, texts, tmp_path / "parts", batch=3)
    assert broken.asked == texts[:6]
    assert whole.asked == texts[6:]
    assert vectors.shape == (10, 2)
    assert not (tmp_path / "parts").exists()


def test_dimensions_are_checked_at_once_and_both_are_named() -> None:
    with pytest.raises(ConfigError, match="gives 2 dimensions, the index has 512"):
        DenseIndex(CHUNKS, Angles(), np.zeros((4, 512), dtype=np.float32))


def test_vectors_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    class Broken(Angles):
        def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.full((len(texts), 2), np.nan, dtype=np.float32)

    with pytest.raises(StorageError, match="NaN"):
        open_dense(CHUNKS, Broken(), str(tmp_path))


def test_the_local_embedder_finds_a_paraphrase(tmp_path: Path) -> None:
    found = open_dense(CHUNKS, UseEmbedder(), str(tmp_path)).search(Query("1", "列車の遅延"), 1)
    assert found[0][0].text == "電車が遅れた。"
