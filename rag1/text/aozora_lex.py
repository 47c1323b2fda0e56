"""Aozora notation to tokens: the marks of a text in order. What no token covers is plain text.

Newlines must be LF. A mark never reaches over a line's end; one that is not closed there is text, with a warning.
"""

from __future__ import annotations

import re

from rag1.text.aozora_gaiji import ACCENT, accented
from rag1.text.aozora_nouns import Warned

RUBY, BASED, BAR, NOTE, GAIJI, REPLACE, DROP = range(7)
"""Token kinds: ruby whose base is found by script; ruby with its base marked by ｜ and free of other marks; a ｜
whose base holds marks; a note; a described character; text written in place of other text; text left out."""

Token = tuple[int, int, int, str]
"""(kind, start, end, value): a plain tuple, as a novel has tens of thousands. `value` is the reading, the note's
body, or what stands in place of the mark."""


_SIMPLE_RUBY, _, _BASED, _NOTE, _GAIJI = range(1, 6)
_MARK = re.compile(
    r"《([^《》［※〔｜／\n]+)》"
    r"|｜([^｜《》［※〔／\n]+)《([^《》［※〔／\n]+)》"
    r"|［＃([^［］\n]*)］"
    r"|※［＃([^［］\n]*)］"
    r"|《|｜|［＃|※［＃|〔|／″?＼|≪|≫|》"
)
"""Every alternative begins with a character of its own, so that the search skips plain text in one sweep."""

_KINDS = {_SIMPLE_RUBY: RUBY, _BASED: BASED, _NOTE: NOTE, _GAIJI: GAIJI}
_INSTEAD = {"／＼": "〳〵", "／″＼": "〴〵", "≪": "《", "≫": "》"}
_BAR_BEFORE_RUBY = re.compile(r"｜[^｜《\n]*《[^》\n]")
_TORTOISE = re.compile(r"〔([^〔〕\n]*)〕")


class Lexer:
    """Reads one text; `tokens` come in order and never overlap."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.warnings: list[Warned] = []
        self._ruby_pairs = _Brackets(text, "《》")
        self._note_pairs = _Brackets(text, "［］")

    def run(self, start: int, end: int) -> list[Token]:
        append = self.tokens.append
        done = start
        for match in _MARK.finditer(self.text, start, end):
            at = match.start()
            if at < done:
                continue
            group = match.lastindex
            if group:
                done = match.end()
                append((_KINDS[group], at, done, match[group]))
            else:
                done = self._special(match.group(), at, end)
        return self.tokens

    def _special(self, mark: str, at: int, end: int) -> int:
        """Reads a mark that the pattern alone cannot; gives the place where reading goes on."""
        if mark in _INSTEAD:
            self.tokens.append((REPLACE, at, at + len(mark), _INSTEAD[mark]))
            return at + len(mark)
        if mark == "《":
            return self._ruby(at, end)
        if mark in ("［＃", "※［＃"):
            return self._note(mark, at, end)
        if mark == "〔":
            return self._accents(at, end)
        if mark == "｜":
            return self._bar(at, end)
        self.warnings.append(Warned(at, "》 without 《"))
        return at + 1

    def _ruby(self, at: int, end: int) -> int:
        close = self._ruby_pairs.closing(at, end)
        if close < 0:
            self.warnings.append(Warned(at, "《 is not closed"))
            return at + 1
        reading = self.text[at + 1 : close]
        if not reading:
            self.warnings.append(Warned(at, "《》 holds no reading"))
            return close + 1
        if "《" in reading:
            self.warnings.append(Warned(at, "《 within 《》"))
        self.tokens.append((RUBY, at, close + 1, reading))
        return close + 1

    def _note(self, mark: str, at: int, end: int) -> int:
        opened = at + len(mark) - 2
        close = self._note_pairs.closing(opened, end)
        if close < 0:
            self.warnings.append(Warned(at, "［＃ is not closed"))
            return at + len(mark)
        kind = GAIJI if mark[0] == "※" else NOTE
        self.tokens.append((kind, at, close + 1, self.text[opened + 2 : close]))
        return close + 1

    def _bar(self, at: int, end: int) -> int:
        match = _BAR_BEFORE_RUBY.match(self.text, at, end)
        if match and self._ruby_pairs.closing(match.end() - 2, end) >= 0:
            self.tokens.append((BAR, at, at + 1, ""))
        else:
            self.warnings.append(Warned(at, "｜ without 《》"))
        return at + 1

    def _accents(self, at: int, end: int) -> int:
        """〔…〕 with accents in it: the brackets are notation. Any other 〔…〕 is the text's own."""
        match = _TORTOISE.match(self.text, at, end)
        if not match:
            return at + 1
        inner = Lexer(self.text)
        inner.run(at + 1, match.end() - 1)
        letters = self._letters(at + 1, match.end() - 1, inner.tokens)
        if not letters:
            return at + 1
        self.warnings += inner.warnings
        self.tokens.append((DROP, at, at + 1, "accent"))
        self.tokens += sorted([*inner.tokens, *letters], key=lambda token: token[1])
        self.tokens.append((DROP, match.end() - 1, match.end(), "accent"))
        return match.end()

    def _letters(self, start: int, end: int, marks: list[Token]) -> list[Token]:
        """The accented letters between two places, outside the marks that stand there."""
        letters: list[Token] = []
        for stop, following in [*((m[1], m[2]) for m in marks), (end, end)]:
            for match in ACCENT.finditer(self.text, start, stop):
                if letter := accented(match.group()):
                    letters.append((REPLACE, match.start(), match.end(), letter))
            start = following
        return letters


class _Brackets:
    """Which bracket closes which, a line at a time, so that reading a line takes time linear in its length."""

    def __init__(self, text: str, brackets: str) -> None:
        self.text = text
        self.opening = brackets[0]
        self.pattern = re.compile(f"[{brackets}]")
        self.start, self.stop = 0, 0
        self.pairs: dict[int, int] = {}

    def closing(self, at: int, end: int) -> int:
        """The place of the bracket that closes the one at `at`, on the same line before `end`; -1 for none."""
        if not self.start <= at < self.stop:
            self._read_line(at)
        close = self.pairs.get(at, -1)
        return close if close < end else -1

    def _read_line(self, at: int) -> None:
        newline = self.text.find("\n", at)
        self.start, self.stop = at, newline if newline >= 0 else len(self.text)
        self.pairs, opened = {}, []
        for match in self.pattern.finditer(self.text, self.start, self.stop):
            if match.group() == self.opening:
                opened.append(match.start())
            elif opened:
                self.pairs[opened.pop()] = match.start()
