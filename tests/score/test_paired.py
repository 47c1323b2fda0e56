"""Is a difference real? Statistics by hand, against scipy, and by simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rag1.score.paired import ALPHA, difference, holm, mcnemar_p, needed_questions, sign_flip_p


def test_mcnemar_by_hand() -> None:
    # 8 against 2: two tails of (1 + 10 + 45) / 1024
    assert mcnemar_p(8, 2) == pytest.approx(2 * 56 / 1024)
    assert mcnemar_p(0, 0) == 1.0
    assert mcnemar_p(3, 3) == 1.0


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_scipys_binomial_test_and_the_sign_flip_on_right_and_wrong(a: int, b: int) -> None:
    if a + b:
        assert mcnemar_p(a, b) == pytest.approx(stats.binomtest(a, a + b).pvalue)
    gaps = np.array([1.0] * a + [-1.0] * b + [0.0] * 5)
    assert sign_flip_p(gaps) == pytest.approx(mcnemar_p(a, b))


def test_the_sign_flip_counts_every_pattern() -> None:
    gaps = np.array([1.5, -0.5, 2.0, 1.0, -1.0, 0.5])
    sums = [abs(np.dot(signs, np.abs(gaps))) for signs in product((1, -1), repeat=6)]
    assert sign_flip_p(gaps) == pytest.approx(np.mean([total >= gaps.sum() for total in sums]))


def test_the_sign_flip_of_any_numbers_agrees_with_scipys() -> None:
    gaps = np.random.default_rng(3).normal(0.2, 1, 40)
    oracle = stats.permutation_test(
        (gaps, np.zeros(40)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=4,
    )
    assert sign_flip_p(gaps) == pytest.approx(oracle.pvalue, abs=0.01)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_needed_questions_by_hand() -> None:
    # mean .1, standard deviation (n − 1) .5026: (1.95996 + .84162)² · .2526 / .01 = 198.3
    gaps = np.array([1.0] * 20 + [-1.0] * 10 + [0.0] * 70) * 0.9175
    expected = ((1.959964 + 0.841621) * gaps.std(ddof=1) / gaps.mean()) ** 2
    assert needed_questions(gaps) == int(np.ceil(expected))
    assert needed_questions(np.zeros(10)) is None
    assert needed_questions(np.array([1.0])) is None
    assert needed_questions(np.array([1.0, -0.999999] * 50)) is None


def test_a_difference_says_all_of_it() -> None:
    found = difference([1.0, 1.0, 0.5, -1.0], [1.0, 0.0, -1.0, -1.0])
    assert (found.n, found.mean, found.only_a, found.only_b) == (4, 0.625, 2, 0)
    assert found.p == 0.5
    assert found.low <= found.mean <= found.high
    with pytest.raises(ValueError, match="4 values against 3"):
        difference([1.0] * 4, [1.0] * 3)


# --- by simulation ---------------------------------------------------------------------------------------


def outcomes(draw: np.random.Generator, only_a: float, only_b: float, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Right/wrong of two runs on `n` questions, of which the shares `only_a` and `only_b` split them."""
    kind = draw.choice(4, n, p=[only_a, only_b, 0.4, 0.6 - only_a - only_b])
    return np.isin(kind, (0, 2)).astype(float), np.isin(kind, (1, 2)).astype(float)


def test_of_1000_pairs_of_equal_runs_at_most_6_percent_are_called_different() -> None:
    draw = np.random.default_rng(11)
    called = [difference(*outcomes(draw, 0.15, 0.15)).p < ALPHA for _ in range(1000)]
    assert np.mean(called) <= 0.06


def test_of_1000_pairs_of_equal_runs_scored_in_points_at_most_6_percent_are_called_different() -> None:
    draw = np.random.default_rng(12)
    points, chances = [1.0, 0.5, 0.0, -1.0], [0.4, 0.1, 0.2, 0.3]
    called = [
        sign_flip_p(draw.choice(points, 60, p=chances) - draw.choice(points, 60, p=chances)) < ALPHA
        for _ in range(1000)
    ]
    assert 0.02 <= np.mean(called) <= 0.06


def exact_power(n: int, only_a: float, only_b: float) -> float:
    """The chance that McNemar's exact test at 5 % rejects, summed over every outcome: independent of our code."""
    power = 0.0
    for split in range(1, n + 1):
        chance = stats.binom.pmf(split, n, only_a + only_b)
        wins = np.arange(split + 1)
        tails = 2 * stats.binom.cdf(np.minimum(wins, split - wins), split, 0.5)
        power += chance * stats.binom.pmf(wins, split, only_a / (only_a + only_b))[tails < ALPHA].sum()
    return float(power)


@pytest.mark.parametrize(("only_a", "only_b"), [(0.2, 0.1), (0.15, 0.05), (0.11, 0.01)])
def test_a_true_gain_of_10_points_on_60_questions_is_found_as_often_as_is_possible(
    only_a: float, only_b: float
) -> None:
    draw = np.random.default_rng(13)
    called = [sign_flip_p(np.subtract(*outcomes(draw, only_a, only_b))) < ALPHA for _ in range(2000)]
    assert np.mean(called) == pytest.approx(exact_power(60, only_a, only_b), abs=0.03)
