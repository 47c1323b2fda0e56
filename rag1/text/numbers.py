"""Numbers and quantities in Japanese text: 二十五, 廿五, 百二, 一〇三, １２３, 1,200, 三円五十銭."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from rag1.text.units import CANONICAL, COUNTER, PARTS

_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九")}
_DIGITS |= {"零": 0, "壱": 1, "壹": 1, "弐": 2, "貳": 2, "弍": 2, "参": 3, "參": 3, "伍": 5}
_SMALL = {"十": 10, "拾": 10, "百": 100, "千": 1000, "廿": 20, "卄": 20, "卅": 30, "丗": 30}
_LARGE = {"万": 10**4, "萬": 10**4, "億": 10**8, "兆": 10**12}
_TENS = frozenset("廿卄卅丗")

_ARABIC = r"[0-9０-９]+(?:[,，][0-9０-９]{3})*(?:[.．][0-9０-９]+)?"
_PLAIN = "〇一二三四五六七八九零壱壹弐貳弍十百千廿卄卅丗万萬億兆"
_FORMAL = rf"[参參伍](?=[十百千拾万萬])|(?<=[{_PLAIN}参參伍])拾|拾(?=[{_PLAIN}円圓])"
NUMBER = re.compile(rf"(?:{_ARABIC}|[{_PLAIN}]|{_FORMAL})+")
"""A run of digits and numeral kanji, written either way or mixed (1万2千). 参 and 拾 alone are words."""

_TOKEN = re.compile(rf"{_ARABIC}|.")
_ASCII = {0xFF0C: None, 0x2C: None, 0xFF0E: "."} | {0xFF10 + i: str(i) for i in range(10)}
_VAGUE = frozenset("数何幾")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit ("" where it has none). `unit` is its usual spelling (ヶ月 is か月, ％ is %).

    `start` and `end` are offsets into the text and include the unit.
    """

    value: Fraction
    unit: str
    start: int
    end: int


def number_value(numeral: str) -> Fraction | None:
    """The value of one numeral of any spelling. None where it has none: 万 alone, or a range (二三, 四五十)."""
    total, section, digits = Fraction(0), Fraction(0), ""
    for token in _TOKEN.findall(numeral):
        if token in _LARGE:
            section += Fraction(digits or 0)
            if not section:
                return None
            total, section, digits = total + section * _LARGE[token], Fraction(0), ""
        elif token in _SMALL:
            if len(digits) > 1 and not numeral[0].isascii():
                return None
            factor = 1 if token in _TENS else Fraction(digits or 1)
            section, digits = section + factor * _SMALL[token], ""
        else:
            digits += str(_DIGITS[token]) if token in _DIGITS else token.translate(_ASCII)
    return None if _is_range(numeral, digits, bool(section)) else total + section + Fraction(digits or 0)


def _is_range(numeral: str, last: str, after_unit: bool) -> bool:
    """Whether a numeral means "two or three" (二三) or "twenty-four or five" (二十四五), or is no number at all."""
    if last.count(".") > 1:
        return True
    if len(last) < 2 or numeral[-1] not in _DIGITS:
        return False
    return after_unit or (len(numeral) == 2 and int(last[1]) == int(last[0]) + 1)


def numbers(text: str) -> list[Quantity]:
    """The quantities of `text` in order. Parts of one amount are joined: 三円五十銭 is 7/2 円.

    A numeral kanji that is only part of a word (万右衛門, 一般, 八百屋) is no number, nor is a vague one (数十).
    """
    found: list[Quantity] = []
    for match in NUMBER.finditer(text):
        quantity = _quantity(text, match)
        joined = _joined(found[-1], quantity) if found and quantity else None
        if joined:
            found[-1] = joined
        elif quantity:
            found.append(quantity)
    return found


def _quantity(text: str, match: re.Match[str]) -> Quantity | None:
    numeral, start, end = match.group(), match.start(), match.end()
    value = number_value(numeral)
    if value is None or (start and text[start - 1] in _VAGUE):
        return None
    counter = COUNTER.match(text, end)
    if counter:
        unit, stop = counter.group(), counter.end()
        if text.startswith("半", stop):
            value, stop = value + Fraction(1, 2), stop + 1
        return Quantity(value, CANONICAL.get(unit, unit), start, stop)
    written_in_kanji = not numeral[0].isdigit() or numeral[0] in _DIGITS
    if written_in_kanji and (len(numeral) == 1 or _is_kanji(text[end : end + 1])):
        return None
    return Quantity(value, "", start, end)


def _is_kanji(char: str) -> bool:
    return "一" <= char <= "鿿" if char else False


def _joined(whole: Quantity, part: Quantity) -> Quantity | None:
    ratio = PARTS.get((whole.unit, part.unit))
    if ratio is None or whole.end != part.start:
        return None
    return Quantity(whole.value + part.value / ratio, whole.unit, whole.start, part.end)
