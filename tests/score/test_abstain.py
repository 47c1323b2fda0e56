"""When to abstain is learnt where it pays, and the gain is told from questions that were not learnt from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag1.answer.confidence import Abstaining, Calibration, read_calibration, signals
from rag1.errors import DataError, InputError
from rag1.score.abstain import best_threshold, tune
from rag1.types import ABSTENTION, Answer, Query, Retrieved

SUPPORT = (
    Retrieved("a:0-9", "町の時計屋だった。", "a", (0, 9), 4.0, "bm25"),
    Retrieved("b:0-9", "娘が時計を直した。", "b", (0, 9), 1.0, "bm25"),
)


def answer(n: int, own: float) -> Answer:
    return Answer(str(n), f"答え{n}", "根拠", confidence=own)


def test_signals_by_hand() -> None:
    seen = signals(Answer("1", "娘", "娘が時計を直した。", SUPPORT, confidence=0.7, signals={"agreement": 2 / 3}))
    assert seen == {
        "own": 0.7,
        "agreement": 2 / 3,
        "quoted": 1.0,
        "told": 1.0,
        "place": 0.5,
        "margin": 0.75,
        "mended": 0.0,
    }


def test_the_best_threshold_by_hand() -> None:
    # cumulated points from the surest on: 1, 2, 1, 2, 1 — two answers or four give 2; the fewer are taken
    confidences, points = np.array([0.9, 0.8, 0.6, 0.5, 0.2]), np.array([1.0, 1, -1, 1, -1])
    assert best_threshold(confidences, points) == pytest.approx(0.7)


def test_equal_confidences_stay_together() -> None:
    assert best_threshold(np.array([0.9, 0.5, 0.5]), np.array([1.0, 1, -1.5])) == pytest.approx(0.7)


def test_nothing_is_answered_where_nothing_pays_and_all_where_all_does() -> None:
    assert best_threshold(np.array([0.9, 0.8]), np.array([-1.0, -1])) > 1
    assert best_threshold(np.array([0.9, 0.8]), np.array([1.0, 1])) == 0


def sample(informative: bool, n: int = 120) -> tuple[list[Answer], list[float]]:
    rng = np.random.default_rng(5)
    own = rng.uniform(size=n)
    chance = own if informative else np.full(n, 0.4)
    points = np.where(rng.uniform(size=n) < chance, 1.0, -1.0)
    return [answer(i, float(c)) for i, c in enumerate(own)], points.tolist()


def test_an_informative_confidence_is_worth_points_on_held_out_questions() -> None:
    tuned = tune(*sample(informative=True))
    # E max(0, 2c − 1) for c uniform in [0, 1] is 1/4; answering everything brings about 0
    assert tuned.held_out == pytest.approx(0.25, abs=0.1)
    assert tuned.held_out > max(0.0, tuned.always)
    assert 0.3 < tuned.coverage < 0.7


def test_an_abstention_that_is_right_counts() -> None:
    answers, _ = sample(informative=True, n=40)
    tuned = tune(answers, [-1.0] * 40, withheld=[1.0] * 10 + [0.0] * 30)
    assert (tuned.always, tuned.never, tuned.held_out, tuned.coverage) == (-1.0, 0.25, 0.25, 0.0)
    assert tuned.gain == (0.0, 0.0, 0.0)


def test_a_useless_confidence_promises_nothing() -> None:
    tuned = tune(*sample(informative=False))
    assert tuned.held_out < 0.05


def test_a_calibration_withholds_unsure_answers_and_keeps_failures_as_they_are(tmp_path: Path) -> None:
    Calibration({"own": 10.0}, -5.0, 0.5, "run").write(tmp_path / "c.json")
    calibration = read_calibration(str(tmp_path / "c.json"))
    sure, unsure = calibration.apply(answer(1, 0.9)), calibration.apply(answer(2, 0.1))
    assert (sure.text, sure.confidence) == ("答え1", pytest.approx(1 / (1 + np.exp(-4)), abs=1e-6))
    assert (unsure.text, unsure.stop, unsure.flags) == (ABSTENTION, "no_evidence", ("abstained_unsure",))
    failed = Answer("3", ABSTENTION, stop="error", error="500")
    assert calibration.apply(failed).stop == "error"


def test_any_pipeline_can_abstain() -> None:
    pipeline = Abstaining(lambda query: answer(int(query.id), 0.1), Calibration({"own": 10.0}, -5.0, 0.5))
    assert pipeline(Query("7", "?")).abstained


def test_too_few_answers_and_a_broken_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="3 answers with gold; a calibration needs at least 10"):
        tune([answer(n, 0.5) for n in range(3)], [1.0, 0, -1])
    (tmp_path / "c.json").write_text("{}")
    with pytest.raises(DataError, match=r"c\.json: no calibration"):
        read_calibration(str(tmp_path / "c.json"))
