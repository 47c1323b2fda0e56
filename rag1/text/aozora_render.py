"""Tokens of an Aozora text to the plain text that a person reads, with what was left out kept beside it."""

from __future__ import annotations

import unicodedata

from rag1.text.aozora_effects import Effects
from rag1.text.aozora_gaiji import gaiji
from rag1.text.aozora_lex import BAR, BASED, DROP, GAIJI, NOTE, REPLACE, RUBY, Lexer, Token
from rag1.text.aozora_notes import read_note
from rag1.text.aozora_nouns import Block, Heading, Warned

_DEEPEST_NOTE = 8
"""Notes within notes that are read; what is deeper stays as it is written."""


class _Scripts(dict[str, str]):
    """Character to the class that decides how far a ruby's base reaches; "" stands alone or is no base."""

    def __missing__(self, char: str) -> str:
        self[char] = found = _script(char)
        return found


def _script(char: str) -> str:
    if (
        "一" <= char <= "鿿"
        or char in "々〆〇仝ヶ※"
        or "㐀" <= char <= "䶿"
        or char >= "\U00020000"
        or "豈" <= char <= "﫿"
    ):
        return "kanji"
    if "ぁ" <= char <= "ゟ":
        return "hiragana"
    if "ァ" <= char <= "ヿ" and char != "・":
        return "katakana"
    if "!" <= char <= "~" or "À" <= char <= "ɏ":
        return "latin" if char.isalnum() or char in "#-&'," else ""
    if char.isalnum() or char in "−＆’，．":
        return "wide"
    return "symbol" if unicodedata.category(char) in ("So", "Sm", "Sk") else ""


_SCRIPTS = _Scripts()


