"""Which pipeline for which kind of question: learnt from scored runs, and what the table is worth when held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag1.errors import InputError
from rag1.score.table import interval

Array = NDArray[np.float64]


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
    points = np.array([scores[name] for name in names], dtype=np.float64)
    labels = np.array(kinds)
    rng = np.random.default_rng(0)
    table, default = _fit(labels, points, prior)
    routed, single = _held_out(labels, points, prior, folds, repeats, rng)
    low, high = interval(routed - single)
    chosen = Counter(names[table.get(kind, default)] for kind in kinds)
    return Learnt(
        {kind: names[n] for kind, n in table.items()},
        names[default],
        _sureness(labels, points, prior, table, rng),
        {name: chosen[name] / len(kinds) for name in names},
        dict(Counter(kinds)),
        float(routed.mean()),
        float(single.mean()),
        low,
        high,
    )


def _fit(labels: NDArray[np.str_], points: Array, prior: float) -> tuple[dict[str, int], int]:
    overall = points.mean(axis=1)
    table = {}
    for kind in np.unique(labels):
        mine = points[:, labels == kind]
        shrunk = (mine.sum(axis=1) + prior * overall) / (mine.shape[1] + prior)
        table[str(kind)] = int(shrunk.argmax())
    return table, int(overall.argmax())


def _held_out(
    labels: NDArray[np.str_], points: Array, prior: float, folds: int, repeats: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Each question's points under the table, and under the best single pipeline, learnt without its fold."""
    n = len(labels)
    routed, single = np.zeros(n), np.zeros(n)
    for _ in range(repeats):
        order = rng.permutation(n)
        for fold in np.array_split(order, min(folds, n)):
            rest = np.setdiff1d(order, fold)
            table, default = _fit(labels[rest], points[:, rest], prior)
            rows = [table.get(str(labels[i]), default) for i in fold]
            routed[fold] += points[rows, fold] / repeats
            single[fold] += points[default, fold] / repeats
    return routed, single


def _sureness(
    labels: NDArray[np.str_], points: Array, prior: float, table: Mapping[str, int], rng: np.random.Generator
) -> dict[str, float]:
    draws, agree = 500, Counter[str]()
    for _ in range(draws):
        rows = rng.integers(0, len(labels), len(labels))
        again, default = _fit(labels[rows], points[:, rows], prior)
        agree.update(kind for kind, n in table.items() if again.get(kind, default) == n)
    return {kind: agree[kind] / draws for kind in table}
