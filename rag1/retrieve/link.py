"""Entities of the graph that a question speaks of: by name, alias, reading, near spelling or part of a name.

Names are unified with the graph's own before anything is looked up: 黍団子 finds きびだんご. Near spellings go by
string distance (Indel similarity of rapidfuzz), since a full-text index of character pairs has no good notion of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz, process

from rag1.graph.names import overlap
from rag1.graph.store import GraphStore
from rag1.llm.rules.kin_asked import asked_kin
from rag1.llm.rules.words import fold
from rag1.llm.tasks import ExtractEntities, SameEntity
from rag1.retrieve.facts import FactTable
from rag1.text.normalize import normalize
from rag1.text.tokenize import BigramTokenizer, morphemes
from rag1.types import Llm, Query

LEAST_READING = 3
"""Kana from which equal readings are a sign; shorter ones have too many homophones."""
LEAST_NEAR = 3
"""Characters from which near spellings are looked for: of two, one is half the name."""
LONGEST_PERSON = 10
LEAST_PART = 0.5
"""Share of an entity's bigrams that a question must hold where its whole name does not stand there."""
PART = 0.6
CONFIRM = 12
_BIGRAMS = BigramTokenizer()
_KANA = re.compile("[ぁ-ゖー]+")
_TITLE = re.compile("(?:さん|さま|様|氏|殿)$")
_SUBJECT = re.compile("([^の、。]{1,12})の")
"""Pairs a question that the model may be asked about."""


@dataclass(frozen=True, slots=True)
class Linked:
    """An entity of the graph, the words of the question that it was found by, and how surely (0 to 1)."""

    name: str
    asked: str
    score: float
    by: str


def key(name: str) -> str:
    """One spelling for width, case, old characters and punctuation."""
    return fold(normalize(name))


def reading(name: str) -> str:
    return key("".join(m.reading or m.surface for m in morphemes(name)))


def bordered(text: str) -> tuple[str, frozenset[int]]:
    """The text in one spelling, and the places in it where a word begins or ends."""
    spelled, borders = "", {0}
    for word in morphemes(text):
        spelled += key(word.surface)
        borders.add(len(spelled))
    return spelled, frozenset(borders)


