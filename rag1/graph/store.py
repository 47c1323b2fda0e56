"""The protocol of a graph store, and the smaller seam below it: a database that speaks Cypher.

Layout, the same on every store:

    (:Entity:`Type` {name, aliases, doc_ids, own…})-[:`RELATION` {id, doc_id, chunk_id, start, end, evidence, derived,
                                                                  own…}]->(:Entity)
    (:Chunk {id, doc_id, text, start, end})-[:PART_OF]->(:Document {id, title})
    (:Chunk)-[:MENTIONS]->(:Entity)

Properties that start with `_` are internal and never come out. An own property called like one of ours gets a `_`
at its end (`start_`). `start` and `end` are character offsets into the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from rag1.graph.model import Entity, Fact, GraphSchema, NameMatch, Rows, Triple
from rag1.types import Chunk, Document

Dialect = Literal["falkordb", "neo4j"]
NodeKey = Literal["name", "name_and_type"]
"""What makes two entities one node: the name (its types become several labels), or the name and the type."""

ALL: frozenset[str] = frozenset()

Vectors = NDArray[np.float32]
Hit = tuple[str, float]
"""A chunk's id and its score."""


class GraphStore(Protocol):
    """A knowledge graph in a database. Safe to use from many threads; writing the same twice changes nothing.

    Every method raises GraphDown when the database cannot be reached or falls silent, and CypherError when it refuses
    a statement. An empty `doc_ids` means all documents.
    """

    @property
    def dialect(self) -> Dialect: ...

    def prepare(self) -> None:
        """Constraints and indexes, made where they are missing. Within 15 s it answers or raises GraphDown."""

    def write_documents(self, documents: Iterable[Document]) -> int:
        """Titles and ids (not texts). Returns how many were given, as every `write_…` does."""

    def write_chunks(self, chunks: Iterable[Chunk]) -> int:
        """Chunks with their text, each PART_OF its document."""

    def write_entities(self, entities: Iterable[Entity]) -> int:
        """Entities; labels, aliases and properties are added to what an entity already has."""

    def write_triples(self, triples: Iterable[Triple]) -> int:
        """Relations, their heads and tails, and MENTIONS from their chunks where those are there."""

    def write_mentions(self, mentions: Iterable[tuple[str, str]]) -> int:
        """MENTIONS for (chunk id, entity name) pairs; a pair whose chunk or entity is not there is passed over."""

    def neighbours(self, names: Sequence[str], limit: int = 1000, doc_ids: frozenset[str] = ALL) -> list[Fact]:
        """Facts with any of these entities as head or tail, in true direction, without doubles, ordered by id.

        Names are exact (`match_names` finds them). MENTIONS and PART_OF are no facts.
        """

    def match_names(self, text: str, k: int = 10, doc_ids: frozenset[str] = ALL) -> list[NameMatch]:
        """Entities whose name or alias shares text with `text` (a name or a whole question), best first."""

    def index_chunks(self, embedder: str, ids: Sequence[str], vectors: Vectors) -> int:
        """Makes chunks searchable by vector and by text, in the database's own indexes; optional.

        `vectors`: unit length, shape (len(ids), dimensions), made by the embedder of that name. Those of another
        number of dimensions are dropped. A chunk that is not there is passed over.
        """

    def indexed_chunks(self, embedder: str) -> int:
        """How many chunks have a vector of this embedder."""

    def nearest_chunks(self, vector: Vectors, k: int = 10, doc_ids: frozenset[str] = ALL) -> list[Hit]:
        """Chunks by cosine in [-1, 1] to a unit vector, shape (dimensions,), best first.

        The index is approximate (HNSW); within `doc_ids` every chunk is compared. CypherError before `index_chunks`.
        """

    def match_chunks(self, text: str, k: int = 10, doc_ids: frozenset[str] = ALL) -> list[Hit]:
        """Chunks by full text, the database's own score, best first. CypherError before `index_chunks`."""

    def read(
        self, cypher: str, params: Mapping[str, object] | None = None, timeout: float = 10.0, limit: int = 1000
    ) -> Rows:
        """Runs a statement read-only: at most `limit` rows, `timeout` seconds. Raises CypherError when it writes.

        A store refuses writes but not every way out (LOAD CSV from a URL): statements that a person or a model
        wrote must pass `rag1.cypher.guard` first.
        """

    def explain(self, cypher: str) -> str:
        """The plan of a statement, without running it; CypherError when it does not parse."""

    def schema(self) -> GraphSchema: ...

    def entities(self, doc_ids: frozenset[str] = ALL) -> Iterator[Entity]:
        """All entities, streamed."""

    def facts(self, doc_ids: frozenset[str] = ALL, limit: int | None = None) -> Iterator[Fact]:
        """All facts, streamed."""

    def mentions(self, doc_ids: frozenset[str] = ALL) -> Iterator[tuple[str, str]]:
        """All (chunk id, entity name) pairs of MENTIONS, streamed."""

    def settle(self) -> None:
        """Called after a load: an embedded store folds its files, so that a server that is killed is soon back."""

    def counts(self) -> Mapping[str, int]:
        """How many `documents`, `chunks`, `entities`, `relations` and `mentions` there are."""

    def clear(self) -> None:
        """Deletes the whole graph."""

    def close(self) -> None:
        """Gives the connection back; an embedded server ends with its last user."""


class OpenGraph(Protocol):
    """How a config names a store: opens the graph called `name`, which may live in `folder`."""

    def __call__(self, folder: Path, name: str) -> GraphStore: ...


class Database(Protocol):
    """What differs between databases: connections, errors, indexes, full text."""

    @property
    def dialect(self) -> Dialect: ...

    def prepare(self) -> None: ...

    def write(self, statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Runs a writing statement in a transaction of its own and gives all its rows."""

    def rows(self, statement: str, params: Mapping[str, Any] | None = None) -> Iterator[tuple[Any, ...]]:
        """Runs a reading statement of ours, streaming where the database can."""

    def candidates(self, text: str, count: int) -> Iterator[tuple[Any, ...]]:
        """(name, labels, aliases, doc_ids) of entities by full text, best first, at most `count`."""

    def drop_vectors(self, dimensions: int) -> None:
        """Makes ready for writing vectors: an index of other dimensions goes, and the vectors with it."""

    def write_vectors(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Rows of `key`, `vector`, `embedder`, `tokens`."""

    def index_vectors(self, dimensions: int) -> None:
        """The indexes over chunks' vectors and texts, made where they are missing and waited for."""

    def nearest(self, vector: list[float], k: int, docs: list[str]) -> Iterator[Hit]: ...

    def chunk_candidates(self, text: str, k: int, docs: list[str]) -> Iterator[Hit]: ...

    def read(self, cypher: str, params: Mapping[str, object], timeout: float, limit: int) -> Rows: ...

    def explain(self, cypher: str) -> str: ...

    def settle(self) -> None: ...

    def clear(self) -> None: ...

    def close(self) -> None: ...
