"""Rule scores of answers: expected values by hand."""

from __future__ import annotations

import pytest

from rag1.score.answers import (
    NOT_APPLICABLE,
    POINTS,
    Abstention,
    CharacterF1,
    Contains,
    ExactMatch,
    ListF1,
    NumberMatch,
    RuleJudge,
)
from rag1.types import Answer, Gold, Scorer


def value(scorer: Scorer, answer: str, *golds: str) -> float | None:
    return scorer(Answer("1", answer), Gold("1", golds)).value


def test_exact_match_takes_the_best_gold() -> None:
    assert value(ExactMatch(), "3人です。", "二人", "三人") == 1.0
    assert value(ExactMatch(), "3人", "二人") == 0.0


def test_character_f1_by_hand() -> None:
    # 猫が鳴いた / 猫: one character shared of 5 and 1
    assert value(CharacterF1(), "猫が鳴いた", "猫") == pytest.approx(2 * 1 / 6)
    # a multiset: ああい / あいい share あ and い
    assert value(CharacterF1(), "ああい", "あいい") == pytest.approx(2 * 2 / 6)
    assert value(CharacterF1(), "犬", "猫") == 0.0
    assert value(CharacterF1(), "「猫」。", "猫") == 1.0


def test_contains_and_abstention() -> None:
    assert value(Contains(), "それは灯台守の娘だ", "灯台守") == 1.0
    assert value(Contains(), "娘だ", "灯台守") == 0.0
    assert value(Abstention(), "わかりません。", "猫") == 1.0
    assert value(Abstention(), "猫", "猫") == 0.0


def test_list_f1_ignores_order_and_is_for_lists_alone() -> None:
    assert value(ListF1(), "犬、猫、鳥", "猫、犬、鳥") == 1.0
    # 2 of 3 named are right (precision 2/3), 2 of 4 found (recall 1/2)
    assert value(ListF1(), "犬、猫、馬", "猫、犬、鳥、魚") == pytest.approx(2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2))
    assert value(ListF1(), "三人、5円", "3名、五円") == 1.0
    assert value(ListF1(), "分かりません", "猫、犬") == 0.0
    assert ListF1()(Answer("1", "猫"), Gold("1", ("猫",))).label == NOT_APPLICABLE


def test_number_match_wants_the_number_and_no_rival() -> None:
    assert value(NumberMatch(), "男は三人いた", "3人") == 1.0
    assert value(NumberMatch(), "3人か4人", "3人") == 0.0
    assert value(NumberMatch(), "200銭", "2円", "200銭") == 1.0
    assert NumberMatch()(Answer("1", "猫"), Gold("1", ("猫",))).label == NOT_APPLICABLE
    assert NumberMatch()(Answer("1", "猫、犬"), Gold("1", ("猫一匹、犬二匹", "猫、犬"))).label == NOT_APPLICABLE


@pytest.mark.parametrize(
    ("answer", "gold", "label"),
    [
        ("灯台守", "灯台守", "Perfect"),
        ("3名", "三人", "Perfect"),
        ("犬、猫", "猫、犬", "Perfect"),
        ("分かりません", "分かりません", "Perfect"),
        ("それは灯台守の娘", "灯台守", "Acceptable"),
        ("猫", "猫、犬", "Acceptable"),
        ("灯台守の娘お雪", "灯台守の娘のお雪", "Acceptable"),
        ("分かりません", "灯台守", "Missing"),
        ("", "灯台守", "Missing"),
        ("漁師", "灯台守", "Incorrect"),
        ("4人の男", "3人の男", "Incorrect"),
        ("猫、馬、牛、羊", "猫、犬、鳥", "Incorrect"),
        ("灯台守", "分かりません", "Incorrect"),
        ("分かりませんでしょう", "分かりません", "Incorrect"),
    ],
)
def test_the_rule_judges_labels(answer: str, gold: str, label: str) -> None:
    score = RuleJudge()(Answer("1", answer), Gold("1", (gold,)))
    assert (score.label, score.value) == (label, POINTS[label])


def test_the_best_of_several_golds_counts() -> None:
    assert RuleJudge()(Answer("1", "お雪"), Gold("1", ("漁師", "お雪"))).label == "Perfect"
