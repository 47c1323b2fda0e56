"""Every fault of a submission file, each with its line: what the organiser's validator would refuse, and why."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rag1.report.cells import LIST_COMMA, NEWLINES, SPECIAL
from rag1.report.formats import SCORE, WHOLE, SubmissionFormat
from rag1.report.units import asked_unit, bare_number
from rag1.text.tokens import count_tokens
from rag1.types import Query

Line = tuple[int, list[str]]
"""The line that a record begins on (from 1) and its cells."""

NUMERIC = re.compile(r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity)\s*", re.IGNORECASE | re.ASCII)
BOOLEAN = re.compile(r"true|false", re.IGNORECASE)
OPTIONAL = frozenset({"sources", "error", "question", "gold", "kind", "document"})


def check(path: Path, format: SubmissionFormat, queries: Sequence[Query] = ()) -> list[str]:
    """The faults of a CSV, or of the CSV inside a zip, in the order of their lines; none for a good file.

    With `queries` every one of them must have its line, and asked units are looked for.
    """
    data, faults = _bytes(path, format)
    if faults:
        return faults
    text, faults = _decoded(data, format)
    if text is None:
        return faults
    lines, broken = _records(text)
    layout = format.layout_of(lines[0][1] if lines else ()) if format.header else list(format.columns)
    faults += broken or _header(lines, layout, format)
    body = lines[1:] if format.header else lines
    shaped = [line for line in body if len(line[1]) == len(layout)]
    faults += [_shape(line, layout) for line in body if len(line[1]) != len(layout)]
    faults += _indexes(shaped, format, queries)
    texts = {query.id: query.text for query in queries}
    for number, cells in shaped:
        row = dict(zip(layout, cells, strict=True))
        faults += [f"line {number}: {fault}" for fault in _cell_faults(row, format, texts.get(row["index"], ""))]
    faults += _columns(shaped, layout, format)
    if not faults:
        faults += _reread(data, shaped, layout, format)
    return sorted(faults, key=_place)


def _place(fault: str) -> int:
    match = re.match(r"line (\d+)", fault)
    return int(match.group(1)) if match else 0


def _bytes(path: Path, format: SubmissionFormat) -> tuple[bytes, list[str]]:
    try:
        if path.suffix != ".zip":
            return path.read_bytes(), []
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if names != [format.member]:
                return b"", [f"{path.name} holds {', '.join(names) or 'nothing'}; it must hold {format.member} alone"]
            return archive.read(format.member), []
    except (OSError, zipfile.BadZipFile) as error:
        return b"", [f"{path.name} cannot be read: {error}"]


def _decoded(data: bytes, format: SubmissionFormat) -> tuple[str | None, list[str]]:
    faults = []
    if not data.strip():
        return None, ["the file is empty"]
    if data.startswith(b"\xef\xbb\xbf") and format.encoding == "utf-8":
        faults.append("line 1: the file begins with a byte order mark; write plain UTF-8")
        data = data[3:]
    if b"\r" in data:
        line = data.count(b"\n", 0, data.index(b"\r")) + 1
        faults.append(f"line {line}: a carriage return; lines end with LF alone")
    try:
        return data.decode(format.encoding), faults
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return None, [*faults, f"line {line}: byte {data[error.start]:#04x} is not {format.encoding}"]


def _records(text: str) -> tuple[list[Line], list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines: list[Line] = []
    start = 1
    try:
        for cells in reader:
            lines.append((start, cells))
            start = reader.line_num + 1
    except csv.Error as error:
        unclosed = "unexpected end" in str(error)
        return lines, [f"line {start}: {'a quote is never closed' if unclosed else f'broken CSV: {error}'}"]
    return lines, []


def _header(lines: Sequence[Line], layout: Sequence[str], format: SubmissionFormat) -> list[str]:
    first = lines[0][1] if lines else []
    titles = [format.title(column) for column in layout]
    if format.header and first != titles:
        return [f"line 1: the header is {','.join(first)}; it must be {','.join(titles)}"]
    if not format.header and first[:1] and first[0].casefold() in ("index", "id"):
        return ["line 1: a header; this format has none"]
    return []


def _shape(line: Line, layout: Sequence[str]) -> str:
    number, cells = line
    return f"line {number}: {len(cells)} columns; there must be {len(layout)} ({', '.join(layout)}), commas quoted"


def _indexes(lines: Sequence[Line], format: SubmissionFormat, queries: Sequence[Query]) -> list[str]:
    seen: dict[str, int] = {}
    faults = []
    for number, cells in lines:
        index = cells[0]
        if index in seen:
            faults.append(f"line {number}: index {index!r} again (first on line {seen[index]}); every index once")
        elif format.first_index is not None and not WHOLE.fullmatch(index):
            faults.append(f"line {number}: index {index!r} is not a whole number")
        seen.setdefault(index, number)
    wanted = [query.id for query in queries] or _counted(seen, format)
    faults += _begins(queries, format)
    faults += [f"index {index!r} is missing" for index in wanted if index not in seen]
    strangers = set(seen) - set(wanted) if wanted else set()
    faults += [
        f"line {seen[index]}: index {index!r} is not expected"
        for index in sorted(strangers)
        if queries or index.isdigit()
    ]
    return faults


def _begins(queries: Sequence[Query], format: SubmissionFormat) -> list[str]:
    """Question files are numbered as the organiser numbers: from 0 or from 1."""
    numbers = [int(query.id) for query in queries if re.fullmatch(r"[0-9]{1,6}", query.id)]
    if format.first_index is None or not numbers or min(numbers) == format.first_index:
        return []
    return [
        f"the questions' index begins at {min(numbers)}; {format.name} counts from {format.first_index}: "
        "number the question file so"
    ]


def _counted(seen: dict[str, int], format: SubmissionFormat) -> list[str]:
    numbers = [int(index) for index in seen if re.fullmatch(r"[0-9]{1,6}", index)]
    if format.first_index is None or not numbers:
        return []
    return [str(number) for number in range(format.first_index, max(numbers) + 1)]


def _cell_faults(row: dict[str, str], format: SubmissionFormat, question: str) -> Iterator[str]:
    for column, text in row.items():
        if column == "index":
            continue
        yield from _text_faults(column, text, format)
        limit = format.max_tokens.get(column)
        if limit and (tokens := count_tokens(text)) > limit:
            yield f"{column} has {tokens} tokens; at most {limit}: shorten it"
    answer = row.get("answer", "")
    if format.list_mark and (comma := LIST_COMMA.search(answer)):
        yield f"answer joins items with {comma.group().strip()!r}; use {format.list_mark!r}"
    if format.units and (unit := asked_unit(question)) and bare_number(answer):
        yield f"answer {answer!r} has no unit, and the question asks for one ({unit})"


def _text_faults(column: str, text: str, format: SubmissionFormat) -> Iterator[str]:
    word = f"; write {format.empty(column)!r}" if format.empty(column) else ""
    if not text.strip() and column not in OPTIONAL and not column.startswith(SCORE):
        yield f"{column} is empty{word}"
    elif text.strip().casefold() in set(format.refused):
        yield f"{column} is {text.strip()!r}, which is read as an empty cell{word}"
    if NEWLINES.search(text):
        yield f"{column} has a line break; fold it"
    elif any(unicodedata.category(c) == "Cc" and c != "\t" for c in text):
        yield f"{column} has a control character"
    if special := SPECIAL.search(text):
        yield f"{column} has the special token {special.group()}"


def _columns(lines: Sequence[Line], layout: Sequence[str], format: SubmissionFormat) -> list[str]:
    faults = []
    for place, column in enumerate(layout):
        cells = [cells[place] for _, cells in lines]
        if column in format.text_columns and cells and is_numeric(cells):
            faults.append(
                f"every {column} is numeric: the column would be read as numbers; give one of them words or a unit"
            )
    return faults


def is_numeric(cells: Sequence[str]) -> bool:
    """True when pandas would read the column as numbers or truth values instead of text."""
    return all(map(NUMERIC.fullmatch, cells)) or all(map(BOOLEAN.fullmatch, cells))


def _reread(data: bytes, lines: Sequence[Line], layout: Sequence[str], format: SubmissionFormat) -> list[str]:
    """The cells that pandas, with its own settings, reads back as something else."""
    import pandas as pd

    frame = pd.read_csv(io.BytesIO(data), header=0 if format.header else None, encoding=format.encoding)
    faults = []
    for place, column in enumerate(layout):
        if column not in format.text_columns:
            continue
        for (number, cells), back in zip(lines, frame.iloc[:, place].tolist(), strict=True):
            if back != cells[place]:
                faults.append(f"line {number}: {column} {cells[place]!r} is read back by pandas as {back!r}")
    return faults
