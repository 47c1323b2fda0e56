"""Whole documents, no retrieval: `pipeline=full_context`, as far as the context window goes."""

from __future__ import annotations

from dataclasses import dataclass

from rag1.answer.reader import Reader
from rag1.chunk.chunks import Chunks
from rag1.retrieve.search import retrieved
from rag1.types import Answer, Query, Step


@dataclass(frozen=True)
class FullContext:
    """The chunks in scope in text order, up to the reader's context limit; what did not fit is flagged."""

    chunks: Chunks
    reader: Reader

    def __call__(self, query: Query) -> Answer:
        support = [
            retrieved(chunk, 0.0, "full_context")
            for chunk in self.chunks.items
            if not query.scope or chunk.doc_id in query.scope
        ]
        read = len(self.reader.context(support))
        flags = ("context_cut",) if read < len(support) else ()
        return self.reader(query, support, (Step("full context", f"{read} of {len(support)} chunks"),), flags)
