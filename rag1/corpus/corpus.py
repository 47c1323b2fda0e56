"""The corpus: documents in a fixed order, found by id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rag1.artifacts import fingerprint
from rag1.types import Document, Span


@dataclass(frozen=True)
class Corpus:
    """Documents, with what their notation told beside the text.

    `readings`: per document id, name → its ruby readings. `raw_offsets`: per document id, the place in the raw
    file's text of each character of `Document.text`.
    """

    documents: tuple[Document, ...]
    readings: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    raw_offsets: Mapping[str, Sequence[int]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    def raw_span(self, doc_id: str, span: Span) -> Span | None:
        """The span of the raw file's text from the first to the last character of a span of `Document.text`, marks
        between included (ruby, notes); None where the raw file is not known, or the span is empty."""
        offsets, (start, end) = self.raw_offsets.get(doc_id), span
        return (offsets[start], offsets[end - 1] + 1) if offsets and start < end else None

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint([(d.id, d.title, d.text, dict(d.meta)) for d in self.documents])

    @cached_property
    def by_id(self) -> Mapping[str, Document]:
        return {document.id: document for document in self.documents}

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __len__(self) -> int:
        return len(self.documents)

    def __getitem__(self, doc_id: str) -> Document:
        return self.by_id[doc_id]
