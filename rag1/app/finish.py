"""From answers to what a run leaves behind: answers.jsonl, the submission, the table, the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rag1.report.submission import Row, SubmissionFormat, Written, load_format, write_submission
from rag1.run.record import dumps, to_record
from rag1.score.table import ScoreTable
from rag1.types import Answer, Query

FAILED = ("error", "timeout", "budget")


@dataclass(frozen=True)
class Files:
    """What was written for upload (`submission`) and for people (`table`)."""

    submission: Written
    table: Written


def write_answers(queries: Sequence[Query], answers: Sequence[Answer], folder: Path) -> None:
    """answers.jsonl: a line a question, in the order of the question file."""
    lines = [dumps(to_record(answer, query)) for query, answer in zip(queries, answers, strict=True)]
    (folder / "answers.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def write_files(
    format: SubmissionFormat, queries: Sequence[Query], answers: Sequence[Answer], scores: ScoreTable, folder: Path
) -> Files:
    """The submission in the chosen format, and table.csv, always."""
    by_index = {row.index: {name: score.value for name, score in row.scores.items()} for row in scores.rows}
    rows = [Row.of(answer, query, by_index.get(query.id)) for query, answer in zip(queries, answers, strict=True)]
    submission = write_submission(format, [_settled(row) for row in rows], folder)
    table = write_submission(load_format("table"), rows, folder)
    return Files(submission, table)


def _settled(row: Row) -> Row:
    """A failed question's row carries the format's abstention, whatever words it ended with."""
    return Row(row.index, "", "", row.question, stop="error", error=row.error) if row.stop in FAILED else row


def failures(answers: Sequence[Answer]) -> list[Answer]:
    return [answer for answer in answers if answer.stop in FAILED]
