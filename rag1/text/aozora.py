"""Aozora Bunko notation to plain text, with readings, headings, credits and all that was left out beside it.

python -m rag1.text.aozora FILE [--ruby drop|paren|only] [--style plain|seed003]
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from rag1.errors import Rag1Error
from rag1.text.aozora_frame import Credits, Frame, find_frame, read_credits
from rag1.text.aozora_headings import plain_headings
from rag1.text.aozora_lex import Lexer
from rag1.text.aozora_nouns import Block, Cut, Heading, Reading, Warned
from rag1.text.aozora_offsets import Offsets, Origin
from rag1.text.aozora_render import Renderer
from rag1.text.aozora_style import SEED003, Edit, Edits, RubyStyle, ruby_edits
from rag1.text.encoding import decode

Style = Literal["plain", "seed003"]

_PRIVATE = re.compile("[\ue000-\uf8ff]")


@dataclass(frozen=True)
class Parsed:
    """A parsed text. Spans of `readings`, `headings` and `blocks` count in `text`.

    `credits` are title, original title, subtitle, author and translator, "" where the file names none;
    `warnings` are a line each, with the line number in the raw file.
    """

    text: str
    credits: Credits
    headings: Sequence[Heading]
    blocks: Sequence[Block]
    warnings: Sequence[str]
    origin: Origin
    edits: tuple[Edits, ...] = ()

    @property
    def title(self) -> str:
        return self.credits.title

    @property
    def original_title(self) -> str:
        return self.credits.original_title

    @property
    def subtitle(self) -> str:
        return self.credits.subtitle

    @property
    def author(self) -> str:
        return self.credits.author

    @property
    def translator(self) -> str:
        return self.credits.translator

    @property
    def ruby(self) -> Mapping[str, tuple[str, ...]]:
        """Each base with its readings, in order of first appearance; then those on the left and of the title block."""
        return self.origin.ruby

    @cached_property
    def readings(self) -> Sequence[Reading]:
        """Every ruby reading with its place."""
        found = list(map(Reading._make, self.origin.readings))
        for edits in self.edits:
            found = [Reading(*edits.span(r.start, r.end), r.reading) for r in found]
        return found

    @cached_property
    def offsets(self) -> Offsets:
        """For each character of `text` its offset in the raw text."""
        found = self.origin.offsets
        for edits in self.edits:
            found = edits.offsets(found)
        return found

    @cached_property
    def dropped(self) -> Sequence[Cut]:
        """The spans of the raw text that are not in `text` as they stand, by kind, in order."""
        found = list(self.origin.cuts)
        offsets = self.origin.offsets
        for edits in self.edits:
            found += [Cut(e.kind, *offsets.raw_span((e.start, e.end))) for e in edits.edits if e.end > e.start]
            offsets = edits.offsets(offsets)
        return sorted(found, key=lambda cut: cut.start)

    def edited(self, changes: Sequence[Edit]) -> Parsed:
        """The same with changes made to its text; all spans and offsets follow."""
        edits = Edits(changes)
        return replace(
            self,
            text=edits.text(self.text),
            headings=[Heading(h.level, h.title, *edits.span(h.start, h.end)) for h in self.headings],
            blocks=[Block(b.name, *edits.span(b.start, b.end), b.depth) for b in self.blocks],
            edits=(*self.edits, edits),
        )


def parse(raw: str, ruby: RubyStyle = "drop", style: Style = "plain") -> Parsed:
    """Parses a whole file or a piece of one. Never fails: a malformed mark stays as text, with a warning.

    `ruby` leaves readings out (`drop`), shows them in brackets (`paren`) or in place of their base (`only`);
    `style` "seed003" also takes out dashes, ellipses, indents, empty 「」 and lines of one character.
    """
    parsed = _parse_plain(raw)
    if ruby != "drop":
        parsed = parsed.edited(ruby_edits(parsed.readings, ruby))
    if style == "seed003":
        for find in SEED003:
            parsed = parsed.edited(find(parsed.text))
    return parsed


def _parse_plain(raw: str) -> Parsed:
    source = raw.replace("\r\n", "\n").replace("\r", "\n") if "\r" in raw else raw
    private = [Warned(m.start(), f"private character U+{ord(m.group()):04X}") for m in _PRIVATE.finditer(source)]
    if private:
        source = _PRIVATE.sub("\ufffd", source)
    frame = find_frame(source)
    lexer, renderer = Lexer(source), Renderer(source)
    renderer.run(lexer.run(*frame.body), *frame.body)
    text = renderer.text
    title = [_rendered(line) for line in frame.title_lines]
    more_ruby = [pair for part in title for pair in _pairs(part, part.readings)]
    more_ruby += _pairs(renderer, renderer.left_readings)
    return Parsed(
        text=text,
        credits=read_credits(tuple(part.text for part in title)),
        headings=sorted(renderer.headings, key=lambda h: h.start) or plain_headings(text),
        blocks=sorted(renderer.blocks, key=lambda b: (b.start, -b.end)),
        warnings=_lines([*private, *lexer.warnings, *renderer.warnings], source),
        origin=Origin(raw, text, renderer.anchors, renderer.readings, more_ruby, _with_frame(frame, renderer.cuts)),
    )


def _rendered(line: str) -> Renderer:
    renderer = Renderer(line)
    renderer.run(Lexer(line).run(0, len(line)), 0, len(line))
    return renderer


def _pairs(rendered: Renderer, readings: Sequence[tuple[int, int, str]]) -> list[tuple[str, str]]:
    """Bases and readings; the text is joined only where there are any."""
    text = rendered.text if readings else ""
    return [(text[start:end], reading) for start, end, reading in readings]


def _with_frame(frame: Frame, cuts: Sequence[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    around = ("header", *frame.header), ("colophon", *frame.colophon)
    header, colophon = ([cut] if cut[2] > cut[1] else [] for cut in around)
    return [*header, *cuts, *colophon]


def _lines(warned: Sequence[Warned], source: str) -> list[str]:
    """Warnings as lines of text, in the order of their places."""
    lines: list[str] = []
    line, at = 1, 0
    for place, message in sorted(warned):
        line += source.count("\n", at, place)
        at = place
        lines.append(f"line {line}: {message}")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the plain text of a file; warnings go to standard error."""
    parser = argparse.ArgumentParser(prog="python -m rag1.text.aozora", description="Aozora notation to plain text")
    parser.add_argument("file", type=Path)
    parser.add_argument("--ruby", choices=get_args(RubyStyle), default="drop")
    parser.add_argument("--style", choices=get_args(Style), default="plain")
    options = parser.parse_args(arguments)
    try:
        raw = decode(options.file.read_bytes(), str(options.file)).text
    except OSError as error:
        print(f"{options.file}: {error.strerror}; name a text file", file=sys.stderr)
        return 2
    except Rag1Error as error:
        print(error, file=sys.stderr)
        return 2
    parsed = parse(raw, options.ruby, options.style)
    sys.stdout.buffer.write(parsed.text.encode("utf-8", "replace"))
    for warning in parsed.warnings:
        print(f"{options.file}: {warning}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
