"""Keys for matching, numbers, and the way back from a key to its text."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag1.text.normalize import normalize, normalize_with_offsets
from rag1.text.numbers import number_value, numbers


@pytest.mark.parametrize(
    "spellings",
    [
        ("旧国", "舊國"),
        ("人人", "人々"),
        ("すず", "すゞ", "スズ", "ｽｽﾞ", "す〻゙"),
        ("コンピューター", "コンピュータ", "ｺﾝﾋﾟｭｰﾀｰ", "コンピュ―タ―"),
        ("カー", "カーー", "か－"),
        ("二十五人", "廿五人", "25人", "２５人", "二五人 "),
        ("百二", "一〇二", "102"),
        ("千二百円", "1,200円", "１，２００圓", "1200 円"),
        ("3.5km", "３．５キロメートル", "3.5粁"),
        ("三ヶ月", "3か月", "三箇月"),
        ("「彼」と、", "『彼』と,", "“彼”と，"),
        ("待て！", "待て!"),
        ("a…b", "Ａ...B"),
    ],
)
def test_spellings_of_one_thing_have_one_key(spellings: tuple[str, ...]) -> None:
    assert len({normalize(spelling) for spelling in spellings}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("ビル", "ビール"), ("参加", "3加"), ("二三人", "23人"), ("十", "二十"), ("病院", "美容院")]
)
def test_different_things_have_different_keys(one: str, other: str) -> None:
    assert normalize(one) != normalize(other)


def test_old_characters_can_be_kept() -> None:
    assert normalize("舊", old_to_new=False) == "舊"


def test_offsets_lead_back() -> None:
    text = "彼は　二十五キロメートルと、ｶﾞｽ燈。"
    key, offsets = normalize_with_offsets(text)
    assert key == "彼は25kmと、がす灯。"
    start = key.index("25km")
    assert text[offsets[start] : offsets[start + 4]] == "二十五キロメートル"
    gas = key.index("がす")
    assert text[offsets[gas] : offsets[gas + 2]] == "ｶﾞｽ"


texts = st.text(alphabet="彼一二三十百千万〇参拾人円ヶ月々ゝゞカガーｶﾞか゛。「」『…A1２,. \n　舊", max_size=40)


@given(texts)
def test_offsets_fit_any_text(text: str) -> None:
    key, offsets = normalize_with_offsets(text)
    assert len(offsets) == len(key) + 1
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)
    assert normalize(text) == key


@given(st.text(alphabet="彼人々ゝゞカガーかき。「」『…AＢ 　舊國", max_size=40))
def test_a_key_is_its_own_key(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("二十五", 25),
        ("廿五", 25),
        ("卅", 30),
        ("百二", 102),
        ("一〇三", 103),
        ("１２３", 123),
        ("1,200", 1200),
        ("千九百二十二", 1922),
        ("三億五千万", 350_000_000),
        ("1万2千", 12_000),
        ("参百", 300),
        ("3.5", Fraction(7, 2)),
        ("万", None),
        ("二三", None),
        ("二十四五", None),
    ],
)
def test_number_value(numeral: str, value: int | Fraction | None) -> None:
    assert number_value(numeral) == value


@given(st.integers(min_value=1, max_value=10**12 - 1))
def test_kanji_numerals_of_any_size(number: int) -> None:
    assert number_value(_in_kanji(number)) == number


def _in_kanji(number: int) -> str:
    """Writes a number below 10^12 the long way: 一億二千三百…"""
    text = ""
    for power, unit in ((10**8, "億"), (10**4, "万"), (1, "")):
        group, number = divmod(number, power)
        digits = f"{group:04d}"
        part = "".join("〇一二三四五六七八九"[int(d)] + u for d, u in zip(digits, "千百十 ", strict=True) if d != "0")
        text += part.replace(" ", "").strip() + (unit if group else "")
    return text


@pytest.mark.parametrize(
    ("text", "quantities"),
    [
        ("三円五十銭を払う", [(Fraction(7, 2), "円")]),
        ("五尺三寸の男が二十人", [(Fraction(53, 10), "尺"), (20, "人")]),
        ("午後三時半に", [(Fraction(7, 2), "時")]),
        ("三ヶ月と２個月", [(3, "か月"), (2, "か月")]),
        ("明治三十七年二月", [(37, "年"), (2, "月")]),
        ("一反歩二円二十銭", [(1, "反"), (Fraction(11, 5), "円")]),
        ("万右衛門と八百屋と一般に", []),
        ("数十人、二三人、何百人", []),
        ("全部で120。", [(120, "")]),
    ],
)
def test_quantities(text: str, quantities: list[tuple[int | Fraction, str]]) -> None:
    assert [(q.value, q.unit) for q in numbers(text)] == quantities


def test_a_quantity_knows_its_place() -> None:
    text = "彼は三円五十銭を出す"
    (quantity,) = numbers(text)
    assert text[quantity.start : quantity.end] == "三円五十銭"


@given(texts)
def test_quantities_of_any_text_are_in_order(text: str) -> None:
    found = numbers(text)
    assert all(0 <= q.start < q.end <= len(text) for q in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
