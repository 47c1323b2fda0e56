"""Score against coverage, by hand."""

from __future__ import annotations

from rag1.score.coverage import CoveragePoint, coverage_curve


def test_the_curve_goes_from_the_surest_answer_to_all() -> None:
    curve = coverage_curve([0.5, 0.9, 0.1, 0.5], [1.0, 1.0, -1.0, -1.0])
    assert curve == [
        CoveragePoint(0.9, 0.25, 0.25),
        CoveragePoint(0.5, 0.75, 0.25),
        CoveragePoint(0.1, 1.0, 0.0),
    ]


def test_no_answers_no_curve() -> None:
    assert coverage_curve([], []) == []
