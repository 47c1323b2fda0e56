"""Triples and entities to statements with rows: UNWIND batches, grouped by what a parameter cannot carry.

Labels and relationship types must stand in the statement, so rows are grouped by them; everything else is a
parameter. Statements MERGE on identity: running one twice changes nothing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import Any, TypeVar

from rag1.graph.model import Entity, Triple
from rag1.graph.names import ENTITY_KEYS, FACT_KEYS, identifier, labels_of, own_keys, quoted
from rag1.graph.store import NodeKey
from rag1.types import Chunk, Document, Tokenizer

Row = dict[str, Any]
Batch = tuple[str, list[Row]]
T = TypeVar("T")

AHEAD = 100
"""Batches that may wait to be written: about the memory of one more slab."""

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


def slices(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """`items` in order in lists of `size`, the last one shorter."""
    source = iter(items)
    while part := list(islice(source, size)):
        yield part


def clean(text: str) -> str:
    """`text` without what UTF-8 or a C string cannot hold: lone surrogates and NUL."""
    return _BAD.sub("", text) if _BAD.search(text) else text


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


@dataclass
class _Node:
    """What one load knows of a node, over all triples that name it."""

    name: str
    labels: set[str] = field(default_factory=set)
    doc_ids: dict[str, None] = field(default_factory=dict)
    aliases: dict[str, None] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Loader:
    """Turns entities and triples into batches of `size` rows. `tokens` makes the full-text terms of a name."""

    tokenizer: Tokenizer
    node_key: NodeKey = "name"
    size: int = 1000

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
                node = nodes.setdefault(self.key(entity.name, kind), _Node(clean(entity.name)))
                node.labels.update(entity.labels if self.node_key == "name" else (kind,))
                node.aliases.update(dict.fromkeys(clean(a) for a in entity.aliases if a.strip()))
                node.properties.update(own_keys(entity.properties, ENTITY_KEYS))
        yield from self._node_batches(nodes)

    def triples(self, triples: Sequence[Triple]) -> Iterator[Batch]:
        """Nodes first, then relations, then mentions, so that every relation finds its ends."""
        keys = _Keys(self)
        relations: dict[str, dict[str, Row]] = {}
        mentions: dict[tuple[str, str], None] = {}
        for triple in triples:
            head = keys.meet(triple.head, triple.head_type, triple.doc_id)
            tail = keys.meet(triple.tail, triple.tail_type, triple.doc_id)
            row = self._relation_row(triple, head, tail)
            relations.setdefault(identifier(triple.relation), {})[row["id"]] = row
            if triple.chunk_id:
                mentions[triple.chunk_id, head] = mentions[triple.chunk_id, tail] = None
        yield from self._node_batches(keys.nodes)
        for relation, rows in relations.items():
            yield from self._cut(RELATIONS.format(relation=quoted(relation)), rows.values())
        for part in slices(mentions, self.size):
            yield MENTIONS, [{"chunk_key": node_key(chunk_id), "key": key} for chunk_id, key in part]

    def _relation_row(self, triple: Triple, head: str, tail: str) -> Row:
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
        if identifier(triple.relation) != triple.relation:
            properties["_relation"] = clean(triple.relation)
        identity = triple.identity(typed=self.node_key == "name_and_type")
        return {"head": head, "tail": tail, "id": identity, "properties": properties}

    def _node_batches(self, nodes: dict[str, _Node]) -> Iterator[Batch]:
        groups: dict[tuple[str, ...], list[Row]] = {}
        for key, node in nodes.items():
            names = {"name": node.name, "name_key": node_key(node.name)}
            row = {"key": key, **names, "tokens": self.tokens([node.name, *node.aliases])}
            lists = {"aliases": list(node.aliases), "doc_ids": [clean(d) for d in node.doc_ids]}
            own = {k: clean(v) for k, v in node.properties.items()}
            groups.setdefault(labels_of(node.labels), []).append({**row, **lists, "properties": own})
        for labels, rows in groups.items():
            setter = "e:" + ":".join(quoted(label) for label in labels) + ", " if labels else ""
            yield from self._cut(ENTITIES.format(labels=setter), rows)

    def _cut(self, statement: str, rows: Iterable[Row]) -> Iterator[Batch]:
        return ((statement, part) for part in slices(rows, self.size))


@dataclass
class _Keys:
    """The nodes that the triples of one load name, each met many times and hashed once."""

    loader: Loader
    nodes: dict[str, _Node] = field(default_factory=dict)
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def meet(self, name: str, kind: str, doc_id: str) -> str:
        """The key of the node, which now knows this type and document."""
        key = self._known.get((name, kind))
        if key is None:
            key = self._known[name, kind] = self.loader.key(name, kind)
            node = self.nodes.setdefault(key, _Node(clean(name)))
            if kind:
                node.labels.add(kind)
        if doc_id:
            self.nodes[key].doc_ids[doc_id] = None
        return key


def token_rows(loader: Loader, rows: Iterable[tuple[Any, ...]]) -> list[Row]:
    """Full-text terms for (key, name, aliases) rows, once a node's aliases are all known."""
    return [{"key": key, "tokens": loader.tokens([name, *aliases])} for key, name, aliases in rows]


def run(batches: Iterable[Batch], write: Callable[[str, dict[str, Any]], object]) -> None:
    """Writes batches in order, one at a time, while the next ones are being made. The first error ends it."""
    with ThreadPoolExecutor(1, "graph-write") as sender:
        sent: deque[Future[object]] = deque()
        try:
            for statement, rows in batches:
                sent.append(sender.submit(write, statement, {"rows": rows}))
                while len(sent) > AHEAD or (sent and sent[0].done()):
                    sent.popleft().result()
            while sent:
                sent.popleft().result()
        finally:
            for waiting in sent:
                waiting.cancel()
