"""What leads to what in a tale, as a walk from an effect to its cause and on, until none is told.

Each sentence's cause is one of the sentences near it, or none, with a probability that a fitted log-linear model gives.
A sentence's first cause is where the walk from it most likely ends, over all ways, so that one doubtful link on the way
does not hide it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import exp

import numpy as np
from numpy.typing import NDArray

from rag1.llm.rules.narrative import Link, links_of
from rag1.llm.rules.plot_features import BACK, FAR_ON, ON, OPENING, Window, of_marks, of_none, of_words
from rag1.llm.rules.plot_moments import Moment, moment
from rag1.llm.rules.plot_weights import WEIGHTS

STAYS = 0.999
"""Share of a walk that goes on from each sentence: what keeps a ring of causes from having no end."""
UNCAUSED = 0.6
"""Probability of no cause from which on a sentence is linked to none."""
BEGINS = 0.9
"""The same from which on no first cause is sought behind it."""
OTHERWISE = 4
"""Steps that are tried where the likeliest would lead back."""
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tale:
    """`links`: what the rules link; `ruled`: (effect, cause, inferred) of those between two sentences."""

    moments: tuple[Moment, ...]
    opens: frozenset[int]
    links: tuple[Link, ...]
    ruled: frozenset[tuple[int, int, bool]]

    @classmethod
    def of(cls, sentences: Sequence[str], opens: Collection[int]) -> Tale:
        links = tuple(links_of(sentences, opens))
        ruled = frozenset((link.of, link.at, link.inferred) for link in links if link.of != link.at)
        return cls(tuple(moment(sentence) for sentence in sentences), frozenset(opens), links, ruled)

    def window(self, at: int) -> tuple[Window, int]:
        """The sentences near one, and how many stand before them."""
        low, high = max(0, at - BACK), min(len(self.moments), at + (FAR_ON if at < OPENING else ON) + 1)
        opens = frozenset(n - low for n in range(low, high) if n in self.opens)
        ruled = frozenset((a - low, b - low, kind) for a, b, kind in self.ruled if low <= a < high and low <= b < high)
        return Window(self.moments[low:high], at - low, low == 0, opens, ruled), low

    @cached_property
    def walk(self) -> Array:
        """p(cause | sentence), shape (sentences, sentences + 1); the last column for none.

        What the rules read as an effect of the sentence is no cause of it.
        """
        size = len(self.moments)
        found = np.zeros((size, size + 1))
        for at in range(size):
            window, low = self.window(at)
            shares = _shares(window)
            for n, p in zip(window.candidates, shares, strict=False):
                found[at, low + n] = p
            found[at, size] = shares[-1]
        for effect, cause, inferred in self.ruled:
            if not inferred:
                found[cause, effect] = 0.0
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    @cached_property
    def visits(self) -> Array:
        """How often the walk from each sentence comes by each other, shape (sentences, sentences)."""
        size = len(self.moments)
        return np.asarray(np.linalg.inv(np.eye(size) - STAYS * self.walk[:, :size]))

    def firsts(self) -> dict[int, int]:
        """Sentence → the one that tells its first cause: where the walk from it most likely ends."""
        size = len(self.moments)
        if size < 2:
            return {}
        none = self.walk[:, size]
        ended = self.visits * none
        np.fill_diagonal(ended, 0.0)
        return {int(at): int(ended[at].argmax()) for at in np.flatnonzero(none < BEGINS)}

    def causes(self) -> dict[int, int]:
        """Sentence → the one that tells its cause: the likeliest step of the walk towards its first cause.

        The surest steps are taken first; none leads back to where it came from.
        """
        size = len(self.moments)
        steps: list[tuple[float, int, Array]] = []
        for at, first in self.firsts().items():
            towards = self.walk[at, :size] * self.visits[:, first]
            if self.walk[at, size] < UNCAUSED and towards.any():
                steps.append((-float(towards.max() / towards.sum()), at, towards))
        found: dict[int, int] = {}
        for _, at, towards in sorted(steps, key=lambda step: step[:2]):
            best = np.argsort(-towards)[:OTHERWISE]
            onward = next((int(n) for n in best if towards[n] > 0 and not _leads(found, int(n), at)), None)
            if onward is not None:
                found[at] = onward
        return found


def _leads(causes: Mapping[int, int], start: int, goal: int) -> bool:
    """Does the chain from one sentence come by another? The links have no ring."""
    while start != goal and start in causes:
        start = causes[start]
    return start == goal


@lru_cache(maxsize=4096)
def _shares(window: Window) -> tuple[float, ...]:
    """Probabilities of the candidates and, last, of none."""
    own = window.moments[window.at].marks
    scores = [
        _of_marks(own, window.moments[n].marks, window.at - n) + _score(of_words(window, n)) for n in window.candidates
    ]
    scores.append(_score(of_none(window)))
    highest = max(scores)
    shares = [exp(score - highest) for score in scores]
    whole = sum(shares)
    return tuple(share / whole for share in shares)


@lru_cache(maxsize=65536)
def _of_marks(own: frozenset[str], other: frozenset[str], distance: int) -> float:
    return _score(of_marks(own, other, distance))


def _score(values: Mapping[str, float]) -> float:
    return sum(WEIGHTS.get(name, 0.0) * value for name, value in values.items() if value)
