"""Which unit a question asks for, and whether an answer carries one."""

from __future__ import annotations

import re
from fractions import Fraction

from rag1.text.numbers import NUMBER, number_value, numbers

_COUNTERS = """
世紀 年間 年前 年後 年 ヶ月 か月 カ月 ケ月 箇月 月 週間 日間 日目 日 時間 時 分間 分
秒間 秒 歳 才 世代 代目 代 世 番目 番地 番 回目 回 度目 度 人目 人前 人 名 匹 頭 羽
尾 本 冊 枚 軒 戸 台 隻 艘 箇所 か所 ヶ所 カ所 か国 ヶ国 カ国 国 種類 種 通り 通 件
校 社 室 階 段 章 節 号室 号車 号 杯 膳 皿 粒 束 足 着 組 対 挺 丁目 町 間 尺 寸
丈 里 坪 貫 匁 斤 石 斗 升 合 円 銭 両 文字 文 ドル ポンド フラン 割 パーセント ％
% キロメートル キログラム キロ センチメートル センチ ミリメートル ミリ メートル グラム トン
リットル 行 字 句 首 点 票 倍 夜 晩 泊 巻 曲 語 歩 位 等 級 個
"""
_ASKED = re.compile("何[ 　]*(" + "|".join(sorted(map(re.escape, _COUNTERS.split()), key=len, reverse=True)) + ")")
_MONEY = re.compile("いくら(?!か|でも|も)")
_MONEY_UNITS = ("円", "銭", "両", "文", "ドル", "ポンド", "フラン", "圓", "錢", "厘")
_NOT_A_COUNT = re.compile("何[ 　]*(?:[人度回年日時](?:か(?![かけ月国所])|も)|分にも)")


def asked_unit(question: str) -> str:
    """The unit that the last 「何…」 of the question asks for (円 for 「いくら」), or "" where it asks for none.

    「何人かの」 and 「何度も」 ask for nothing.
    """
    asked = [match.group(1) for match in _ASKED.finditer(_NOT_A_COUNT.sub("", question))]
    return asked[-1] if asked else "円" if _MONEY.search(question) else ""


def bare_number(answer: str) -> bool:
    """True for an answer that is a numeral and nothing else, in digits or in kanji."""
    text = answer.strip().rstrip("。．.")
    match = NUMBER.fullmatch(text)
    return match is not None and number_value(text) is not None


def with_unit(answer: str, unit: str, evidence: str = "") -> str:
    """The number with its unit; money in the unit that the evidence gives that amount in."""
    text = answer.strip().rstrip("。．.")
    if unit == "円":
        value = number_value(text)
        unit = next((q.unit for q in numbers(evidence) if q.unit in _MONEY_UNITS and _same(q.value, value)), unit)
    return text + unit


def _same(a: Fraction, b: Fraction | None) -> bool:
    return b is not None and a == b
