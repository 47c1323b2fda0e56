"""What notes do to the text around them: headings, ranges, words that only the note has, dots on letters."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from rag1.text.aozora_notes import DOT_CLAUSE, Note
from rag1.text.aozora_nouns import Block, Heading, Warned

if TYPE_CHECKING:
    from rag1.text.aozora_render import Renderer

_LOOK_BACK = 2_000
"""Characters in which the words that a note is about must stand before it."""

_DEEPEST = 64
"""Ranges open at once. A play changes its indent hundreds of times and ends it once: the innermost gives way."""

_MARKS = re.compile(r"[《》｜※〔]|［＃|／″?＼")
_DOT = {"上": "\u0307", "下": "\u0323"}
_WORD_AT_END = re.compile(r"[^\W\d_]*〕?$")


class Effects:
    """Carries the open ranges and the open heading of one rendering."""

    def __init__(self, renderer: Renderer) -> None:
        self.out = renderer
        self._opened: list[tuple[str, int, int]] = []
        self._heading: tuple[int, int] | None = None
        self._ended: dict[str, int] = {}

    def apply(self, note: Note, body: str, at: int) -> None:
        """Does what a note says; the text before it is written, its own mark is left out."""
        if note.effect == "forward":
            self._forward(note, body, at)
        elif note.effect == "newline":
            self.out.write("\n", at, self.out.copied)
        elif note.effect == "open_heading":
            self._heading = (note.level, self.out.length)
        elif note.effect == "close_heading":
            self._close_heading(at)
        elif note.effect == "reading":
            self._left_ruby(note)
        elif note.effect == "dots":
            self._dots(body)
        elif note.effect in ("range", "end", "block") and note.name:
            self._range(note, body, at)

    def finish(self) -> None:
        """Ranges still open at the end are closed there.

        It is usual for an indent to be changed by the next one, and for one end to close them all: no fault.
        """
        for name, start, at in self._opened:
            if self._ended.get(name, -1) >= start:
                continue
            self.out.warnings.append(Warned(at, f"［＃{name}］ is never closed"))
        while self._opened:
            self._close(len(self._opened) - 1)

    def _forward(self, note: Note, body: str, at: int) -> None:
        target = note.target
        if _MARKS.search(target):
            target = self.out.plain(target)
        tail = self.out.tail(len(target) if note.kind != "heading" else _LOOK_BACK)
        found = tail.rfind(target)
        if found < 0 and note.kind != "heading":
            tail = self.out.tail(_LOOK_BACK)
            found = tail.rfind(target)
        start = self.out.length - len(tail) + found
        if found < 0:
            self.out.warnings.append(Warned(at, f"［＃{body}］: its words do not stand before it"))
            if not note.inserts:
                return
            start = self.out.length
            self.out.write(target, at, self.out.copied)
        if note.kind == "heading":
            self.out.headings.append(Heading(note.level, target.strip(), start, start + len(target)))

    def _left_ruby(self, note: Note) -> None:
        target, tail = self.out.plain(note.target), self.out.tail(_LOOK_BACK)
        found = tail.rfind(target)
        if found >= 0:
            start = self.out.length - len(tail) + found
            self.out.left_readings.append((start, start + len(target), self.out.plain(note.name)))

    def _close_heading(self, at: int) -> None:
        if self._heading is None:
            self.out.warnings.append(Warned(at, "a heading ends that never began"))
            return
        level, start = self._heading
        self._heading = None
        written = self.out.tail(self.out.length - start)
        title = written[len(written) - (self.out.length - start) :]
        stripped = title.strip()
        start += title.find(stripped)
        self.out.headings.append(Heading(level, " ".join(stripped.split("\n")), start, start + len(stripped)))

    def _range(self, note: Note, body: str, at: int) -> None:
        if not body.endswith("終わり") and "終わり、" not in body:
            if len(self._opened) == _DEEPEST:
                self._close(_DEEPEST - 1)
            self._opened.append((note.name, self.out.length, at))
            return
        if not self._opened:
            self.out.warnings.append(Warned(at, f"［＃{body}］ ends nothing"))
            return
        self._ended[note.name] = self.out.length
        names = [name for name, _, _ in self._opened]
        if note.name in names:
            self._close(len(names) - 1 - names[::-1].index(note.name))
        else:
            self.out.warnings.append(Warned(at, f"［＃{body}］ ends ［＃{names[-1]}］"))
            self._close(len(names) - 1)

    def _close(self, depth: int) -> None:
        name, start, _ = self._opened.pop(depth)
        self.out.blocks.append(Block(name, start, self.out.length, depth))

    def _dots(self, body: str) -> None:
        """Sets the dots that a note puts on letters of the Latin word right before it: Sam, m with a dot above."""
        tail = self.out.tail(80)
        match = _WORD_AT_END.search(tail)
        word = match.group() if match else ""
        letters = list(word)
        for ordinal, side, selected, place in DOT_CLAUSE.findall(body):
            for letter in selected:
                _dot(letters, letter, int(ordinal or 0), side, _DOT[place])
        self.out.rewrite_end(word, "".join(letters))


def _dot(letters: list[str], letter: str, ordinal: int, side: str, mark: str) -> None:
    """Dots one letter in place: the nth of its kind without regard to case, the last (後の), or the first."""
    same = [i for i, c in enumerate(letters) if c == letter]
    if ordinal:
        alike = [i for i, c in enumerate(letters) if c.casefold() == letter.casefold()]
        same = alike[ordinal - 1 : ordinal]
    elif side == "後の":
        same = same[-1:]
    if same:
        composed = unicodedata.normalize("NFC", letters[same[0]] + mark)
        if len(composed) == 1:
            letters[same[0]] = composed
