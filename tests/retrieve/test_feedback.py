"""Relevance feedback brings in a chunk that shares no word with the question but with its best hits."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag1.chunk.chunkers import Sentences
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.errors import ConfigError
from rag1.index.bm25 import Bm25Index, open_bm25
from rag1.retrieve.feedback import Feedback
from rag1.text.tokenize import SudachiTokenizer
from rag1.types import Document, Query

TEXT = "灯台守は油を運ぶ。油は岬の倉庫にある。倉庫の鍵は石蔵が持つ。山の畑で芋が育つ。"
OTHER = "灯台の絵葉書を売る店。"


@pytest.fixture
def index(tmp_path: Path) -> Bm25Index:
    chunks = Chunks(Corpus((Document("a", "", TEXT), Document("b", "", OTHER))), Sentences(1, 1))
    return open_bm25(chunks, SudachiTokenizer(), str(tmp_path))


def test_words_of_the_first_hits_bring_more(index: Bm25Index) -> None:
    query = Query("1", "灯台守の仕事")
    plain = [chunk.text for chunk, _ in index.search(query, 9)]
    found = [hit.text for hit in Feedback(index, chunks=1)(query, 9)]
    assert "油は岬の倉庫にある。" not in plain
    assert found[0] == "灯台守は油を運ぶ。"
    assert "油は岬の倉庫にある。" in found


def test_with_the_asked_words_alone_it_is_the_plain_search(index: Bm25Index) -> None:
    query = Query("1", "灯台の油と鍵")
    plain = [chunk.id for chunk, _ in index.search(query, 9)]
    assert [hit.id for hit in Feedback(index, original=1.0)(query, 9)] == plain


def test_weights_of_each_half_sum_to_their_share(index: Bm25Index) -> None:
    query = Query("1", "岬の鍵")
    weights = Feedback(index, original=0.6).weights(query, index.search(query, 5))
    assert sum(weights.values()) == pytest.approx(1.0)


def test_scope_holds_for_both_searches(index: Bm25Index) -> None:
    found = Feedback(index)(Query("1", "灯台", frozenset({"b"})), 9)
    assert {hit.doc_id for hit in found} == {"b"}


def test_nothing_found_stays_nothing(index: Bm25Index) -> None:
    assert Feedback(index)(Query("1", "ペンギン"), 9) == []


def test_an_impossible_share_is_named(index: Bm25Index) -> None:
    with pytest.raises(ConfigError, match=r"retriever\.original 0"):
        Feedback(index, original=0)
