"""Many runs: standings, what is worth its cost, the winner's flattery, and the words."""

from __future__ import annotations

import numpy as np
import pytest

from rag1.score.compare import Entry, compare, nested_winner, standings


def entry(name: str, values: list[float], usd: float | None = 0.0, seconds: float = 1.0) -> Entry:
    return Entry(name, values, usd, seconds)


def test_runs_stand_best_first_and_a_clear_lead_is_called_so() -> None:
    good, bad = entry("good", [1.0] * 20 + [0.0] * 4), entry("bad", [0.0] * 20 + [1.0] * 4)
    found = compare([bad, good], "exact_match")
    assert [one.name for one in found.standings] == ["good", "bad"]
    assert [(pair.a, pair.b, pair.differs) for pair in found.pairs] == [("good", "bad", True)]
    assert found.words[0].startswith("good is better than bad (+0.667, 95 %")


def test_no_difference_is_said_plainly_with_what_would_show_one() -> None:
    a = entry("a", [1.0, 1.0, 0.0] * 20)
    b = entry("b", [1.0, 0.0, 1.0] * 19 + [1.0, 0.0, 0.0])
    words = compare([a, b], "crag").words[0]
    assert words.startswith("a and b: no difference that 60 questions can show (+0.017")
    assert "more would show it" in words
    same = compare([a, entry("c", list(a.values))], "crag").words[0]
    assert same.endswith("They score the same.")


def test_the_best_is_said_to_be_shared_and_one_question_chooses_nothing() -> None:
    a, b = entry("a", [1.0, 0.0]), entry("b", [0.0, 1.0])
    assert compare([a, b], "crag").words[-1].startswith("a has the best crag, 0.500, and 1 more has the same.")
    alone = compare([entry("a", [1.0]), entry("b", [0.0])], "crag").words
    assert len(alone) == 1
    assert alone[0].startswith("a and b: no difference that 1 question can show")


def test_many_pairs_are_adjusted_together() -> None:
    draw = np.random.default_rng(5)
    runs = [entry(f"r{number}", list(draw.choice([0.0, 1.0], 60))) for number in range(6)]
    found = compare(runs, "exact_match")
    assert len(found.pairs) == 15
    assert all(pair.p_holm >= pair.found.p for pair in found.pairs)
    smallest = min(found.pairs, key=lambda pair: pair.found.p)
    assert smallest.p_holm == pytest.approx(min(1.0, 15 * smallest.found.p))


def test_the_pareto_front_is_what_nothing_beats_in_score_cost_and_time() -> None:
    entries = [
        entry("best", [1.0, 1.0], usd=5.0, seconds=9),
        entry("cheap", [1.0, 0.0], usd=1.0, seconds=5),
        entry("beaten", [1.0, 0.0], usd=2.0, seconds=5),
        entry("fast", [0.0, 0.0], usd=1.0, seconds=1),
        entry("unpriced", [0.0, 0.0], usd=None, seconds=20),
    ]
    assert [one.name for one in standings(entries) if one.pareto] == ["best", "cheap", "fast", "unpriced"]


def test_choosing_among_equal_runs_flatters_and_cross_validating_the_choice_does_not() -> None:
    draw = np.random.default_rng(6)
    seen, expected = [], []
    for _ in range(150):
        runs = [entry(str(number), list(draw.choice([0.0, 1.0], 60))) for number in range(8)]
        winner = nested_winner(runs, repeats=10)
        seen.append(winner.seen)
        expected.append(winner.expected)
    # the best of 8 equal runs looks about 1.42 standard errors (.0645) too good
    assert np.mean(seen) - 0.5 == pytest.approx(1.42 * 0.0645, abs=0.015)
    assert np.mean(expected) == pytest.approx(0.5, abs=0.015)


def test_a_winner_far_ahead_does_not_flatter_itself() -> None:
    winner = nested_winner([entry("far", [1.0] * 58 + [0.0] * 2), entry("back", [0.0] * 60)])
    assert winner.name == "far"
    assert winner.flattery == pytest.approx(0.0, abs=1e-9)


def test_the_words_say_how_far_the_winner_flatters() -> None:
    draw = np.random.default_rng(8)
    found = compare([entry(f"r{number}", list(draw.choice([0.0, 1.0], 60))) for number in range(4)], "crag")
    assert found.words[-1].startswith(f"{found.winner.name} has the best crag, {found.winner.seen:.3f}.")
    assert f"flatters itself by {found.winner.flattery:.3f}" in found.words[-1]
    assert found.words[-2] == "Of all 6 pairs none differ (Holm, 5 %)."
