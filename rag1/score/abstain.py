"""Learns from a scored run when to abstain, and says by cross-validation what that is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from rag1.answer.confidence import SIGNALS, Calibration, signals
from rag1.errors import InputError
from rag1.score.table import interval
from rag1.types import Answer

FLOOR = 10
"""Questions that a calibration needs at the least."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tuned:
    """`always`: mean points of answering everything; `never`: of never answering (right where the gold is an
    abstention); `held_out`: mean points on questions not learnt from, with its 95 % interval, and `coverage`: the
    share of questions answered there. `gain`: of held-out points over never answering, with its interval."""

    calibration: Calibration
    n: int
    always: float
    never: float
    held_out: float
    low: float
    high: float
    coverage: float
    gain: tuple[float, float, float]


def tune(
    answers: Sequence[Answer],
    points: Sequence[float],
    withheld: Sequence[float] | None = None,
    folds: int = 5,
    repeats: int = 20,
    seed: int = 0,
) -> Tuned:
    """Fits a logistic model of being right and the threshold of the most points.

    `points`: of each answer, as CRAG gives them (1, 0.5, 0, −1). `withheld`: what an abstention would have scored
    instead (none: 0 each). The held-out figures refit weights and threshold on the other folds each time; their
    intervals (95 %) are bootstraps over the questions' held-out means.
    """
    if len(answers) < FLOOR:
        raise InputError(f"{len(answers)} answers with gold; a calibration needs at least {FLOOR}")
    given = np.array([not answer.abstained for answer in answers])
    x = np.array([[signals(answer)[name] for name in SIGNALS] for answer in answers])
    y = np.array(points, dtype=np.float64)
    none = np.zeros(len(y)) if withheld is None else np.array(withheld, dtype=np.float64)
    rng = np.random.default_rng(seed)
    rounds = [_held_out(x, y, none, given, rng.permutation(len(y)), folds) for _ in range(repeats)]
    scores: Array = np.mean([score for score, _ in rounds], axis=0)
    weights, bias, threshold = fit(x, y, none, given)
    low, high = interval(scores)
    gain = float((scores - none).mean()), *interval(scores - none)
    coverage = float(np.mean([answered.mean() for _, answered in rounds]))
    calibration = Calibration(dict(zip(SIGNALS, weights, strict=True)), bias, threshold)
    return Tuned(
        calibration,
        len(y),
        float(y.mean()),
        float(none.mean()),
        float(scores.mean()),
        low,
        high,
        coverage,
        gain,
    )


def _held_out(
    x: Array, y: Array, none: Array, given: NDArray[np.bool_], order: NDArray[np.int64], folds: int
) -> tuple[Array, Array]:
    """Each question's points, and whether it was answered, under a calibration learnt without its fold."""
    scores, answered = np.zeros(len(y)), np.zeros(len(y))
    for fold in np.array_split(order, folds):
        rest = np.setdiff1d(order, fold)
        weights, bias, threshold = fit(x[rest], y[rest], none[rest], given[rest])
        keep = given[fold] & (_chance(x[fold], weights, bias) >= threshold)
        scores[fold], answered[fold] = np.where(keep, y[fold], none[fold]), keep
    return scores, answered


def fit(x: Array, y: Array, none: Array, given: NDArray[np.bool_]) -> tuple[list[float], float, float]:
    """Weights, bias and threshold from the answers that were given; abstentions teach nothing of being right."""
    x, y, none = x[given], y[given], none[given]
    right = y > 0
    if not len(y) or right.all() or not right.any():
        sure = bool(len(y) and right.all())
        return [0.0] * x.shape[1], 0.0, 0.0 if sure else 1.01
    model = LogisticRegression(C=1.0, max_iter=1000).fit(x, right)
    weights, bias = [float(w) for w in model.coef_[0]], float(model.intercept_[0])
    return weights, bias, best_threshold(_chance(x, weights, bias), y - none)


def _chance(x: Array, weights: Sequence[float], bias: float) -> Array:
    chances: Array = 1 / (1 + np.exp(-np.clip(x @ np.array(weights) + bias, -60, 60)))
    return chances


def best_threshold(confidences: Array, points: Array) -> float:
    """The threshold under which abstaining brings the most; above 1 when no answer is worth giving.

    `points`: what each answer brings over abstaining.
    It lies midway between the last answer given and the first withheld, so that it does not hang on either.
    """
    order = np.argsort(-confidences, kind="stable")
    ranked, totals = confidences[order], np.concatenate([[0.0], np.cumsum(points[order])])
    # equal confidences cannot be told apart by a threshold
    ends = [n for n in range(len(ranked) + 1) if n in (0, len(ranked)) or ranked[n] < ranked[n - 1]]
    best = max(ends, key=lambda n: (totals[n], -n))
    if best == 0:
        return 1.01
    return 0.0 if best == len(ranked) else float((ranked[best - 1] + ranked[best]) / 2)
