"""The nouns of the knowledge graph. What a store writes and reads; nothing here knows a database."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from rag1.types import Span


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing with a name. `labels` are its types; `aliases` other spellings that mean it."""

    name: str
    labels: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Triple:
    """head - relation -> tail, with where it was read. `derived` marks links that follow by composition."""

    head: str
    relation: str
    tail: str
    head_type: str = ""
    tail_type: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)
    doc_id: str = ""
    chunk_id: str = ""
    span: Span | None = None
    evidence: str = ""
    derived: bool = False

    def identity(self, typed: bool = False) -> str:
        """Id of the fact that this triple states. Writing it twice gives one fact; `typed` counts the types in."""
        types = (self.head_type, self.tail_type) if typed else ()
        own = [part for item in sorted(self.properties.items()) for part in item] if self.properties else ()
        place = (self.doc_id, self.chunk_id, self.evidence)
        parts = (self.head, self.relation, self.tail, *place, *types, *own)
        # The lengths say where each part ends: texts that only run together the same way stay different facts.
        text = f"{''.join(parts)}{self.span}{tuple(map(len, parts))}"
        return "fact:" + hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation as a store gives it back, always in its true direction. `id` is `Triple.identity()`."""

    id: str
    head: str
    relation: str
    tail: str
    properties: Mapping[str, str] = field(default_factory=dict)
    doc_id: str = ""
    chunk_id: str = ""
    span: Span | None = None
    evidence: str = ""
    derived: bool = False
    score: float = 0.0

    @property
    def text(self) -> str:
        """One line: `head - RELATION -> tail (key: value, …)`."""
        line = f"{self.head} - {self.relation} -> {self.tail}"
        if self.properties:
            line += " (" + ", ".join(f"{key}: {value}" for key, value in self.properties.items()) + ")"
        return " ".join(line.split())


@dataclass(frozen=True, slots=True)
class NameMatch:
    """An entity found by name. `matched` is its name or alias that fits best; `score` in [0, 1]: `names.overlap`."""

    name: str
    labels: tuple[str, ...]
    aliases: tuple[str, ...]
    matched: str
    score: float


@dataclass(frozen=True, slots=True)
class RelationPattern:
    """(:start)-[:relation]->(:end), seen `count` times. Several labels of one node are joined with `:`."""

    start: str
    relation: str
    end: str
    count: int


@dataclass(frozen=True, slots=True)
class PropertyKey:
    """A property of an entity label or relation (`owner`), with a few values that it has."""

    owner: str
    key: str
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphSchema:
    """What a graph holds, for prompts and checks. Only own properties are listed, not those of the layout."""

    labels: Mapping[str, int]
    patterns: tuple[RelationPattern, ...]
    entity_keys: tuple[PropertyKey, ...]
    relation_keys: tuple[PropertyKey, ...]

    @property
    def relations(self) -> Mapping[str, int]:
        """Relationship types between entities with their counts, most frequent first."""
        counts: dict[str, int] = {}
        for pattern in self.patterns:
            counts[pattern.relation] = counts.get(pattern.relation, 0) + pattern.count
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


Value = str | int | float | bool | None | list["Value"] | dict[str, "Value"]
"""What a cell of a result can be: nodes and relations come as maps of their public properties."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A table. `cut` says that the store had more rows than were asked for."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    cut: bool = False
