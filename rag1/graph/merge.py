"""Merges: which names mean one entity, and which relation names one relation. Raw triples stay as they were read, so
that a merge is undone by applying the others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from rag1.graph.extract import VALUE_TYPES
from rag1.graph.model import Entity, Triple

Kind = Literal["entity", "relation"]
By = Literal["link", "variant", "reading", "short", "statement", "model", "table"]


@dataclass(frozen=True, slots=True)
class Merge:
    """`alias` becomes `canonical`: an entity's name within one document, or a relation's everywhere (`doc_id` "").

    `by` is the rule that did it, `why` what it went by.
    """

    kind: Kind
    doc_id: str
    alias: str
    canonical: str
    by: By
    why: str
    score: float = 1.0

    @property
    def id(self) -> str:
        text = json.dumps((self.kind, self.doc_id, self.alias, self.canonical), ensure_ascii=False)
        return "merge:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def __str__(self) -> str:
        where = f" [{self.doc_id}]" if self.doc_id else ""
        return f"{self.alias} → {self.canonical}{where} ({self.by}: {self.why})"


def merge_of(record: Mapping[str, Any]) -> Merge:
    return Merge(**record)


def without(merges: Iterable[Merge], undone: Collection[str]) -> tuple[Merge, ...]:
    """The merges but for those with these ids."""
    return tuple(merge for merge in merges if merge.id not in undone)


def applied(triples: Iterable[Triple], merges: Iterable[Merge]) -> list[Triple]:
    """Triples under their canonical names. Nothing but names of heads, tails and relations changes."""
    entities: dict[tuple[str, str], str] = {}
    relations: dict[str, str] = {}
    for merge in merges:
        if merge.kind == "entity":
            entities[merge.doc_id, merge.alias] = merge.canonical
        else:
            relations[merge.alias] = merge.canonical

    def entity(doc_id: str, name: str) -> str:
        for _ in range(len(entities)):
            further = entities.get((doc_id, name), name)
            if further == name:
                break
            name = further
        return name

    return [
        replace(
            t,
            head=entity(t.doc_id, t.head),
            relation=relations.get(t.relation, t.relation),
            tail=entity(t.doc_id, t.tail),
        )
        for t in triples
    ]


def entities_of(
    triples: Sequence[Triple], merges: Sequence[Merge] = (), given: Iterable[tuple[str, Entity]] = ()
) -> tuple[Entity, ...]:
    """The graph's nodes by name: types, aliases, and as properties the values (times, numbers) that triples give them.

    `given`: nodes whose own properties an extractor read, each with its document, under the name it read there.
    """
    labels: dict[str, dict[str, None]] = {}
    properties: dict[str, dict[str, str]] = {}
    for t in triples:
        for name, kind in ((t.head, t.head_type), (t.tail, t.tail_type)):
            labels.setdefault(name, {}).update({kind: None} if kind else {})
        if t.tail_type in VALUE_TYPES:
            properties.setdefault(t.head, {}).setdefault(t.relation, t.tail)
    aliases: dict[str, dict[str, None]] = {}
    for merge in merges:
        if merge.kind == "entity" and merge.canonical in labels:
            aliases.setdefault(merge.canonical, {})[merge.alias] = None
    canonical = {(merge.doc_id, merge.alias): merge.canonical for merge in merges if merge.kind == "entity"}
    for doc_id, entity in given:
        name = canonical.get((doc_id, entity.name), entity.name)
        if name in labels:
            properties.setdefault(name, {}).update(entity.properties)
    return tuple(
        Entity(name, tuple(kinds), properties.get(name, {}), tuple(aliases.get(name, ())))
        for name, kinds in labels.items()
    )
