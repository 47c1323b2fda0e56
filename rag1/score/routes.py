"""Which pipeline for which kind of question: learnt from scored runs, and what the table is worth when held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag1.errors import InputError
from rag1.score.folds import Array, Rows, held_out
from rag1.score.table import interval

LEAST = 5
"""Questions from which a choice can be held out: a fold of one has to leave some to learn from."""

Table = tuple[dict[str, int], int]
"""Kind → row of the points, and the row of the best single pipeline."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """`table`: kind → pipeline. `sure`: the share of bootstrap samples in which the kind got that pipeline.
    `share`: of the questions that each pipeline gets. The held-out means (with 95 % intervals of their difference)
    are of the table and of the best single pipeline, both chosen without the fold that they are measured on.
    """

    table: Mapping[str, str]
    default: str
    sure: Mapping[str, float]
    share: Mapping[str, float]
    counts: Mapping[str, int]
    routed: float
    single: float
    low: float
    high: float

    @property
    def constant(self) -> bool:
        """True when the table sends every question to one pipeline: then there is nothing to route."""
        return sum(share > 0 for share in self.share.values()) < 2


def learn_routes(
    kinds: Sequence[str], scores: Mapping[str, Sequence[float]], prior: float = 10, folds: int = 5, repeats: int = 20
) -> Learnt:
    """`kinds`: of each question as the classifier sees it; `scores`: pipeline → its points for each question.

    A kind takes the pipeline of the highest shrunk mean, (Σ points + prior × the pipeline's overall mean) /
    (n + prior): with few questions of a kind, the pipeline that is best overall wins. `prior` is in questions.
    """
    names = list(scores)
    if len(names) < 2:
        raise InputError("a table of routes needs runs of two pipelines or more")
    if len(kinds) < LEAST:
        raise InputError(
            f"{len(kinds)} scored question(s): a table of routes needs {LEAST}, so that folds may be held out"
        )
    points = np.array([scores[name] for name in names], dtype=np.float64)
    labels = np.array(kinds)
    table, default = fit_routes(labels, points, prior)

    def score(rest: Rows, fold: Rows) -> Array:
        """Columns: under the table, and under the best single pipeline."""
        learnt = fit_routes(labels[rest], points[:, rest], prior)
        return np.stack([points[rows_of(learnt, labels[fold]), fold], points[learnt[1], fold]], axis=1)

    routed, single = held_out(len(labels), score, folds, repeats).T
    low, high = interval(routed - single)
    chosen = Counter(names[row] for row in rows_of((table, default), labels))
    return Learnt(
        {kind: names[n] for kind, n in table.items()},
        names[default],
        _sureness(labels, points, prior, table),
        {name: chosen[name] / len(kinds) for name in names},
        dict(Counter(kinds)),
        float(routed.mean()),
        float(single.mean()),
        low,
        high,
    )


def fit_routes(labels: NDArray[np.str_], points: Array, prior: float) -> Table:
    """`points`: shape (pipelines, questions). Of equal means the first pipeline wins, for a kind the default."""
    overall = points.mean(axis=1)
    default = int(overall.argmax())
    table = {}
    for kind in np.unique(labels):
        mine = points[:, labels == kind]
        shrunk = (mine.sum(axis=1) + prior * overall) / (mine.shape[1] + prior)
        best = int(shrunk.argmax())
        table[str(kind)] = best if shrunk[best] > shrunk[default] + 1e-9 else default
    return table, default


def rows_of(learnt: Table, labels: NDArray[np.str_]) -> list[int]:
    table, default = learnt
    return [table.get(str(label), default) for label in labels]


def _sureness(labels: NDArray[np.str_], points: Array, prior: float, table: Mapping[str, int]) -> dict[str, float]:
    draws, agree, rng = 500, Counter[str](), np.random.default_rng(0)
    for _ in range(draws):
        rows = rng.integers(0, len(labels), len(labels))
        again, default = fit_routes(labels[rows], points[:, rows], prior)
        agree.update(kind for kind, n in table.items() if again.get(kind, default) == n)
    return {kind: agree[kind] / draws for kind in table}
