"""Fits the reader's feature weights on the tuning half of a file in JSQuAD's format, and prints the table.

    python bench/fit_reader.py FILE weights|confidence

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
from rag1.llm.rules.reader import doubts, rank
from rag1.llm.rules.scene import scenes_of
from rag1.llm.rules.spans import candidates

PENALTY = 2e-4
RIGHT = 0.5
"""F1 from which an answer counts as right for the confidence."""
MOST = 400
"""Candidates of a question that take part, drawn at random where there are more."""

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


def confidence_rows(examples: Sequence[Example], draw: random.Random) -> tuple[list[dict[str, float]], list[float]]:
    """Each question twice: with its paragraph among seven strange ones, and with eight strange ones (never right)."""
    paragraphs = sorted({context for context, _, _ in examples})
    rows, labels = [], []
    for context, text, golds in examples[::2]:
        strange = draw.sample(paragraphs, 8)
        for texts in ([context, *strange[1:]], [other for other in strange if other != context]):
            ranked = rank(*scenes_of(read_question(text), [passage(other).text for other in texts]))
            if ranked:
                rows.append(doubts(ranked))
                labels.append(float(context in texts and score(ranked[0].candidate.text, golds)[1] >= RIGHT))
    return rows, labels


def logistic(rows: Sequence[dict[str, float]], labels: Sequence[float]) -> dict[str, float]:
    names = [*rows[0], "bias"]
    x = np.array([[*row.values(), 1.0] for row in rows])
    y = np.array(labels)

    def fun(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = x @ w
        p = 1 / (1 + np.exp(-z))
        return float(np.mean(np.logaddexp(0, z) - y * z)), x.T @ (p - y) / len(y)

    fitted = minimize(fun, np.zeros(len(names)), jac=True, method="L-BFGS-B")
    return dict(zip(names, map(float, fitted.x), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("what", choices=("weights", "confidence"), help="fit the weights first, store them, then this")
    options = parser.parse_args()
    found = half(options.file, "tuning")
    if options.what == "confidence":
        rows, labels = confidence_rows(found, random.Random(2))
        print(f"# {len(rows)} contexts, {np.mean(labels):.3f} of them answered right")
        print({name: round(value, 2) for name, value in logistic(rows, labels).items()})
        return
    print_weights(found)


def print_weights(found: Sequence[Example]) -> None:
    names: dict[str, int] = {}
    draw = random.Random(1)
    rows = [row for example in found if (row := table(example, names, draw))]
    fitted = minimize(loss, np.zeros(len(names)), args=(rows,), jac=True, method="L-BFGS-B", options={"maxiter": 150})
    print(f"# {len(rows)} questions, loss {fitted.fun:.4f}")
    for name, at in sorted(names.items()):
        print(f'    "{name}": {fitted.x[at]:.2f},')


if __name__ == "__main__":
    main()
