"""The chunks of a whole corpus: made once, in text order, found by id and by place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from rag1.artifacts import fingerprint
from rag1.corpus.corpus import Corpus
from rag1.types import Chunk, Chunker


@dataclass(frozen=True)
class Chunks:
    """All chunks of `corpus` as `chunker` cuts it. Row n of an index is `items[n]`."""

    corpus: Corpus
    chunker: Chunker

    @cached_property
    def items(self) -> tuple[Chunk, ...]:
        return tuple(chunk for document in self.corpus for chunk in self.chunker(document))

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint(self.corpus.fingerprint, self.chunker.name)

    @cached_property
    def by_id(self) -> Mapping[str, Chunk]:
        return {chunk.id: chunk for chunk in self.items}

    @cached_property
    def of_document(self) -> Mapping[str, tuple[Chunk, ...]]:
        groups: dict[str, list[Chunk]] = {document.id: [] for document in self.corpus}
        for chunk in self.items:
            groups[chunk.doc_id].append(chunk)
        return {doc_id: tuple(chunks) for doc_id, chunks in groups.items()}

    @cached_property
    def _place(self) -> Mapping[str, int]:
        return {chunk.id: n for chunks in self.of_document.values() for n, chunk in enumerate(chunks)}

    def around(self, chunk: Chunk, before: int = 1, after: int = 1) -> tuple[Chunk, ...]:
        """The chunk with its neighbours in the same document, in text order."""
        siblings, place = self.of_document[chunk.doc_id], self._place[chunk.id]
        return siblings[max(0, place - before) : place + after + 1]
