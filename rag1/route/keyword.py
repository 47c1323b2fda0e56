"""The prize-winner's router: the question's entities, and the chunks that hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.graph.store import GraphStore
from rag1.llm.tasks import ExtractEntities
from rag1.route.votes import Votes, in_scope, ranked
from rag1.types import Llm, Query, Route

MOST_CHUNKS = 100_000
"""Chunks that a graph store may name for one entity."""


class Holding(Protocol):
    """Which chunks hold a name: chunk id → document id."""

    def __call__(self, name: str) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class ChunksHolding:
    """By the chunks' text, as it stands."""

    chunks: Chunks
    _found: dict[str, Mapping[str, str]] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, name: str) -> Mapping[str, str]:
        if name not in self._found:
            self._found[name] = {c.id: c.doc_id for c in self.chunks.items if name in c.text}
        return self._found[name]


@dataclass(frozen=True)
class GraphHolding:
    """By the MENTIONS of a knowledge graph. The name travels as a parameter, so no quote in it can break a query."""

    store: GraphStore

    def __call__(self, name: str) -> Mapping[str, str]:
        rows = self.store.read(
            "MATCH (c:Chunk)-[:MENTIONS]->(e:Entity) WHERE e.name = $name OR $name IN e.aliases "
            "RETURN DISTINCT c.id AS chunk, c.doc_id AS document",
            {"name": name},
            limit=MOST_CHUNKS,
        )
        return {str(chunk): str(document) for chunk, document in rows.rows}


@dataclass(frozen=True)
class KeywordRouter:
    """Documents by the number of their chunks that hold all entities of the question, then by those that hold any.

    A name in many chunks outweighs a telling one: this is what the other routers are measured against.
    """

    llm: Llm
    corpus: Corpus
    holding: Holding

    def __call__(self, query: Query) -> Route:
        names = self.llm(ExtractEntities(question=query.text)).names
        held = [self.holding(name) for name in dict.fromkeys(names)]
        documents = in_scope(self.corpus.by_id, query)
        for votes, how in ((self._all(held), "all"), (self._any(held), "any")):
            if any(votes.get(doc_id) for doc_id in documents):
                return ranked(votes, documents, f"{how} of {len(held)} entities")
        return ranked({}, documents, f"none of {len(held)} entities")

    def _all(self, held: list[Mapping[str, str]]) -> Votes:
        if not held:
            return {}
        common = set(held[0]).intersection(*held[1:])
        return _per_document((chunk, held[0][chunk]) for chunk in common)

    def _any(self, held: list[Mapping[str, str]]) -> Votes:
        return _per_document(pair for pair in {chunk: doc for found in held for chunk, doc in found.items()}.items())


def _per_document(pairs: Iterable[tuple[str, str]]) -> Votes:
    return {doc_id: float(count) for doc_id, count in Counter(doc_id for _, doc_id in pairs).items()}
