"""What stands around the body of an Aozora file: title block, explanation of the marks, colophon (底本：…)."""

from __future__ import annotations

import re
from typing import NamedTuple

from rag1.types import Span

_RULE = re.compile(r"\n[-－‐―─]{10,}[ 　]*(?=\n|\Z)")
_COLOPHON = re.compile(
    r"\n(?:翻訳の底本|翻訳の原作|底本の親本|底本・初出|底本|初出|入力|テキスト入力者?|入力者|青空文庫(?:作成|収録)ファイル)："
)
_EDITOR = re.compile(r"\n(?:入力者注|入力者による注記|校訂者注)[ 　]*\n")
_SIGNED = re.compile(
    r"青空文庫|\n(?:入力|校正|テキスト入力者?|入力者|校正者|翻訳者?)：|\nThis is a Japanese translation of"
)
_END = "［＃本文終わり］"
_TRANSLATOR = re.compile(r"(?:編|共|抄|改|全)?訳(?:者)?$|^[Tt]ranslated by ")
_LATIN = re.compile(r"[\x20-\x7eÀ-ɏ‘’“”—–…]+")
_TITLE_LINES = 4
_UNSIGNED_LINES = 8
_PROSE = re.compile(r"　(?!　)|[「『（]|(?!※).*。[」』）]?[ 　]*$")
"""A line of a story rather than of a colophon: indented once, spoken, or a whole sentence."""
_TAIL = 12_000
"""Characters at the end of a file in which a colophon may begin."""


class Frame(NamedTuple):
    """Spans of the file's parts; `title_lines` are the lines of the title block, still in notation."""

    title_lines: tuple[str, ...]
    header: Span
    body: Span
    colophon: Span


class Credits(NamedTuple):
    title: str = ""
    original_title: str = ""
    subtitle: str = ""
    author: str = ""
    translator: str = ""


def find_frame(text: str) -> Frame:
    """The parts of a file. A text without title block or colophon (an excerpt) is all body."""
    colophon = _colophon_start(text)
    lines, start = _header(text, colophon)
    end = len(text[:colophon].rstrip("\n 　")) if colophon < len(text) else colophon
    end = max(end, start)
    return Frame(lines, (0, start), (start, end), (end, len(text)))


def _colophon_start(text: str) -> int:
    """Where the notes on the edition begin. After ［＃本文終わり］ only signed notes count as such."""
    floor = max(0, len(text) - _TAIL)
    marked = text.rfind("\n" + _END, floor)
    if marked >= 0 and (_COLOPHON.search(text, marked) or _SIGNED.search(text, marked)):
        return marked + 1
    signed = max((match.start() for match in _SIGNED.finditer(text, floor)), default=-1)
    for match in _COLOPHON.finditer(text, floor):
        if match.start() <= signed or _closes(text, match):
            return _block_start(text, match.start() + 1)
    return len(text)


def _closes(text: str, colophon: re.Match[str]) -> bool:
    """Whether an unsigned 「底本：…」 ends the file: a blank line above it, a few lines of facts after it, no prose."""
    if not text[: colophon.start()].endswith("\n"):
        return False
    lines = [line for line in text[colophon.start() :].split("\n") if line.strip()]
    return len(lines) <= _UNSIGNED_LINES and not any(map(_PROSE.match, lines))


def _block_start(text: str, at: int) -> int:
    """The start of a block of lines whose first blank line above is a real gap (two or more blank lines)."""
    notes_head = list(_EDITOR.finditer(text, max(0, at - 4_000), at))
    if notes_head:
        return notes_head[-1].start() + 1
    gap = text.rfind("\n\n\n", max(0, at - 2_000), at)
    between = text[gap + 3 : at] if gap >= 0 else ""
    notes = all(line.startswith(("・", "※", "　", "底本", "（")) for line in between.split("\n") if line)
    return gap + 3 if gap >= 0 and notes else at


def _header(text: str, limit: int) -> tuple[tuple[str, ...], int]:
    """The title block's lines and where the body starts."""
    first = _RULE.search(text, 0, min(limit, 3_000))
    if first and "\n\n" not in text[: first.start()].strip("\n 　"):
        second = _RULE.search(text, first.end(), min(limit, first.end() + 8_000))
        if second and "記号について" in text[first.end() : second.start()]:
            return _lines(text[: first.start()]), _after_blank_lines(text, second.end())
    if limit == len(text):
        return (), 0
    return _bare_header(text, limit)


def _bare_header(text: str, limit: int) -> tuple[tuple[str, ...], int]:
    """A title block without rule lines: short unindented lines at the top of a file that has a colophon."""
    lines: list[str] = []
    at = 0
    while at < limit and len(lines) <= _TITLE_LINES:
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else limit]
        if line and (line[0] in "　「『（" or len(line) > 60 or line.startswith(_END[:2])):
            break
        if line:
            lines.append(line)
        at = end + 1 if end >= 0 else limit
    titled = 2 <= len(lines) <= _TITLE_LINES and at < limit and text.startswith("\n\n", at - 2)
    return (tuple(lines), at) if titled else ((), 0)


def _lines(block: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in block.split("\n") if line.strip())


def _after_blank_lines(text: str, at: int) -> int:
    while text.startswith("\n", at):
        at += 1
    return at


def read_credits(lines: tuple[str, ...]) -> Credits:
    """Who wrote what, from the rendered lines of a title block of one to six lines.

    The last line that is no translator is the author; a second line in Latin letters under a Japanese title is
    the original title, any other the subtitle.
    """
    if not lines:
        return Credits()
    rest = list(lines[1:])
    translators: list[str] = []
    while rest and _TRANSLATOR.search(rest[-1]):
        translators.insert(0, rest.pop())
    author = rest.pop() if rest else ""
    japanese = not _LATIN.fullmatch(lines[0])
    original = [line for line in rest if japanese and _LATIN.fullmatch(line)]
    subtitle = [line for line in rest if line not in original]
    return Credits(lines[0], "　".join(original), "　".join(subtitle), author, "、".join(map(_name, translators)))


def _name(translator: str) -> str:
    return _TRANSLATOR.sub("", translator).strip(" 　")
