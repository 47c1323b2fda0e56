"""Fits the words of one cell to a submission format, by rule, and says which rules it took."""

from __future__ import annotations

import json
import re
import unicodedata

from rag1.report.formats import Row, SubmissionFormat
from rag1.report.units import asked_unit, bare_number, with_unit
from rag1.text.tokens import count_tokens, truncate_tokens
from rag1.types import FAILED

SPECIAL = re.compile(r"<\|[^<>|\n]{1,40}\|>")
"""What tokenizers take for a special token: <|endoftext|>, <|im_start|> …"""

FALSE_PREMISE = "質問誤り"
"""What a pipeline answers where the question itself is wrong."""

NEWLINES = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
LIST_COMMA = re.compile(r"[ 　]*(?:[;；]|(?<![0-9０-９])[,，]|[,，](?![0-9０-９]))[ 　]*")
"""A comma that is not inside a number such as 1,200, or a semicolon."""

_BULLET = re.compile(r"^[ 　]*(?:[-*][ 　]+|[・•●○◆■‣][ 　]*|[0-9０-９]{1,2}(?:[.)][ 　]+|[．）](?![0-9０-９])[ 　]*))")
_CLAUSE_ENDS = ("。！？!?", "、，,；;", " 　")


def fitted(row: Row, column: str, format: SubmissionFormat) -> tuple[str, list[str]]:
    """The cell of `row` in `column` as the format wants it, and the names of the rules that changed its meaning."""
    text, flags = row.cell(column), []
    if column == "answer" and format.list_mark:
        text = as_list(text, format.list_mark)
    clean = cleaned(text)
    if "<|" in text and "<|" not in clean:
        flags.append("special_tokens_removed")
    if column == "answer" and row.stop in FAILED:
        clean = ""
    if column == "answer" and clean == FALSE_PREMISE and format.false_premise != FALSE_PREMISE:
        clean = format.false_premise
        flags.append("false_premise_reworded")
    if format.empty(column) and (not clean or clean.casefold() in set(format.refused)):
        return format.empty(column), [*flags, *(["refused_word"] if clean else [])]
    if column == "answer" and format.units and (unit := asked_unit(row.question)) and bare_number(clean):
        clean = with_unit(clean, unit, row.evidence)
        flags.append("unit_added")
    limit = format.max_tokens.get(column)
    if limit and count_tokens(clean) > limit:
        clean = shortened(clean, limit)
        flags.append("shortened")
    encodable = clean.encode(format.encoding, "replace").decode(format.encoding)
    if encodable != clean:
        flags.append("unencodable_characters")
    return (guarded(encodable) if format.guard_formulas else encodable), flags


def cleaned(text: str) -> str:
    """One line without special tokens, control characters and lone surrogates."""
    text = NEWLINES.sub("\n", text).strip()
    text = re.sub(r"(?<=[!-~])\n+(?=[!-~])", " ", text).replace("\n", "")
    text = "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cs") or c == "\t")
    while SPECIAL.search(text):  # last, and again: what goes between two halves makes a token of them
        text = SPECIAL.sub("", text)
    return text.strip()


def as_list(text: str, mark: str) -> str:
    """`text` with the items of a list joined by `mark`: bullet lines, a JSON list, or commas between words."""
    items = _json_items(text) or _line_items(text)
    return LIST_COMMA.sub(mark, mark.join(items) if items else text).strip()


def _json_items(text: str) -> list[str]:
    if not re.fullmatch(r"\s*\[.*\]\s*", text, re.DOTALL):
        return []
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return [str(item) for item in found if isinstance(item, str | int | float)]


def _line_items(text: str) -> list[str]:
    lines = [line for line in NEWLINES.sub("\n", text.strip()).split("\n") if line.strip()]
    if len(lines) > 1 and (all(map(_BULLET.match, lines)) or not any("。" in line for line in lines)):
        return [_BULLET.sub("", line).strip(" 　、,，") for line in lines]
    return []


def shortened(text: str, limit: int) -> str:
    """The longest beginning of `text` within `limit` tokens that ends with a sentence, else a clause, else a word.

    Only a text without any such place within the limit is cut in the middle.
    """
    start = truncate_tokens(text, limit)
    for marks in _CLAUSE_ENDS:
        place = max(start.rfind(mark) for mark in marks)
        if place > 0:
            return start[: place + 1].rstrip("、，,；; 　")
    return start


def guarded(text: str) -> str:
    """A spreadsheet takes a cell that begins with = + - @ for a formula; an apostrophe keeps it text."""
    return f"'{text}" if text[:1] in tuple("=+-@\t") and not re.fullmatch(r"[+-]?[0-9.,]+", text) else text
