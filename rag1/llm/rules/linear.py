"""Linear models over named features: weights read from a file, scores, and the best tags of a sequence."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rag1.errors import DataError

Features = Sequence[str]


@dataclass(frozen=True, slots=True)
class Linear:
    """`weights`: feature → one weight a class. A feature without weights counts nothing."""

    classes: int
    weights: Mapping[str, Sequence[float]]

    def scores(self, features: Iterable[str]) -> list[float]:
        """The sum of weights of each class."""
        totals = [0.0] * self.classes
        for feature in features:
            for at, weight in enumerate(self.weights.get(feature, ())):
                totals[at] += weight
        return totals

    def score(self, features: Iterable[str]) -> float:
        """The sum of weights of a model with one class: how well a candidate fits."""
        get = self.weights.get
        return sum(found[0] for feature in features if (found := get(feature)))


def softmax(scores: Sequence[float]) -> list[float]:
    """exp(s) / Σ exp(s), shifted by the largest score so that nothing overflows."""
    top = max(scores)
    raised = [math.exp(score - top) for score in scores]
    total = sum(raised)
    return [value / total for value in raised]


def viterbi(emitted: Sequence[Sequence[float]], forbidden: frozenset[tuple[int, int]]) -> list[int]:
    """The tags of the highest total log-probability in which no `forbidden` (before, after) pair occurs.

    Viterbi (1967): the best way to each tag of a position is kept. `emitted`: one row of log-probabilities a position.
    A tag that may not follow 0 may not begin either.
    """
    if not emitted:
        return []
    tags = range(len(emitted[0]))
    best = [-math.inf if (0, tag) in forbidden else emitted[0][tag] for tag in tags]
    back: list[list[int]] = []
    for row in emitted[1:]:
        came = [max((b for b in tags if (b, tag) not in forbidden), key=lambda b: best[b]) for tag in tags]
        best = [best[came[tag]] + row[tag] for tag in tags]
        back.append(came)
    at = max(tags, key=lambda tag: best[tag])
    path = [at]
    for came in reversed(back):
        at = came[at]
        path.append(at)
    return path[::-1]


@lru_cache(maxsize=4)
def load(path: Path) -> dict[str, Linear]:
    """The models of a weight file (gzipped JSON: name → classes and weights). Raises DataError where it is not one."""
    try:
        models = json.loads(gzip.decompress(path.read_bytes()))
        return {name: Linear(int(model["classes"]), model["weights"]) for name, model in models.items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path.name} is no weight file ({error}); fit it again: python bench/fit_family.py") from error
