"""Evidence in several parts, each led back to the sentence of the corpus that it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rag1.answer.evidence import check_evidence
from rag1.answer.rows import JOINT
from rag1.corpus.corpus import Corpus
from rag1.llm.tasks import Passage
from rag1.types import NO_EVIDENCE, Retrieved

_PARTS = re.compile(rf"{JOINT}|\n+")


def grounded(evidence: Iterable[str], support: Sequence[Retrieved], corpus: Corpus, near: float = 0.8) -> str:
    """Parts joined by ｜｜, in order, once each: a fact's line as the sentence it was read from, other parts verbatim.

    A part that stands in no text of a document that was retrieved is dropped; 「なし」 where none is left.
    """
    places = {item.text: item for item in reversed(support)}
    passages = [Passage(id=item.id, text=item.text) for item in support if item.doc_id in corpus.by_id]
    done: dict[str, None] = {}
    for part in (piece.strip() for text in evidence for piece in _PARTS.split(text)):
        item = places.get(part)
        document = corpus.by_id.get(item.doc_id) if item and item.span else None
        if item and item.span and document:
            done[document.text[slice(*item.span)].strip()] = None
        elif part and (checked := check_evidence(part, passages, near).text) != NO_EVIDENCE:
            done[checked] = None
    return JOINT.join(done) or NO_EVIDENCE
