"""A decoded file to plain text: Aozora notation where the file is written in it, else as it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rag1.text.aozora import parse

_MARKS = re.compile(r"［＃|｜[^｜《》\n]+《[^《》\n]+》|^底本：", re.MULTILINE)
_RUBY = re.compile(r"[々〆ヶ\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]《([^《》\n]+)》")
_READING = re.compile(r"[ぁ-ゖァ-ヺー・゛゜ゝゞヽヾ／″＼　]+")


@dataclass(frozen=True, slots=True)
class Aozora:
    """How Aozora notation is turned into text: what becomes of ruby, and whose cleaning is followed."""

    ruby: Literal["drop", "paren", "only"] = "drop"
    style: Literal["plain", "seed003"] = "plain"


@dataclass(frozen=True, slots=True)
class Read:
    """A file's text as a person reads it, and what its notation told. Offsets count in the raw text."""

    title: str
    text: str
    meta: Mapping[str, str]
    offsets: Sequence[int]
    readings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def read_text(doc_id: str, raw: str, aozora: Aozora, notation: Literal["auto", "aozora", "plain"]) -> Read:
    """`notation="auto"` takes a file with a note, with ruby or with a 底本 line for Aozora notation."""
    if notation == "aozora" or (notation == "auto" and (_MARKS.search(raw) or _has_ruby(raw))):
        return _read_aozora(doc_id, raw, aozora)
    return _read_plain(doc_id, raw)


def _has_ruby(raw: str) -> bool:
    """Most of what stands in 《》 behind kanji is kana: readings, not the quotation marks of another kind of text."""
    inside = _RUBY.findall(raw)
    return 2 * sum(_READING.fullmatch(one) is not None for one in inside) > len(inside)


def _read_aozora(doc_id: str, raw: str, aozora: Aozora) -> Read:
    parsed = parse(raw, ruby=aozora.ruby, style=aozora.style)
    named = {
        "author": parsed.author,
        "translator": parsed.translator,
        "subtitle": parsed.subtitle,
    }
    meta = {key: value for key, value in named.items() if value}
    if parsed.headings:
        meta["headings"] = json.dumps([[h.level, h.title, h.start, h.end] for h in parsed.headings], ensure_ascii=False)
    notices = tuple(str(warning) for warning in parsed.warnings)
    return Read(parsed.title or doc_id, parsed.text, meta, parsed.offsets, parsed.ruby, notices)


def _read_plain(doc_id: str, raw: str) -> Read:
    """Newlines become LF; the offsets say where each character stood."""
    pieces: list[str] = []
    offsets: list[int] = []
    for match in re.finditer(r"\r\n?|[^\r]", raw):
        pieces.append("\n" if match[0][0] == "\r" else match[0])
        offsets.append(match.start())
    text = "".join(pieces)
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    title = first if len(first) <= 40 and not first.endswith("。") else doc_id
    return Read(title or doc_id, text, {}, [*offsets, len(raw)])


def headings(meta: Mapping[str, str]) -> list[tuple[str, str, int, int]]:
    """A document's headings as (level, title, start, end), in text order; empty where it has none."""
    return [(level, title, start, end) for level, title, start, end in json.loads(meta.get("headings", "[]"))]
