"""When two answers say the same."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag1.score import match


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("三人", "3人"),
        ("３人です。", "3人"),
        ("3名", "三人"),
        ("3", "3人"),
        ("一、二〇〇円", "一、二〇〇円"),
        ("1,200円", "千二百円"),
        ("３．５キロ", "3.5キロ"),
        ("『灯台守』", "灯台守"),
        ("東京 ・ 大阪", "東京・大阪"),
        ("カステラ", "かすてら"),
        ("三円五十銭", "3円50銭"),
        ("約20分", "二十分"),
    ],
)
def test_these_are_the_same(answer: str, gold: str) -> None:
    assert match.same(answer, gold)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("3人", "4人"),
        ("3人", "3日"),
        ("13人", "3人"),
        ("3.5", "35"),
        ("-5", "5"),
        ("三人の男", "三人"),
        ("猫", "犬"),
    ],
)
def test_these_are_not(answer: str, gold: str) -> None:
    assert not match.same(answer, gold)


@pytest.mark.parametrize(
    "text",
    ["分かりません", "わかりません。", "「分かりません」", "", " ", "不明です", "記載がありません。", "解らない"],
)
def test_abstentions(text: str) -> None:
    assert match.abstains(text)


@pytest.mark.parametrize("text", ["理由は分かりませんが港へ行った", "不明瞭", "無し", "なし", "3人"])
def test_answers_are_no_abstentions(text: str) -> None:
    assert not match.abstains(text)


def test_a_number_is_not_found_inside_a_longer_one() -> None:
    assert match.contains("男は3人いた", "三人")
    assert not match.contains("男は13人いた", "3人")
    assert not match.contains("30", "3")
    assert not match.contains("3.5", "3")


def test_items_of_a_list() -> None:
    assert match.items("猫、犬、\n猫, 鳥") == ("猫", "犬", "鳥")
    assert match.items("1,200円、三円") == ("1200円", "3円")
    assert match.items("") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("大正九年三月五日", ((1920, 3, 5),)),
        ("1920/3/5に", ((1920, 3, 5),)),
        ("1920年3月", ((1920, 3, 0),)),
        ("昭和元年", ((1926, 0, 0),)),
        ("明治45年7月30日から大正元年", ((1912, 7, 30), (1912, 0, 0))),
        ("三年かかった", ()),
    ],
)
def test_dates_with_japanese_eras(text: str, expected: tuple[match.Date, ...]) -> None:
    assert match.dates(text) == expected


@pytest.mark.parametrize(
    ("answer", "gold", "verdict"),
    [
        ("1920年3月5日", "大正九年三月五日", True),
        ("1920年", "大正九年三月", False),
        ("全部で5円50銭だった", "五円五十銭", True),
        ("3人か4人", "3人", False),
        ("3日で4人", "4人", True),
        ("猫", "3人", False),
        ("3人", "猫", None),
    ],
)
def test_quantities_agree(answer: str, gold: str, verdict: bool | None) -> None:
    assert match.quantities_agree(answer, gold) is verdict


def test_a_quantity_is_the_whole_text() -> None:
    found = match.quantity("約三円五十銭です。")
    assert found is not None
    assert (found.value, found.unit) == (Fraction(7, 2), "円")
    assert match.quantity("3人と4人") is None
    assert match.quantity("男3人") is None


@settings(deadline=None)
@given(st.text(max_size=40))
def test_a_text_is_the_same_as_itself_and_brackets_do_not_matter(text: str) -> None:
    assert match.same(text, text)
    assert match.key(f"猫{text}") == match.key(f"「猫{text}」。")
