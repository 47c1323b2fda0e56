"""Where a counting question wants the count: which document, which chapter."""

from __future__ import annotations

import re

from rag1.corpus.corpus import Corpus
from rag1.corpus.notation import headings
from rag1.retrieve.count_question import CountQuestion
from rag1.text.aozora_nouns import Heading
from rag1.text.count import chapters
from rag1.text.normalize import normalize
from rag1.types import Document, Query, Span


def documents_asked(asked: CountQuestion, query: Query, corpus: Corpus) -> list[Document]:
    """The documents in scope; of those, the ones whose title the question quotes, where it quotes any."""
    documents = [document for document in corpus if not query.scope or document.id in query.scope]
    quoted = {normalize(quotation) for quotation in asked.quoted}
    titled = [d for d in documents if not quoted.isdisjoint(map(normalize, title_forms(d.title)))]
    return titled or documents


def title_forms(title: str) -> tuple[str, ...]:
    """A title as it stands, and without 小説 and the like before it."""
    return tuple(dict.fromkeys((title, re.sub("^(?:小説|物語|戯曲)[ 　]*", "", title) or title)))


def chapter_span(chapter: str, document: Document) -> Span | None:
    """The span of the one chapter with this number or heading; None where there is none, or more than one."""
    found = [Heading(int(level), title, start, end) for level, title, start, end in headings(document.meta)]
    wanted = normalize(chapter)
    spans = [span for heading, span in chapters(found, len(document.text)) if _is(wanted, normalize(heading.title))]
    return spans[0] if len(spans) == 1 else None


def _is(wanted: str, heading: str) -> bool:
    """第3章 is the heading 第3章, 第3章 海, 3, その3 or （3）海, but not 第13章 nor 第3節."""
    if wanted == heading:
        return True
    numbered = re.fullmatch(r"(?:第(\d+)([章節回話部])|その(\d+))", wanted)
    if not numbered:
        return wanted in heading
    number, kind = numbered[1] or numbered[3], numbered[2] or ""
    at = re.match(r"\W*(?:第|その)?(\d+)([章節回話部]?)", heading)
    return bool(at and at[1] == number and (not kind or at[2] in ("", kind)))
