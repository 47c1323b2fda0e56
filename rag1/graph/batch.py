"""Triples and entities to statements with rows: UNWIND batches, grouped by what a parameter cannot carry.

Neo4j takes labels and relationship types from the rows (`$(row.relation)`), and one statement, planned once, writes
them all. FalkorDB wants them in the statement, so rows are grouped by them. Everything else is a parameter on both.
Statements MERGE on identity: running one twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, islice
from typing import Any, TypeVar

from rag1.graph.model import Entity, Triple
from rag1.graph.names import ENTITY_KEYS, FACT_KEYS, identifier, labels_of, own_keys, quoted
from rag1.graph.store import NodeKey
from rag1.types import Chunk, Document, Tokenizer

Row = dict[str, Any]
Batch = tuple[str, list[Row]]
T = TypeVar("T")

SLAB = 20
"""Batches of triples that are grouped at once: bounds memory, keeps batches full."""

REMEMBERED = 200_000
"""Nodes of one load whose keys and terms are kept, so that a name met again costs nothing."""

_BAD = re.compile(r"[\x00\ud800-\udfff]")

DOCUMENTS = "UNWIND $rows AS row MERGE (d:Document {_key: row.key}) SET d.id = row.id, d.title = row.title"
CHUNKS = (
    "UNWIND $rows AS row MERGE (d:Document {_key: row.doc_key}) ON CREATE SET d.id = row.doc_id "
    "MERGE (c:Chunk {_key: row.key}) "
    "SET c.id = row.id, c.doc_id = row.doc_id, c.text = row.text, c.start = row.start, c.end = row.end "
    "MERGE (c)-[:PART_OF]->(d)"
)
ENTITIES = (
    "UNWIND $rows AS row MERGE (e:Entity {{_key: row.key}}) "
    "ON CREATE SET e.name = row.name, e._name = row.name_key, e._tokens = row.tokens, e.aliases = row.aliases, "
    "e.doc_ids = row.doc_ids "
    "ON MATCH SET e.aliases = e.aliases + [x IN row.aliases WHERE NOT x IN e.aliases], "
    "e.doc_ids = e.doc_ids + [x IN row.doc_ids WHERE NOT x IN e.doc_ids] "
    "SET {labels}e += row.properties"
)
ALIASES = "UNWIND $keys AS key MATCH (e:Entity {_key: key}) RETURN e._key, e.name, e.aliases"
TOKENS = "UNWIND $rows AS row MATCH (e:Entity {_key: row.key}) SET e._tokens = row.tokens"
RELATIONS = (
    "UNWIND $rows AS row MATCH (h:Entity {{_key: row.head}}) MATCH (t:Entity {{_key: row.tail}}) "
    "MERGE (h)-[r:{relation} {{id: row.id}}]->(t) SET r += row.properties"
)
MENTIONS = (
    "UNWIND $rows AS row MATCH (c:Chunk {_key: row.chunk_key}) MATCH (e:Entity {_key: row.key}) "
    "MERGE (c)-[:MENTIONS]->(e)"
)
NAMED_MENTIONS = (
    "UNWIND $rows AS row MATCH (c:Chunk {_key: row.chunk_key}) MATCH (e:Entity {_name: row.name_key}) "
    "MERGE (c)-[:MENTIONS]->(e)"
)


def slices(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """`items` in order in lists of `size`, the last one shorter."""
    source = iter(items)
    while part := list(islice(source, size)):
        yield part


def clean(text: str) -> str:
    """`text` without what UTF-8 or a C string cannot hold: lone surrogates and NUL."""
    # Whatever is printable has neither, and asking that is far cheaper than searching.
    return text if text.isprintable() else _BAD.sub("", text)


def node_key(*parts: str) -> str:
    """24 hex digits that stand for a name in indexes.

    FalkorDB's index does not find a value with space at its ends, over 4,096 bytes or empty, and its unique
    constraint crashes the server on one; a hash is none of these, and short.
    """
    return blake2b(clean("\n".join(parts)).encode(), digest_size=12).hexdigest()


def document_rows(documents: Iterable[Document]) -> Iterator[Row]:
    return ({"key": node_key(d.id), "id": clean(d.id), "title": clean(d.title)} for d in documents)


def chunk_rows(chunks: Iterable[Chunk]) -> Iterator[Row]:
    for chunk in chunks:
        start, end = chunk.span
        keys = {"key": node_key(chunk.id), "doc_key": node_key(chunk.doc_id)}
        place = {"id": clean(chunk.id), "doc_id": clean(chunk.doc_id), "start": start, "end": end}
        yield {**keys, **place, "text": clean(chunk.text)}


def mention_rows(mentions: Iterable[tuple[str, str]]) -> Iterator[Row]:
    for chunk_id, name in mentions:
        yield {"chunk_key": node_key(chunk_id), "name_key": node_key(name)}


@dataclass(slots=True)
class _Node:
    """What a batch says of a node: `name_key` and `tokens` stay, the rest is what is new since the last batch."""

    name: str
    name_key: str
    tokens: str = ""
    labels: set[str] = field(default_factory=set)
    doc_ids: dict[str, None] = field(default_factory=dict)
    aliases: dict[str, None] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Loader:
    """Turns entities and triples into batches of `size` rows. `tokenizer` makes the full-text terms of a name.

    `types_in_rows`: the database takes labels and relationship types as parameters.
    """

    tokenizer: Tokenizer
    node_key: NodeKey = "name"
    size: int = 1000
    types_in_rows: bool = False

    def key(self, name: str, kind: str) -> str:
        """Identity of a node. A label has no line end, so label and name cannot run together."""
        return node_key(name) if self.node_key == "name" else node_key("".join(labels_of([kind])), name)

    def tokens(self, names: Iterable[str]) -> str:
        return " ".join(dict.fromkeys(token for name in names for token in self.tokenizer(name)))

    def entities(self, entities: Iterable[Entity]) -> Iterator[Batch]:
        nodes: dict[str, _Node] = {}
        for entity in entities:
            kinds = (entity.labels or ("",)) if self.node_key == "name_and_type" else ("",)
            for kind in kinds:
                node = nodes.setdefault(self.key(entity.name, kind), _Node(clean(entity.name), node_key(entity.name)))
                node.labels.update(entity.labels if self.node_key == "name" else (kind,))
                node.aliases.update(dict.fromkeys(clean(a) for a in entity.aliases if a.strip()))
                node.properties.update(own_keys(entity.properties, ENTITY_KEYS))
        yield from self.nodes(nodes)

    def triples(self, triples: Iterable[Triple]) -> Iterator[Batch]:
        """Of each slab nodes first, then relations, then mentions, so that every relation finds its ends."""
        load = _Load(self)
        for slab in slices(triples, self.size * SLAB):
            yield from load.slab(slab)

    def nodes(self, nodes: dict[str, _Node]) -> Iterator[Batch]:
        groups: dict[tuple[str, ...], list[Row]] = {}
        for key, node in nodes.items():
            labels = _labels(tuple(node.labels))
            node.tokens = node.tokens or self.tokens([node.name, *node.aliases])
            own = {k: clean(v) for k, v in node.properties.items()} if node.properties else {}
            row: Row = {"key": key, "name": node.name, "name_key": node.name_key, "tokens": node.tokens}
            row |= {"aliases": list(node.aliases), "doc_ids": list(node.doc_ids), "labels": labels, "properties": own}
            groups.setdefault(() if self.types_in_rows else labels, []).append(row)
        for labels, rows in groups.items():
            yield from self.cut(ENTITIES.format(labels=self._setter(labels)), rows)

    def _setter(self, labels: tuple[str, ...]) -> str:
        if self.types_in_rows:
            return "e:$(row.labels), "
        return "e:" + ":".join(map(quoted, labels)) + ", " if labels else ""

    def relations(self, groups: dict[str, dict[str, Row]]) -> Iterator[Batch]:
        """`groups`: rows by relationship type, and by fact id to drop doubles."""
        if self.types_in_rows:
            rows = chain.from_iterable(group.values() for group in groups.values())
            yield from self.cut(RELATIONS.format(relation="$(row.relation)"), rows)
        else:
            for relation, group in groups.items():
                yield from self.cut(RELATIONS.format(relation=quoted(relation)), group.values())

    def cut(self, statement: str, rows: Iterable[Row]) -> Iterator[Batch]:
        return ((statement, part) for part in slices(rows, self.size))


@dataclass
class _Load:
    """One load of triples. A name is met many times, in one slab and over slabs, and hashed once."""

    loader: Loader
    known: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """Node keys by (name, type, document) as they have been told to the database or are in `fresh`."""
    nodes: dict[str, _Node] = field(default_factory=dict)
    fresh: dict[str, _Node] = field(default_factory=dict)
    """Nodes that this slab says something new of."""

    def slab(self, triples: Iterable[Triple]) -> Iterator[Batch]:
        relations: dict[str, dict[str, Row]] = {}
        mentions: dict[str, dict[str, None]] = {}
        known, typed = self.known, self.loader.node_key == "name_and_type"
        for t in triples:
            head = known.get((t.head, t.head_type, t.doc_id)) or self._meet(t.head, t.head_type, t.doc_id)
            tail = known.get((t.tail, t.tail_type, t.doc_id)) or self._meet(t.tail, t.tail_type, t.doc_id)
            fact_id, relation = t.identity(typed), identifier(t.relation)
            row: Row = {"head": head, "tail": tail, "id": fact_id, "relation": relation}
            relations.setdefault(relation, {})[fact_id] = {**row, "properties": _properties(t, relation)}
            if t.chunk_id:
                mentions.setdefault(t.chunk_id, {}).update({head: None, tail: None})
        yield from self._batches(relations, mentions)

    def _batches(self, relations: dict[str, dict[str, Row]], mentions: dict[str, dict[str, None]]) -> Iterator[Batch]:
        yield from self.loader.nodes(self.fresh)
        yield from self.loader.relations(relations)
        chunk_keys = ((node_key(chunk_id), keys) for chunk_id, keys in mentions.items())
        pairs = ({"chunk_key": chunk_key, "key": key} for chunk_key, keys in chunk_keys for key in keys)
        yield from self.loader.cut(MENTIONS, pairs)
        self._forget()

    def _forget(self) -> None:
        for node in self.fresh.values():
            node.labels, node.doc_ids = set(), {}
        self.fresh.clear()
        if len(self.nodes) > REMEMBERED:
            self.nodes.clear()
            self.known.clear()

    def _meet(self, name: str, kind: str, doc_id: str) -> str:
        """The key of the node, which now knows this type and document."""
        key = self.known[name, kind, doc_id] = self.loader.key(name, kind)
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = _Node(clean(name), node_key(name))
        self.fresh[key] = node
        if kind:
            node.labels.add(kind)
        if doc_id:
            node.doc_ids[clean(doc_id)] = None
        return key


@lru_cache(maxsize=8192)
def _labels(types: tuple[str, ...]) -> tuple[str, ...]:
    return labels_of(types)


def _properties(triple: Triple, relation: str) -> Row:
    """What a relation is stored with; `relation` is its type, which may spell its name differently."""
    own = own_keys(triple.properties, FACT_KEYS) if triple.properties else {}
    properties: Row = {key: clean(value) for key, value in own.items()}
    properties["evidence"] = clean(triple.evidence)
    properties["derived"] = triple.derived
    if triple.doc_id:
        properties["doc_id"] = clean(triple.doc_id)
    if triple.chunk_id:
        properties["chunk_id"] = clean(triple.chunk_id)
    if triple.span:
        properties["start"], properties["end"] = triple.span
    if relation != triple.relation:
        properties["_relation"] = clean(triple.relation)
    return properties


def token_rows(loader: Loader, rows: Iterable[tuple[Any, ...]]) -> list[Row]:
    """Full-text terms for (key, name, aliases) rows, once a node's aliases are all known."""
    return [{"key": key, "tokens": loader.tokens([name, *aliases])} for key, name, aliases in rows]
