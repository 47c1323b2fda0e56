"""A statement that a model wrote, run: relations, directions, guard, EXPLAIN, then a read-only call with limits."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from rag1.cypher.direction import Triple, correct_directions
from rag1.cypher.edit import quote_names
from rag1.cypher.guard import check_read_only
from rag1.cypher.parse import has_limit
from rag1.cypher.paths import COLUMNS, evidence_statement
from rag1.cypher.relations import Related, Relations
from rag1.errors import CypherError, CypherSyntax, UnsafeCypher
from rag1.graph.model import GraphSchema, Rows, Value
from rag1.graph.store import GraphStore
from rag1.llm.deadline import due_within
from rag1.types import Retrieved

Ended = Literal["rows", "empty", "refused", "error"]
"""How a statement ended: `empty` ran and found nothing; `refused` never ran; `error` the store could not run it."""

BY = "cypher:rows"
FACT_BY = "graph:cypher"
_OWN_LIMIT = re.compile(r"\bLIMIT\s+(\d+)\s*;?\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`statement` is what ran; `notes` every change to what was written; `reason` what to tell who wrote it.

    `paths`: for each match, the facts that it stands on, in the order of the path. `cut`: there were more rows.
    """

    ended: Ended
    statement: str
    reason: str = ""
    rows: Rows = field(default_factory=lambda: Rows((), ()))
    paths: tuple[tuple[Retrieved, ...], ...] = ()
    evidence: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    cut: bool = False

    @property
    def facts(self) -> tuple[Retrieved, ...]:
        return tuple({fact.id: fact for path in self.paths for fact in path}.values())


@dataclass(frozen=True)
class RunCypher:
    """`relations` None and `direction` False leave the statement's names and arrows as they were written.

    `timeout`: seconds of a call to the store; all readings of a statement and the facts behind its rows get twice
    that, and never more than the question has left. What needs longer is an `error` that says so. `limit` (rows) bounds
    each call; `paths`: matches whose facts are asked for.
    """

    store: GraphStore
    relations: Relations | None = None
    direction: bool = True
    timeout: float = 10.0
    limit: int = 200
    paths: int = 50

    def __call__(self, statement: str, scope: frozenset[str] = frozenset()) -> Outcome:
        """Tries the statement's readings until one has rows. Raises GraphDown alone: all else is an outcome."""
        try:
            check_read_only(statement, self.store.dialect)
            readings = self._readings(statement)
        except (UnsafeCypher, CypherSyntax) as fault:
            return Outcome("refused", statement, str(fault))
        due = due_within(2 * self.timeout)
        outcomes: list[Outcome] = []
        for reading in readings:
            if outcomes and time.monotonic() >= due:
                break
            outcome = self._run(reading, scope, due)
            if outcome.ended == "rows":
                return outcome
            outcomes.append(outcome)
        return next((o for o in outcomes if o.ended == "empty"), outcomes[0])

    @property
    def schema(self) -> GraphSchema:
        return self.store.schema()

    @cached_property
    def _triples(self) -> frozenset[Triple]:
        """(label, type, label); a node of several labels stands under each."""
        return frozenset(
            (start, pattern.relation, end)
            for pattern in self.schema.patterns
            for start in (*pattern.start.split(":"), "Entity")
            for end in (*pattern.end.split(":"), "Entity")
        )

    def _readings(self, statement: str) -> list[Related]:
        if self.relations is None:
            return [Related(statement)]
        return self.relations(statement, list(self.schema.relations))

    def _run(self, reading: Related, scope: frozenset[str], due: float) -> Outcome:
        notes = list(reading.notes)
        query = self._directed(reading.query, notes)
        if self.store.dialect == "falkordb":
            query = quote_names(query).query
        end = due
        try:
            check_read_only(query, self.store.dialect)
            self.store.explain(query)
            end = min(due, time.monotonic() + self.timeout)
            rows = self.store.read(query, timeout=_left(end), limit=self.limit)
        except UnsafeCypher as fault:
            return Outcome("refused", query, str(fault), notes=tuple(notes))
        except CypherError as fault:
            reason = self._too_slow if time.monotonic() >= end else str(fault)
            return Outcome("error", query, reason, notes=tuple(notes))
        if all(_hollow(cell) for row in rows.rows for cell in row):
            return Outcome("empty", query, _why_empty(notes), rows, notes=tuple(notes))
        return self._with_facts(query, rows, notes, scope, due)

    @property
    def _too_slow(self) -> str:
        return f"no result within {self.timeout:g} s: start from a name; give nodes labels, relationships types"

    def _directed(self, query: str, notes: list[str]) -> str:
        if not self.direction:
            return query
        corrected = correct_directions(query, self._triples)
        notes += [f"{change.before} → {change.after}" for change in corrected.changes]
        notes += [f"{violation.text}: {violation.reason}" for violation in corrected.violations]
        return corrected.query

    def _with_facts(self, query: str, rows: Rows, notes: list[str], scope: frozenset[str], due: float) -> Outcome:
        """The rows with the facts they stand on; in a scope, only rows that facts of its documents lead to."""
        own = _OWN_LIMIT.search(query)
        cut = rows.cut or (has_limit(query) and own is not None and len(rows.rows) >= int(own[1]))
        cells = self._fact_cells(query, notes, due)
        inside = [path for path in cells if not scope or all(_part(cell, COLUMNS.doc_id) in scope for cell in path)]
        if scope and cells:
            rows = _supported(rows, cells, inside)
            if not rows.rows:
                return Outcome("empty", query, "only documents out of scope tell it", rows, notes=tuple(notes))
        paths = tuple(tuple(_retrieved(cell) for cell in path) for path in inside)
        evidence = tuple(tuple(str(_part(cell, COLUMNS.evidence) or "") for cell in path) for path in inside)
        return Outcome("rows", query, "", rows, paths, evidence, tuple(notes), cut)

    def _fact_cells(self, query: str, notes: list[str], due: float) -> list[list[Value]]:
        """The facts of each match; none where the statement's shape does not let them be asked for."""
        statement = evidence_statement(query, self.paths)
        if not statement:
            return []
        try:
            check_read_only(statement, self.store.dialect)
            found = self.store.read(statement, timeout=min(self.timeout, _left(due)), limit=self.paths)
        except (CypherError, UnsafeCypher) as fault:
            notes.append(f"the facts behind the rows could not be read: {fault}")
            return []
        return [row[0] for row in found.rows if isinstance(row[0], list) and row[0]]


