"""Chunks by vector and by full text in the database's own indexes, on each real store."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rag1.errors import ConfigError, CypherError
from rag1.graph.cypher_store import CypherStore
from rag1.types import Chunk, Document

TEXTS = ("桃太郎は鬼ヶ島へ渡った。", "おばあさんは川で洗濯をした。", "鬼ヶ島には鬼が住んでいた。")
CHUNKS = [Chunk.cut(Document(f"d{n}", "", text), 0, len(text)) for n, text in enumerate(TEXTS)]
IDS = [chunk.id for chunk in CHUNKS]
VECTORS = np.array([[1, 0, 0], [0.6, 0.8, 0], [-1, 0, 0]], np.float32)
EAST = VECTORS[0]


@pytest.fixture
def indexed(store: CypherStore) -> CypherStore:
    store.write_chunks(CHUNKS)
    assert store.index_chunks("e5", IDS, VECTORS) == 3
    return store


def test_the_nearest_chunks_come_with_their_cosine(indexed: CypherStore) -> None:
    hits = indexed.nearest_chunks(EAST, 3)
    assert [name for name, _ in hits] == IDS
    assert [score for _, score in hits] == pytest.approx([1.0, 0.6, -1.0], abs=1e-3)
    assert [name for name, _ in indexed.nearest_chunks(EAST, 1)] == IDS[:1]


def test_the_scope_holds_before_the_ranking(indexed: CypherStore) -> None:
    ((name, score),) = indexed.nearest_chunks(EAST, 1, frozenset({"d1"}))
    assert name == IDS[1]
    assert score == pytest.approx(0.6, abs=1e-3)
    assert [name for name, _ in indexed.match_chunks("鬼ヶ島", 1, frozenset({"d0"}))] == IDS[:1]


def test_text_is_found_by_its_words(indexed: CypherStore) -> None:
    assert {name for name, _ in indexed.match_chunks("鬼ヶ島はどこですか")} == {IDS[0], IDS[2]}
    assert [name for name, _ in indexed.match_chunks("洗濯")] == [IDS[1]]
    for nothing in ("", "()[]{}", "全然無関係"):
        assert indexed.match_chunks(nothing) == []


def test_indexing_twice_changes_nothing_and_is_known(indexed: CypherStore) -> None:
    before = indexed.nearest_chunks(EAST, 3), indexed.match_chunks("鬼ヶ島")
    indexed.index_chunks("e5", IDS, VECTORS)
    assert (indexed.nearest_chunks(EAST, 3), indexed.match_chunks("鬼ヶ島")) == before
    assert (indexed.indexed_chunks("e5"), indexed.indexed_chunks("other")) == (3, 0)


def test_an_embedder_of_other_dimensions_replaces_the_index(indexed: CypherStore) -> None:
    indexed.index_chunks("use", IDS[:2], np.array([[0, 1], [1, 0]], np.float32))
    assert (indexed.indexed_chunks("e5"), indexed.indexed_chunks("use")) == (0, 2)
    hits = indexed.nearest_chunks(np.array([1, 0], np.float32), 3)
    assert [name for name, _ in hits] == [IDS[1], IDS[0]]
    assert all(math.isfinite(score) for _, score in hits)


def test_chunks_that_are_not_there_are_passed_over(indexed: CypherStore) -> None:
    indexed.index_chunks("e5", ["nowhere:0-9"], VECTORS[:1])
    assert indexed.indexed_chunks("e5") == 3
    assert indexed.counts()["chunks"] == 3


def test_vectors_do_not_come_out_of_reading(indexed: CypherStore) -> None:
    ((node,),) = indexed.read("MATCH (c:Chunk) RETURN c LIMIT 1").rows
    assert isinstance(node, dict)
    assert node.keys() == {"id", "doc_id", "text", "start", "end"}


def test_vectors_that_do_not_fit_the_chunks_are_refused(store: CypherStore) -> None:
    with pytest.raises(ConfigError, match="2 vectors for 3 chunks"):
        store.index_chunks("e5", IDS, VECTORS[:2])


def test_searching_before_indexing_is_told(store: CypherStore) -> None:
    store.database.write("MATCH (n:Nothing) RETURN n", {})
    if store.dialect == "neo4j":
        store.database.write("DROP INDEX rag1_vectors IF EXISTS", {})
    with pytest.raises(CypherError):
        store.nearest_chunks(EAST, 1)
