"""Learns from scored runs when to abstain, and says by cross-validation what that is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from rag1.answer.confidence import SIGNALS, Calibration, signals
from rag1.errors import InputError
from rag1.score.folds import Array, Rows, held_out
from rag1.score.table import interval
from rag1.types import Answer

FLOOR = 10
"""Questions that a calibration needs at the least."""
STRENGTH = 0.3
"""C of the logistic regression: with a hundred questions and twenty signals, weights must be held short."""
NEVER = 1.01


@dataclass(frozen=True)
class Judged:
    """Scored answers of n questions. `x`: signals, shape (n, signals); `points` of the answer, and `withheld`: of an
    abstention in its place; `given`: was there an answer at all?"""

    x: Array
    points: Array
    withheld: Array
    given: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True)
class Model:
    """A logistic model of being right over `SIGNALS`, and the chance from which an answer is given."""

    weights: Array
    bias: float
    threshold: float

    def chance(self, x: Array) -> Array:
        chances: Array = 1 / (1 + np.exp(-np.clip(x @ self.weights + self.bias, -60, 60)))
        return chances


@dataclass(frozen=True, slots=True)
class Tuned:
    """`always`: mean points of answering everything; `never`: of never answering (right where the gold is an
    abstention); `held_out`: mean points on questions not learnt from, with its 95 % interval, and `coverage`: the
    share of questions answered there. `gain`: of held-out points over never answering, with its interval. `each`:
    the held-out points of each question."""

    calibration: Calibration
    n: int
    always: float
    never: float
    held_out: float
    low: float
    high: float
    coverage: float
    gain: tuple[float, float, float]
    each: tuple[float, ...] = ()


def judged(
    answers: Sequence[Answer], questions: Sequence[str], points: Sequence[float], withheld: Sequence[float]
) -> Judged:
    rows = [signals(answer, question) for answer, question in zip(answers, questions, strict=True)]
    return Judged(
        np.array([[row[name] for name in SIGNALS] for row in rows]),
        np.array(points, dtype=np.float64),
        np.array(withheld, dtype=np.float64),
        np.array([not answer.abstained for answer in answers]),
    )


def tune(found: Judged, folds: int = 5, repeats: int = 20, seed: int = 0) -> Tuned:
    """Fits a logistic model of being right, and says what abstaining by it brings.

    The held-out figures refit it on the other folds each time; their intervals (95 %) are bootstraps over the
    questions' held-out means.
    """
    if len(found) < FLOOR:
        raise InputError(f"{len(found)} answers with gold; a calibration needs at least {FLOOR}")

    def score(rest: Rows, fold: Rows) -> Array:
        keep = answered(fit(found, rest), found, fold)
        return np.stack([np.where(keep, found.points[fold], found.withheld[fold]), keep], axis=1)

    each = held_out(len(found), score, folds, repeats, seed)
    scores, coverage = each[:, 0], each[:, 1]
    low, high = interval(scores)
    gain = float((scores - found.withheld).mean()), *interval(scores - found.withheld)
    model = fit(found, np.arange(len(found)))
    weights = {name: round(float(weight), 4) for name, weight in zip(SIGNALS, model.weights, strict=True)}
    return Tuned(
        Calibration(weights, round(model.bias, 4), round(model.threshold, 4)),
        len(found),
        float(found.points.mean()),
        float(found.withheld.mean()),
        float(scores.mean()),
        low,
        high,
        float(coverage.mean()),
        gain,
        tuple(map(float, scores)),
    )


def fit(found: Judged, rows: Rows) -> Model:
    """The model of these rows' given answers; abstentions teach nothing of being right."""
    rows = rows[found.given[rows]]
    x, points, withheld = found.x[rows], found.points[rows], found.withheld[rows]
    right = points > 0
    if not len(rows) or right.all() or not right.any():
        sure = bool(len(rows) and right.all())
        return Model(np.zeros(found.x.shape[1]), 0.0, 0.0 if sure else NEVER)
    logistic = LogisticRegression(C=STRENGTH, max_iter=1000).fit(x, right)
    return Model(logistic.coef_[0], float(logistic.intercept_[0]), worth_it(points, withheld))


def worth_it(points: Array, withheld: Array) -> float:
    """The chance of being right from which an answer brings more than an abstention.

    With g gained by a right answer over abstaining and c lost by a wrong one, both means of these answers:
    p g > (1 − p) c from p = c / (g + c) on. c is above 1 where some questions want an abstention.
    """
    brings, right = points - withheld, points > 0
    gained, lost = float(brings[right].mean()), float(-brings[~right].mean())
    if gained <= 0:
        return NEVER
    return max(0.0, lost) / (gained + max(0.0, lost))


def answered(model: Model, found: Judged, rows: Rows) -> NDArray[np.bool_]:
    """Which of these rows' answers are given under the model."""
    keep: NDArray[np.bool_] = found.given[rows] & (model.chance(found.x[rows]) >= model.threshold)
    return keep


def under(model: Model, found: Judged, rows: Rows) -> Array:
    """These rows' points where unsure answers are withheld."""
    return np.where(answered(model, found, rows), found.points[rows], found.withheld[rows])
