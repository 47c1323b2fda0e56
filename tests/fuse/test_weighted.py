"""Weighted fusion of normalised scores: expected numbers by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag1.errors import ConfigError
from rag1.fuse.weighted import WeightedFusion, min_max, weighted_fusion, z_score
from rag1.types import Retrieved


def ranking(by: str = "bm25", **scores: float) -> list[Retrieved]:
    return [Retrieved(name, name, "doc", None, score, by) for name, score in scores.items()]


def test_min_max_by_hand() -> None:
    fused = weighted_fusion([ranking(a=10, b=6, c=2), ranking(b=0.9, d=0.1)])
    assert [(item.id, item.score) for item in fused] == [
        ("b", pytest.approx(0.5 + 1.0)),
        ("a", pytest.approx(1.0)),
        ("c", 0.0),
        ("d", 0.0),
    ]


def test_z_score_by_hand_and_an_absent_item_counts_as_the_last_one() -> None:
    spread = math.sqrt(8 / 3)
    fused = weighted_fusion([ranking(a=4, b=2, c=0), ranking(b=5, d=1)], norm="z_score")
    assert {item.id: item.score for item in fused} == {
        "a": pytest.approx(2 / spread - 1),
        "b": pytest.approx(0 + 1),
        "c": pytest.approx(-2 / spread - 1),
        "d": pytest.approx(-2 / spread - 1),
    }


def test_weights_multiply_their_ranking() -> None:
    fused = WeightedFusion(weights=[1, 3])([ranking(a=2, b=1), ranking(b=2, a=1)])
    assert [(item.id, item.score) for item in fused] == [("b", pytest.approx(3)), ("a", pytest.approx(1))]


def test_a_ranking_of_one_is_a_vote_for_it() -> None:
    assert min_max([0.3]) == [1.0]
    assert z_score([0.3, 0.3]) == [0.0, 0.0]


def test_a_copy_counts_once_and_the_best_ranked_one_is_kept() -> None:
    fused = weighted_fusion([[*ranking(a=3, b=2), *ranking(a=1)], ranking("dense", b=9, a=8)])
    assert {item.id: (item.score, item.by) for item in fused} == {"a": (1.0, "bm25"), "b": (1.0, "dense")}


def test_a_wrong_norm_or_weight_is_named() -> None:
    with pytest.raises(ConfigError, match="norm is 'max'; it is one of min_max, z_score"):
        weighted_fusion([], norm="max")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="2 weights for 1 rankings"):
        weighted_fusion([ranking(a=1)], weights=[1, 2])


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_min_max_stays_in_its_range_and_keeps_the_order(scores: list[float]) -> None:
    scaled = min_max(scores)
    assert all(0 <= value <= 1 for value in scaled)
    assert all(
        x <= y for (a, x) in zip(scores, scaled, strict=True) for (b, y) in zip(scores, scaled, strict=True) if a < b
    )
