"""A table of routes is learnt where kinds differ, stays with the best pipeline where they do not, and is held out."""

from __future__ import annotations

import numpy as np
import pytest

from rag1.errors import InputError
from rag1.score.routes import learn_routes

KINDS = ["count"] * 20 + ["who"] * 30


def test_each_kind_gets_the_pipeline_that_is_good_at_it() -> None:
    counts = [1.0] * 20 + [-1.0] * 30
    fusion = [-1.0] * 20 + [1.0] * 30
    found = learn_routes(KINDS, {"counts": counts, "fusion": fusion})
    assert found.table == {"count": "counts", "who": "fusion"}
    assert found.share == {"counts": 0.4, "fusion": 0.6}
    assert not found.constant
    # alone, fusion has (30 − 20) / 50; routed, every question is right, also where it was not learnt from
    assert found.single == pytest.approx(0.2)
    assert found.routed == pytest.approx(1.0)
    assert found.low > 0
    assert found.sure["count"] > 0.99


def test_noise_is_not_taken_for_a_difference() -> None:
    rng = np.random.default_rng(1)
    scores = {name: rng.choice([-1.0, 1.0], 50).tolist() for name in ("a", "b", "c")}
    found = learn_routes(KINDS, scores)
    assert found.routed - found.single < 0.15
    assert found.low < 0 < found.high or found.low == found.high == 0


def test_a_better_pipeline_everywhere_makes_a_constant_table_and_says_so() -> None:
    found = learn_routes(KINDS, {"good": [1.0] * 50, "bad": [0.0] * 50})
    assert found.constant
    assert found.share == {"good": 1.0, "bad": 0.0}


def test_few_questions_of_a_kind_do_not_outvote_the_rest() -> None:
    kinds = ["rare"] + ["who"] * 49
    found = learn_routes(kinds, {"a": [0.0] + [1.0] * 49, "b": [1.0] + [0.0] * 49})
    # shrunk for "rare": a (0 + 10 × 0.98) / 11, b (1 + 10 × 0.02) / 11
    assert found.table["rare"] == "a"


def test_one_run_is_not_enough() -> None:
    with pytest.raises(InputError, match="two pipelines"):
        learn_routes(KINDS, {"a": [1.0] * 50})


def test_what_cannot_be_held_out_is_refused() -> None:
    with pytest.raises(InputError, match=r"4 scored question\(s\): a table of routes needs 5"):
        learn_routes(["why"] * 4, {"a": [1.0] * 4, "b": [0.0] * 4})
    assert learn_routes(["why"] * 5, {"a": [1.0] * 5, "b": [0.0] * 5}).default == "a"
