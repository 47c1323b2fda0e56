"""Evidence that is a graph fact, given as the sentence of the document that the fact was read from."""

from __future__ import annotations

from dataclasses import replace

from rag1.corpus.corpus import Corpus
from rag1.types import NO_EVIDENCE, Answer


def with_quotations(answer: Answer, corpus: Corpus) -> Answer:
    """Lines of facts in the evidence become the text at the facts' place; lines without a place stay as they are."""
    if answer.evidence == NO_EVIDENCE:
        return answer
    places = {item.text: item for item in answer.support if item.by.startswith("graph") and item.span}
    parts: dict[str, None] = {}
    for line in answer.evidence.splitlines():
        item = places.get(line.strip())
        document = corpus.by_id.get(item.doc_id) if item else None
        parts[document.text[slice(*item.span)].strip() if item and item.span and document else line] = None
    return replace(answer, evidence="\n".join(parts))
