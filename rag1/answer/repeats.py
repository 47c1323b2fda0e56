"""Self-consistency: the answer that most of several samples agree on (Wang et al. 2023, "Self-Consistency Improves
Chain of Thought Reasoning in Language Models", ICLR)."""

from __future__ import annotations

from collections.abc import Sequence

from rag1.text.normalize import normalize


def most_agreed(answers: Sequence[str], weights: Sequence[float] | None = None) -> tuple[int, float]:
    """The place of the first of the answers that most give after normalisation, and their share of the weight (0 to 1);
    of equal shares the earlier one. `weights`: one an answer, all 1 where none are given."""
    keys = [normalize(answer) for answer in answers]
    ballots: dict[str, float] = {}
    for key, weight in zip(keys, weights or [1.0] * len(keys), strict=True):
        ballots[key] = ballots.get(key, 0.0) + weight
    won = max(ballots, key=lambda key: ballots[key])
    return keys.index(won), ballots[won] / sum(ballots.values())
