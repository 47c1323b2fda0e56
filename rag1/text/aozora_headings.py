"""Chapters of texts that mark none: lines that hold a number only, set apart by a blank line."""

from __future__ import annotations

import re

from rag1.text.aozora_nouns import Heading

_NUMERAL = "一二三四五六七八九十百〇0-9０-９Ⅰ-Ⅻ"
_LINE = re.compile(
    rf"(?:\A|\n\n)[ 　]*((?:[（(〔]?[{_NUMERAL}]{{1,4}}[）)〕]?"
    rf"|第[{_NUMERAL}]{{1,4}}[章回編篇部話節](?:[ 　][^\n。]{{1,30}})?"
    r"|その[一二三四五六七八九十]+))[ 　]*(?=\n)"
)
_LEVEL = 2


def plain_headings(text: str) -> list[Heading]:
    """Numbered chapter lines as headings of level 2; none where there is only one such line."""
    found = [Heading(_LEVEL, m.group(1), m.start(1), m.end(1)) for m in _LINE.finditer(text)]
    return found if len(found) > 1 else []
