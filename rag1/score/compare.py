"""Many runs on the same questions: standings, every pair, what is worth its cost, and how far the winner flatters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rag1.score.paired import ALPHA, Difference, difference, holm
from rag1.score.table import SEED, interval

REPEATS, FOLDS = 200, 5


@dataclass(frozen=True, slots=True)
class Entry:
    """A run to compare: its values by question (all runs in one order), its cost in USD (None: unknown) and seconds."""

    name: str
    values: Sequence[float]
    usd: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Standing:
    """`pareto`: no other run is at least as good, as cheap and as fast, and better in one of these."""

    name: str
    mean: float
    low: float
    high: float
    usd: float | None
    seconds: float
    pareto: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """`a` has the higher mean. `p_holm` is the sign-flip p adjusted for all pairs compared."""

    a: str
    b: str
    found: Difference
    p_holm: float

    @property
    def differs(self) -> bool:
        return self.p_holm < ALPHA


@dataclass(frozen=True, slots=True)
class Winner:
    """`seen`: the best run's mean on these questions. `expected`: what a run chosen so scores on new ones."""

    name: str
    seen: float
    expected: float

    @property
    def flattery(self) -> float:
        return self.seen - self.expected


@dataclass(frozen=True, slots=True)
class Comparison:
    metric: str
    n: int
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    winner: Winner
    words: tuple[str, ...]


def compare(entries: Sequence[Entry], metric: str) -> Comparison:
    """Compares two runs or more over the same questions; best first."""
    ranked = sorted(entries, key=lambda entry: -float(np.mean(entry.values)))
    found = [(a, b, difference(a.values, b.values)) for a, b in combinations(ranked, 2)]
    adjusted = holm([one.p for _, _, one in found])
    pairs = tuple(Pair(a.name, b.name, one, p) for (a, b, one), p in zip(found, adjusted, strict=True))
    winner = nested_winner(ranked)
    n = len(ranked[0].values)
    return Comparison(metric, n, standings(ranked), pairs, winner, _words(n, metric, ranked, pairs, winner))


def standings(entries: Sequence[Entry]) -> tuple[Standing, ...]:
    rows = []
    for entry in entries:
        low, high = interval(np.asarray(entry.values, dtype=float))
        better = any(_dominates(other, entry) for other in entries)
        rows.append(Standing(entry.name, _mean(entry), low, high, entry.usd, entry.seconds, not better))
    return tuple(rows)


def _mean(entry: Entry) -> float:
    return float(np.mean(entry.values))


def _dominates(other: Entry, entry: Entry) -> bool:
    """At least as good in score, cost and seconds, and better in one; an unknown cost is compared with nothing."""
    sides = [(_mean(other), _mean(entry)), (-other.seconds, -entry.seconds)]
    if other.usd is None or entry.usd is None:
        return False
    sides.append((-other.usd, -entry.usd))
    return all(one >= two for one, two in sides) and any(one > two for one, two in sides)


def nested_winner(entries: Sequence[Entry], repeats: int = REPEATS, folds: int = FOLDS, seed: int = SEED) -> Winner:
    """The best run, with what choosing the best is worth on questions that did not choose it.

    Repeated cross-validation of the choice itself (Varma and Simon 2006): on each fold the run counts that was best
    on the other folds. Equally good runs share the fold.
    """
    scores = np.array([entry.values for entry in entries], dtype=float)
    names = [entry.name for entry in entries]
    means = scores.mean(axis=1)
    best = int(means.argmax())
    count = scores.shape[1]
    if len(names) < 2 or count < 2:
        return Winner(names[best], float(means[best]), float(means[best]))
    draw = np.random.default_rng(seed)
    held = [_held_out(scores, draw.permutation(count), min(folds, count)) for _ in range(repeats)]
    return Winner(names[best], float(means[best]), float(np.mean(held)))


def _held_out(scores: NDArray[np.float64], order: NDArray[np.int64], folds: int) -> float:
    totals = scores.sum(axis=1)
    gained = 0.0
    for fold in np.array_split(order, folds):
        inside = scores[:, fold].sum(axis=1)
        rest = totals - inside
        chosen = np.isclose(rest, rest.max())
        gained += float(inside[chosen].mean())
    return gained / len(order)


def _words(n: int, metric: str, ranked: Sequence[Entry], pairs: Sequence[Pair], winner: Winner) -> tuple[str, ...]:
    first = [pair for pair in pairs if pair.a == ranked[0].name]
    lines = [in_words(pair) for pair in first]
    different = sum(pair.differs for pair in pairs)
    if len(pairs) > len(first):
        lines.append(
            f"Of all {len(pairs)} pairs {different or 'none'} differ{'s' if different == 1 else ''} (Holm, 5 %)."
        )
    if n > 1:
        equals = int(np.isclose([_mean(entry) for entry in ranked], winner.seen).sum()) - 1
        also = f", and {equals} more {'has' if equals == 1 else 'have'} the same" if equals else ""
        lines.append(
            f"{winner.name} has the best {metric}, {winner.seen:.3f}{also}. It was chosen among {len(ranked)} runs on "
            f"the same {n} questions; cross-validating the choice gives {winner.expected:.3f}, so it flatters itself "
            f"by {winner.flattery:.3f}."
        )
    return tuple(lines)


def counted(n: int) -> str:
    return "1 question" if n == 1 else f"{n} questions"


def in_words(pair: Pair) -> str:
    """One sentence for a person: better, or no difference that so many questions can show, and what would show it."""
    found = pair.found
    facts = f"{found.mean:+.3f}, 95 % {found.low:+.3f} to {found.high:+.3f}, p = {pair.p_holm:.3f}"
    if pair.differs:
        return f"{pair.a} is better than {pair.b} ({facts})."
    line = f"{pair.a} and {pair.b}: no difference that {counted(found.n)} can show ({facts})."
    if found.needed is None:
        return f"{line} They score the same." if found.mean == 0 else line
    if found.needed > found.n:
        return (
            f"{line} If the true difference is what it looks like, about {found.needed - found.n} more would show it."
        )
    return f"{line} It is lost in comparing so many runs: compare these two alone on new questions."
