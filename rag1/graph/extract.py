"""Text to triples: the protocol of an extractor, what it gives for a chunk, and the reading of a model's drafts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rag1.graph.model import Entity, Triple
from rag1.graph.names import LONGEST
from rag1.llm.tasks import TripleDraft
from rag1.text.locate import locate
from rag1.text.sentences import sentences
from rag1.types import Chunk, Document, Span

LONGEST_NAME = 200
"""Characters of a node's name: a whole clause may be one (an event), a paragraph may not."""

VALUE_TYPES = frozenset({"Time", "Date", "Number", "Quantity"})
"""Types of nodes that are values: they also become properties of the node they belong to."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A triple that was not taken: `draft` as the model gave it, `reason` why."""

    reason: str
    draft: str


@dataclass(frozen=True, slots=True)
class ChunkTriples:
    """What one chunk gave. `error` is empty unless the chunk failed as a whole; `tries` counts the answers asked for.

    `entities` are nodes whose properties the model gave; others follow from the triples.
    """

    chunk_id: str
    triples: tuple[Triple, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    entities: tuple[Entity, ...] = ()
    error: str = ""
    tries: int = 1


class Memory(Protocol):
    """What an earlier, interrupted extraction left on disk."""

    @property
    def done(self) -> Mapping[str, ChunkTriples]:
        """Results of chunks that are paid for, by chunk id."""

    def note(self, key: str, make: Callable[[], str]) -> str:
        """A text that is made once and kept, such as a document's summary."""


class Extractor(Protocol):
    """One way of reading triples. `name` is part of the graph's fingerprint."""

    @property
    def name(self) -> str: ...

    def __call__(self, document: Document, chunks: Sequence[Chunk], memory: Memory) -> Iterator[ChunkTriples]:
        """Results of the chunks that `memory` does not have, in text order, as they come."""


def read_drafts(
    drafts: Iterable[TripleDraft], chunk: Chunk, need_types: bool = True
) -> tuple[tuple[Triple, ...], tuple[Skipped, ...]]:
    """Drafts as triples with their place in the document; those that are none, with the reason."""
    good: dict[str, Triple] = {}
    bad: list[Skipped] = []
    for draft in drafts:
        fault = fault_of(draft, need_types)
        span = None if fault else place_of(draft, chunk.text)
        if fault or span is None:
            bad.append(Skipped(fault or "neither evidence nor names stand in the chunk", shown(draft)))
            continue
        triple = _triple(draft, chunk, span)
        good.setdefault(triple.identity(typed=True), triple)
    return tuple(good.values()), tuple(bad)


def shown(draft: TripleDraft) -> str:
    return json.dumps(draft.model_dump(exclude_defaults=True), ensure_ascii=False)


def fault_of(draft: TripleDraft, need_types: bool = True) -> str:
    """Why a draft is no triple, or ""."""
    for field in ("head", "relation", "tail"):
        if not getattr(draft, field).strip():
            return f"empty {field}"
    for field in ("head_type", "tail_type") if need_types else ():
        if not getattr(draft, field).strip():
            return f"missing {field}"
    if draft.head.strip() == draft.tail.strip():
        return "head and tail are the same"
    for field, most in (("head", LONGEST_NAME), ("tail", LONGEST_NAME), ("relation", LONGEST)):
        if len(getattr(draft, field)) > most:
            return f"{field} of {len(getattr(draft, field))} characters, over {most}"
    if any(len(t) > LONGEST for t in (draft.head_type, draft.tail_type, *draft.properties)):
        return f"a type or property key of over {LONGEST} characters"
    return ""


def place_of(draft: TripleDraft, text: str) -> Span | None:
    """The span of the draft's evidence in `text`: as quoted, or the sentence it names, or one that has its names."""
    if draft.evidence.strip():
        found = locate(draft.evidence, (Document("", "", text),))
        if found.how != "none":
            return found.span
    spans = sentences(text)
    if draft.sentence is not None and 0 <= draft.sentence < len(spans):
        return _trimmed(text, spans[draft.sentence])
    names = [name for name in (draft.head.strip(), draft.tail.strip()) if name in text]
    ranked = [(sum(name in text[start:end] for name in names), -start, (start, end)) for start, end in spans]
    best = max(ranked, default=(0, 0, (0, 0)))
    return _trimmed(text, best[2]) if best[0] else None


def _trimmed(text: str, span: Span) -> Span:
    body = text[span[0] : span[1]]
    return span[0] + len(body) - len(body.lstrip()), span[1] - len(body) + len(body.rstrip())


def _triple(draft: TripleDraft, chunk: Chunk, span: Span) -> Triple:
    start, end = chunk.span[0] + span[0], chunk.span[0] + span[1]
    properties = {key.strip(): value.strip() for key, value in draft.properties.items() if key.strip() and value}
    return Triple(
        _name(draft.head),
        draft.relation.strip(),
        _name(draft.tail),
        draft.head_type.strip(),
        draft.tail_type.strip(),
        properties,
        chunk.doc_id,
        chunk.id,
        (start, end),
        chunk.text[span[0] : span[1]],
    )


def _name(text: str) -> str:
    """A name without white space around it or brackets that only quote it."""
    text = " ".join(text.split())
    quoted = len(text) > 2 and text[0] in "「『" and text[-1] in "」』" and text[1:-1].count(text[0]) == 0
    return text[1:-1] if quoted else text


def known_names(results: Iterable[ChunkTriples], most: int) -> tuple[str, ...]:
    """Names met so far, those met most often first; events and values left out."""
    counts: dict[str, int] = {}
    for result in results:
        for triple in result.triples:
            for name, kind in ((triple.head, triple.head_type), (triple.tail, triple.tail_type)):
                if kind not in VALUE_TYPES | {"Event"} and len(name) <= 20:
                    counts[name] = counts.get(name, 0) + 1
    return tuple(sorted(counts, key=lambda name: -counts[name])[:most])
