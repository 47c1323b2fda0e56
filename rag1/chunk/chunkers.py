"""Four ways to cut a document. Each chunk's text is a verbatim stretch of the document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rag1.corpus.notation import headings
from rag1.errors import ConfigError
from rag1.text.sentences import sentences
from rag1.types import Chunk, Document, Span

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

JAPANESE_SEPARATORS = ("\n\n", "\n", "。", "！", "？", "」", "、", "　", " ", "")


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends; empty spans come back with start == end."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


@dataclass(frozen=True)
class Recursive:
    """LangChain's RecursiveCharacterTextSplitter with Japanese separators; `size` and `overlap` in characters."""

    size: int = 512
    overlap: int = 24

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < self.size:
            raise ConfigError(f"chunker.overlap {self.overlap} must be at least 0 and under chunker.size {self.size}")

    @property
    def name(self) -> str:
        return f"recursive-{self.size}-{self.overlap}"

    @cached_property
    def _splitter(self) -> RecursiveCharacterTextSplitter:
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        return RecursiveCharacterTextSplitter(
            separators=list(JAPANESE_SEPARATORS),
            keep_separator="end",
            chunk_size=self.size,
            chunk_overlap=self.overlap,
            strip_whitespace=True,
        )

    def __call__(self, document: Document) -> list[Chunk]:
        chunks: list[Chunk] = []
        least = 0
        for piece in self._splitter.split_text(document.text):
            # The splitter keeps no offsets: pieces come in order, and none starts before its forerunner did
            # plus one, so the first match from there is the piece (repeated text included).
            start = document.text.index(piece, least)
            least = self._least(start, len(piece))
            chunks.append(Chunk.cut(document, start, start + len(piece)))
        return chunks

    def _least(self, start: int, length: int) -> int:
        """The earliest place the next piece can start at: the overlap's worth before this one's end."""
        return max(start + 1, start + length - self.overlap)


@dataclass(frozen=True)
class Sentences:
    """Windows of `window` sentences, a new one every `stride` sentences."""

    window: int = 5
    stride: int = 4

    def __post_init__(self) -> None:
        if not 1 <= self.stride <= self.window:
            raise ConfigError(f"chunker.stride {self.stride} must lie between 1 and chunker.window {self.window}")

    @property
    def name(self) -> str:
        return f"sentences-{self.window}-{self.stride}"

    def __call__(self, document: Document) -> list[Chunk]:
        spans = [s for s in (trimmed(document.text, *span) for span in sentences(document.text)) if s[0] < s[1]]
        last = max(0, len(spans) - self.window)
        starts = [*range(0, last, self.stride), last] if spans else []
        return [Chunk.cut(document, spans[n][0], spans[min(n + self.window, len(spans)) - 1][1]) for n in starts]


@dataclass(frozen=True)
class Chapters:
    """A chunk a heading; a document without headings is cut at blank lines. The heading goes into `meta`."""

    @property
    def name(self) -> str:
        return "chapters"

    def __call__(self, document: Document) -> list[Chunk]:
        found = headings(document.meta)
        cuts = [start for _, _, start, _ in found] or [m.end() for m in re.finditer(r"\n[ 　]*\n+", document.text)]
        titles = {start: title for _, title, start, _ in found}
        starts = [0, *cuts]
        chunks = []
        for start, end in zip(starts, [*cuts, len(document.text)], strict=True):
            first, last = trimmed(document.text, start, end)
            if first < last:
                meta = {"chapter": titles[start]} if start in titles else {}
                chunks.append(Chunk.cut(document, first, last, meta))
        return chunks


@dataclass(frozen=True)
class Whole:
    """The document as one chunk."""

    @property
    def name(self) -> str:
        return "whole"

    def __call__(self, document: Document) -> list[Chunk]:
        return [Chunk.cut(document, 0, len(document.text))]
