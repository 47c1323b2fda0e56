"""Writes a submission, and checks one: `python -m rag1.report.submission check FILE --questions Q --format rag1`."""

from __future__ import annotations

import argparse
import csv
import io
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from omegaconf import OmegaConf
from yaml import YAMLError

from rag1.corpus.questions import read_questions
from rag1.errors import InputError
from rag1.report.cells import fitted
from rag1.report.check import check, is_numeric
from rag1.report.formats import Row, SubmissionFormat, load_format
from rag1.types import Query

__all__ = ["Row", "SubmissionFormat", "Written", "check", "load_format", "write_submission"]


@dataclass(frozen=True, slots=True)
class Written:
    """What was written. `flags` are (index, rule) of every cell that a rule changed; `faults` is what remains.

    A fault that the writer cannot mend (an index that is no number, a question without its line) is in `faults`,
    as `check` words it: the file is there all the same, and an organiser would refuse it.
    """

    file: Path
    archive: Path | None
    flags: tuple[tuple[str, str], ...] = ()
    faults: tuple[str, ...] = ()


def write_submission(format: SubmissionFormat, rows: Sequence[Row], folder: Path) -> Written:
    """Writes the rows in their order into `folder`, fitted to the format, then checks what was written."""
    flags: list[tuple[str, str]] = []
    layout = format.layout(rows)
    lines = [[_cell(row, column, format, flags) for column in layout] for row in rows]
    for place, column in enumerate(layout):
        if column in format.text_columns and lines and is_numeric([line[place] for line in lines]):
            lines[0][place] += "。"
            flags.append((lines[0][0], "made_text"))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([[format.title(column) for column in layout], *lines] if format.header else lines)
    data = buffer.getvalue().encode(format.encoding)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / format.file
    path.write_bytes(data)
    archive = _archive(format, data, folder)
    queries = [Query(row.index, row.question) for row in rows]
    return Written(path, archive, tuple(flags), tuple(check(path, format, queries)))


def _cell(row: Row, column: str, format: SubmissionFormat, flags: list[tuple[str, str]]) -> str:
    text, rules = fitted(row, column, format)
    flags.extend((row.index, rule) for rule in rules)
    return text


def _archive(format: SubmissionFormat, data: bytes, folder: Path) -> Path | None:
    if not format.archive:
        return None
    path = folder / format.archive
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        # a fixed date: the same answers give the same bytes
        archive.writestr(zipfile.ZipInfo(format.member, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return path


def format_beside(file: Path) -> str:
    """The name of the format that the run of a file's folder was written in; `rag1` beside no run."""
    try:
        name = OmegaConf.select(OmegaConf.load(file.parent / "run.yaml"), "submission.name")
    except (OSError, YAMLError):
        return "rag1"
    return str(name or "rag1")


def main(arguments: Sequence[str] | None = None) -> int:
    """0 for a good file, 2 with a line for every fault."""
    parser = argparse.ArgumentParser(prog="python -m rag1.report.submission", description="Checks a submission file.")
    command = parser.add_subparsers(dest="command", required=True).add_parser("check", help="name every fault of FILE")
    command.add_argument("file", type=Path, help="predictions.csv, or the zip that holds it")
    command.add_argument("--questions", type=Path, help="the question file: each must be answered, with its unit")
    command.add_argument("--format", help="a name of conf/submission, or a yaml file (default: the run's, else rag1)")
    given = parser.parse_args(arguments)
    try:
        queries = read_questions(str(given.questions)) if given.questions else ()
        format = load_format(given.format or format_beside(given.file))
        faults = check(given.file, format, queries)
        verdict = f"{given.file}: accepted as {format.name}"
    except InputError as error:
        faults, verdict = [str(error)], ""
    print("\n".join(faults) if faults else verdict)
    return 2 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
