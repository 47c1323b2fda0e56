"""What a graph holds, read from its database: in few statements, once, whichever thread asks first."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rag1.graph.model import GraphSchema, PropertyKey, RelationPattern
from rag1.graph.names import ENTITY_KEYS, FACT_KEYS, types_of
from rag1.graph.store import Database

MOST_NODES = 20_000
MOST_RELATIONS = 200_000
"""Nodes and relationships that a schema is read from: of a larger graph it counts a part."""

EXAMPLES = 3
SHOWN = 80
"""Characters of an example."""

LABELS = "MATCH (e:Entity) UNWIND labels(e) AS label RETURN label, count(*)"
_OWN = "WHERE NOT key IN $ours AND NOT key STARTS WITH '_'"
# FalkorDB looks into the matrix of every type for each pair of nodes that an untyped pattern meets (2,000 types for a
# few novels): so all that is asked of relationships is asked in one pass.
RELATIONS = (
    "MATCH (h:Entity)-[r]->(t:Entity) WITH h, r, t LIMIT $most "
    f"WITH labels(h) AS start, type(r) AS relation, labels(t) AS end, [key IN keys(r) {_OWN} | [key, r[key]]] AS own "
    "RETURN start, relation, end, count(*), collect(CASE WHEN size(own) > 0 THEN own END)"
)
ENTITIES = (
    f"MATCH (e:Entity) WITH e LIMIT $most UNWIND keys(e) AS key WITH e, key {_OWN} UNWIND labels(e) AS owner "
    "RETURN owner, key, count(*), collect(DISTINCT e[key])[..3]"
)


@dataclass
class SchemaReader:
    """The schema of a database, kept until `drop` is called: a run's graph does not change."""

    database: Database
    _kept: GraphSchema | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __call__(self) -> GraphSchema:
        with self._lock:
            if self._kept is None:
                self._kept = read_schema(self.database)
            return self._kept

    def drop(self) -> None:
        """After a write: the next call reads anew."""
        with self._lock:
            self._kept = None


def read_schema(database: Database) -> GraphSchema:
    """Labels and patterns most frequent first; own properties by owner, most frequent first."""
    rows = list(database.rows(RELATIONS, {"most": MOST_RELATIONS, "ours": sorted(FACT_KEYS)}))
    patterns = [RelationPattern(_joined(start), relation, _joined(end), n) for start, relation, end, n, _ in rows]
    entities = database.rows(ENTITIES, {"most": MOST_NODES, "ours": sorted(ENTITY_KEYS)})
    return GraphSchema(
        dict(sorted(database.rows(LABELS), key=lambda row: (-row[1], row[0]))),
        tuple(sorted(patterns, key=lambda p: (-p.count, p.relation, p.start, p.end))),
        _sorted(PropertyKey(owner, key, n, _examples(values)) for owner, key, n, values in entities),
        _sorted(_relation_keys(rows)),
    )


def _relation_keys(rows: Iterable[tuple[Any, ...]]) -> Iterable[PropertyKey]:
    found: dict[tuple[str, str], list[object]] = {}
    for _, relation, _, _, owned in rows:
        for own in owned:
            for key, value in own:
                found.setdefault((relation, key), []).append(value)
    for (relation, key), values in found.items():
        yield PropertyKey(relation, key, len(values), _examples(values))


def _examples(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(value)[:SHOWN] for value in values))[:EXAMPLES]


def _sorted(keys: Iterable[PropertyKey]) -> tuple[PropertyKey, ...]:
    return tuple(sorted(keys, key=lambda p: (p.owner, -p.count, p.key)))


def _joined(labels: Iterable[str]) -> str:
    return ":".join(types_of(labels)) or "Entity"
