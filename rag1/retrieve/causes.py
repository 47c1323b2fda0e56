"""The chain of causes behind what a question asks about: `by="graph:causes"`.

A tale tells cause and effect over several sentences, and names the things of the chain once each, so that no path of
facts leads from the question's entities to the cause. Two things do: what is told near the question's scene, and the
nouns that one cause's text shares with the next effect's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rag1.corpus.corpus import Corpus
from rag1.corpus.notation import headings
from rag1.graph.model import Fact
from rag1.llm.rules.causal_chain import LONGEST, first_cause, joined, onward
from rag1.llm.rules.causes import links, negated
from rag1.llm.rules.events import Event, alike, event_at
from rag1.llm.rules.roles import is_making
from rag1.llm.rules.why import event_of
from rag1.llm.rules.words import fine_terms
from rag1.retrieve.asked import asked_relations
from rag1.retrieve.facts import FactTable, lines
from rag1.text.sentences import sentences
from rag1.text.tokenize import morphemes
from rag1.types import Document, Query, Retrieved

CAUSE = "原因"
DOCUMENTS = 2
"""Documents looked at: those whose facts are nearest to the question."""
ROLES = frozenset({"一緒", "作る"})
MOST_ROLES = 10
STARTS, LONG = 12, 5
FURTHER = 0.2
"""What each link of a chain, up to `LONG`, adds to the nearness of its beginning."""
NEARBY = 10
"""Facts of a document that its nearness is taken from."""


@dataclass(frozen=True)
class Scenes:
    """A document's sentences with their terms; `heads`: where chapters begin, and scenes behind an empty line."""

    starts: NDArray[np.int64]
    terms: tuple[frozenset[str], ...]
    heads: NDArray[np.int64]

    @classmethod
    def of(cls, document: Document) -> Scenes:
        spans = list(sentences(document.text))
        terms = tuple(frozenset(fine_terms(document.text[start:end])) for start, end in spans)
        begins = sorted({start for _, _, start, _ in headings(document.meta)} | _gaps(document.text))
        return cls(np.array([start for start, _ in spans]), terms, np.array(begins))

    def weights(self, idf: Mapping[str, float]) -> NDArray[np.float64]:
        """Square of each sentence's share of the question's terms by weight, shape (sentences,)."""
        total = sum(idf.values()) or 1.0
        return np.array([(sum(idf.get(term, 0.0) for term in own & idf.keys()) / total) ** 2 for own in self.terms])

    def closeness(self, place: int, weights: NDArray[np.float64], reach: float, border: float) -> float:
        """How much of the question is told around `place`: exponential in the distance, less beyond a border."""
        if not len(self.starts):
            return 0.0
        near = np.exp(-np.abs(self.starts - place) / reach)
        chapter = np.searchsorted(self.heads, self.starts, side="right")
        crossed = np.abs(chapter - np.searchsorted(self.heads, place, side="right"))
        return float((weights * near * border**crossed).sum())


def _gaps(text: str) -> set[int]:
    return {match.end() for match in re.finditer(r"\n[ \t\u3000]*\n+", text)}


@dataclass(frozen=True)
class Causes:
    """`reach`: characters over which nearness falls to 1/e; `border`: what the border of a chapter or scene leaves."""

    table: FactTable
    corpus: Corpus
    reach: float = 200
    border: float = 0.5
    relation: str = CAUSE
    _scenes: dict[str, Scenes] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __call__(self, query: Query) -> list[tuple[Fact, float]]:
        """The chain from the effect nearest to the question on, each with its closeness; empty when none is told."""
        stated = self._stated(query)
        if not stated:
            return []
        common = _common([f for f, _ in stated])
        asked = event_in(event_of(query.text))
        scored = [(f, near * _asked_for(event_in(f.head), asked, common)) for f, near in stated]
        facts = [f for f, _ in scored]
        if joined(facts):
            return _longest_near(scored)
        chain = [max(scored, key=lambda each: each[1])]
        while len(chain) < LONGEST and (further := _further(chain, scored, common)):
            chain.append(further)
        return chain

    def roles(self, query: Query, asked: Collection[str]) -> list[tuple[Fact, float]]:
        """Facts of who goes with whom or who made what, as asked, those nearest to the question first."""
        relevance = self.table.relevance(query.text)
        rows = np.flatnonzero(self.table.in_scope(query.scope))
        told = [row for row in rows if _role(self.table.facts[row].relation) in asked and relevance[row] > 0]
        return [(self.table.facts[row], float(relevance[row])) for row in sorted(told, key=lambda row: -relevance[row])]

    def _stated(self, query: Query) -> list[tuple[Fact, float]]:
        """Causes that name what they bring about, in the documents nearest to the question."""
        relevance = self.table.relevance(query.text)
        rows = np.flatnonzero(self.table.in_scope(query.scope))
        of_document: dict[str, list[float]] = {}
        for row in rows:
            of_document.setdefault(self.table.facts[row].doc_id, []).append(float(relevance[row]))
        near = {doc_id: sum(sorted(values)[-NEARBY:]) for doc_id, values in of_document.items()}
        best = sorted(near, key=lambda doc_id: (-near[doc_id], doc_id))[:DOCUMENTS]
        facts = [f for f in (self.table.facts[row] for row in rows) if f.relation == self.relation and _nouns(f.head)]
        scenes = {doc_id: self._scene(doc_id) for doc_id in best if doc_id in self.corpus.by_id}
        idf = _idf(frozenset(fine_terms(event_of(query.text))), list(scenes.values()))
        weights = {doc_id: scene.weights(idf) for doc_id, scene in scenes.items()}
        return [
            (f, self._scene(f.doc_id).closeness(f.span[0], weights[f.doc_id], self.reach, self.border))
            for f in facts
            if f.doc_id in weights and f.span
        ]

    def _scene(self, doc_id: str) -> Scenes:
        if doc_id not in self._scenes:
            self._scenes[doc_id] = Scenes.of(self.corpus[doc_id])
        return self._scenes[doc_id]