def _left(due: float) -> float:
    """Seconds until then; a moment at least, so that the store may say that the time is up."""
    return max(0.01, due - time.monotonic())


def _why_empty(notes: Iterable[str]) -> str:
    unmet = [note for note in notes if "in neither direction" in note]
    return "the statement ran and found nothing" + (f" ({'; '.join(unmet)})" if unmet else "")


def _hollow(cell: Value) -> bool:
    return cell is None or cell == [] or cell == ""


def _part(cell: Value, column: int) -> Value:
    return cell[column] if isinstance(cell, list) else None


def _retrieved(cell: Value) -> Retrieved:
    """One fact of a path as evidence: its line, at the place of the sentence that it was read from."""
    parts = cell if isinstance(cell, list) else []
    key, head, relation, tail = (str(parts[at]) for at in range(4))
    start, end = parts[COLUMNS.start], parts[COLUMNS.end]
    span = (start, end) if isinstance(start, int) and isinstance(end, int) else None
    return Retrieved(key, f"{head} - {relation} -> {tail}", str(parts[COLUMNS.doc_id] or ""), span, 1.0, FACT_BY)


def _supported(rows: Rows, cells: list[list[Value]], inside: list[list[Value]]) -> Rows:
    """Rows without the names that only facts out of scope lead to."""
    near, far = _ends(inside), _ends(cells)
    lost = far - near
    kept = tuple(row for row in rows.rows if near and not any(isinstance(c, str) and c in lost for c in row))
    return replace(rows, rows=kept)


def _ends(paths: list[list[Value]]) -> set[str]:
    return {str(_part(cell, column)) for path in paths for cell in path for column in (COLUMNS.head, COLUMNS.tail)}


def row_lines(outcome: Outcome) -> list[Retrieved]:
    """The rows as evidence, in their order: what a model reads."""
    names = outcome.rows.columns
    texts = dict.fromkeys(_line(names, row) for row in outcome.rows.rows)
    return [Retrieved(f"row:{at}", text, "", None, 1.0, BY) for at, text in enumerate(texts) if text]


def _line(columns: tuple[str, ...], row: tuple[Value, ...]) -> str:
    """`head - TYPE -> tail` for a row of a relation, else `column: value` pairs."""
    if len(row) == 3 and columns[1].startswith("type(") and all(isinstance(cell, str) for cell in row):
        return f"{row[0]} - {row[1]} -> {row[2]}"
    return "、".join(f"{name}: {_said(cell)}" for name, cell in zip(columns, row, strict=True) if not _hollow(cell))


def _said(cell: Value) -> str:
    if isinstance(cell, list):
        return "・".join(_said(item) for item in cell)
    if isinstance(cell, dict):
        if "name" in cell:
            return str(cell["name"])
        return "、".join(f"{key} {_said(value)}" for key, value in cell.items() if not key.startswith("_"))
    return str(cell)
