"""Votes over normalised answers, a model's pick, and a table: what becomes of several answers to one question."""

from __future__ import annotations

import pytest

from rag1.errors import InputError
from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import PickReply
from rag1.score.ensemble import ModelPick, by_table, vote
from rag1.types import ABSTENTION, Answer, ReplyT, Task


def said(*texts: str) -> list[Answer]:
    return [Answer("1", text, evidence=f"e{n}") for n, text in enumerate(texts)]


def test_the_most_frequent_answer_wins_whatever_its_spelling() -> None:
    won = vote(said("源造", "二十五円", "２５円"))
    assert (won.text, won.evidence) == ("二十五円", "e1")
    assert won.signals["agreement"] == pytest.approx(2 / 3)


def test_equal_votes_go_to_the_run_that_comes_first() -> None:
    assert vote(said("甲", "乙")).text == "甲"


def test_weights_count() -> None:
    assert vote(said("甲", "乙", "乙"), [3, 1, 1]).text == "甲"


def test_abstentions_vote_and_failures_do_not() -> None:
    failed = Answer("1", ABSTENTION, stop="error")
    assert vote([failed, failed, *said("甲")]).text == "甲"
    assert vote(said(ABSTENTION, ABSTENTION, "甲")).abstained
    assert vote([failed, failed]).stop == "error"


class Picks:
    """A model that picks one place, and remembers what it was offered."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.offered: list[object] = []

    def __call__(self, task: Task[ReplyT], *, repeat: int = 0) -> ReplyT:
        self.offered.append(task.candidates)  # type: ignore[attr-defined]
        return PickReply(index=self.index)  # type: ignore[return-value]


def test_the_model_is_offered_each_different_answer_once_in_order() -> None:
    llm = Picks(1)
    assert ModelPick(llm)("誰か", said("甲", "乙", "甲", ABSTENTION)).text == "乙"
    assert llm.offered == [("甲", "乙")]


def test_a_pick_of_nothing_leaves_it_to_the_vote() -> None:
    assert ModelPick(Picks(7))("誰か", said("甲", "乙", "乙")).text == "乙"


def test_agreement_needs_no_model() -> None:
    llm = Picks(0)
    assert ModelPick(llm)("誰か", said("甲", "甲")).text == "甲"
    assert llm.offered == []


def test_the_rules_pick_too() -> None:
    assert ModelPick(OfflineLlm())("誰か", said("甲", "乙", "乙")).text in ("甲", "乙")


def test_a_table_takes_each_question_from_its_run() -> None:
    runs = {
        "a": {"1": Answer("1", "甲"), "2": Answer("2", "甲")},
        "b": {"1": Answer("1", "乙"), "2": Answer("2", "乙")},
    }
    made = by_table({"1": "count", "2": "who"}, {"count": "b"}, "a", runs)
    assert [made["1"].text, made["2"].text] == ["乙", "甲"]
    with pytest.raises(InputError, match="'c'"):
        by_table({"1": "count"}, {"count": "c"}, "a", runs)
