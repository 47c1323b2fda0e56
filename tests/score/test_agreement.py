"""Cohen's kappa by hand and against scikit-learn; the gate; the file of human labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from rag1.errors import DataError
from rag1.score.agreement import LABELS, agreement, judge_agreement, noise, read_labels
from rag1.score.table import ScoredRow, tabulate
from rag1.types import Score


def test_kappa_and_confusion_by_hand() -> None:
    # 20 and 15 agreed of 50, marginals 25/25 and 30/20: observed .7, chance .5, kappa .4
    human = ["Perfect"] * 25 + ["Incorrect"] * 25
    judge = ["Perfect"] * 20 + ["Incorrect"] * 5 + ["Perfect"] * 10 + ["Incorrect"] * 15
    found = agreement(human, judge)
    assert (found.n, found.observed, found.kappa) == (50, pytest.approx(0.7), pytest.approx(0.4))
    assert found.confusion["Incorrect"] == {"Perfect": 10, "Acceptable": 0, "Missing": 0, "Incorrect": 15, "unread": 0}
    assert found.warning.startswith("the judge agrees with people no better than kappa 0.40 on 50 questions")
    assert agreement(human, judge, threshold=0.3).warning == ""


labels = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=2, max_size=60)


@settings(deadline=None)
@given(labels)
def test_kappa_is_scikit_learns(pairs: list[tuple[str, str]]) -> None:
    human, judge = zip(*pairs, strict=True)
    if len({*human, *judge}) > 1:
        assert agreement(human, judge).kappa == pytest.approx(cohen_kappa_score(human, judge))


def row(index: str, value: float | None, label: str, note: str = "") -> ScoredRow:
    return ScoredRow(index, "", (), "answered", {"judge_rag1": Score("judge_rag1", value, label, note)})


def test_an_unread_verdict_agrees_with_nothing() -> None:
    table = tabulate([row("1", 1.0, "Perfect"), row("2", None, ""), row("3", -1.0, "Incorrect")], {})
    found = judge_agreement(table, "judge_rag1", {"1": "Perfect", "2": "Perfect", "9": "Missing"})
    assert (found.n, found.observed) == (2, 0.5)
    assert found.confusion["Perfect"]["unread"] == 1
    with pytest.raises(DataError, match="no question has both"):
        judge_agreement(table, "judge_rag1", {"9": "Missing"})


def test_noise_is_the_share_of_questions_with_more_than_one_label() -> None:
    rows = [row("1", 1.0, "Perfect", "Perfect Perfect"), row("2", 1.0, "Perfect", "Perfect Acceptable")]
    assert noise(tabulate(rows, {}), "judge_rag1") == 0.5
    assert noise(tabulate([row("1", 1.0, "Perfect", "it is equal")], {}), "judge_rag1") is None


def test_human_labels_are_read_and_every_fault_is_named(tmp_path: Path) -> None:
    path = tmp_path / "human.csv"
    path.write_text("index,label\n1,Perfect\n2,Missing\n", encoding="utf-8")
    assert read_labels(path) == {"1": "Perfect", "2": "Missing"}
    path.write_text("index,label\n1,perfect\n2,Missing\n2,Perfect\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_labels(path)
    assert caught.value.faults == (
        "line 2: label 'perfect' is none of Perfect, Acceptable, Missing, Incorrect",
        "index '2' stands 2 times",
    )
    path.write_text("id,label\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 1: no column 'index'; found id, label"):
        read_labels(path)
