"""Keyword search: the formula agrees with rank-bm25's, a dead query finds nothing, scope comes before rank."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rank_bm25

from rag1.chunk.chunkers import Whole
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.errors import ConfigError
from rag1.index.bm25 import open_bm25
from rag1.index.rank_bm25 import RankBm25Index
from rag1.text.tokenize import BigramTokenizer, SudachiTokenizer
from rag1.types import Document, Query

TEXTS = {
    "kiri": "霧の渡しで舟を待つ老人は、遠い町の時計屋だった。",
    "tokei": "時計屋の娘は、止まった時計を直して父に贈った。",
    "kane": "鐘の音が山の町に響くと、子供たちは寺へ走った。",
    "umi": "海辺の寺では、鐘のかわりに太鼓を鳴らす。",
}
CHUNKS = Chunks(Corpus(tuple(Document(k, k, v) for k, v in TEXTS.items())), Whole())
SUDACHI = SudachiTokenizer()


def ids(found: list[tuple[object, float]]) -> list[str]:
    return [chunk.doc_id for chunk, _ in found]  # type: ignore[attr-defined]


@pytest.mark.parametrize("question", ["時計屋の娘", "鐘の音はどこに響くか", "寺で鳴らすのは何か"])
def test_scores_agree_with_rank_bm25(tmp_path: Path, question: str) -> None:
    # "bm25+" with delta 0.5 against BM25Plus: the one variant that both packages define alike.
    index = open_bm25(CHUNKS, SUDACHI, str(tmp_path), method="bm25+")
    oracle = rank_bm25.BM25Plus([SUDACHI(t) for t in TEXTS.values()], k1=1.5, b=0.75, delta=0.5)
    np.testing.assert_allclose(index.scores(question), oracle.get_scores(SUDACHI(question)), rtol=1e-5)


@pytest.mark.parametrize("tokenizer", [SUDACHI, BigramTokenizer()], ids=lambda t: t.name)
def test_japanese_questions_find_their_document(tmp_path: Path, tokenizer: SudachiTokenizer) -> None:
    index = open_bm25(CHUNKS, tokenizer, str(tmp_path))
    assert ids(index.search(Query("1", "時計を直したのは誰の娘か"), 2))[0] == "tokei"


def test_a_query_without_a_known_term_finds_nothing(tmp_path: Path) -> None:
    assert open_bm25(CHUNKS, SUDACHI, str(tmp_path)).search(Query("1", "ペンギン"), 4) == []
    assert RankBm25Index(CHUNKS, SUDACHI).search(Query("1", "ペンギン"), 4) == []


def test_scope_is_applied_before_ranking(tmp_path: Path) -> None:
    index = open_bm25(CHUNKS, SUDACHI, str(tmp_path))
    assert ids(index.search(Query("1", "寺の鐘", frozenset({"umi"})), 1)) == ["umi"]


def test_a_damaged_artifact_is_built_again(tmp_path: Path) -> None:
    question = Query("1", "時計屋")
    expected = open_bm25(CHUNKS, SUDACHI, str(tmp_path)).search(question, 4)
    for path in tmp_path.rglob("*.npy"):
        path.write_bytes(path.read_bytes()[:-7])
    assert open_bm25(CHUNKS, SUDACHI, str(tmp_path)).search(question, 4) == expected


def test_rank_bm25_gives_the_packages_own_scores() -> None:
    index = RankBm25Index(CHUNKS, SUDACHI)
    oracle = rank_bm25.BM25Okapi([SUDACHI(t) for t in TEXTS.values()]).get_scores(SUDACHI("時計屋の娘"))
    found = {chunk.doc_id: score for chunk, score in index.search(Query("1", "時計屋の娘"), 4)}
    assert found == pytest.approx({d: s for d, s in zip(TEXTS, oracle, strict=True) if d in found})
    assert set(found) == {"kiri", "tokei"}


@pytest.mark.parametrize(("setting", "value"), [("k1", -0.1), ("b", 1.1), ("b", -0.1)])
def test_parameters_outside_their_range_are_refused(tmp_path: Path, setting: str, value: float) -> None:
    with pytest.raises(ConfigError, match=rf"index\.{setting}={value}"):
        open_bm25(CHUNKS, SUDACHI, str(tmp_path), **{setting: value})
    with pytest.raises(ConfigError, match=rf"index\.{setting}={value}"):
        RankBm25Index(CHUNKS, SUDACHI, **{setting: value})


def test_an_unknown_method_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="okapi"):
        open_bm25(CHUNKS, SUDACHI, str(tmp_path), method="okapi")
