"""Fits the reader's feature weights on the tuning half of a file in JSQuAD's format, and prints the table.

    python bench/fit_reader.py FILE

A log-linear model over the candidates of a question: minimises −log Σ p(c) F1(c)² with an L2 penalty, by L-BFGS.
The held-out half is never looked at here; `bench/reader_jsquad.py FILE --half held_out` measures it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.reader_jsquad import Example, half, passage, score
from rag1.llm.rules.features import features
from rag1.llm.rules.question import read_question
from rag1.llm.rules.scene import scenes_of
from rag1.llm.rules.spans import candidates

PENALTY = 2e-4
MOST = 400
"""Candidates of a question that take part: the best hundred by F1 and a random choice of the others."""

Row = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Features, shape (candidates, features); squared F1 of each candidate, shape (candidates,)."""


def table(example: Example, names: dict[str, int], draw: random.Random) -> Row | None:
    context, text, golds = example
    scenes, sought = scenes_of(read_question(text), [passage(context).text])
    pairs = [(candidate, scene) for scene in scenes for candidate in candidates(scene.text)]
    pairs = draw.sample(pairs, min(MOST, len(pairs)))
    values = [features(candidate, scene, sought) for candidate, scene in pairs]
    reward = np.array([score(candidate.text, golds)[1] ** 2 for candidate, _ in pairs])
    if not pairs or reward.max() < 0.2:
        return None
    for row in values:
        for name in row:
            names.setdefault(name, len(names))
    matrix = np.zeros((len(values), len(names)))
    for at, row in enumerate(values):
        for name, value in row.items():
            matrix[at, names[name]] = value
    return matrix, reward


def loss(weights: NDArray[np.float64], rows: Sequence[Row]) -> tuple[float, NDArray[np.float64]]:
    total, gradient = 0.0, np.zeros_like(weights)
    for matrix, reward in rows:
        own = weights[: matrix.shape[1]]
        scores = matrix @ own
        p = np.exp(scores - scores.max())
        p /= p.sum()
        expected = float(p @ reward) + 1e-9
        total -= np.log(expected)
        gradient[: matrix.shape[1]] -= matrix.T @ (p * reward / expected - p)
    n = len(rows)
    return total / n + PENALTY * float(weights @ weights), gradient / n + 2 * PENALTY * weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    names: dict[str, int] = {}
    draw = random.Random(1)
    rows = [row for example in half(options.file, "tuning") if (row := table(example, names, draw))]
    fitted = minimize(loss, np.zeros(len(names)), args=(rows,), jac=True, method="L-BFGS-B", options={"maxiter": 150})
    print(f"# {len(rows)} questions, loss {fitted.fun:.4f}")
    for name, at in sorted(names.items()):
        print(f'    "{name}": {fitted.x[at]:.2f},')


if __name__ == "__main__":
    main()
