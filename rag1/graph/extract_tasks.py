"""Three ways of asking a model for triples, each through a typed task.

`TypedRelations` passes the names met so far on, so that names stay one across chunks. `ContextTriples` gives each
chunk a summary of the whole document too, so that left-out subjects are filled in. `SentenceTriples` asks a sentence
at a time and keeps its number.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag1.errors import CallFailed, ConfigError, Deadline, UnreadableReply
from rag1.graph.extract import ChunkTriples, Memory, Skipped, known_names, read_drafts
from rag1.graph.identity import llm_identity
from rag1.graph.model import Triple
from rag1.llm.tasks import ExtractTriples, SummariseDocument, Triples
from rag1.text.sentences import sentences
from rag1.types import Chunk, Document, Llm

log = logging.getLogger(__name__)
FAILED = (CallFailed, Deadline, UnreadableReply)
"""What costs one chunk; anything else would meet the next chunk too."""

TRIES = 2
SUMMARISED = 12_000
"""Characters of a document that its summary is made from: its beginning, where persons and places are introduced."""


def ask(llm: Llm, task: ExtractTriples, chunk: Chunk, need_types: bool = True) -> ChunkTriples:
    """The chunk's triples; asked once more where the answer failed or held a bad triple. The better answer is kept."""
    best: ChunkTriples | None = None
    skipped: list[Skipped] = []
    error = ""
    for repeat in range(TRIES):
        try:
            reply = llm(task, repeat=repeat)
        except FAILED as failure:
            error = f"{type(failure).__name__}: {failure}"
            log.info("chunk %s: %s", chunk.id, error)
            continue
        found = _read(reply, chunk, need_types)
        skipped.extend(found.skipped)
        if best is None or len(found.triples) > len(best.triples):
            best = found
        if not found.skipped:
            break
    if best is None:
        return ChunkTriples(chunk.id, error=error, tries=TRIES)
    return replace(best, skipped=tuple(dict.fromkeys(skipped)), tries=repeat + 1)


def _read(reply: Triples, chunk: Chunk, need_types: bool) -> ChunkTriples:
    triples, bad = read_drafts(reply.triples, chunk, need_types)
    misshapen = tuple(Skipped(reason, item) for reason, item in reply.rejected)
    return ChunkTriples(chunk.id, triples, misshapen + bad)


@dataclass(frozen=True)
class TypedRelations:
    """head, head_type, relation, tail, tail_type; at most `known` names met so far are given with a chunk."""

    llm: Llm
    known: int = 60
    need_types: bool = True

    @property
    def name(self) -> str:
        return f"typed_relations known={self.known} types={self.need_types} {llm_identity(self.llm, ExtractTriples)}"

    def __call__(
        self,
        document: Document,  # noqa: ARG002  the protocol's
        chunks: Sequence[Chunk],
        memory: Memory,
    ) -> Iterator[ChunkTriples]:
        results: list[ChunkTriples] = []
        for chunk in chunks:
            if chunk.id in memory.done:
                results.append(memory.done[chunk.id])
                continue
            known = known_names(results, self.known)
            results.append(ask(self.llm, ExtractTriples(text=chunk.text, known=known), chunk, self.need_types))
            yield results[-1]


@dataclass(frozen=True)
class ContextTriples:
    """Each chunk is read beside a summary of the whole document; nodes so far are given as well."""

    llm: Llm
    known: int = 60
    need_types: bool = True

    @property
    def name(self) -> str:
        who = llm_identity(self.llm, ExtractTriples, SummariseDocument)
        return f"context_triples known={self.known} types={self.need_types} {who}"

    def __call__(self, document: Document, chunks: Sequence[Chunk], memory: Memory) -> Iterator[ChunkTriples]:
        results = [memory.done[chunk.id] for chunk in chunks if chunk.id in memory.done]
        left = [chunk for chunk in chunks if chunk.id not in memory.done]
        if not left:
            return
        summary = memory.note(f"summary of {document.id}", lambda: self._summary(document))
        for chunk in left:
            known = known_names(results, self.known)
            task = ExtractTriples(text=chunk.text, style="context_triples", known=known, context=summary)
            results.append(ask(self.llm, task, chunk, self.need_types))
            yield results[-1]

    def _summary(self, document: Document) -> str:
        """Raises ProviderError: without it no chunk of the document can be read as it should be."""
        task = SummariseDocument(title=document.title, text=document.text[:SUMMARISED])
        return self.llm(task).text


@dataclass(frozen=True)
class SentenceTriples:
    """`window` sentences at a time; each triple has its sentence's number in the document (from 0) as `sentence`."""

    llm: Llm
    window: int = 1
    known: int = 60
    need_types: bool = True

    def __post_init__(self) -> None:
        if self.window < 1:
            raise ConfigError(f"extractor.window={self.window} is no number of sentences; set 1 or more")

    @property
    def name(self) -> str:
        who = llm_identity(self.llm, ExtractTriples)
        return f"sentence_triples {self.window} known={self.known} types={self.need_types} {who}"

    def __call__(self, document: Document, chunks: Sequence[Chunk], memory: Memory) -> Iterator[ChunkTriples]:
        starts = [start for start, _ in sentences(document.text)]
        results: list[ChunkTriples] = []
        for chunk in chunks:
            if chunk.id in memory.done:
                results.append(memory.done[chunk.id])
                continue
            known = known_names(results, self.known)
            results.append(self._chunk(chunk, known, starts))
            yield results[-1]

    def _chunk(self, chunk: Chunk, known: tuple[str, ...], starts: Sequence[int]) -> ChunkTriples:
        parts = [self._part(chunk, at, known) for at in _windows(chunk.text, self.window)]
        failed = [part.error for part in parts if part.error]
        if failed and len(failed) == len(parts):
            return ChunkTriples(chunk.id, error=failed[0], tries=sum(part.tries for part in parts))
        triples = [_numbered(triple, starts) for part in parts for triple in part.triples]
        skipped = [bad for part in parts for bad in part.skipped] + [Skipped(error, "") for error in failed]
        return ChunkTriples(chunk.id, tuple(triples), tuple(skipped), tries=sum(part.tries for part in parts))

    def _part(self, chunk: Chunk, at: tuple[int, int], known: tuple[str, ...]) -> ChunkTriples:
        start, end = chunk.span[0] + at[0], chunk.span[0] + at[1]
        part = replace(chunk, text=chunk.text[at[0] : at[1]], span=(start, end))
        task = ExtractTriples(text=part.text, style="sentence_triples", known=known)
        return ask(self.llm, task, part, self.need_types)


def _windows(text: str, size: int) -> list[tuple[int, int]]:
    spans = [span for span in sentences(text) if text[span[0] : span[1]].strip()]
    return [(spans[n][0], spans[min(n + size, len(spans)) - 1][1]) for n in range(0, len(spans), size)]


def _numbered(triple: Triple, starts: Sequence[int]) -> Triple:
    assert triple.span is not None
    number = bisect_right(starts, triple.span[0]) - 1
    return replace(triple, properties={**triple.properties, "sentence": str(number)})
