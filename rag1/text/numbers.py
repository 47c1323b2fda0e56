"""Numbers and quantities in Japanese text: 二十五, 廿五, 百二, 一〇三, １２３, 1,200, 三円五十銭."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

_DIGIT = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {
    "零": 0, "○": 0, "壱": 1, "壹": 1, "弐": 2, "貳": 2, "弍": 2, "参": 3, "參": 3, "伍": 5,
}  # fmt: skip
_SMALL = {"十": 10, "拾": 10, "百": 100, "千": 1000, "廿": 20, "卄": 20, "卅": 30, "丗": 30}
_LARGE = {"万": 10**4, "萬": 10**4, "億": 10**8, "兆": 10**12}
_TENS = frozenset("廿卄卅丗")
_KANJI = "".join([*_DIGIT, *_SMALL, *_LARGE])
_ARABIC = r"[0-9０-９]+(?:[,，][0-9０-９]{3})*(?:[.．][0-9０-９]+)?"
NUMBER = re.compile(rf"(?:{_ARABIC}|(?<=[0-9０-９])[{_KANJI}]|[{_KANJI}])+")
"""A run of digits and numeral kanji, written either way or mixed (1万2千)."""

_COUNTERS = ["世紀", "年間", "年前", "年後", "年", "ヶ月間", "か月間", "ヶ月", "か月", "カ月", "ケ月", "箇月", "個月", "月", "週間", "日間", "日目", "日", "時間", "時", "分間", "分", "秒間", "秒", "歳", "才", "世", "代", "番目", "番", "回目", "回", "度", "遍", "人目", "人前", "人", "名", "匹", "頭", "羽", "尾", "疋", "本", "冊", "枚", "軒", "戸", "台", "隻", "艘", "艇", "個", "箇所", "か所", "ヶ所", "カ所", "か国", "ヶ国", "カ国", "個国", "箇国", "国", "種類", "種", "通り", "通", "件", "校", "社", "室", "階", "段", "章", "節", "号室", "号", "つ", "杯", "膳", "皿", "切れ", "滴", "粒", "束", "把", "俵", "足", "着", "組", "対", "挺", "丁目", "丁", "町", "間", "尺", "寸", "丈", "里", "哩", "坪", "反", "畝", "町歩", "貫目", "貫", "匁", "斤", "石", "斗", "升", "合", "円", "圓", "銭", "錢", "厘", "両", "文", "ドル", "ポンド", "フラン", "マルク", "ルーブル", "セント", "割", "分", "パーセント", "%", "％", "キロメートル", "キロ", "センチメートル", "センチ", "ミリメートル", "ミリ", "メートル", "グラム", "キログラム", "トン", "リットル", "km", "cm", "mm", "kg", "mg", "ml", "m", "g", "t", "行", "字", "句", "首", "話", "点", "票", "発", "口", "幕", "場", "条", "倍", "夜", "晩", "朝", "泊", "畳", "層", "巻", "曲", "歩", "泊", "連", "女", "男", "人組"]
_COUNTER = re.compile("|".join(sorted(map(re.escape, set(_COUNTERS)), key=len, reverse=True)))
_VAGUE = frozenset("数何幾")
_PARTS = {
    ("円", "銭"): 100, ("圓", "錢"): 100, ("円", "厘"): 1000, ("銭", "厘"): 10, ("尺", "寸"): 10, ("丈", "尺"): 10, ("貫", "匁"): 1000,
    ("里", "町"): 36, ("間", "尺"): 6, ("時間", "分"): 60, ("分", "秒"): 60, ("石", "斗"): 10,
    ("斗", "升"): 10, ("升", "合"): 10, ("年", "ヶ月"): 12, ("年", "か月"): 12,
}  # fmt: skip
"""How many of the smaller unit make one of the larger."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit ("" where it has none); `start` and `end` are offsets and include the unit."""

    value: Fraction
    unit: str
    start: int
    end: int


def number_value(numeral: str) -> Fraction | None:
    """The value of one numeral of any spelling, or None where it is not a number (万 alone, 一十百)."""
    total, section, digits = Fraction(0), Fraction(0), ""
    for token in re.findall(rf"{_ARABIC}|.", numeral):
        if token in _SMALL:
            section += _SMALL[token] * (Fraction(digits or 1) if token not in _TENS else 1)
            digits = ""
        elif token in _LARGE:
            section += Fraction(digits or 0)
            if not section:
                return None
            total, section, digits = total + section * _LARGE[token], Fraction(0), ""
        elif token in _DIGIT:
            digits += str(_DIGIT[token])
        else:
            digits += _ascii(token)
    try:
        return total + section + Fraction(digits or 0)
    except ValueError:
        return None


def _ascii(token: str) -> str:
    return token.translate({0xFF0C: None, 0x2C: None, 0xFF0E: "."} | {0xFF10 + i: str(i) for i in range(10)})


def numbers(text: str) -> list[Quantity]:
    """The quantities of `text` in order. Parts of one amount are joined: 三円五十銭 is 7/2 円.

    A numeral kanji that is only part of a word (万右衛門, 一般, 八百屋) is not a number.
    """
    found: list[Quantity] = []
    for match in NUMBER.finditer(text):
        quantity = _quantity(text, match)
        if quantity is None:
            continue
        if found and (joined := _joined(found[-1], quantity)):
            found[-1] = joined
        else:
            found.append(quantity)
    return found


def _quantity(text: str, match: re.Match[str]) -> Quantity | None:
    numeral, start, end = match.group(), match.start(), match.end()
    value = number_value(numeral)
    if value is None or (start and text[start - 1] in _VAGUE):
        return None
    counter = _COUNTER.match(text, end)
    if counter:
        unit, stop = counter.group(), counter.end()
        if text.startswith("半", stop):
            value, stop = value + Fraction(1, 2), stop + 1
        return Quantity(value, unit, start, stop)
    if numeral[0] in _KANJI and (len(numeral) == 1 or _is_kanji(text[end : end + 1])):
        return None
    return Quantity(value, "", start, end)


def _is_kanji(char: str) -> bool:
    return "一" <= char <= "鿿" if char else False


def _joined(whole: Quantity, part: Quantity) -> Quantity | None:
    ratio = _PARTS.get((whole.unit, part.unit))
    if ratio is None or whole.end != part.start:
        return None
    return Quantity(whole.value + part.value / ratio, whole.unit, whole.start, part.end)
