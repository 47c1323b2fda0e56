"""When to abstain is learnt where it pays, and the gain is told from questions that were not learnt from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag1.answer.confidence import SIGNALS, Abstaining, Calibration, read_calibration, signals
from rag1.errors import DataError, InputError
from rag1.score.abstain import Judged, judged, tune, worth_it
from rag1.types import ABSTENTION, Answer, Query, Retrieved

SUPPORT = (
    Retrieved("a:0-9", "町の時計屋だった。", "a", (0, 9), 4.0, "bm25"),
    Retrieved("b:0-9", "娘が時計を直した。", "b", (0, 9), 1.0, "bm25"),
)


def answer(n: int, own: float) -> Answer:
    return Answer(str(n), f"答え{n}", "根拠", confidence=own)


def test_signals_by_hand() -> None:
    given = Answer(
        "1", "娘", "娘が時計を直した。", SUPPORT, confidence=0.7, signals={"agreement": 2 / 3, "from_graph": 1.0}
    )
    seen = {name: value for name, value in signals(given, "時計を直したのは誰ですか。").items() if value}
    assert seen == {
        "own": pytest.approx(np.log(0.7 / 0.3) / 5),
        "agreement": 2 / 3,
        "quoted": 1.0,
        "told": 1.0,
        "place": 0.5,
        "margin": 0.75,
        "fits": 1.0,
        "long": 1 / 40,
        "from_graph": 1.0,
        "kind_extraction": 1.0,
    }


def test_a_number_where_a_person_is_asked_for_does_not_fit() -> None:
    question = "時計を直したのは誰ですか。"
    assert signals(Answer("1", "三十五円"), question)["fits"] == 0
    assert set(signals(Answer("1", "三十五円"), question)) == set(SIGNALS)


def test_own_words_are_odds_and_stay_in_bounds() -> None:
    own = [signals(Answer("1", "娘", confidence=c), "誰か")["own"] for c in (None, 0.0, 0.5, 1.0)]
    assert own == pytest.approx([0.0, -1.0, 0.0, 1.0])


def test_the_chance_from_which_an_answer_pays_by_hand() -> None:
    # right answers bring 1 and 0.5, mean 0.75; wrong ones lose 1 and, where an abstention was right, 2: mean 1.5
    points, withheld = np.array([1.0, 0.5, -1, -1]), np.array([0.0, 0, 0, 1])
    assert worth_it(points, withheld) == pytest.approx(1.5 / (0.75 + 1.5))


def sample(informative: bool, n: int = 120) -> tuple[list[Answer], list[float]]:
    rng = np.random.default_rng(5)
    own = rng.uniform(size=n)
    chance = own if informative else np.full(n, 0.4)
    points = np.where(rng.uniform(size=n) < chance, 1.0, -1.0)
    return [answer(i, float(c)) for i, c in enumerate(own)], points.tolist()


def found(answers: list[Answer], points: list[float], withheld: list[float] | None = None) -> Judged:
    return judged(answers, ["誰か"] * len(answers), points, withheld or [0.0] * len(answers))


def test_an_informative_confidence_is_worth_points_on_held_out_questions() -> None:
    tuned = tune(found(*sample(informative=True)))
    # E max(0, 2c − 1) for c uniform in [0, 1] is 1/4; answering everything brings about 0
    assert tuned.held_out == pytest.approx(0.25, abs=0.1)
    assert tuned.held_out > max(0.0, tuned.always)
    assert 0.3 < tuned.coverage < 0.7


def test_an_abstention_that_is_right_counts() -> None:
    answers, _ = sample(informative=True, n=40)
    tuned = tune(found(answers, [-1.0] * 40, [1.0] * 10 + [0.0] * 30))
    assert (tuned.always, tuned.never, tuned.coverage) == (-1.0, 0.25, 0.0)
    assert tuned.held_out == pytest.approx(0.25)
    assert tuned.gain == pytest.approx((0.0, 0.0, 0.0))


def test_a_useless_confidence_promises_nothing() -> None:
    tuned = tune(found(*sample(informative=False)))
    assert tuned.held_out < 0.05


def test_a_calibration_withholds_unsure_answers_and_keeps_failures_as_they_are(tmp_path: Path) -> None:
    Calibration({"own": 20.0}, -5.0, 0.5, "run").write(tmp_path / "c.json")
    calibration = read_calibration(str(tmp_path / "c.json"))
    sure, unsure = calibration.apply(answer(1, 0.9), "誰か"), calibration.apply(answer(2, 0.1), "誰か")
    assert (sure.text, sure.confidence) == ("答え1", pytest.approx(1 / (1 + np.exp(5 - 4 * np.log(9))), abs=1e-6))
    assert (unsure.text, unsure.stop, unsure.flags) == (ABSTENTION, "no_evidence", ("abstained_unsure",))
    failed = Answer("3", ABSTENTION, stop="error", error="500")
    assert calibration.apply(failed, "誰か").stop == "error"


def test_any_pipeline_can_abstain() -> None:
    pipeline = Abstaining(lambda query: answer(int(query.id), 0.1), Calibration({"own": 10.0}, -5.0, 0.5))
    assert pipeline(Query("7", "?")).abstained


def test_too_few_answers_and_a_broken_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="3 answers with gold; a calibration needs at least 10"):
        tune(found([answer(n, 0.5) for n in range(3)], [1.0, 0, -1]))
    (tmp_path / "c.json").write_text("{}")
    with pytest.raises(DataError, match=r"c\.json: no calibration"):
        read_calibration(str(tmp_path / "c.json"))
