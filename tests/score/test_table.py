"""The score table: means, intervals, what is counted where."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rag1.errors import DataError
from rag1.score.answers import Abstention, ExactMatch, ListF1, RuleJudge
from rag1.score.table import interval, judge_name, read_scores, score_answers, write_scores
from rag1.types import ABSTENTION, Answer, Gold, Score, Stop

GOLDS = (
    Gold("1", ("猫",), kind="extraction", doc_ids=frozenset({"港"})),
    Gold("2", ("犬、鳥",), kind="enumeration", doc_ids=frozenset({"港", "丘"})),
    Gold("3", ("3人",), kind="extraction", doc_ids=frozenset({"丘"})),
)
ANSWERS = (
    Answer("1", "猫"),
    Answer("2", "犬"),
    Answer("3", ABSTENTION, stop="error", error="TimeoutError"),
    Answer("4", ABSTENTION, stop="no_evidence"),
)
SCORERS = (ExactMatch(), ListF1(), RuleJudge(), Abstention())


@dataclass(frozen=True)
class Unread:
    """A judge whose every second verdict cannot be read."""

    name: str = "judge"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        return Score(self.name, None, note="no label") if gold.query_id == "2" else Score(self.name, 1.0, "Perfect")


def test_means_overall_by_kind_and_by_document() -> None:
    table = score_answers(ANSWERS, GOLDS, SCORERS)
    assert table.overall["exact_match"].mean == pytest.approx(1 / 3)
    assert table.overall["crag"].mean == pytest.approx((1 + 0.5 + 0) / 3)
    assert table.overall["crag"].labels == {"Acceptable": 1, "Missing": 1, "Perfect": 1}
    assert table.by_kind["extraction"]["crag"].mean == pytest.approx(0.5)
    assert table.by_document["港"]["crag"].mean == pytest.approx(0.75)
    assert table.by_document["丘"]["crag"].n == 2


def test_failures_and_abstentions_are_counted_apart_and_questions_without_gold_too() -> None:
    assert score_answers(ANSWERS, GOLDS, SCORERS).counts == {"questions": 4, "answered": 2, "abstained": 1, "failed": 1}


@pytest.mark.parametrize("stop", ["error", "timeout", "budget"])
def test_every_kind_of_failure_is_counted_as_failed(stop: Stop) -> None:
    assert score_answers([Answer("1", ABSTENTION, stop=stop)], (), ()).counts["failed"] == 1


def test_a_score_that_does_not_apply_is_outside_the_mean() -> None:
    listed = score_answers(ANSWERS, GOLDS, SCORERS).overall["list_f1"]
    assert (listed.n, listed.not_applicable, listed.mean) == (1, 2, pytest.approx(2 / 3))


def test_an_unread_verdict_is_counted_and_stays_in_the_mean() -> None:
    judged = score_answers(ANSWERS, GOLDS, [Unread()]).overall["judge"]
    assert (judged.mean, judged.n, judged.unread) == (pytest.approx(2 / 3), 3, 1)


@pytest.mark.parametrize("texts", [(ABSTENTION,), ("灯台守かも",)], ids=["missing", "wrong"])
def test_the_judge_is_known_by_any_label(texts: tuple[str, ...]) -> None:
    table = score_answers([Answer("1", text) for text in texts], GOLDS, SCORERS)
    assert judge_name(table) == "crag"


def test_a_judge_that_was_never_read_is_still_the_judge() -> None:
    table = score_answers(ANSWERS[1:2], GOLDS, [RuleJudge(), Unread()])
    assert judge_name(table) == "judge"


def test_no_gold_at_all_gives_an_empty_table() -> None:
    table = score_answers(ANSWERS, (), SCORERS)
    assert (table.overall, table.rows, table.counts["questions"]) == ({}, (), 4)


def test_threads_give_the_same_table() -> None:
    assert score_answers(ANSWERS, GOLDS, SCORERS, workers=4) == score_answers(ANSWERS, GOLDS, SCORERS)


def test_the_interval_is_the_same_each_time_and_agrees_with_scipys_bootstrap() -> None:
    values = np.random.default_rng(1).choice([1.0, 0.5, 0.0, -1.0], 60)
    low, high = interval(values)
    assert (low, high) == interval(values)
    oracle = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=9999, random_state=2)
    assert low == pytest.approx(oracle.confidence_interval.low, abs=0.03)
    assert high == pytest.approx(oracle.confidence_interval.high, abs=0.03)


def test_scores_are_written_and_read_back(tmp_path: Path) -> None:
    table = score_answers(ANSWERS, GOLDS, [*SCORERS, Unread()])
    write_scores(table, tmp_path / "scores.json")
    assert read_scores(tmp_path / "scores.json") == table
    data = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert data["overall"]["judge"]["unread"] == 1
    assert data["rows"][1]["scores"]["crag"]["label"] == "Acceptable"


def test_a_file_that_is_no_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match=r"scores\.json: no score table"):
        read_scores(path)
