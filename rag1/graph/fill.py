"""A built graph into a store: once, whole, and known to be whole."""

from __future__ import annotations

import json
import random
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rag1.chunk.chunks import Chunks
from rag1.graph.extract import VALUE_TYPES
from rag1.graph.model import Entity, Triple
from rag1.graph.store import GraphStore
from rag1.types import Chunk

LOADED = "loaded.json"
SAMPLE = 20
"""Facts that are looked up to tell that a store still holds the graph it was filled with."""

LEAST_NAME = 2
"""Characters from which a name found in a chunk's text counts as mentioned there: a lone character is often a part of
another word. Where a triple was read, its names count whatever their length."""

UNNAMED = VALUE_TYPES | {"Event"}


def fill(store: GraphStore, place: Path, chunks: Chunks, entities: Sequence[Entity], triples: Sequence[Triple]) -> None:
    """Deletes what the store holds under this name and writes the graph. `loaded.json` is written last."""
    (place / LOADED).unlink(missing_ok=True)
    store.clear()
    store.prepare()
    store.write_documents(chunks.corpus)
    store.write_chunks(chunks.items)
    store.write_triples(triples)
    store.write_entities(entity for entity in entities if entity.aliases or entity.properties)
    store.write_mentions(mentions(chunks, entities, triples))
    store.settle()
    place.mkdir(parents=True, exist_ok=True)
    (place / LOADED).write_text(json.dumps(dict(store.counts())), encoding="utf-8")


def holds(store: GraphStore, place: Path, triples: Sequence[Triple]) -> bool:
    """Is the store filled with this graph? By the counts of the filling, and a sample of its facts."""
    try:
        loaded = json.loads((place / LOADED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    if dict(store.counts()) != loaded:
        return False
    sample = random.Random(0).sample(list(triples), min(SAMPLE, len(triples)))  # noqa: S311
    heads = {name for t in sample for name in (t.head,)}
    there = {(f.head, f.relation, f.tail) for f in store.neighbours(sorted(heads), limit=100_000)}
    return all((t.head, t.relation, t.tail) in there for t in sample)


def mentions(chunks: Chunks, entities: Sequence[Entity], triples: Sequence[Triple]) -> Iterator[tuple[str, str]]:
    """(chunk id, entity name) wherever a chunk's text has a name or alias of an entity of the same document.

    Of names inside each other the longest counts. Events and values have no names.
    """
    named = {entity.name: entity for entity in entities if not entity.labels or set(entity.labels) - UNNAMED}
    of_document: dict[str, dict[str, str]] = {}
    for t in triples:
        names = of_document.setdefault(t.doc_id, {})
        for entity in (named[name] for name in (t.head, t.tail) if name in named):
            names.update({alias: entity.name for alias in entity.aliases if alias not in names})
            names[entity.name] = entity.name
    for document in chunks.corpus:
        yield from _in_text(document.text, chunks.of_document[document.id], of_document.get(document.id, {}))


def _in_text(text: str, chunks: Sequence[Chunk], names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    starts = [chunk.span[0] for chunk in chunks]
    covered = bytearray(len(text))
    found: dict[tuple[str, str], None] = {}
    for name in sorted((n for n in names if len(n) >= LEAST_NAME), key=len, reverse=True):
        at = text.find(name)
        while at >= 0:
            end = at + len(name)
            if not covered[at]:
                covered[at:end] = b"\1" * len(name)
                for chunk in _holding(chunks, starts, at, end):
                    found[chunk.id, names[name]] = None
            at = text.find(name, end)
    yield from found


def _holding(chunks: Sequence[Chunk], starts: Sequence[int], at: int, end: int) -> Iterator[Chunk]:
    """The chunks that have the stretch whole; chunks overlap, so there may be several."""
    last = bisect_right(starts, at)
    for chunk in reversed(chunks[:last]):
        if chunk.span[1] >= end:
            yield chunk
        elif chunk.span[1] <= at:
            return
