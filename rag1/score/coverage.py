"""Score against coverage: what a run would have scored had it answered only where it was surest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CoveragePoint:
    """With every confidence below `threshold` turned into an abstention (0 points)."""

    threshold: float
    coverage: float
    score: float


def coverage_curve(confidences: Sequence[float], points: Sequence[float]) -> list[CoveragePoint]:
    """One point a distinct confidence, from the surest answer alone to all of them.

    `coverage` is the share of questions answered; `score` the mean of `points` with 0 for the rest (risk-coverage
    as in El-Yaniv and Wiener 2010, with the contest's points in place of risk). Equal confidences come together.
    """
    ranked = sorted(zip(confidences, points, strict=True), key=lambda pair: -pair[0])
    curve: list[CoveragePoint] = []
    total = 0.0
    for count, (confidence, value) in enumerate(ranked, start=1):
        total += value
        if count == len(ranked) or ranked[count][0] < confidence:
            curve.append(CoveragePoint(confidence, count / len(ranked), total / len(ranked)))
    return curve
