"""The question file to Queries, the gold file to Golds: two files, so that gold cannot leak into a pipeline.

Question file: CSV with a header. `index` (or `test_id`, `id`) and `problem` (or `question`, `query`, `質問`);
optional `document` (or `page_ids`, `doc_ids`): documents to look in, separated by `|`.
Gold file: `index`, `answer` (several accepted ones separated by `|`), optional `evidence` (several passages
separated by `｜｜`), `document` (separated by `|`) and `kind`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag1.errors import DataError, InputError
from rag1.text.encoding import decode
from rag1.types import Gold, Query

INDEX = ("index", "test_id", "id", "query_id", "番号")
PROBLEM = ("problem", "question", "query", "質問", "問題")
SCOPE = ("document", "page_ids", "doc_ids")
ANSWER = ("answer", "answers", "ground_truth", "gold", "回答", "正解")
EVIDENCE = ("evidence", "evidences", "根拠")
KIND = ("kind", "type")

SHOWN = 50
"""Faults of a file that are named; of more, their number is."""

csv.field_size_limit(16 * 1024 * 1024)


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    cells: dict[str, str]


def read_questions(path: str, documents: Collection[str] | None = None) -> tuple[Query, ...]:
    """The questions of a file, in its order. All faults are raised at once, each with its line."""
    rows, columns = _table(path)
    index, problem = _column(path, columns, INDEX), _column(path, columns, PROBLEM)
    scope = next((c for c in SCOPE if c in columns), None)
    faults = _index_faults(rows, index) + [
        f"line {row.line}: no text under {problem!r}" for row in rows if not row.cells[problem].strip()
    ]
    if scope and documents is not None:
        faults += _unknown(rows, scope, documents, "document", "the corpus")
    _raise(path, faults)
    return tuple(
        Query(row.cells[index].strip(), row.cells[problem].strip(), _names(row.cells.get(scope or "", "")))
        for row in rows
    )


def read_golds(path: str, queries: Sequence[Query]) -> tuple[Gold, ...]:
    """The gold of a file for these questions. A gold without its question is a fault; a question without is not."""
    rows, columns = _table(path)
    index, answer = _column(path, columns, INDEX), _column(path, columns, ANSWER)
    evidence, kind = (next((c for c in names if c in columns), "") for names in (EVIDENCE, KIND))
    document = next((c for c in SCOPE if c in columns), "")
    faults = _index_faults(rows, index)
    faults += _unknown(rows, index, {q.id for q in queries}, "index", "the question file")
    faults += [f"line {row.line}: no answer" for row in rows if not _list(row.cells[answer], "|")]
    _raise(path, faults)
    return tuple(
        Gold(
            row.cells[index].strip(),
            _list(row.cells[answer], "|"),
            _list(row.cells.get(evidence, ""), "｜｜"),
            _names(row.cells.get(document, "")),
            row.cells.get(kind, "").strip(),
        )
        for row in rows
    )


def _list(cell: str, separator: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(separator) if part.strip())


def _names(cell: str) -> frozenset[str]:
    return frozenset(_list(cell, "|"))


def _table(path: str) -> tuple[list[Row], list[str]]:
    """Rows with their line numbers, and the header. Blank lines are passed over."""
    text = _text(Path(path))
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[Row] = []
    header: list[str] = []
    faults: list[str] = []
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = [cell.lstrip("\ufeff").strip().lower() for cell in cells]
                faults += _twice(header, line)
            elif len(cells) != len(header):
                faults.append(f"line {line}: {len(cells)} cells, the header has {len(header)}; quote cells with commas")
            else:
                rows.append(Row(line, dict(zip(header, cells, strict=True))))
    except csv.Error as error:
        what = "a quote that opens here is never closed" if "unexpected end" in str(error) else str(error)
        faults.append(f"line {before + 1}: {what}")
    _raise(path, faults)
    if not rows:
        raise DataError(f"{path}: no rows; the file needs a header line and at least one row")
    return rows, header


def _text(source: Path) -> str:
    if not source.is_file():
        raise InputError(f"{str(source)!r} is not a file; name a CSV with a header line")
    try:
        return decode(source.read_bytes(), source.name).text
    except OSError as error:
        raise InputError(f"{str(source)!r} cannot be read: {error.strerror}") from error


def _twice(header: Sequence[str], line: int) -> list[str]:
    """A column that we would read, named twice: which one is meant?"""
    ours = {name for names in (INDEX, PROBLEM, SCOPE, ANSWER, EVIDENCE, KIND) for name in names}
    found = [name for name in dict.fromkeys(header) if name in ours and header.count(name) > 1]
    return [f"line {line}: two columns are named {name!r}; rename one" for name in found]


def _column(path: str, columns: Sequence[str], names: Sequence[str]) -> str:
    for name in names:
        if name in columns:
            return name
    found = ", ".join(repr(c) for c in columns)
    other = next((mark for mark in (";", "\t") if len(columns) == 1 and mark in columns[0]), "")
    hint = f"; the file is separated by {other!r}: save it with commas" if other else ""
    raise DataError(f"{path}: line 1: no column named {' or '.join(map(repr, names))}; found {found}{hint}")


def _index_faults(rows: Sequence[Row], column: str) -> list[str]:
    faults, first = [], dict[str, int]()
    for row in rows:
        value = row.cells[column].strip()
        if not value:
            faults.append(f"line {row.line}: no {column}")
        elif value in first:
            faults.append(f"line {row.line}: {column} {value!r} stands already in line {first[value]}")
        else:
            first[value] = row.line
    return faults


def _unknown(rows: Sequence[Row], column: str, known: Collection[str], what: str, where: str) -> list[str]:
    return [
        f"line {row.line}: {what} {value!r} is not in {where}"
        for row in rows
        for value in _list(row.cells[column], "|")
        if value not in known
    ]


def _raise(path: str, faults: Sequence[str]) -> None:
    if faults:
        more = [f"… and {len(faults) - SHOWN:,} more"] if len(faults) > SHOWN else []
        raise DataError(f"{path}: {len(faults):,} fault{'s' if len(faults) > 1 else ''}", [*faults[:SHOWN], *more])
