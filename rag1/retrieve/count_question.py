"""What a counting question counts, read from its wording; None where the wording leaves any doubt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag1.llm.rules.names import names_in
from rag1.retrieve.count_open import open_class, unit_of
from rag1.text.count import Where
from rag1.text.tokenize import morphemes

Counted = Literal["word", "character", "thing", "listed", "named"]
"""`word` a string as it stands; `character` likewise, also inside longer words; `thing` a name with its aliases;
`listed` how many of the names given occur; `named` how many things of a class the text names at all."""


@dataclass(frozen=True, slots=True)
class CountQuestion:
    """`names` are what is counted, or the class (人物, 寺); `unit` is what the asker counts in (回, か所, 人).

    `chapter` is a chapter's number or heading as the question has it, or "". `quoted` are the other quotations: they
    may be titles. `headings`: whether the headings count too.
    """

    counted: Counted
    names: tuple[str, ...]
    unit: str
    where: Where = "anywhere"
    chapter: str = ""
    quoted: tuple[str, ...] = ()
    headings: bool = True


_NUMERAL = "[〇一二三四五六七八九十百0-9０-９]+"
_QUOTED = re.compile("[「『]([^「」『』]+)[」』]")
_TIMES = "(?:何回|何度(?!目)|いくつ|幾つ|何(?:か|カ|ヵ|ヶ|ケ|箇|個)所|回数)"
_MENTIONED = (
    "(?:出て|出る|使わ|使っ|用い|書か|登場|現れ|現わ|表れ|言及|記さ|繰り返|あり|ある|見られ|含まれ|呼ば|たとえ|喩え)"
)
_WORD = "(?:言葉|ことば|語句|語|単語|文句|言い回し|表現|姓名|名前|名|フレーズ)"
_CHARACTER = "(?:文字|漢字|字)"
_ASKED = re.compile(f"{_TIMES}.*?{_MENTIONED}|{_MENTIONED}.*?{_TIMES}|{_WORD}.*?{_TIMES}")
_TARGET = re.compile(f"[「『]([^「」『』]+)[」』](?:という|の)(?:({_WORD})|({_CHARACTER}))")
_BARE = re.compile(
    f"(?:^|[、。で」』])([^、。「」『』]+?)(?:(?:という|の)({_WORD})|という({_CHARACTER}))?[はが](?:[^、。]*[、])?[^、。]*?(?:何回|何度(?!目)|何(?:か|ヶ|箇)所)"
)
_AMONG = re.compile(
    "(.+?)の(?:うち|内|中で|なか)[^。]*?(?:登場|出て|名が|現れ)[^。]*?何(人|種類|種|匹|頭|[かカヵヶケ箇個]国)"
)
_AMONG_LATE = re.compile(
    "(.+?)の(?:うち|内|中で|なか)[^。]*?何(人|種類|種|匹|頭|[かカヵヶケ箇個]国)[^。]*?(?:登場|出て|名が|現れ)"
)
_DIALOGUE = re.compile("会話文|会話(?:の中|部分|だけ|のみ)|台詞|せりふ|セリフ")
_NARRATION = re.compile("地の文|語りの部分")
_CHAPTER = re.compile(f"第{_NUMERAL}[章節回話部]|その{_NUMERAL}(?=[のでにはが、「])")
_HEADED = re.compile("[「『]([^「」『』]+)[」』](?:の|という)(?:章|節|見出しの)")
_NO_HEADINGS = re.compile("見出し(?:は|を)?(?:除|含めず|含まず|数えず|入れず)")


@lru_cache(maxsize=4096)
def read_count_question(text: str, titles: frozenset[str] = frozenset(), loose: bool = False) -> CountQuestion | None:
    """The count that `text` asks for. `loose`: also take an unquoted name (「万右衛門は何回出てきますか」).

    `titles` are quotations that only say where to count, unless the question calls one a word.
    """
    if kind := open_class(text):
        return _question(text, "named", (kind,), unit_of(kind))
    if found := _listed(text):
        return found
    if not _ASKED.search(text):
        return None
    target = _TARGET.search(text)
    if target:
        return _question(text, "character" if target[3] else "word", (target[1],), _unit(text))
    if len(others := _elsewhere(text, titles)) == 1:
        return _question(text, "word", others, _unit(text))
    return _bare(text) if loose else None


def _bare(text: str) -> CountQuestion | None:
    """An unquoted name right before は or が, and the asking after it."""
    found = _BARE.search(text)
    names = names_in(found[1]) if found else []
    if not found or not names or not found[1].endswith(names[-1]):
        return None
    name, kind = names[-1], "character" if found[3] else "word" if found[2] else "thing"
    if len(name) < 2 and kind == "thing":
        return None
    return _question(text, kind, (name,), _unit(text))  # type: ignore[arg-type]


def _listed(text: str) -> CountQuestion | None:
    found = _AMONG.search(text) or _AMONG_LATE.search(text)
    if not found:
        return None
    names = tuple(_QUOTED.findall(found[1])) or _split(re.sub("^.*?(?:本文で|作中で|では、)", "", found[1]))
    unit = "か国" if found[2].endswith("国") else found[2]
    return _question(text, "listed", names, unit) if len(names) > 1 else None


def _split(text: str) -> tuple[str, ...]:
    """The items of 「AとB、C・D」: と separates where it is a particle, so that さとう stays whole."""
    cuts = [0]
    for word in morphemes(text):
        if word.surface in "、・，,とや" and (word.surface not in "とや" or word.pos[0] == "助詞"):
            cuts += [word.start, word.end]
    cuts.append(len(text))
    parts = (text[a:b].strip() for a, b in zip(cuts[::2], cuts[1::2], strict=True))
    return tuple(dict.fromkeys(part for part in parts if part))


def _question(text: str, counted: Counted, names: tuple[str, ...], unit: str) -> CountQuestion:
    where: Where = "dialogue" if _DIALOGUE.search(text) else "narration" if _NARRATION.search(text) else "anywhere"
    headed = _HEADED.search(text)
    number = _CHAPTER.search(text)
    chapter = headed[1] if headed else number[0] if number else ""
    quoted = tuple(q for q in _QUOTED.findall(text) if q not in names and q != chapter)
    return CountQuestion(counted, names, unit, where, chapter, quoted, not _NO_HEADINGS.search(text))


def _elsewhere(text: str, titles: frozenset[str]) -> tuple[str, ...]:
    """The quotations that are neither a title nor the heading of a chapter."""
    headed = _HEADED.search(text)
    return tuple(q for q in _QUOTED.findall(text) if q not in titles and (not headed or q != headed[1]))


def _unit(text: str) -> str:
    return "回" if re.search("何回|何度|回数", text) else "か所"
