"""What a Japanese name looks like: titles, surnames, common words, readings."""

from __future__ import annotations

import re

from rag1.text.tokenize import Morpheme, morphemes

LEAST_READING = 3
"""Kana from which equal readings are a sign: shorter ones have too many homophones."""

HONORIFIC = re.compile(r"(?:さん|さま|様|くん|君|ちゃん|氏|殿|どの|先生|和尚|翁|嬢|博士|巡査|船長|医師)$")
KANJI = re.compile(r"[一-鿿々〆ヶ]")
KANA = re.compile(r"[ぁ-ゖァ-ヺー・]+")
NAME_CHARS = re.compile(r"[一-鿿々〆ヶァ-ヺー]+")
_VU = (("ゔぁ", "ば"), ("ゔぃ", "び"), ("ゔぇ", "べ"), ("ゔぉ", "ぼ"), ("ゔ", "ぶ"))


def dictionary_reading(text: str) -> str:
    return "".join(m.reading if KANJI.search(m.surface) else m.surface for m in morphemes(text)) if text else ""


def loan(key: str) -> str:
    """One spelling of a loan word: ゔぁいおりん and ばいおりん, こんぴゅーたー and こんぴゅーた."""
    for sound, plain in _VU:
        key = key.replace(sound, plain)
    return key.rstrip("ー") if len(key) > LEAST_READING else key


def two_words(a: str, b: str) -> bool:
    """A ruby may lend one word the sound of another: 静寂《しずけさ》 is not 静けさ, nor 右腕《うで》 腕."""
    if a in b or b in a:
        return True
    one, other = whole_word(a), whole_word(b)
    kana = [each for each in (one, other) if each and KANA.fullmatch(each.surface)]
    if any(each.pos[0] != "名詞" for each in kana):
        return True
    known = [each for each in (one, other) if each and (each not in kana or KANJI.search(each.normalized))]
    return len(known) == 2 and known[0].normalized != known[1].normalized


def whole_word(text: str) -> Morpheme | None:
    """The word of the dictionary that `text` is as a whole; names of persons and places are none."""
    found = morphemes(text)
    return found[0] if len(found) == 1 and not found[0].is_proper_noun else None


def is_surname(text: str) -> bool:
    return all(m.pos[:4] == ("名詞", "固有名詞", "人名", "姓") for m in morphemes(text))


def surname_in(full: str) -> str:
    """The surname that the dictionary sees in a full name: 高瀬 in 高瀬宗玄, though 高瀬 alone is a common word."""
    found = morphemes(full)
    return found[0].surface if found[0].pos[3:4] == ("姓",) else ""


def is_word(text: str) -> bool:
    """A common word of the dictionary (中将, 夫婦), or one with a title or お before it."""
    return whole_word(text) is not None or whole_word(HONORIFIC.sub("", text).removeprefix("お")) is not None


def is_common(text: str) -> bool:
    """Made of common words only: 和尚, 隊長, 町."""
    return all(m.pos[:2] != ("名詞", "固有名詞") and m.pos[0] != "記号" for m in morphemes(text))


def proper(text: str) -> bool:
    """A name and no description: not 白砂駅の駅長, not 老婦人."""
    return "の" not in text and not is_common(text)


def may_be_a_name(text: str) -> bool:
    """False for a common word (老人), a house (川島家), a count of persons (七人) and a description."""
    counted = any(m.pos[1] == "数詞" for m in morphemes(text))
    return NAME_CHARS.fullmatch(text) is not None and not is_word(text) and not text.endswith("家") and not counted
