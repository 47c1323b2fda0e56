"""Characters that Aozora texts only describe (外字), and letters with accents: from description to Unicode."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_MEN_KU_TEN = re.compile(r"(?<![0-9-])([12])-([0-9]{1,2})-([0-9]{1,2})(?![0-9-])")
_UNICODE = re.compile(r"U\+([0-9A-Fa-f]{4,6})")
_PLACE = re.compile(r"、[^、「」]*[0-9０-９][^、「」]*$")
_ROMAN = re.compile(r"ローマ数字([0-9０-９]+)(小文字)?")
_MARKED = re.compile(r"(半?濁点)付き(?:片仮名|平仮名|カタカナ|ひらがな)(.)")
_SMALL = re.compile(r"小書き(?:片仮名|平仮名|カタカナ|ひらがな)(.)")
_VARIANT_KANA = re.compile(r"変体仮名(.)")
_NAMED = {
    "二重かっこ開く": "｟",
    "二重かっこ閉じ": "｠",
    "始め二重括弧": "｟",
    "終わり二重括弧": "｠",
    "感嘆符二つ": "！！",
    "感嘆符三つ": "！！！",
    "疑問符二つ": "？？",
    "感嘆符疑問符": "！？",
    "疑問符感嘆符": "？！",
    "二の字点": "〻",
    "くの字点": "〳〵",
    "濁点付きくの字点": "〴〵",
    "コト": "ヿ",
    "より": "ゟ",
    "歌記号": "〽",
}
_SMALL_KANA = dict(
    zip("アイウエオカケツヤユヨワあいうえおつやゆよわ", "ァィゥェォヵヶッャュョヮぁぃぅぇぉっゃゅょゎ", strict=True)
)
_ROMAN_DIGITS = ((1000, "Ⅿ"), (500, "Ⅾ"), (100, "Ⅽ"), (50, "Ⅼ"), (10, "Ⅹ"), (5, "Ⅴ"), (1, "Ⅰ"))
_ROMAN_PAIRS = {"ⅭⅭⅭⅭ": "ⅭⅮ", "ⅩⅩⅩⅩ": "ⅩⅬ", "ⅠⅠⅠⅠ": "ⅠⅤ"}


@lru_cache(maxsize=8192)
def gaiji(body: str) -> tuple[str, bool]:
    """The character that a note's body describes, and whether it could be resolved.

    Looks for a JIS X 0213 plane-row-cell (1-85-54), a U+ number, then a known name. What cannot be resolved
    comes back as its description, without quotation marks where the whole of it is quoted.
    """
    found = _by_cell(body) or _by_number(body) or _by_name(body)
    if found:
        return found, True
    return _description(body), False


def has_code(body: str) -> bool:
    """Whether a note's body names a character by plane-row-cell or by U+ number."""
    return bool(_by_cell(body) or _by_number(body))


def _by_cell(body: str) -> str:
    for plane, row, cell in reversed(_MEN_KU_TEN.findall(body)):
        char = jis_character(int(plane), int(row), int(cell))
        if char:
            return char
    return ""


def jis_character(plane: int, row: int, cell: int) -> str:
    """The character(s) of a JIS X 0213:2004 cell, "" where the cell is empty or out of range."""
    if not (plane in (1, 2) and 1 <= row <= 94 and 1 <= cell <= 94):
        return ""
    code = bytes([0xA0 + row, 0xA0 + cell])
    try:
        return (b"\x8f" + code if plane == 2 else code).decode("euc_jis_2004")
    except UnicodeDecodeError:
        return ""


def _by_number(body: str) -> str:
    match = _UNICODE.search(body)
    if not match:
        return ""
    code = int(match.group(1), 16)
    usable = 0x20 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF and not 0xE000 <= code <= 0xF8FF
    return chr(code) if usable else ""


def _by_name(body: str) -> str:
    name = body.split("、", 1)[0].strip("「」")
    if name in _NAMED:
        return _NAMED[name]
    if match := _ROMAN.fullmatch(name):
        return _roman(int(match.group(1)), bool(match.group(2)))
    if match := _MARKED.fullmatch(name):
        mark = "\u3099" if match.group(1) == "濁点" else "\u309a"
        return unicodedata.normalize("NFC", match.group(2) + mark)
    if match := _SMALL.fullmatch(name):
        return _SMALL_KANA.get(match.group(1), match.group(1))
    match = _VARIANT_KANA.fullmatch(name)
    return match.group(1) if match else ""


def _roman(number: int, small: bool) -> str:
    """Ⅰ to Ⅻ have characters of their own; larger ones are written with Ⅹ Ⅴ Ⅰ."""
    if not 1 <= number <= 3999:
        return ""
    if number <= 12:
        text = chr(0x2160 + number - 1)
    else:
        text = ""
        for value, digit in _ROMAN_DIGITS:
            text += digit * (number // value)
            number %= value
        for four, pair in _ROMAN_PAIRS.items():
            text = text.replace(four, pair)
    return "".join(chr(ord(c) + 16) for c in text) if small else text


def _description(body: str) -> str:
    text = _PLACE.sub("", body)
    inner = text[1:-1]
    whole = text.startswith("「") and text.endswith("」") and "「" not in inner and "」" not in inner
    return inner if whole and inner else text


_COMBINING = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", ":": "\u0308", "&": "\u030a", "_": "\u0304",
    ",": "\u0327",
}  # fmt: skip
_SPECIAL = {
    "ae&": "æ", "AE&": "Æ", "oe&": "œ", "OE&": "Œ", "s&": "ß", "!@": "¡", "?@": "¿", "o/": "ø", "O/": "Ø",
    "d/": "đ", "D/": "Đ", "h/": "ħ", "H/": "Ħ", "l/": "ł", "L/": "Ł", "i/": "ɨ",
}  # fmt: skip
ACCENT = re.compile(
    r"ae&|AE&|oe&|OE&|s&|[!?]@|[oOdDhHlLi]/|(?<![A-Za-z])[AaEeOoUuIiYy]'|(?<=[A-Za-z])[A-Za-z]'"
    r"|[A-Za-z][`^~&_]|[A-Za-z]:(?! )|[cCsStT],(?=[A-Za-z])"
)
"""Letter and sign that may be one accented letter within 〔…〕. A consonant alone before ' is an elision (l'art), a
colon before a space and a comma at a word's end are punctuation."""


def accented(digraph: str) -> str:
    """The letter that a decomposed accent stands for, "" where the two are just themselves."""
    if digraph in _SPECIAL:
        return _SPECIAL[digraph]
    composed = unicodedata.normalize("NFC", digraph[0] + _COMBINING[digraph[1]]) if digraph[1] in _COMBINING else ""
    return composed if len(composed) == 1 else ""
