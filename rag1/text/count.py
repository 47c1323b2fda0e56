"""Exact counts in a text: how often a word or an entity is named, where, and how many different ones there are.

A name is found by longest match among all names given, so that 太郎 is not found in 桃太郎 where both are known;
where only 太郎 is, the borders of proper nouns tell (Sudachi's shortest units).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rag1.text.aozora_nouns import Heading
from rag1.text.dialogue import dialogue_spans, within
from rag1.text.normalize import key_span, normalize, normalize_with_offsets
from rag1.text.tokenize import morphemes
from rag1.types import Span

Where = Literal["anywhere", "dialogue", "narration"]
Borders = Literal["names", "words", "none"]
"""What a find may not cut through: `names` proper nouns (京都 is not in 東京都), `words` any word, `none` nothing."""
Spelling = Literal["exact", "normalised"]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where a thing is named: its span in the text, and the name as it stands there."""

    start: int
    end: int
    name: str
    in_dialogue: bool


@dataclass(frozen=True)
class Counter:
    """How to count. `spelling` "normalised" also finds names in old characters, other kana or other digits."""

    where: Where = "anywhere"
    borders: Borders = "names"
    spelling: Spelling = "exact"

    def word(self, text: str, word: str, *, longer: Collection[str] = (), span: Span | None = None) -> list[Occurrence]:
        """Every place of a word or phrase. `longer` are names that hold the word but are something else."""
        return self.entity(text, [word], longer=longer, span=span)

    def entity(
        self, text: str, aliases: Sequence[str], *, longer: Collection[str] = (), span: Span | None = None
    ) -> list[Occurrence]:
        """Every place of a thing under any of its names: one place counts once, under its longest name."""
        return self.entities(text, {"": aliases}, longer=longer, span=span)[""]

    def entities(
        self,
        text: str,
        names: Mapping[str, Sequence[str]],
        *,
        longer: Collection[str] = (),
        span: Span | None = None,
    ) -> dict[str, list[Occurrence]]:
        """The places of several things at once, by key, in text order; `span` limits them to a part of the text.

        Where two keys share a name, the first one has it. An empty name is nobody's.
        """
        found: dict[str, list[Occurrence]] = {key: [] for key in names}
        owners = self._owners(names, longer)
        if not owners:
            return found
        spoken = dialogue_spans(text)
        lines = _Lines(text, self.borders)
        for start, end, name in self._matches(text, owners, span or (0, len(text))):
            key = owners[name]
            said = within(spoken, start)
            if key is None or not self._wanted(said) or lines.cuts(start, end):
                continue
            found[key].append(Occurrence(start, end, text[start:end], said))
        return found

    def distinct(self, text: str, names: Mapping[str, Sequence[str]], *, span: Span | None = None) -> list[str]:
        """The keys of the things that are named at all, in order of first mention."""
        places = self.entities(text, names, span=span)
        return sorted((key for key, found in places.items() if found), key=lambda key: places[key][0].start)

    def _owners(self, names: Mapping[str, Sequence[str]], longer: Collection[str]) -> dict[str, str | None]:
        """Each name in the spelling that is searched for, with its key; None for names that are not counted."""
        fold = normalize if self.spelling == "normalised" else str
        owners: dict[str, str | None] = {}
        for key, aliases in names.items():
            for alias in aliases:
                owners.setdefault(fold(alias), key)
        for name in longer:
            owners.setdefault(fold(name), None)
        owners.pop("", None)
        return owners

    def _matches(self, text: str, owners: Iterable[str], span: Span) -> Iterable[tuple[int, int, str]]:
        pattern = re.compile("|".join(sorted(map(re.escape, owners), key=len, reverse=True)))
        start, end = span
        if self.spelling == "exact":
            return ((m.start(), m.end(), m.group()) for m in pattern.finditer(text, start, end))
        part = text[start:end]
        key, offsets = normalize_with_offsets(part)
        spans = ((key_span(part, offsets, m.start(), m.end()), m.group()) for m in pattern.finditer(key))
        return ((start + first, start + last, name) for (first, last), name in spans)

    def _wanted(self, said: bool) -> bool:
        return self.where == "anywhere" or said == (self.where == "dialogue")


class _Lines:
    """Where words of the lines of a text begin and end; a line is analysed when it is first asked about."""

    def __init__(self, text: str, borders: Borders) -> None:
        self.text = text
        self.borders = borders
        self.known: dict[int, set[int]] = {}

    def cuts(self, start: int, end: int) -> bool:
        """Whether a span begins or ends inside a word that may not be cut."""
        if self.borders == "none":
            return False
        line = self.text.rfind("\n", 0, start) + 1
        if line not in self.known:
            self.known[line] = self._inside(line)
        return start in self.known[line] or end in self.known[line]

    def _inside(self, line: int) -> set[int]:
        stop = self.text.find("\n", line)
        words = morphemes(self.text[line : stop if stop >= 0 else len(self.text)], "A")
        guarded = (w for w in words if self.borders == "words" or w.is_proper_noun)
        return {line + at for word in guarded for at in range(word.start + 1, word.end)}


def chapters(headings: Sequence[Heading], length: int) -> list[tuple[Heading, Span]]:
    """Each heading with the span of its chapter: from its title to the next heading of its own or a higher level."""
    found: list[tuple[Heading, Span]] = []
    for place, heading in enumerate(headings):
        following = (h.start for h in headings[place + 1 :] if h.level <= heading.level)
        found.append((heading, (heading.start, next(following, length))))
    return found
