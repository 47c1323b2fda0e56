"""Two runs on the same questions: is their difference real, and how many questions would show it?

`p_value` is the decision: the paired sign-flip (permutation) test of the mean difference (Fisher 1935; Good 2005,
section 3.2). On right/wrong scores it is McNemar's exact test. The bootstrap gives the interval; it does not decide,
because percentile intervals are a little too narrow on tens of questions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from rag1.score.table import SEED, interval

Values = NDArray[np.float64]

ALPHA = 0.05
POWER = 0.8
RIGHT = 0.5
"""The least value of a score that counts as right: Perfect and Acceptable, F1 of a half."""

_FLIPS = 20_000
_MOST_QUESTIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of a − b over `n` questions with its 95 % paired bootstrap interval and the sign-flip p.

    `only_a` and `only_b`: questions that only one of them has right, with McNemar's exact p. `needed`: questions in
    all that would show a difference of this size in 8 of 10 cases; None where it is 0 or beyond a million.
    """

    n: int
    mean: float
    low: float
    high: float
    p: float
    only_a: int
    only_b: int
    mcnemar_p: float
    needed: int | None


def difference(a: Sequence[float], b: Sequence[float]) -> Difference:
    """Compares two runs' values, question by question in the same order."""
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if first.shape != second.shape or not len(first):
        raise ValueError(f"{len(first)} values against {len(second)}; two runs need the same questions, at least one")
    gaps = first - second
    only_a = int(((first >= RIGHT) & (second < RIGHT)).sum())
    only_b = int(((second >= RIGHT) & (first < RIGHT)).sum())
    low, high = interval(gaps)
    return Difference(
        len(gaps),
        float(gaps.mean()),
        low,
        high,
        sign_flip_p(gaps),
        only_a,
        only_b,
        mcnemar_p(only_a, only_b),
        needed_questions(gaps),
    )


def sign_flip_p(gaps: Values, seed: int = SEED) -> float:
    """Two-sided p of the mean of paired differences being 0: the share of sign patterns at least as extreme.

    Exact where the differences are multiples of a half (points, right/wrong), else from 20,000 patterns with a
    fixed seed.
    """
    moved = np.abs(gaps[gaps != 0])
    doubled = 2 * moved
    if np.array_equal(doubled, np.rint(doubled)):
        return _exact_p(doubled.astype(int), round(2 * abs(float(gaps.sum()))))
    signs = np.random.default_rng(seed).integers(0, 2, (_FLIPS, len(moved)), dtype=np.int8) * 2 - 1
    extreme = np.abs(signs @ moved) >= abs(gaps.sum()) - 1e-9
    return float((1 + extreme.sum()) / (1 + _FLIPS))


def _exact_p(steps: NDArray[np.int_], observed: int) -> float:
    """P(|Σ ± steps| ≥ observed) by convolution: chances[s + reach] is the chance of the sum s."""
    reach = int(steps.sum())
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for step in steps:
        chances = (np.roll(chances, step) + np.roll(chances, -step)) / 2  # never wraps: |sum| stays within reach
    sums = np.abs(np.arange(-reach, reach + 1))
    return float(min(1.0, chances[sums >= observed].sum()))


def mcnemar_p(only_a: int, only_b: int) -> float:
    """McNemar's exact two-sided p (McNemar 1947): the discordant questions are fair coin tosses."""
    tosses = only_a + only_b
    tail = sum(math.comb(tosses, k) for k in range(min(only_a, only_b) + 1))
    return min(1.0, float(Fraction(2 * tail, 2**tosses)))


def needed_questions(gaps: Values, power: float = POWER, alpha: float = ALPHA) -> int | None:
    """Questions that show a mean difference like this one: ((z₁₋α⸝₂ + z_power) · s / mean)², s with n − 1.

    The usual sample size of a paired test (Lachin 1981). None for no difference, or beyond a million.
    """
    mean = float(gaps.mean())
    if len(gaps) < 2 or mean == 0:
        return None
    spread = float(gaps.std(ddof=1))
    z = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)
    needed = math.ceil((z * spread / mean) ** 2)
    return max(needed, 2) if needed <= _MOST_QUESTIONS else None


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (Holm 1979), in the order given."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    worst = 0.0
    for place, index in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = worst
    return adjusted
