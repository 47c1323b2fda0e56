"""A model's evidence, held against what it was given: verbatim, snapped to the true passage, or dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag1.llm.tasks import Passage
from rag1.text.locate import locate
from rag1.types import NO_EVIDENCE, Document


@dataclass(frozen=True, slots=True)
class Checked:
    """`text` stands verbatim in one of the passages, or is 「なし」; `flag` says what was done to get there."""

    text: str
    flag: str = ""


def check_evidence(evidence: str, context: Sequence[Passage], near: float = 0.8) -> Checked:
    """Several passages stand on a line each.

    `near`: the least similarity (0 to 1) at which a misquoted passage is taken for the one it quotes.
    """
    if not evidence.strip() or evidence.strip() == NO_EVIDENCE:
        return Checked(NO_EVIDENCE)
    for passage in context:
        if evidence in passage.text:
            return Checked(evidence)
    lines = [line for line in evidence.splitlines() if line.strip()]
    if len(lines) > 1 and all(any(line in passage.text for passage in context) for line in lines):
        return Checked("\n".join(lines))
    found = locate(evidence, [Document(p.id, "", p.text) for p in context], near)
    if found.how == "none":
        return Checked(NO_EVIDENCE, "evidence_dropped")
    text = next(p.text for p in context if p.id == found.doc_id)[slice(*found.span)].strip()
    flag = "" if found.how in ("exact", "normalised") else "evidence_snapped"
    return Checked(text or NO_EVIDENCE, flag)
