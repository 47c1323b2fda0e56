"""Votes to a ranking with a margin, and voters made comparable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag1.route.votes import ranked, reciprocal_ranks, scaled

VOTES = st.dictionaries(st.sampled_from("abcde"), st.floats(-10, 10))


def test_a_document_without_a_vote_stands_last() -> None:
    route = ranked({"b": 2.0, "c": 8.0}, "abc", "why")
    assert route.ranking == (("c", 8.0), ("b", 2.0), ("a", 0.0))
    assert route.margin == 0.75
    assert route.reason == "why"


@pytest.mark.parametrize(
    ("votes", "margin"), [({"a": 3.0}, 1.0), ({"a": 3.0, "b": 3.0}, 0.0), ({}, 0.0), ({"a": 4.0, "b": -4.0}, 1.0)]
)
def test_margin(votes: dict[str, float], margin: float) -> None:
    assert ranked(votes, "ab", "").margin == margin


def test_no_documents() -> None:
    assert ranked({}, [], "").ranking == ()


def test_equal_scores_keep_the_order_of_the_corpus() -> None:
    assert [doc_id for doc_id, _ in ranked({"a": 1.0, "z": 1.0}, "zya", "").ranking] == ["z", "a", "y"]


def test_scaled_lies_between_the_worst_and_the_best() -> None:
    assert scaled({"a": 10.0, "b": 15.0, "c": 20.0}, "abc") == {"a": 0.0, "b": 0.5, "c": 1.0}
    assert scaled({"b": 5.0}, "ab") == {"a": 0.0, "b": 1.0}
    assert scaled({"a": 3.0, "b": 3.0}, "ab") == {"a": 0.0, "b": 0.0}


@given(VOTES, st.floats(0.1, 9), st.floats(0, 5))
def test_scaling_forgets_unit_and_origin(votes: dict[str, float], unit: float, origin: float) -> None:
    full = {doc_id: votes.get(doc_id, 0.0) for doc_id in "abcde"}
    if max(full.values()) - min(full.values()) < 1e-3:
        return
    moved = {doc_id: unit * vote + origin for doc_id, vote in full.items()}
    assert scaled(moved, "abcde") == pytest.approx(scaled(full, "abcde"), abs=1e-6)


def test_reciprocal_ranks_by_hand() -> None:
    assert reciprocal_ranks({"a": 1.0, "b": 9.0, "c": 1.0}) == {"a": 1 / 62, "b": 1 / 61, "c": 1 / 62}