class Renderer:
    """Writes the plain text of `source[start:end]`.

    `anchors` are (place in text, place in source), `readings` and `cuts` the fields of `Reading` and `Cut`: plain
    tuples, as a novel has thousands.
    """

    def __init__(self, source: str, depth: int = 0) -> None:
        self.source = source
        self._depth = depth
        self.parts: list[str] = []
        self.length = 0
        self.copied = 0
        self.anchors: list[tuple[int, int]] = []
        self.readings: list[tuple[int, int, str]] = []
        self.left_readings: list[tuple[int, int, str]] = []
        self.headings: list[Heading] = []
        self.cuts: list[tuple[str, int, int]] = []
        self.warnings: list[Warned] = []
        self._bar = -1
        self._joined = 0
        self.blocks: list[Block] = []
        self.effects = Effects(self)

    def run(self, tokens: list[Token], start: int, end: int) -> None:
        self.copied = start
        self.anchors.append((0, start))
        handlers = {
            RUBY: self._implied,
            BASED: self._based,
            BAR: self._open_bar,
            NOTE: self._note,
            GAIJI: self._gaiji,
            REPLACE: self._replace,
            DROP: self._drop,
        }
        for token in tokens:
            if token[0] != RUBY or not self._short_base(token):
                handlers[token[0]](token)
        self._copy(end, end)
        self.effects.finish()

    def _short_base(self, token: Token) -> bool:
        """The common case, done in one place for speed: a base within the plain text since the last mark."""
        _, start, end, reading = token
        source, copied = self.source, self.copied
        at = start - 1
        if at < copied or self._bar >= 0:
            return False
        script = _SCRIPTS[source[at]]
        if not script:
            return False
        while at > copied and _SCRIPTS[source[at - 1]] == script:
            at -= 1
        if at == copied == self._joined:
            return False
        self.parts.append(source[copied:start])
        self.length = length = self.length + start - copied
        self.readings.append((length - start + at, length, reading if "［＃" not in reading else self.plain(reading)))
        self.cuts.append(("ruby", start, end))
        self.anchors.append((length, end))
        self.copied = end
        return True

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def _copy(self, stop: int, resume: int) -> None:
        """Copies plain text up to `stop`; the next plain text starts at `resume`."""
        if stop > self.copied:
            self.parts.append(self.source[self.copied : stop])
            self.length += stop - self.copied
        if resume > stop:
            self.anchors.append((self.length, resume))
        self.copied = resume

    def write(self, text: str, at: int, resume: int) -> None:
        """Writes text of its own in place of the source from `at` to `resume`."""
        self._copy(at, at)
        self.anchors.append((self.length, at))
        self.parts.append(text)
        self.length += len(text)
        self.anchors.append((self.length, resume))
        self.copied = resume

    def _based(self, token: Token) -> None:
        _, start, end, reading = token
        close = end - len(reading) - 2
        self._copy(start, start + 1)
        base = self.length
        self.cuts.append(("bar", start, start + 1))
        self._copy(close, close)
        self._read(base, reading, close, end)

    def _open_bar(self, token: Token) -> None:
        self._copy(token[1], token[2])
        self._bar = self.length
        self.cuts.append(("bar", token[1], token[2]))

    def _implied(self, token: Token) -> None:
        """A base that ｜ opened, or that reaches back over marks into what is written already."""
        _, start, end, reading = token
        self._copy(start, start)
        base = self._bar if self._bar >= 0 else self._base_in_output()
        self._bar = -1
        if base >= self.length:
            self.warnings.append(Warned(start, f"《{reading}》 has no base before it"))
            return
        self._read(base, self.plain(reading) if "［＃" in reading else reading, start, end)

    def _base_in_output(self) -> int:
        """Where the run of one script at the end of the written text starts: across notes and 外字."""
        tail = self.tail(40)
        floor = self.readings[-1][1] if self.readings else 0
        at = len(tail)
        script = _SCRIPTS[tail[-1]] if tail else ""
        while at and script and _SCRIPTS[tail[at - 1]] == script and self.length - (len(tail) - at) > floor:
            at -= 1
        return self.length - (len(tail) - at)

    def _read(self, base: int, reading: str, start: int, end: int) -> None:
        """Notes the reading of the text written since `base`; `start` and `end` are those of 《…》."""
        self.cuts.append(("ruby", start, end))
        self.readings.append((base, self.length, reading))
        self.anchors.append((self.length, end))
        self.copied = end

    def tail(self, count: int) -> str:
        """The last parts of the written text, together at least `count` characters where there are as many."""
        at, found = len(self.parts), 0
        while at and found < count:
            at -= 1
            found += len(self.parts[at])
        return "".join(self.parts[at:])

    def rewrite_end(self, old: str, new: str) -> None:
        """Puts `new` in place of `old`, of the same length, at the end of the written text."""
        whole = self.tail(len(old))
        taken = 0
        while taken < len(whole):
            taken += len(self.parts.pop())
        self.parts.append(whole[: len(whole) - len(old)] + new)

    def plain(self, notation: str) -> str:
        """Notation within a mark of this text as plain text."""
        return plain(notation, self._depth + 1)

    def _gaiji(self, token: Token) -> None:
        _, start, end, body = token
        char, known = gaiji(self.plain(body) if "［＃" in body else body)
        if not known:
            self.warnings.append(Warned(start, f"no character known for ［＃{body}］"))
        self.cuts.append(("gaiji", start, end))
        self.write(char, start, end)
        self._joined = end

    def _replace(self, token: Token) -> None:
        self.cuts.append(("replaced", token[1], token[2]))
        self.write(token[3], token[1], token[2])
        self._joined = token[2]

    def _drop(self, token: Token) -> None:
        self._copy(token[1], token[2])
        self.cuts.append((token[3], token[1], token[2]))

    def _note(self, token: Token) -> None:
        _, start, end, body = token
        note = read_note(body)
        if note.effect == "glyph":
            self._gaiji(token)
            return
        self._copy(start, start)
        if note.effect not in ("none", "newline") and self._alone(start, end):
            end += 1
        self.cuts.append((note.kind, start, end))
        self._copy(start, end)
        self._joined = end
        self.effects.apply(note, body, start)

    def _alone(self, start: int, end: int) -> bool:
        """Whether a mark is all that its line holds: then the line goes with it."""
        source = self.source
        return (start == 0 or source[start - 1] == "\n") and source.startswith("\n", end)


def plain(notation: str, depth: int = 0) -> str:
    """A short piece of notation, such as the words quoted in a note, as plain text."""
    if depth > _DEEPEST_NOTE:
        return notation
    lexer, renderer = Lexer(notation), Renderer(notation, depth)
    renderer.run(lexer.run(0, len(notation)), 0, len(notation))
    return renderer.text
