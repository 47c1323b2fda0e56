"""The database's own hybrid search, on both real stores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.fuse.rrf import ReciprocalRankFusion
from rag1.graph.cypher_store import CypherStore
from rag1.retrieve.store_hybrid import MaxUnion, open_store_hybrid
from rag1.types import Chunk, Document, Query, Retrieved

TEXTS = ("桃太郎は鬼ヶ島へ渡った。", "おばあさんは川で洗濯をした。", "殿様は城で月を眺めた。")
CORPUS = Corpus(tuple(Document(f"d{n}", "", text) for n, text in enumerate(TEXTS)))


class Whole:
    """A chunk a document."""

    name = "whole"

    def __call__(self, document: Document) -> list[Chunk]:
        return [Chunk.cut(document, 0, len(document.text))]


class Counts:
    """Vectors by how often a text speaks of sea, home and castle; counts how many documents it was given."""

    name, dimensions = "counts", 3
    topics = ("桃太郎鬼ヶ島海", "おばあさん川洗濯家", "殿様城月")

    def __init__(self) -> None:
        self.seen = 0

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.seen += len(texts)
        return self.queries(texts)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counted = np.array([[0.1 + sum(c in topic for c in text) for topic in self.topics] for text in texts])
        return np.asarray(counted / np.linalg.norm(counted, axis=1, keepdims=True), np.float32)


@pytest.fixture
def chunks(store: CypherStore) -> Chunks:
    made = Chunks(CORPUS, Whole())
    store.write_chunks(made.items)
    return made


def test_both_arms_speak_and_the_scope_holds(store: CypherStore, chunks: Chunks, tmp_path: Path) -> None:
    hybrid = open_store_hybrid(store, chunks, Counts(), str(tmp_path))
    best, *_ = hybrid(Query("1", "桃太郎はどこへ渡ったか"), 3)
    assert (best.text, best.span, best.score, best.by) == (TEXTS[0], (0, 12), 1.0, "store:hybrid")
    # No word of the question is in the text: the vector alone finds it.
    assert hybrid(Query("2", "家"), 1)[0].text == TEXTS[1]
    # The vector says nothing of 眺めた: the words alone find it.
    assert TEXTS[2] in [found.text for found in hybrid(Query("3", "眺めた"), 3) if found.score == 1.0]
    within = hybrid(Query("4", "桃太郎はどこへ渡ったか", frozenset({"d1"})), 3)
    assert {found.doc_id for found in within} <= {"d1"}


def test_the_store_is_given_the_vectors_once(store: CypherStore, chunks: Chunks, tmp_path: Path) -> None:
    embedder = Counts()
    for folder in ("one", "two"):
        open_store_hybrid(store, chunks, embedder, str(tmp_path / folder))
    assert embedder.seen == 3
    assert store.indexed_chunks("counts") == 3


def test_another_fuser_may_join_them(store: CypherStore, chunks: Chunks, tmp_path: Path) -> None:
    hybrid = open_store_hybrid(store, chunks, Counts(), str(tmp_path), ReciprocalRankFusion())
    best, *_ = hybrid(Query("1", "桃太郎はどこへ渡ったか"), 3)
    assert best.score == pytest.approx(2 / 61)


def item(name: str, score: float) -> Retrieved:
    return Retrieved(name, "", "d", None, score, "x")


def test_the_union_divides_by_the_highest_and_keeps_the_best_share() -> None:
    joined = MaxUnion()([[item("a", 8.0), item("b", 4.0)], [item("c", 0.9), item("b", 0.72), item("d", 0.09)]])
    assert [(found.id, round(found.score, 9)) for found in joined] == [("a", 1.0), ("c", 1.0), ("b", 0.8), ("d", 0.1)]


def test_a_ranking_without_a_score_above_nothing_is_left_out() -> None:
    assert [found.id for found in MaxUnion()([[item("a", -0.2), item("b", -0.4)], [item("c", 2.0)]])] == ["c"]
    assert MaxUnion()([[], []]) == []