def _blanked(text: str, names: Iterable[str]) -> str:
    """The text without these names: what they share with longer ones says nothing."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, " ")
    return text


def stands_in(name: str, text: str, borders: frozenset[int]) -> bool:
    """False for 寺 in 明照寺 and for a name of one or two kana (もと, なか), which are rarely names."""
    if not name or (len(name) < LEAST_NEAR and _KANA.fullmatch(name)):
        return False
    at = text.find(name)
    while at >= 0:
        if at in borders and at + len(name) in borders:
            return True
        at = text.find(name, at + 1)
    return False


@dataclass(frozen=True)
class Linker:
    """`near`: least similarity of a near spelling (0 to 1). `confirm`: ask the model whether two unequal names are one.

    `k`: entities at most. The names of the question come from the model (`ExtractEntities`); the question itself is
    matched too, so a name that was overlooked is still found.
    """

    store: GraphStore
    table: FactTable
    llm: Llm
    k: int = 12
    near: float = 0.75
    confirm: bool = False

    def __call__(self, query: Query) -> list[Linked]:
        """Entities in scope, surest first; of equals the longer name. An entity is given once."""
        best: dict[str, Linked] = {}
        for found in (*self._of_subject(query), *self._of_mentions(query), *self._of_question(query)):
            if found.name not in best or found.score > best[found.name].score:
                best[found.name] = found
        return sorted(best.values(), key=lambda each: (-each.score, -len(each.name), each.name))[: self.k]

    def _of_subject(self, query: Query) -> Iterator[Linked]:
        """「ふみの父は誰か」: what the question begins with is a name where the graph has it, short as it is; where kin
        is asked for, also the end of the one name that ends so (健 for 森健, はるみさん for 森はるみ)."""
        subject = _SUBJECT.match(query.text)
        if subject is None:
            return
        asked = key(_TITLE.sub("", subject[1]))
        known = list(self._by_key.get(asked, ()))
        if asked and not known and asked_kin(query.text):
            known = self._only_one(lambda spelled: spelled.endswith(asked))
            known = known or (self._only_one(lambda spelled: asked in spelled) if len(asked) > 1 else [])
        yield from (Linked(name, subject[1], 1.0, "name") for name in known if self._allowed(name, query.scope))

    def _only_one(self, fits: Callable[[str], bool]) -> list[str]:
        """The entity whose name fits, where it is the only one, or a part of all others that do."""
        found = {
            n for spelled in self._keys if fits(spelled) for n in self._by_key[spelled] if len(n) <= LONGEST_PERSON
        }
        shortest = min(found, key=len, default="")
        return [shortest] if found and all(shortest in name for name in found) else []

    def _of_mentions(self, query: Query) -> Iterator[Linked]:
        for mention in self.llm(ExtractEntities(question=query.text)).names:
            if len(mention) < LEAST_NEAR and _KANA.fullmatch(mention):
                continue
            exact = [n for n in self._by_key.get(key(mention), ()) if self._allowed(n, query.scope)]
            yield from (Linked(name, mention, 1.0, "name") for name in exact)
            if not exact:
                yield from self._unified(mention, query)

    def _unified(self, mention: str, query: Query) -> Iterator[Linked]:
        """Other spellings of a name that the graph does not have as it is."""
        asked = 0
        for found in (*self._by_sound(mention), *self._by_distance(mention), *self._by_part(mention, query)):
            if not self._allowed(found.name, query.scope):
                continue
            if self.confirm and asked < CONFIRM and found.by != "reading":
                asked += 1
                if not self.llm(SameEntity(a=mention, b=found.name)).same:
                    continue
            yield found

    def _by_sound(self, mention: str) -> Iterator[Linked]:
        said = reading(mention)
        if len(said) >= LEAST_READING:
            yield from (Linked(name, mention, 0.95, "reading") for name in self._by_reading.get(said, ()))

    def _by_distance(self, mention: str) -> Iterator[Linked]:
        spelled = key(mention)
        if len(spelled) < LEAST_NEAR:
            return
        near = process.extract(spelled, self._keys, scorer=fuzz.ratio, score_cutoff=100 * self.near, limit=self.k)
        for found, similarity, _ in near:
            for name in self._by_key[found]:
                yield Linked(name, mention, 0.9 * similarity / 100, "near")

    def _by_part(self, mention: str, query: Query) -> Iterator[Linked]:
        """鵜飼谷時綱 for 時綱: a name inside another."""
        spelled = key(mention)
        for match in self.store.match_names(mention, self.k, query.scope):
            other = key(match.matched)
            if len(spelled) > 1 and (spelled in other or (len(other) > 1 and other in spelled)):
                share = min(len(spelled), len(other)) / max(len(spelled), len(other))
                yield Linked(match.name, mention, 0.4 + 0.5 * share, "part")

    def _of_question(self, query: Query) -> Iterator[Linked]:
        """Names that stand in the question at the borders of words, and long ones (events) that share most of theirs
        with it."""
        text, borders = bordered(query.text)
        exact = [name for name in self._keys if len(name) >= LEAST_NEAR and name in text]
        rest = _BIGRAMS(_blanked(text, exact))
        for match in self.store.match_names(query.text, 4 * self.k, query.scope):
            name = key(match.matched)
            if stands_in(name, text, borders):
                yield Linked(match.name, match.matched, min(1.0, 0.4 + 0.2 * len(name)), "text")
            elif len(name) > LEAST_NEAR and name not in text:
                share = overlap(frozenset(rest), frozenset(_BIGRAMS(name)))
                if share >= LEAST_PART:
                    yield Linked(match.name, match.matched, PART * share, "overlap")

    def _allowed(self, name: str, scope: frozenset[str]) -> bool:
        return not scope or not scope.isdisjoint(self.table.documents_of.get(name, frozenset()))

    @cached_property
    def _by_key(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for entity in self.table.entities:
            for name in {key(n) for n in (entity.name, *entity.aliases)} - {""}:
                found.setdefault(name, []).append(entity.name)
        return found

    @cached_property
    def _keys(self) -> list[str]:
        return sorted(self._by_key)

    @cached_property
    def _by_reading(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for entity in self.table.entities:
            for said in {reading(n) for n in (entity.name, *entity.aliases)}:
                found.setdefault(said, []).append(entity.name)
        return found
