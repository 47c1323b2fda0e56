"""The names of one document, as the rules of resolution see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rag1.graph.extract import VALUE_TYPES
from rag1.graph.merge import By
from rag1.graph.model import Triple
from rag1.graph.resolve_words import LEAST_READING, dictionary_reading, is_common
from rag1.llm.rules.kinship import KIN
from rag1.llm.rules.words import noun_phrases, words, wordset
from rag1.text.normalize import normalize
from rag1.text.tokenize import morphemes
from rag1.types import Document

LEAST_KANA = 4
"""Kana over which a reading is looked for as it is, in a text where kana words run into each other."""

LONGEST_NAME = 24
NO_NAMES = wordset(
    "名 姓 氏 号 名前 氏名 本名 屋号 人 者 男 女 方 子 物 事 所 もの こと ひと これ それ あれ 彼 彼女 私 わたし 自分"
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """`a` and `b` may be one. `short`: the one that cannot be the canonical name ("" where either can)."""

    a: str
    b: str
    by: By
    why: str
    short: str = ""
    score: float = 1.0


@dataclass(frozen=True)
class Names:
    """The names of one document: what the rules look at. `readings`: name or part of one → its ruby readings."""

    document: Document
    triples: Sequence[Triple]
    readings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    extra: Sequence[str] = ()

    @cached_property
    def types(self) -> dict[str, set[str]]:
        """Each name's types; clauses and values are no names."""
        found: dict[str, set[str]] = {}
        for t in self.triples:
            for name, kind in ((t.head, t.head_type), (t.tail, t.tail_type)):
                known = kind != "Event" and kind not in VALUE_TYPES and name not in NO_NAMES
                if known and len(name) <= LONGEST_NAME:
                    found.setdefault(name, set()).update({kind} if kind else ())
        for name in (*self.extra, *self._given(found), *self._spellings(found)):
            found.setdefault(name, set())
        return found

    def _spellings(self, found: Mapping[str, set[str]]) -> Iterator[str]:
        """Nouns of the text that no triple has, but that read as a name does: other spellings of it."""
        sounds = {sound for name in found if len(sound := self.reading(name)) > LEAST_READING}
        text = self.document.text
        yield from (sound for sound in sorted(sounds) if len(sound) > LEAST_KANA and sound in text)
        lines = text.splitlines() if sounds else []
        for noun in dict.fromkeys(phrase.text for line in lines for phrase in noun_phrases(words(line), line)):
            if 2 <= len(noun) <= LONGEST_NAME and noun not in found and self.reading(noun) in sounds:
                yield noun

    def _given(self, found: Mapping[str, set[str]]) -> Iterator[str]:
        """Given names that the text also uses alone: known parts of full names that no triple has by themselves."""
        for name, kinds in found.items():
            last = morphemes(name)[-1] if "Person" in kinds and len(name) > 2 else None
            ends = {base for base in self.readings if name.endswith(base)} | ({last.surface} if last else set())
            for given in ends if last else ():
                alone = self.document.text.count(given) > self.document.text.count(name)
                if 2 <= len(given) < len(name) and alone and not is_common(given):
                    yield given

    @cached_property
    def kin(self) -> dict[str, int]:
        """How many kin each name has."""
        pairs = {pair for t in self.triples if t.relation in KIN for pair in ((t.head, t.tail), (t.tail, t.head))}
        counts: dict[str, int] = {}
        for name, _ in pairs:
            counts[name] = counts.get(name, 0) + 1
        return counts

    @cached_property
    def all(self) -> list[str]:
        return list(self.types)

    def is_person(self, name: str) -> bool:
        return "Person" in self.types.get(name, ())

    @cached_property
    def counts(self) -> dict[str, int]:
        return {name: self.document.text.count(name) for name in self.all}

    @cached_property
    def full_names(self) -> dict[str, tuple[str, ...]]:
        """For each name the longer ones that begin or end with it."""
        found: dict[str, dict[str, None]] = {name: {} for name in self.all}
        for longer in sorted(self.all, key=len):
            for cut in range(1, len(longer)):
                for part in (longer[:cut], longer[cut:]):
                    if part in found:
                        found[part][longer] = None
        return {name: tuple(longer) for name, longer in found.items()}

    def reading(self, name: str) -> str:
        """In hiragana: rubies of the document first, Sudachi's reading for the rest."""
        parts, plain, at = [], 0, 0
        while at < len(name):
            base = next((name[at:end] for end in range(len(name), at, -1) if name[at:end] in self._rubies), "")
            if base:
                parts += [dictionary_reading(name[plain:at]), self._rubies[base]]
                plain = at + len(base)
            at += len(base) or 1
        parts.append(dictionary_reading(name[plain:]))
        return normalize("".join(parts)).replace("ー", "")

    def is_read_as_a_name(self, word: str) -> bool:
        """重臣《しげおみ》 is no 重臣 (じゅうしん)."""
        return word in self._rubies and normalize(self._rubies[word]) != normalize(dictionary_reading(word))

    @cached_property
    def _rubies(self) -> dict[str, str]:
        return {base: found[0] for base, found in self.readings.items() if len(set(found)) == 1}
