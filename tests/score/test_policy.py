"""Policies are measured on questions they did not learn from: routing, abstaining, both, neither."""

from __future__ import annotations

import numpy as np
import pytest

from rag1.answer.confidence import SIGNALS
from rag1.score.abstain import Judged
from rag1.score.folds import held_out
from rag1.score.policy import policies, tuned_routes

KINDS = ["counting"] * 30 + ["extraction"] * 30


def run(points: list[float]) -> Judged:
    """Answers that can be told apart by their kind alone."""
    x = np.zeros((60, len(SIGNALS)))
    x[:30, SIGNALS.index("kind_counting")] = 1
    x[30:, SIGNALS.index("kind_extraction")] = 1
    return Judged(x, np.array(points), np.zeros(60), np.ones(60, dtype=bool))


RUNS = {"counts": run([1.0] * 30 + [-1.0] * 30), "text": run([-1.0] * 30 + [0.5, 1.0] * 15)}


def test_each_policy_by_hand() -> None:
    found = {name: float(points.mean()) for name, points in policies(KINDS, RUNS, prior=10, repeats=2).items()}
    assert found["counts"] == 0
    assert found["text"] == pytest.approx(-0.125)
    assert found["abstain"] == 0
    # a pipeline that abstains where it is always wrong keeps the other half
    assert found["counts + abstention"] == pytest.approx(0.5)
    assert found["text + abstention"] == pytest.approx(0.375)
    # counting to counts, extraction to text: (30 × 1 + 30 × 0.75) / 60
    assert found["routed"] == pytest.approx(0.875)
    assert found["routed + abstention"] == pytest.approx(0.875)
    assert found["best single + abstention"] == pytest.approx(0.5)


def test_nothing_to_gain_is_no_gain() -> None:
    rng = np.random.default_rng(3)
    noise = {name: run(rng.choice([-1.0, 1.0], 60, p=[0.7, 0.3]).tolist()) for name in ("a", "b", "c")}
    found = policies(KINDS, noise, prior=10, repeats=5)
    assert abs(found["routed + abstention"].mean()) < 0.1


def test_the_table_of_all_questions() -> None:
    (table, default), picked = tuned_routes(KINDS, RUNS, prior=10)
    assert (table, default) == ({"counting": 0, "extraction": 1}, 0)
    assert picked.points.tolist() == [1.0] * 30 + [0.5, 1.0] * 15


def test_no_question_is_scored_by_what_it_taught() -> None:
    seen = held_out(20, lambda rest, fold: np.array([float(i in rest) for i in fold]), repeats=3)
    assert seen.tolist() == [0.0] * 20
