"""What each voter counts, with figures worked out by hand."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from rag1.chunk.chunkers import Sentences
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.index.bm25 import open_bm25
from rag1.route.profiles import Profiles, open_profiles
from rag1.route.question import question_names, question_terms
from rag1.route.voters import BestChunk, Likelihood, NamesHeld
from rag1.text.tokenize import SudachiTokenizer
from rag1.types import Document, Query

SEA = Document("sea", "海", "鈴木は港で船を待った。灯台の光が見えた。\n万右衛門も港に来た。")
HILL = Document("hill", "山", "鈴木は山で羊を飼った。羊は丘に登った。羊は鳴いた。")
TOWN = Document("town", "町", "町の時計は止まっていた。")
CORPUS = Corpus((SEA, HILL, TOWN), {"sea": {"万右衛門": ("まんえもん",)}})


@pytest.fixture
def profiles(tmp_path: Path) -> Profiles:
    return open_profiles(CORPUS, str(tmp_path))


def test_question_terms_leave_out_what_only_asks() -> None:
    terms = question_terms("灯台守の妻が港で待っていたのは、誰の船ですか。すべて挙げてください。")
    assert terms == ("灯台", "守", "妻", "港", "待つ", "船")


def test_question_names() -> None:
    assert question_names("万右衛門が「灯台」で会ったのは誰ですか。") == ("万右衛門", "灯台")


def test_profiles_are_kept(profiles: Profiles, tmp_path: Path) -> None:
    assert profiles.terms["hill"]["羊"] == 3
    assert profiles.names["sea"]["鈴木"] == 1
    assert open_profiles(CORPUS, str(tmp_path)) == profiles


def test_telling_names_are_those_of_few_documents(profiles: Profiles) -> None:
    assert profiles.telling_names("sea", 2)[-1] == "鈴木"


def test_likelihood_is_the_smoothed_log_ratio(profiles: Profiles) -> None:
    """羊 stands 3 times in the hill's words and nowhere else: the formula, spelled out with plain arithmetic."""
    lengths = {doc_id: sum(counts.values()) for doc_id, counts in profiles.terms.items()}
    share = 3 / sum(lengths.values())
    mu = 10.0

    def evidence(count: int, length: int) -> float:
        return math.log((count + mu * share) / (length + mu)) - math.log(share)

    expected = {d: evidence(3 if d == "hill" else 0, lengths[d]) for d in lengths}
    votes = Likelihood(profiles, mu)(Query("1", "羊は何匹ですか。"))
    low = min(expected.values())
    assert votes == pytest.approx({d: value - low for d, value in expected.items()})
    assert max(votes, key=votes.__getitem__) == "hill"


def test_likelihood_without_a_known_word(profiles: Profiles) -> None:
    assert Likelihood(profiles)(Query("1", "潜水艦は何隻ですか。")) == {}


def test_likelihood_within_the_scope(profiles: Profiles) -> None:
    assert set(Likelihood(profiles)(Query("1", "羊は何匹ですか。", frozenset({"sea", "town"})))) == {"sea", "town"}


@pytest.mark.parametrize("spelling", ["万右衛門", "萬右衞門", "まんえもん", "マンエモン"])
def test_a_name_in_any_spelling(profiles: Profiles, spelling: str) -> None:
    """One of three documents holds it: log 3."""
    votes = NamesHeld(profiles)(Query("1", f"{spelling}は何を見ましたか。"))
    assert votes == pytest.approx({"sea": math.log(3)})


def test_a_name_that_two_documents_hold_counts_less(profiles: Profiles) -> None:
    assert NamesHeld(profiles)(Query("1", "鈴木は誰ですか。")) == pytest.approx(
        dict.fromkeys(["sea", "hill"], math.log(1.5))
    )


def test_the_best_chunk_of_each_document(tmp_path: Path) -> None:
    chunks = Chunks(CORPUS, Sentences(1, 1))
    index = open_bm25(chunks, SudachiTokenizer(), str(tmp_path))
    votes = BestChunk(index)(Query("1", "羊はどこに登りましたか。"))
    scores = index.scores("羊はどこに登りましたか。")
    best: Counter[str] = Counter()
    for chunk, score in zip(chunks.items, scores, strict=True):
        best[chunk.doc_id] = max(best[chunk.doc_id], float(score))
    assert votes == {doc_id: score for doc_id, score in best.items() if score > 0}
    assert list(votes) == ["hill"]
