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
from rag1.text.aozora_offsets import Newlines, Offsets, offsets_of
from rag1.text.aozora_render import Renderer, plain
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
    ruby: Mapping[str, tuple[str, ...]]
    readings: Sequence[Reading]
    headings: Sequence[Heading]
    blocks: Sequence[Block]
    warnings: Sequence[str]
    origin: _Origin
    edited: tuple[Edits, ...] = ()

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

    @cached_property
    def offsets(self) -> Offsets:
        """For each character of `text` its offset in the raw text."""
        found = self.origin.offsets
        for edits in self.edited:
            found = Offsets.of(edits.offsets([*found, found[len(found)]]))
        return found

    @cached_property
    def dropped(self) -> Sequence[Cut]:
        """The spans of the raw text that are not in `text` as they stand, by kind, in order."""
        found = list(self.origin.cuts)
        offsets = self.origin.offsets
        for edits in self.edited:
            found += [Cut(e.kind, *offsets.raw_span((e.start, e.end))) for e in edits.edits if e.end > e.start]
            offsets = Offsets.of(edits.offsets([*offsets, offsets[len(offsets)]]))
        return sorted(found, key=lambda cut: cut.start)


@dataclass(frozen=True)
class _Origin:
    """Where an unedited plain text came from. Worked out when first asked for: most readers want the text alone."""

    raw: str
    length: int
    anchors: Sequence[tuple[int, int]]
    source_cuts: Sequence[Cut]

    @cached_property
    def newlines(self) -> Newlines:
        return Newlines.of(self.raw)

    @cached_property
    def offsets(self) -> Offsets:
        return offsets_of(self.anchors, self.newlines, self.length)

    @cached_property
    def cuts(self) -> Sequence[Cut]:
        starts = self.newlines.raw([c.start for c in self.source_cuts]).tolist()
        ends = self.newlines.raw_end([c.end for c in self.source_cuts]).tolist()
        return [Cut(c.kind, start, end) for c, start, end in zip(self.source_cuts, starts, ends, strict=True)]


def parse(raw: str, ruby: RubyStyle = "drop", style: Style = "plain") -> Parsed:
    """Parses a whole file or a piece of one. Never fails: a malformed mark stays as text, with a warning.

    `ruby` leaves readings out (`drop`), shows them in brackets (`paren`) or in place of their base (`only`);
    `style` "seed003" also takes out dashes, ellipses, indents, empty 「」 and lines of one character.
    """
    parsed = _parse_plain(raw)
    if ruby != "drop":
        parsed = _edit(parsed, ruby_edits(parsed.readings, ruby))
    if style == "seed003":
        for edits in SEED003:
            parsed = _edit(parsed, edits(parsed.text))
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
    readings = sorted(renderer.readings)
    return Parsed(
        text=text,
        credits=read_credits(tuple(plain(line) for line in frame.title_lines)),
        ruby=_ruby(text, readings),
        readings=readings,
        headings=sorted(renderer.headings, key=lambda h: h.start) or plain_headings(text),
        blocks=sorted(renderer.blocks, key=lambda b: (b.start, -b.end)),
        warnings=_lines([*private, *lexer.warnings, *renderer.warnings], source),
        origin=_Origin(raw, len(text), renderer.anchors, _frame_cuts(frame, renderer.cuts)),
    )


def _ruby(text: str, readings: Sequence[Reading]) -> dict[str, tuple[str, ...]]:
    """Each base with its readings, in order of first appearance."""
    found: dict[str, tuple[str, ...]] = {}
    for start, end, reading in readings:
        base = text[start:end]
        known = found.get(base, ())
        if reading not in known:
            found[base] = (*known, reading)
    return found


def _frame_cuts(frame: Frame, cuts: Sequence[Cut]) -> list[Cut]:
    around = [Cut("header", *frame.header), Cut("colophon", *frame.colophon)]
    header, colophon = ([c] if c.end > c.start else [] for c in around)
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


def _edit(parsed: Parsed, changes: Sequence[Edit]) -> Parsed:
    edits = Edits(changes)

    def moved(start: int, end: int) -> tuple[int, int]:
        return edits.place(start), max(edits.place(start), edits.end(end))

    return replace(
        parsed,
        text=edits.text(parsed.text),
        readings=[Reading(*moved(r.start, r.end), r.reading) for r in parsed.readings],
        headings=[Heading(h.level, h.title, *moved(h.start, h.end)) for h in parsed.headings],
        blocks=[Block(b.name, *moved(b.start, b.end), b.depth) for b in parsed.blocks],
        edited=(*parsed.edited, edits),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the plain text of a file; warnings go to standard error."""
    parser = argparse.ArgumentParser(prog="python -m rag1.text.aozora", description="Aozora notation to plain text")
    parser.add_argument("file", type=Path)
    parser.add_argument("--ruby", choices=get_args(RubyStyle), default="drop")
    parser.add_argument("--style", choices=get_args(Style), default="plain")
    options = parser.parse_args(arguments)
    try:
        raw = decode(options.file.read_bytes(), str(options.file)).text
    except (OSError, Rag1Error) as error:
        print(error, file=sys.stderr)
        return 2
    parsed = parse(raw, options.ruby, options.style)
    sys.stdout.buffer.write(parsed.text.encode("utf-8", "replace"))
    for warning in parsed.warnings:
        print(f"{options.file}: {warning}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
