"""Rows of a statement to an answer: straight from one column of values, or read; with the sentences behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag1.answer.quote import with_quotations
from rag1.answer.reader import Reader
from rag1.corpus.corpus import Corpus
from rag1.retrieve.cypher import Outcome, row_lines
from rag1.types import NO_EVIDENCE, Answer, Query, Retrieved, Step

JOINT = "｜｜"
"""Between passages of evidence that stand in different places."""


@dataclass(frozen=True)
class RowsAnswer:
    """`direct`: most values of a single column that are the answer as they stand; more, or several columns, are read.

    0 lets the model read every result.
    """

    reader: Reader
    corpus: Corpus
    direct: int = 10
    confidence: float = 0.8

    def __call__(self, query: Query, outcome: Outcome, steps: Sequence[Step] = (), flags: Sequence[str] = ()) -> Answer:
        """Raises what the model raises. A cut result is flagged `rows_cut`."""
        support = [*outcome.facts, *row_lines(outcome)]
        flags = [*flags, *(["rows_cut"] if outcome.cut else [])]
        values = column(outcome)
        if values and len(values) <= self.direct:
            evidence = evidence_of(outcome, values) or NO_EVIDENCE
            return Answer(
                query.id, "、".join(values), evidence, tuple(support), trace=tuple(steps), flags=tuple(flags),
                confidence=self.confidence,
            )  # fmt: skip
        return self._read(query, outcome, support, steps, flags)

    def _read(
        self, query: Query, outcome: Outcome, support: list[Retrieved], steps: Sequence[Step], flags: Sequence[str]
    ) -> Answer:
        answer = self.reader(query, support, steps, flags)
        if answer.evidence == NO_EVIDENCE:
            return answer
        told = {fact.text: text for fact, text in _told(outcome)}
        if evidence := told.get(answer.evidence) or evidence_of(outcome, [answer.text]):
            return replace(answer, evidence=evidence)
        return with_quotations(answer, self.corpus)


def column(outcome: Outcome) -> list[str]:
    """The values of a result of one column, without repeats; empty for any other result."""
    if len(outcome.rows.columns) != 1:
        return []
    cells = [row[0] for row in outcome.rows.rows if row[0] is not None and not isinstance(row[0], bool)]
    if not all(isinstance(cell, str | int | float) for cell in cells):
        return []
    return list(dict.fromkeys(str(cell) for cell in cells if cell != ""))


def evidence_of(outcome: Outcome, values: Sequence[str]) -> str:
    """The sentences of one path to each value, in the path's order; of several paths the one with the fewest letters.

    A value that is no entity (a count) stands on all paths: those of the first match are given.
    """
    parts: dict[str, None] = {}
    for value in values:
        ending = [at for at, path in enumerate(outcome.paths) if _leads_to(path, value)]
        candidates = ending or ([] if parts else list(range(len(outcome.paths)))[:1])
        if candidates:
            best = min(candidates, key=lambda at: (len("".join(outcome.evidence[at])), at))
            parts.update(dict.fromkeys(_sentences(outcome.evidence[best])))
    return JOINT.join(parts)


def _leads_to(path: Sequence[Retrieved], value: str) -> bool:
    return any(said(fact, value) for fact in path)


def said(fact: Retrieved, value: str) -> bool:
    """Whether a value is one of the fact's ends."""
    return bool(value) and (fact.text.startswith(f"{value} - ") or fact.text.endswith(f"-> {value}"))


def _sentences(evidence: Sequence[str]) -> list[str]:
    """The sentences of a path; a derived fact brings several."""
    return [part for text in evidence for part in text.split(JOINT) if part]


def _told(outcome: Outcome) -> list[tuple[Retrieved, str]]:
    pairs = zip(outcome.paths, outcome.evidence, strict=True)
    return [entry for path, texts in pairs for entry in zip(path, texts, strict=True) if entry[1]]
