"""One key for the many spellings of the same Japanese words: for matching, never for showing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from rag1.text.kanji_forms import OLD_TO_NEW
from rag1.text.numbers import NUMBER, number_value
from rag1.text.units import CANONICAL, COUNTER
from rag1.types import Span

_TO_HIRAGANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
_MARKS = str.maketrans(
    dict.fromkeys('『“〝‘〈"', "「")
    | dict.fromkeys("』”〟’〉", "」")
    | dict.fromkeys("，,､", "、")
    | dict.fromkeys("．｡", "。")
    | dict.fromkeys("—─–", "―")
    | dict.fromkeys("‐−", "-")
    | {"･": "・", "〜": "~", "～": "~", "゠": "="}
)
_REPEATS = frozenset("々〻ゝヽ")
_VOICED_REPEATS = frozenset("ゞヾ")
_COMBINING = frozenset("\u3099\u309a\uff9e\uff9f") | {chr(code) for code in range(0x300, 0x370)}
_LONG = frozenset("ー－―—‐ｰ")
_SPECIAL = _REPEATS | _VOICED_REPEATS | _COMBINING | _LONG
_FINAL_LONG = re.compile(r"(?<=[ァ-ヺー―ｦ-ﾟ]{3})[ー－―—‐ｰ](?![ァ-ヺーｦ-ﾟ])")


class _Folds(dict[str, str]):
    """A character to what stands for it in a key; "" for white space."""

    def __init__(self, old_to_new: bool) -> None:
        super().__init__()
        self.old_to_new = old_to_new

    def __missing__(self, char: str) -> str:
        text = unicodedata.normalize("NFKC", char.translate(_MARKS)).translate(_MARKS).casefold()
        if self.old_to_new:
            text = "".join(OLD_TO_NEW.get(c, c) for c in text)
        self[char] = folded = "".join(text.translate(_TO_HIRAGANA).split())
        return folded


_FOLDS = {True: _Folds(True), False: _Folds(False)}


class _Key:
    """A key under construction, with the offset that each of its characters came from."""

    def __init__(self, old_to_new: bool) -> None:
        self.folds = _FOLDS[old_to_new]
        self.chars: list[str] = []
        self.offsets: list[int] = []

    def put(self, folded: str, at: int) -> None:
        self.chars += folded
        self.offsets += [at] * len(folded)

    def fold(self, text: str, start: int, end: int) -> None:
        folds = self.folds
        for at in range(start, end):
            char = text[at]
            if char in _SPECIAL:
                self._special(text, at)
            else:
                folded = folds[char]
                self.chars += folded
                self.offsets += [at] * len(folded)

    def _special(self, text: str, at: int) -> None:
        """Marks that depend on the character before them: 々 ゞ ー and combining marks."""
        char, last = text[at], self.chars[-1] if self.chars else ""
        repeatable = last not in ("", "ー")
        if repeatable and char in _REPEATS:
            self.put(last, at)
        elif repeatable and char in _VOICED_REPEATS:
            self.put(unicodedata.normalize("NFC", last + "\u3099")[:1], at)
        elif last and char in _COMBINING:
            joined = unicodedata.normalize("NFC", last + unicodedata.normalize("NFKC", char))
            if len(joined) == 1:
                self.chars[-1] = joined
        elif char in _LONG and "ぁ" <= last <= "ゖ":
            if not _FINAL_LONG.match(text, at):
                self.put("ー", at)
        elif not (char in _LONG and last == "ー"):
            self.put(self.folds[char], at)

    def number(self, text: str, match: re.Match[str]) -> int:
        """Writes a numeral in digits, and the unit after it in its usual spelling; gives where reading goes on."""
        value = number_value(match.group())
        if value is None:
            self.fold(text, match.start(), match.end())
            return match.end()
        self.put(_digits(value), match.start())
        unit = COUNTER.match(text, match.end())
        if unit is None or unit.group() not in CANONICAL:
            return match.end()
        spelling = CANONICAL[unit.group()].translate(_TO_HIRAGANA)
        self.put(spelling, unit.start())
        return unit.end()


def _digits(value: Fraction) -> str:
    """A number that was written with a decimal point at most: exact, without trailing zeros."""
    if value.denominator == 1:
        return str(value.numerator)
    places = 1
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str((value * 10**places).numerator).zfill(places + 1)
    return f"{digits[:-places]}.{digits[-places:]}"


def normalize(text: str, *, old_to_new: bool = True) -> str:
    """The key of `text`: texts that differ in spelling only have the same key. No white space remains.

    NFKC, case, katakana as hiragana, old characters as new ones (舊 as 旧, unless told not to), 々 ゝ ゞ written
    out, long vowel marks of one kind and none at the end of a katakana word, numerals in digits, units, brackets
    and punctuation in one spelling.
    """
    return _normalized(text, old_to_new) if len(text) <= 256 else normalize_with_offsets(text, old_to_new=old_to_new)[0]


@lru_cache(maxsize=16384)
def _normalized(text: str, old_to_new: bool) -> str:
    return normalize_with_offsets(text, old_to_new=old_to_new)[0]


def normalize_with_offsets(text: str, *, old_to_new: bool = True) -> tuple[str, list[int]]:
    """The key, and for each of its characters the offset in `text` it came from; one more offset for the end."""
    key = _Key(old_to_new)
    place = 0
    for match in NUMBER.finditer(text):
        key.fold(text, place, match.start())
        place = key.number(text, match)
    key.fold(text, place, len(text))
    return "".join(key.chars), [*key.offsets, len(text)]


def key_span(text: str, offsets: Sequence[int], start: int, end: int) -> Span:
    """The span of `text` that the key's characters `start` to `end` came from, without white space at its end.

    A numeral belongs to the span whole where only some of its digits do.
    """
    first, last = offsets[start], offsets[end - 1]
    stop = next((offsets[place] for place in range(end, len(offsets)) if offsets[place] > last), last + 1)
    while stop > last + 1 and text[stop - 1].isspace():
        stop -= 1
    return first, stop
