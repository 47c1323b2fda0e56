"""Weighted sum of normalised scores (CombSUM after min-max or z-score), for rankings whose scores mean something.

Fox and Shaw, "Combination of Multiple Searches", TREC-2, 1994 (CombSUM); score(d) = Σ over rankings w · norm(s(d)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Literal

from rag1.errors import ConfigError
from rag1.fuse.rrf import best_copies, checked_weights, first_of_each, rescored
from rag1.types import Retrieved

Norm = Literal["min_max", "z_score"]


@dataclass(frozen=True)
class WeightedFusion:
    """A `Fuser`. `weights` are one a ranking (None: 1 each); `limit` items are returned (None: all)."""

    norm: Norm = "min_max"
    weights: Sequence[float] | None = None
    limit: int | None = None

    def __call__(self, rankings: Sequence[Sequence[Retrieved]]) -> list[Retrieved]:
        return weighted_fusion(rankings, self.norm, self.weights, self.limit)


def weighted_fusion(
    rankings: Sequence[Sequence[Retrieved]],
    norm: Norm = "min_max",
    weights: Sequence[float] | None = None,
    limit: int | None = None,
) -> list[Retrieved]:
    """One ranking, best first. An item that a ranking lacks gets that ranking's lowest normalised score.

    A ranking lacks an item because it scored below its last one, so the lowest is its upper bound there: 0 after
    min-max, the smallest z after z-score. Copies and ties are dealt with as in `reciprocal_rank_fusion`.
    """
    factors = checked_weights(rankings, weights)
    if norm not in _NORMS:
        raise ConfigError(f"norm is {norm!r}; it is one of {', '.join(_NORMS)}")
    norms = [_normalised(ranking, norm) for ranking in rankings]
    floors = [min(values.values(), default=0.0) if norm == "z_score" else 0.0 for values in norms]
    scores = dict.fromkeys((name for values in norms for name in values), 0.0)
    for values, floor, factor in zip(norms, floors, factors, strict=True):
        for name in scores:
            scores[name] += factor * values.get(name, floor)
    order = sorted(scores, key=scores.__getitem__, reverse=True)[:limit]
    best = best_copies(rankings, order)
    return [rescored(best[name], scores[name]) for name in order]


def _normalised(ranking: Sequence[Retrieved], norm: Norm) -> dict[str, float]:
    raw = first_of_each((item.id, item.score) for item in ranking)
    return dict(zip(raw, _NORMS[norm](list(raw.values())), strict=True))


def min_max(scores: Sequence[float]) -> list[float]:
    """To [0, 1]. Equal scores become 1: a ranking of one hit is a vote for it, not against it."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def z_score(scores: Sequence[float]) -> list[float]:
    """To mean 0 and population standard deviation 1; equal scores become 0."""
    if not scores:
        return []
    mean, spread = fmean(scores), pstdev(scores)
    return [(score - mean) / spread if spread > 0 else 0.0 for score in scores]


_NORMS = {"min_max": min_max, "z_score": z_score}
