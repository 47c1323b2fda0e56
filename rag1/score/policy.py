"""What to do with a question: one pipeline, a table of routes, with and without tuned abstention; each held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rag1.pipelines.routed import ABSTAIN
from rag1.score.abstain import Judged, fit, under
from rag1.score.folds import Array, Rows, held_out
from rag1.score.routes import Table, fit_routes, rows_of

INNER = 5
"""Folds inside the questions learnt from: there a table is learnt on points that no calibration has seen."""


def policies(
    kinds: Sequence[str], runs: Mapping[str, Judged], prior: float, folds: int = 5, repeats: int = 20
) -> dict[str, Array]:
    """Name → held-out points of each question. `runs`: pipeline → its scored answers to the same questions.

    Beside the pipelines there is `ABSTAIN`. Each pipeline as it is (it learns nothing) and, with "+ abstention", under
    its own calibration; "best single" and "best single + abstention": the pipeline of the highest mean on the other
    folds; "routed": the table learnt from points as they are; "routed + abstention": the table learnt from points
    under calibrations, then one calibration over the answers that it picks.
    """
    labels = np.array(kinds)
    all_runs = [*runs.values(), abstaining(runs)]
    raw = np.array([run.points for run in all_runs])

    def score(rest: Rows, fold: Rows) -> Array:
        columns = [under(fit(run, rest), run, fold) for run in all_runs]
        calm = np.array([_cross_fitted(run, rest) for run in all_runs])
        columns.append(raw[int(raw[:, rest].mean(axis=1).argmax()), fold])
        columns.append(columns[int(calm.mean(axis=1).argmax())])
        columns.append(raw[rows_of(fit_routes(labels[rest], raw[:, rest], prior), labels[fold]), fold])
        picked = routed(all_runs, fit_routes(labels[rest], calm, prior), labels)
        columns.append(under(fit(picked, rest), picked, fold))
        return np.stack(columns, axis=1)

    found = held_out(len(labels), score, folds, repeats)
    titles = [*(f"{name} + abstention" for name in runs), ABSTAIN]
    titles += ["best single", "best single + abstention", "routed", "routed + abstention"]
    return {**{name: run.points for name, run in runs.items()}, **dict(zip(titles, found.T, strict=True))}


def abstaining(runs: Mapping[str, Judged]) -> Judged:
    """The pipeline that always abstains: one of the routes, and a policy to be measured against."""
    one = next(iter(runs.values()))
    return Judged(np.zeros_like(one.x), one.withheld, one.withheld, np.zeros(len(one), dtype=bool))


def tuned_routes(kinds: Sequence[str], runs: Mapping[str, Judged], prior: float) -> tuple[Table, Judged]:
    """The table learnt from all questions' points under calibrations, and the answers that it picks."""
    labels, all_runs = np.array(kinds), [*runs.values(), abstaining(runs)]
    rows = np.arange(len(labels))
    table = fit_routes(labels, np.array([_cross_fitted(run, rows) for run in all_runs]), prior)
    return table, routed(all_runs, table, labels)


def _cross_fitted(run: Judged, rows: Rows) -> Array:
    """The points of these rows, each under a calibration learnt from the others of them."""
    return held_out(len(rows), lambda rest, fold: under(fit(run, rows[rest]), run, rows[fold]), INNER, 1)


def routed(runs: Sequence[Judged], table: Table, labels: NDArray[np.str_]) -> Judged:
    """Each question's answer from the run that the table names."""
    picks, at = np.array(rows_of(table, labels)), np.arange(len(labels))
    return Judged(
        np.array([run.x for run in runs])[picks, at],
        np.array([run.points for run in runs])[picks, at],
        np.array([run.withheld for run in runs])[picks, at],
        np.array([run.given for run in runs])[picks, at],
    )
