"""What a parsed Aozora text is made of, besides its plain text."""

from __future__ import annotations

from typing import NamedTuple


class Heading(NamedTuple):
    """A heading: level 1 (大) to 3 (小), its title, and its span in the plain text."""

    level: int
    title: str
    start: int
    end: int


class Reading(NamedTuple):
    """A ruby reading over the span of its base in the plain text."""

    start: int
    end: int
    reading: str


class Cut(NamedTuple):
    """A span of the source that is not in the plain text as it stands, and what kind of thing it is."""

    kind: str
    start: int
    end: int


class Warned(NamedTuple):
    """A malformed mark: its place in the source (characters) and what is wrong with it."""

    at: int
    message: str


class Block(NamedTuple):
    """A range between two marks (傍点 … 傍点終わり, 字下げ, 割り注), in the plain text; outermost has depth 0."""

    name: str
    start: int
    end: int
    depth: int
