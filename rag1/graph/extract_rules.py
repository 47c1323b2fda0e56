"""Triples by rule, without a model: patterns over Sudachi's words, or GiNZA's dependencies and entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import Literal

from rag1.errors import ConfigError, Unavailable
from rag1.graph.extract import ChunkTriples, Memory, known_names, read_drafts
from rag1.graph.identity import rules_digest
from rag1.llm.rules.lineage import BEFORE
from rag1.llm.rules.triples import extract_triples
from rag1.llm.tasks import ExtractTriples, TripleDraft
from rag1.text.sentences import sentences
from rag1.types import Chunk, Document, Span


@dataclass(frozen=True)
class Rules:
    """`engine`: sudachi (patterns), ginza (dependencies and entities; needs the extra), or both joined.

    Whole sentences are read: one that a chunk's border cuts is read once, with the chunk that holds most of it.
    """

    engine: Literal["sudachi", "ginza", "both"] = "sudachi"
    known: int = 200

    def __post_init__(self) -> None:
        if self.engine not in ("sudachi", "ginza", "both"):
            raise ConfigError(f"extractor.engine={self.engine!r} is none of sudachi, ginza, both")
        if self.engine != "sudachi" and not _version("ja-ginza"):
            raise Unavailable(
                f"extractor.engine={self.engine} needs the extra ginza (pip install 'rag1[ginza]')", "graph/extractor"
            )

    @property
    def name(self) -> str:
        ginza = "" if self.engine == "sudachi" else f" ja-ginza {_version('ja-ginza')}"
        return f"rules {self.engine} known={self.known} {rules_digest()}{ginza}"

    def __call__(self, document: Document, chunks: Sequence[Chunk], memory: Memory) -> Iterator[ChunkTriples]:
        results: list[ChunkTriples] = []
        for chunk, span in zip(chunks, stretches(document, chunks), strict=True):
            if chunk.id in memory.done:
                results.append(memory.done[chunk.id])
                continue
            results.append(self._read(document, chunk, span, known_names(results, self.known)))
            yield results[-1]

    def _read(self, document: Document, chunk: Chunk, span: Span, known: tuple[str, ...]) -> ChunkTriples:
        """The chunk's own sentences; a cut one may reach a little over its border."""
        text = document.text[span[0] : span[1]]
        drafts: list[TripleDraft] = []
        if self.engine != "ginza":
            before = document.text[max(0, span[0] - BEFORE) : span[0]]
            after = document.text[span[1] : span[1] + BEFORE]
            drafts += extract_triples(ExtractTriples(text=text, known=known), before, after).triples
        if self.engine != "sudachi":
            from rag1.graph.extract_ginza import ginza_drafts

            drafts += ginza_drafts(text)
        stretch = replace(chunk, text=text, span=span)
        triples, skipped = read_drafts(drafts, stretch, need_types=False)
        return ChunkTriples(chunk.id, triples, skipped)


def stretches(document: Document, chunks: Sequence[Chunk]) -> list[Span]:
    """For each chunk the stretch of whole sentences that is read with it; every sentence belongs to one chunk."""
    spans: list[Span | None] = [None] * len(chunks)
    first = 0
    for sentence in sentences(document.text):
        while first < len(chunks) and chunks[first].span[1] <= sentence[0]:
            first += 1
        shares = [-_shared(chunk.span, sentence) for chunk in _until(chunks, first, sentence[1])]
        if shares:
            best = first + shares.index(min(shares))
            known = spans[best]
            spans[best] = (known[0] if known else sentence[0], sentence[1])
    return [span or (chunk.span[0], chunk.span[0]) for span, chunk in zip(spans, chunks, strict=True)]


def _until(chunks: Sequence[Chunk], first: int, end: int) -> Iterator[Chunk]:
    for chunk in islice(chunks, first, None):
        if chunk.span[0] >= end:
            return
        yield chunk


def _shared(a: Span, b: Span) -> int:
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
