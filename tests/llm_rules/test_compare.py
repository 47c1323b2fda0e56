"""Alternatives and yes/no told by graph facts."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rag1.llm.offline import OfflineLlm
from rag1.llm.rules.compare import value_of
from rag1.llm.tasks import AnswerFrom, Passage

FACTS = (
    "青葉橋 - 開通 -> 明治30年5月1日",
    "若松橋 - 開通 -> 明治32年",
    "青葉橋 - 長さ -> 百二十メートル",
    "若松橋 - 長さ -> 九十五メートル",
    "青葉橋 - 設計者 -> 三浦浩三",
    "三浦浩三 - 出身校 -> 北都大学",
    "北都大学 - 創立年 -> 明治9年",
)


@pytest.mark.parametrize(
    ("question", "facts", "answer"),
    [
        ("青葉橋と若松橋、長いのはどちらですか。", FACTS[2:4], "青葉橋"),
        ("青葉橋と若松橋はどちらが先に開通しましたか。", FACTS[:2], "青葉橋"),
        ("開通が早いのは、若松橋ですか。", FACTS[:2], "いいえ"),
        ("青葉橋の設計者の出身校はどこですか。", FACTS, "北都大学"),
        ("青葉橋を設計した三浦浩三の出身校が創立された年はいつですか。", FACTS[5:], "明治9年"),
    ],
)
def test_facts_are_compared_and_followed(question: str, facts: tuple[str, ...], answer: str) -> None:
    context = tuple(Passage(id=str(at), text=line) for at, line in enumerate(facts))
    assert OfflineLlm()(AnswerFrom(question=question, context=context)).answer == answer


def test_values_are_dates_or_numbers() -> None:
    assert value_of("1871年2月3日") == 18710203
    assert value_of("九十五メートル") == Fraction(95)
    assert value_of("橋") is None


def test_a_relation_that_is_answered_is_not_asked_again() -> None:
    lines = "おまつ - こしらえる -> 祝いの餅\nおまつ - 作る -> 紅白の餅"
    reply = OfflineLlm()(
        AnswerFrom(question="祝いの餅をこしらえたのは誰ですか。", context=(Passage(id="f", text=lines),))
    )
    assert reply.answer == "おまつ"
