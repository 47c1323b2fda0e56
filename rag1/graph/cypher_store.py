"""The graph store over any database that speaks Cypher: one implementation of `GraphStore` for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag1.errors import ConfigError
from rag1.graph import batch
from rag1.graph.model import Entity, Fact, GraphSchema, NameMatch, Rows, Triple
from rag1.graph.names import ENTITY_KEYS, FACT_KEYS, given_keys, overlap, types_of
from rag1.graph.read_schema import SchemaReader
from rag1.graph.store import ALL, Database, Dialect, Hit, Vectors
from rag1.types import Chunk, Document

VECTORS_AT_ONCE = 200
"""Rows of a batch of vectors: some 400 numbers each, written out as text on FalkorDB."""

_FACT = "h.name, type(r), t.name, properties(r)"
_IN_DOCS = "(size($docs) = 0 OR r.doc_id IN $docs)"
OUTGOING = (
    f"UNWIND $names AS n MATCH (h:Entity {{_name: n}})-[r]->(t:Entity) WHERE {_IN_DOCS} "
    f"RETURN {_FACT} ORDER BY r.id LIMIT $limit"
)
INCOMING = (
    f"UNWIND $names AS n MATCH (t:Entity {{_name: n}})<-[r]-(h:Entity) WHERE {_IN_DOCS} "
    f"RETURN {_FACT} ORDER BY r.id LIMIT $limit"
)
FACTS = f"MATCH (h:Entity)-[r]->(t:Entity) WHERE {_IN_DOCS} RETURN {_FACT}"
ALL_ENTITIES = (
    "MATCH (e:Entity) WHERE size($docs) = 0 OR any(d IN e.doc_ids WHERE d IN $docs) RETURN labels(e), properties(e)"
)
EXACT = "UNWIND $names AS n MATCH (e:Entity {_name: n}) RETURN e.name, labels(e), e.aliases, e.doc_ids"
ALL_MENTIONS = "MATCH (c:Chunk)-[:MENTIONS]->(e:Entity) WHERE size($docs) = 0 OR c.doc_id IN $docs RETURN c.id, e.name"
COUNTS = {
    "documents": "MATCH (n:Document) RETURN count(n)",
    "chunks": "MATCH (n:Chunk) RETURN count(n)",
    "entities": "MATCH (n:Entity) RETURN count(n)",
    "relations": "MATCH (:Entity)-[r]->(:Entity) RETURN count(r)",
    "mentions": "MATCH (:Chunk)-[r:MENTIONS]->(:Entity) RETURN count(r)",
}
TEXTS = "UNWIND $keys AS key MATCH (c:Chunk {_key: key}) RETURN c._key, c.text"
INDEXED = "MATCH (c:Chunk {_embedder: $embedder}) RETURN count(c)"


@dataclass(frozen=True)
class CypherStore:
    """`GraphStore` over a `Database`. `loader` says how rows are batched and what makes a node one."""

    database: Database
    loader: batch.Loader
    dialect: Dialect = field(init=False)
    _schema: SchemaReader = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dialect", self.database.dialect)
        object.__setattr__(self, "_schema", SchemaReader(self.database))

    def prepare(self) -> None:
        self.database.prepare()

    def write_documents(self, documents: Iterable[Document]) -> int:
        return self._write(batch.DOCUMENTS, batch.document_rows(documents))

    def write_chunks(self, chunks: Iterable[Chunk]) -> int:
        return self._write(batch.CHUNKS, batch.chunk_rows(chunks))

    def _write(self, statement: str, rows: Iterable[batch.Row]) -> int:
        count = 0
        for part in batch.slices(rows, self.loader.size):
            self.database.write(statement, {"rows": part})
            count += len(part)
        return count

    def write_entities(self, entities: Iterable[Entity]) -> int:
        self._schema.drop()
        count = 0
        for slab in batch.slices(entities, self.loader.size * batch.SLAB):
            for statement, rows in self.loader.entities(slab):
                self.database.write(statement, {"rows": rows})
                self._index_aliases([row["key"] for row in rows if row["aliases"]])
            count += len(slab)
        return count

    def _index_aliases(self, keys: list[str]) -> None:
        """An entity's terms cover all its aliases, those of earlier loads too: read them back first."""
        if keys:
            known = self.database.rows(batch.ALIASES, {"keys": keys})
            self.database.write(batch.TOKENS, {"rows": batch.token_rows(self.loader, known)})

    def write_triples(self, triples: Iterable[Triple]) -> int:
        self._schema.drop()
        count = 0

        def counted() -> Iterator[Triple]:
            nonlocal count
            for count, triple in enumerate(triples, 1):  # noqa: B007
                yield triple

        for statement, rows in self.loader.triples(counted()):
            self.database.write(statement, {"rows": rows})
        return count

    def write_mentions(self, mentions: Iterable[tuple[str, str]]) -> int:
        return self._write(batch.NAMED_MENTIONS, batch.mention_rows(mentions))

    def neighbours(self, names: Sequence[str], limit: int = 1000, doc_ids: frozenset[str] = ALL) -> list[Fact]:
        params = {"names": _keys_of(names), "docs": sorted(doc_ids), "limit": limit}
        found = {}
        for statement in (OUTGOING, INCOMING):
            for fact in map(_fact, self.database.rows(statement, params)):
                found[fact.id, fact.head, fact.tail] = fact
        return [found[key] for key in sorted(found)][:limit]

    def match_names(self, text: str, k: int = 10, doc_ids: frozenset[str] = ALL) -> list[NameMatch]:
        """A lone character inside a text is no bigram, so names are also looked up as they stand."""
        asked = frozenset(self.loader.tokenizer(text)) | frozenset(text)
        exact = self.database.rows(EXACT, {"names": _keys_of([text, *text])})
        rows = [*exact, *self.database.candidates(batch.clean(text), 50 * k)]
        matches = {
            (row[0], tuple(row[1])): self._match(asked, row)
            for row in rows
            if not doc_ids or not doc_ids.isdisjoint(row[3] or ())
        }
        ranked = sorted(matches.values(), key=lambda m: (-m.score, -len(m.matched), m.name, m.labels))
        return [match for match in ranked if match.score > 0][:k]

    def _match(self, asked: frozenset[str], row: tuple[Any, ...]) -> NameMatch:
        name, labels, aliases, _ = row
        scored = [(overlap(asked, frozenset(self.loader.tokenizer(n))), len(n), n) for n in (name, *(aliases or ()))]
        score, _, matched = max(scored)
        return NameMatch(name, types_of(labels), tuple(aliases or ()), matched, score)

    def index_chunks(self, embedder: str, ids: Sequence[str], vectors: Vectors) -> int:
        if len(ids) != len(vectors):
            raise ConfigError(f"{len(vectors)} vectors for {len(ids)} chunks: give one for each")
        self.database.drop_vectors(vectors.shape[1])
        for part in batch.slices(zip(map(batch.node_key, ids), vectors, strict=True), VECTORS_AT_ONCE):
            vector_of = dict(part)
            texts = self.database.rows(TEXTS, {"keys": list(vector_of)})
            rows = [
                {"key": key, "vector": vector_of[key].tolist(), "embedder": embedder, "tokens": self.loader.tokens([t])}
                for key, t in texts
            ]
            self.database.write_vectors(rows)
        self.database.index_vectors(vectors.shape[1])
        self.database.settle()
        return len(ids)

    def indexed_chunks(self, embedder: str) -> int:
        return int(next(self.database.rows(INDEXED, {"embedder": embedder}))[0])

    def nearest_chunks(self, vector: Vectors, k: int = 10, doc_ids: frozenset[str] = ALL) -> list[Hit]:
        return _ranked(self.database.nearest(vector.tolist(), k, sorted(doc_ids)))

    def match_chunks(self, text: str, k: int = 10, doc_ids: frozenset[str] = ALL) -> list[Hit]:
        return _ranked(self.database.chunk_candidates(batch.clean(text), k, sorted(doc_ids)))

    def read(
        self, cypher: str, params: Mapping[str, object] | None = None, timeout: float = 10.0, limit: int = 1000
    ) -> Rows:
        return self.database.read(cypher, params or {}, timeout, limit)

    def explain(self, cypher: str) -> str:
        return self.database.explain(cypher)

    def schema(self) -> GraphSchema:
        """Read once, whichever thread asks first, until this store writes."""
        return self._schema()

    def entities(self, doc_ids: frozenset[str] = ALL) -> Iterator[Entity]:
        for labels, stored in self.database.rows(ALL_ENTITIES, {"docs": sorted(doc_ids)}):
            own = given_keys(stored, ENTITY_KEYS)
            yield Entity(stored["name"], types_of(labels), own, tuple(stored.get("aliases") or ()))

    def facts(self, doc_ids: frozenset[str] = ALL, limit: int | None = None) -> Iterator[Fact]:
        statement = FACTS if limit is None else f"{FACTS} LIMIT {int(limit)}"
        return map(_fact, self.database.rows(statement, {"docs": sorted(doc_ids)}))

    def mentions(self, doc_ids: frozenset[str] = ALL) -> Iterator[tuple[str, str]]:
        return ((c, e) for c, e in self.database.rows(ALL_MENTIONS, {"docs": sorted(doc_ids)}))

    def counts(self) -> Mapping[str, int]:
        return {name: next(self.database.rows(statement))[0] for name, statement in COUNTS.items()}

    def settle(self) -> None:
        self.database.settle()

    def clear(self) -> None:
        self._schema.drop()
        self.database.clear()

    def close(self) -> None:
        self.database.close()


def _ranked(hits: Iterable[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))


def _keys_of(names: Iterable[str]) -> list[str]:
    return [batch.node_key(name) for name in dict.fromkeys(names)]


def _fact(row: tuple[Any, ...]) -> Fact:
    head, relation, tail, stored = row
    span = (stored["start"], stored["end"]) if "start" in stored and "end" in stored else None
    place = stored.get("doc_id", ""), stored.get("chunk_id", ""), span
    own = given_keys(stored, FACT_KEYS)
    relation = stored.get("_relation", relation)
    return Fact(
        stored["id"], head, relation, tail, own, *place, stored.get("evidence", ""), stored.get("derived", False)
    )
