"""What a note ［＃…］ of an Aozora text says: its kind, and what it means for the plain text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from rag1.text.aozora_gaiji import has_code

Effect = Literal[
    "none", "block", "range", "end", "forward", "open_heading", "close_heading", "newline", "glyph", "dots", "reading"
]
"""What a note does to the text: `block` also takes its line break with it where it is alone on its line."""

_LEVEL = {"大": 1, "中": 2, "小": 3}
_HEADING = re.compile(r"(ここから|ここで)?(?:同行|窓)?([大中小])見出し(終わり)?")
_FORWARD_HEADING = re.compile(r"「(.+)」は(?:同行|窓)?([大中小])見出し")
_FORWARD = re.compile(r"「(.+)」(は|に|の[左右]に)([^「」]+|「.」囲み)")
_SIDE = re.compile(r"「(.+)」(?:の[左右])?に「(.*)」(?:の(ルビ|注記|傍記))?")
_EMPHASIS = re.compile(r"(?:[左右]に)?[二重白黒ばつ蛇の目丸三四角]*(?:傍点|傍線|波線|破線|鎖線)")
_STYLE = re.compile(
    r"太字|斜体|ゴシック体|横組み|罫囲み|枠囲み|「.」囲み|分数|[上下]付き小文字|行[左右]小書き|(?:.*段階)?[大小]きな文字|[大小]文字|小さな文字"
)
_RANGE = re.compile(
    r"(?:ここから|ここで)?(?:(?:[左右]に)?(?:白|黒|二重)?[^「」、]*?(?:傍点|傍線|波線|破線|鎖線)|太字|斜体|ゴシック体|横組み|罫囲み|枠囲み|割り注|縦中横"
    r"|[0-9０-９]*段階[大小]きな文字|[大小]きな文字|[大小]さな文字|[0-9０-９]*段階小さな文字|キャプション|表|行[左右]小書き|[上下]付き小文字)(終わり)?"
)
_INDENT = re.compile(
    r".*(?:字下げ|字上げ|地付き|天付き|字詰め|字組み|段組み?|左右中央|センター|行アキ|行空き|折り返し).*"
)
_BREAK = re.compile(r"改(?:ページ|丁|段|見開き)|左右中央")
_KUNTEN = re.compile(r"[レ一二三四上中下甲乙丙丁天地人]+|返り点.*")
_OKURIGANA = re.compile(r"（.*）")
_PICTURE = re.compile(r".*入る")
_SPANS = re.compile(r"^ここ(?:から|で)|終わり$")
DOT_CLAUSE = re.compile(r"(?:([0-9０-９]+)つめの|(前の|後の))?([A-Za-z]+)は(?:ともに)?([上下])ドット付き")
"""A clause of a note that puts dots on letters: ordinal, 前の or 後の, the letters, above or below."""

_LONGEST = 1_000
"""Characters of a note that is read; a longer one is kept aside unread."""


class Note(NamedTuple):
    """One note read. `inserts` says whether its target is written out where the text before lacks it.

    `name` is the name of a range, or the reading of a ruby on the left.
    """

    kind: str
    effect: Effect = "none"
    target: str = ""
    level: int = 0
    inserts: bool = False
    name: str = ""


@lru_cache(maxsize=16384)
def read_note(body: str) -> Note:
    """Reads the words between ［＃ and ］. A note of unknown meaning is kept aside as an `annotation`."""
    if len(body) > _LONGEST:
        return Note("annotation")
    for reader in (_heading, _quoted, _layout, _range, _other):
        note = reader(body)
        if note:
            return note
    return Note("annotation")


def _heading(body: str) -> Note | None:
    if match := _HEADING.fullmatch(body):
        closing = match.group(3) is not None
        effect: Effect = "close_heading" if closing else "open_heading"
        return Note("heading", effect, level=_LEVEL[match.group(2)])
    if match := _FORWARD_HEADING.fullmatch(body):
        return Note("heading", "forward", match.group(1), _LEVEL[match.group(2)], inserts=True)
    return None


def _quoted(body: str) -> Note | None:
    """Notes that begin with the words they are about: 「…」に傍点, 「…」は底本では「…」."""
    if not body.startswith("「"):
        return Note("gaiji", "glyph") if has_code(body) and "は" not in body and "に" not in body else None
    if "底本" in body or body.endswith(("ママ", "まま")):
        return Note("variant")
    if _PICTURE.fullmatch(body) or body.endswith("はキャプション"):
        return Note("picture" if body.endswith("入る") else "caption", "block" if body.endswith("入る") else "none")
    if match := _SIDE.fullmatch(body):
        if match.group(3) == "ルビ":
            return Note("left ruby", "reading", match.group(1), name=match.group(2))
        return Note("side note")
    match = _FORWARD.fullmatch(body)
    if match and _EMPHASIS.fullmatch(match.group(3)):
        return Note("emphasis", "forward", match.group(1), inserts=True)
    if match and _STYLE.fullmatch(match.group(3)):
        return Note("style", "forward", match.group(1), inserts=True)
    if match and match.group(3) == "縦中横":
        return Note("upright", "forward", match.group(1))
    if has_code(body) and not match:
        return Note("gaiji", "glyph")
    return Note("annotation")


def _layout(body: str) -> Note | None:
    if _BREAK.fullmatch(body):
        return Note("page break")
    if body == "改行":
        return Note("line break", "newline")
    if body.startswith("本文終わり"):
        return Note("end of body", "block")
    if _INDENT.fullmatch(body) and not _PICTURE.fullmatch(body):
        return Note("indent", "block", name=_range_name(body) if _SPANS.search(body) else "")
    return None


def _range(body: str) -> Note | None:
    match = _RANGE.fullmatch(body)
    if not match:
        return None
    return Note("style", "end" if match.group(1) else "range", name=_range_name(body))


def _range_name(body: str) -> str:
    """The word by which the end of a range is known: 傍点, 太字, 大きな文字 …; 字下げ for all indents."""
    name = re.sub(r"^(?:ここから|ここで)|終わり$|[0-9０-９]*段階", "", body)
    return "字下げ" if "字下げ" in name or "天付き" in name else name


def _other(body: str) -> Note | None:
    if _KUNTEN.fullmatch(body):
        return Note("return mark")
    if body.startswith("ルビ"):
        return Note("variant")
    if body.endswith("は縦中横"):
        return Note("upright")
    if _OKURIGANA.fullmatch(body):
        return Note("okurigana")
    if _PICTURE.fullmatch(body):
        return Note("picture", "block")
    if body.endswith("ドット付き") and all(map(DOT_CLAUSE.fullmatch, re.split("[、。]", body))):
        return Note("dots", "dots")
    return Note("style", "block") if body.startswith(("ここから", "ここで", "この行")) else None