def _idf(terms: frozenset[str], scenes: Sequence[Scenes]) -> dict[str, float]:
    """log(1 + sentences / sentences with the term); a term that stands nowhere weighs as one that stands once."""
    size = sum(len(scene.terms) for scene in scenes)
    counts = {term: sum(term in own for scene in scenes for own in scene.terms) for term in terms}
    return {term: float(np.log(1 + size / max(1, count))) for term, count in counts.items()}


def _longest_near(scored: Sequence[tuple[Fact, float]]) -> list[tuple[Fact, float]]:
    """The chain whose first effect is nearest to the question; one that leads further counts for nearer."""
    near_of = {id(f): near for f, near in scored}
    best: tuple[float, list[Fact]] = (-1.0, [])
    for first, near in sorted(scored, key=lambda each: -each[1])[:STARTS]:
        own = [f for f, _ in scored if f.doc_id == first.doc_id]
        chain = _to_first(onward(own, first), own)
        best = max(best, (near * (1 + FURTHER * min(len(chain), LONG)), chain), key=lambda each: each[0])
    return [(f, near_of[id(f)]) for f in best[1]]


def _to_first(chain: list[Fact], facts: Sequence[Fact]) -> list[Fact]:
    """The chain up to the first cause that its effect names; where it does not lead there, a fact that tells it."""
    first = first_cause(chain)
    ends = next((n for n, fact in enumerate(chain, start=1) if negated(fact.tail) == first), None)
    if not first or ends:
        return chain[:ends]
    told = next((fact for fact in facts if negated(fact.tail) == first and fact not in chain), None)
    return [*chain, told] if told else chain


def _further(
    chain: Sequence[tuple[Fact, float]], scored: Sequence[tuple[Fact, float]], common: frozenset[str]
) -> tuple[Fact, float] | None:
    """What brought about the last cause of the chain: an effect that shares a noun with it."""
    last, told = chain[-1][0], {event for fact, _ in chain for event in (fact.head, fact.tail)}
    wanted = links(last.tail) - common

    def joined(fact: Fact) -> float:
        return 2.0 if fact.head == last.tail else _shared(links(fact.head) & wanted, wanted)

    effects = [(fact, near) for fact, near in scored if fact.doc_id == last.doc_id and fact.tail not in told]
    effects = [each for each in effects if joined(each[0])]
    return max(effects, key=lambda each: (joined(each[0]), each[1]), default=None)


def causes_first(causes: Causes | None, query: Query, found: Sequence[Retrieved], k: int) -> list[Retrieved]:
    """For a question that asks why: the chain of causes, then what was found but for other causes; `k` in all.

    For one that asks for companions or a maker: the facts that tell of those, then what was found. Other questions, and
    those whose cause is not told, keep what was found.
    """
    asked = asked_relations(query.text) if causes else frozenset()
    if causes is None or not asked & {causes.relation, *ROLES}:
        return list(found)[:k]
    if causes.relation not in asked:
        first = lines(causes.roles(query, asked & ROLES), min(MOST_ROLES, k), "graph:roles")
        return [*first, *(each for each in found if each.text not in {line.text for line in first})][:k]
    chain = lines(causes(query), k, "graph:causes")
    others = [each for each in found if f" - {causes.relation} -> " not in each.text]
    return [*chain, *others][:k] if chain else list(found)[:k]


@lru_cache(maxsize=8192)
def event_in(text: str) -> Event:
    return event_at(text.removesuffix("(ない)"), 0)


def _asked_for(effect: Event, asked: Event, common: frozenset[str]) -> float:
    """How far an effect is what the question asks about: nouns shared, the verb, and little else told; in [0.6, 4]."""
    nouns = asked.nouns - common
    held = sum(max((alike(noun, other) for other in effect.nouns), default=0.0) for noun in nouns)
    share = held / len(nouns) if nouns else 0.0
    same = bool(effect.verbs & asked.verbs or effect.kanji & asked.kanji)
    own = sum(any(alike(other, noun) for noun in asked.nouns) for other in effect.nouns)
    return (1 + 2 * share + same) * (0.6 + 0.4 * (own / len(effect.nouns) if effect.nouns else 0.0))


def _role(relation: str) -> str:
    return "作る" if is_making(relation) else relation


def _shared(common: frozenset[str], whole: frozenset[str]) -> float:
    return len(common) / len(whole) if whole else 0.0


def _common(facts: Sequence[Fact]) -> frozenset[str]:
    """Words of more than a third of the events, three at least: they join nothing."""
    counts: dict[str, int] = {}
    for event in {event for fact in facts for event in (fact.head, fact.tail)}:
        for noun in links(event):
            counts[noun] = counts.get(noun, 0) + 1
    return frozenset(noun for noun, count in counts.items() if count > max(3, len(facts) / 3))


@lru_cache(maxsize=4096)
def _nouns(text: str) -> frozenset[str]:
    """Nouns in their normal form, without numbers, times and what counts."""
    found = (m for m in morphemes(text, "A") if m.is_noun and m.pos[1] != "数詞")
    return frozenset(m.normalized for m in found if m.pos[2] not in {"副詞可能", "助数詞可能"})
