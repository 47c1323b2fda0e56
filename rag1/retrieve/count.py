"""Exact counts as evidence: how often a word or a name stands in a document, with every place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol

from rag1.chunk.chunks import Chunks
from rag1.corpus.notation import headings
from rag1.graph.store import GraphStore
from rag1.llm.tasks import ClassifyQuestion
from rag1.retrieve.count_lines import Tally, line
from rag1.retrieve.count_named import things_named
from rag1.retrieve.count_question import CountQuestion, read_count_question
from rag1.retrieve.count_scope import chapter_span, documents_asked, title_forms
from rag1.text.count import Counter, Occurrence
from rag1.text.dialogue import dialogue_spans, within
from rag1.types import Document, Llm, Query, Retrieved, Span

MOST_DOCUMENTS = 5
"""Documents that get a line of their own where the question leaves open which one it means."""

MOST_NAMED = 30
"""Things of a class over which none are claimed: the doubts of a text that names so many add up."""


class Aliases(Protocol):
    """Other names of the thing that `name` means in a document; without the name itself."""

    def __call__(self, name: str, doc_id: str) -> Sequence[str]: ...


@dataclass(frozen=True)
class RubyAliases:
    """A name's ruby readings of three kana and more, and the names that a reading belongs to."""

    chunks: Chunks

    def __call__(self, name: str, doc_id: str) -> Sequence[str]:
        readings = self.chunks.corpus.readings.get(doc_id, {})
        bases = [base for base, found in readings.items() if name in found]
        return [*(r for r in readings.get(name, ()) if len(r) > 2), *bases]


@dataclass(frozen=True)
class GraphAliases:
    """The aliases that a knowledge graph keeps of the entity with exactly this name."""

    store: GraphStore

    def __call__(self, name: str, doc_id: str) -> Sequence[str]:
        for match in self.store.match_names(name, 10, frozenset({doc_id})):
            if name in (known := (match.name, *match.aliases)):
                return [other for other in known if other != name]
        return []


@dataclass(frozen=True)
class NoCounts:
    """`count=off`."""

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        del query, k
        return []


@dataclass(frozen=True)
class CountRetriever:
    """Counts what a counting question asks for; finds nothing for any other question, or where the rules are in doubt.

    The wording decides; where a count is not plain from it, `llm` classifies the question, and an unquoted name is
    taken too. `mode` "chunks" counts as the prize-winner did: chunks that hold the word (overlaps count twice, two
    in a chunk once, other spellings not at all).
    """

    llm: Llm
    chunks: Chunks
    aliases: Aliases
    mode: Literal["exact", "chunks"] = "exact"

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        asked = read_count_question(query.text, self._titles) or self._loose(query)
        if asked is None:
            return []
        documents = documents_asked(asked, query, self.chunks.corpus)
        tallies = [t for t in (self._tally(asked, document) for document in documents) if t]
        sure = len(documents) == 1
        tallies = sorted(
            (t for t in tallies if t.total or (sure and asked.counted != "named")), key=lambda t: -t.total
        )[:MOST_DOCUMENTS]
        return [line(tally, asked) for tally in tallies][:k]

    @cached_property
    def _titles(self) -> frozenset[str]:
        return frozenset(form for document in self.chunks.corpus for form in title_forms(document.title))

    def _loose(self, query: Query) -> CountQuestion | None:
        asked = read_count_question(query.text, self._titles, loose=True)
        if asked is None or self.llm(ClassifyQuestion(question=query.text)).kind != "counting":
            return None
        return asked

    def _tally(self, asked: CountQuestion, document: Document) -> Tally | None:
        if self.mode == "chunks":
            return self._chunks(asked, document)
        span = chapter_span(asked.chapter, document) if asked.chapter else (0, len(document.text))
        if span is None:
            return None
        if asked.counted == "named":
            found = self._named(asked, document, span)
        else:
            found = self._places(asked, document, self._names(asked, document), span)
        if not asked.headings:
            cut = [(start, end) for _, _, start, end in headings(document.meta)]
            found = {n: [o for o in places if not _inside(o, cut)] for n, places in found.items()}
        inside = self._within(asked, document, span) - len(found[asked.names[0]]) if asked.counted == "word" else 0
        return Tally(document, {name: tuple(places) for name, places in found.items()}, within=max(0, inside))

    def _named(self, asked: CountQuestion, document: Document, span: Span) -> dict[str, list[Occurrence]]:
        """Every thing of the class in this part of the text; nothing where the text names too many to tell apart."""
        named = things_named(asked.names[0], document.text, lambda name: self.aliases(name, document.id))
        if len(named) > MOST_NAMED:
            return {}
        spoken = dialogue_spans(document.text)
        found: dict[str, list[Occurrence]] = {}
        for name, places in named.items():
            for start, end in places:
                said = within(spoken, start)
                if span[0] <= start < span[1] and asked.where in ("anywhere", "dialogue" if said else "narration"):
                    found.setdefault(name, []).append(Occurrence(start, end, document.text[start:end], said))
        return found

    def _within(self, asked: CountQuestion, document: Document, span: Span) -> int:
        """Places of the bare string, also those inside longer names: said beside a count of words that differs."""
        if not asked.headings:
            return 0
        return len(Counter(asked.where, "none").word(document.text, asked.names[0], span=span))

    def _names(self, asked: CountQuestion, document: Document) -> Mapping[str, Sequence[str]]:
        if asked.counted in ("thing", "listed"):
            return {name: [name, *self.aliases(name, document.id)] for name in asked.names}
        return {name: [name] for name in asked.names}

    def _places(
        self, asked: CountQuestion, document: Document, names: Mapping[str, Sequence[str]], span: Span
    ) -> dict[str, list[Occurrence]]:
        """As it stands; in other spellings only where it does not stand so at all."""
        counter = Counter(asked.where, "none" if asked.counted == "character" else "names")
        found = counter.entities(document.text, names, span=span)
        if any(found.values()) or asked.counted == "character":
            return found
        return replace(counter, spelling="normalised").entities(document.text, names, span=span)

    def _chunks(self, asked: CountQuestion, document: Document) -> Tally | None:
        """Each chunk that holds the name is one place: its first mention."""
        if asked.counted in ("listed", "named"):
            return None
        name = asked.names[0]
        held = [(c, c.text.find(name)) for c in self.chunks.of_document[document.id] if name in c.text]
        places = (Occurrence(c.span[0] + at, c.span[0] + at + len(name), name, in_dialogue=False) for c, at in held)
        return Tally(document, {name: tuple(places)}, unit="チャンク")


def _inside(occurrence: Occurrence, spans: Sequence[Span]) -> bool:
    return any(start <= occurrence.start < end for start, end in spans)
