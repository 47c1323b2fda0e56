"""Reciprocal rank fusion: hand-made numbers, the rules about copies and ties, and a library as an oracle."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag1.errors import ConfigError
from rag1.fuse.rrf import ReciprocalRankFusion, reciprocal_rank_fusion
from rag1.types import Retrieved


def hit(name: str, by: str = "bm25", score: float = 0.0) -> Retrieved:
    return Retrieved(name, f"text of {name}", "doc", (0, 1), score, by)


def hits(names: str, by: str = "bm25") -> list[Retrieved]:
    return [hit(name, by) for name in names]


def order(fused: Sequence[Retrieved]) -> str:
    return "".join(item.id for item in fused)


def test_the_papers_formula_by_hand() -> None:
    fused = reciprocal_rank_fusion([hits("abc"), hits("bd")])
    assert order(fused) == "badc"
    scores = {item.id: item.score for item in fused}
    assert scores["b"] == pytest.approx(1 / 62 + 1 / 61)
    assert scores["a"] == pytest.approx(1 / 61)
    assert scores["d"] == pytest.approx(1 / 62)
    assert scores["c"] == pytest.approx(1 / 63)


def test_the_first_rank_may_be_counted_from_nought() -> None:
    fused = reciprocal_rank_fusion([hits("ab"), hits("b")], first_rank=0)
    assert [(item.id, item.score) for item in fused] == [
        ("b", pytest.approx(1 / 61 + 1 / 60)),
        ("a", pytest.approx(1 / 60)),
    ]


def test_weights_multiply_the_votes_of_their_ranking() -> None:
    fused = reciprocal_rank_fusion([hits("ab"), hits("cb")], k=1, weights=[1, 3])
    assert {item.id: item.score for item in fused} == {
        "a": pytest.approx(1 / 2),
        "b": pytest.approx(1 / 3 + 3 / 3),
        "c": pytest.approx(3 / 2),
    }
    assert order(fused) == "cba"


def test_a_small_k_rewards_a_first_place_and_a_large_one_agreement() -> None:
    rankings = [hits("axyzm"), hits("bpqrm")]
    assert order(reciprocal_rank_fusion(rankings, k=0))[0] == "a"
    assert order(reciprocal_rank_fusion(rankings, k=60))[0] == "m"


def test_an_item_has_one_vote_a_ranking_its_best_rank() -> None:
    fused = reciprocal_rank_fusion([hits("aab"), hits("b")])
    assert {item.id: item.score for item in fused} == {
        "a": pytest.approx(1 / 61),
        "b": pytest.approx(1 / 63 + 1 / 61),
    }


def test_equal_scores_keep_the_order_of_the_rankings() -> None:
    assert order(reciprocal_rank_fusion([hits("ax"), hits("by"), hits("cz")])) == "abcxyz"
    assert order(reciprocal_rank_fusion([hits("cz"), hits("ax"), hits("by")])) == "cabzxy"


def test_everything_but_the_score_is_the_best_ranked_copys() -> None:
    keyword = [hit("a", "bm25"), hit("b", "bm25")]
    dense = [hit("b", "dense"), hit("a", "dense")]
    by = {item.id: item.by for item in reciprocal_rank_fusion([keyword, dense])}
    assert by == {"a": "bm25", "b": "dense"}
    tied = reciprocal_rank_fusion([[hit("a", "bm25")], [hit("a", "dense")]])
    assert [item.by for item in tied] == ["bm25"]


def test_the_limit_cuts_the_same_ranking() -> None:
    rankings = [hits("abcde"), hits("edcba"), hits("cxy")]
    whole = reciprocal_rank_fusion(rankings)
    assert reciprocal_rank_fusion(rankings, limit=2) == whole[:2]
    assert ReciprocalRankFusion(limit=3)(rankings) == whole[:3]


def test_nothing_in_gives_nothing_out() -> None:
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([[], []]) == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"weights": [1.0]}, "1 weights for 2 rankings"),
        ({"weights": [1.0, -1.0]}, "none may be negative"),
        ({"weights": [1.0, float("nan")]}, "none may be negative"),
        ({"first_rank": 2}, "first_rank is 2"),
        ({"k": -1.0}, "k is -1.0"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        reciprocal_rank_fusion([hits("a"), hits("b")], **settings)  # type: ignore[arg-type]


ranking = st.lists(st.sampled_from("abcdefghij"), max_size=12)


@settings(deadline=None)
@given(st.lists(ranking, max_size=5), st.integers(0, 100))
def test_it_is_the_plain_sum_on_any_rankings(names: list[list[str]], k: int) -> None:
    expected = {
        name: sum(1 / (k + 1 + one.index(name)) for one in names if name in one) for one in names for name in one
    }
    fused = reciprocal_rank_fusion([hits("".join(one)) for one in names], k=k)
    assert {item.id: item.score for item in fused} == pytest.approx(expected)
    assert [item.score for item in fused] == sorted((item.score for item in fused), reverse=True)


@pytest.mark.filterwarnings("ignore")  # the oracle's own
def test_it_equals_ranx_on_random_rankings() -> None:
    ranx = pytest.importorskip("ranx", reason="ranx (which brings numba) is an oracle for this test alone")
    draw = random.Random(7)
    pool = [f"c{number}" for number in range(60)]
    for _ in range(20):
        names = [draw.sample(pool, 30) for _ in range(3)]
        runs = [ranx.Run({"q": {name: float(100 - rank) for rank, name in enumerate(one)}}) for one in names]
        theirs = ranx.fuse(runs=runs, method="rrf", params={"k": 60}).run["q"]
        ours = reciprocal_rank_fusion([[hit(name) for name in one] for one in names])
        assert {item.id: item.score for item in ours} == pytest.approx(dict(theirs))
