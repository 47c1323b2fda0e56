"""From answers to what a run leaves behind: answers.jsonl, submission, table, scores, report, MLflow run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from rag1.app.plan import Inputs, Plan, read_format
from rag1.app.recipe import read_recipe
from rag1.build import Workshop
from rag1.report.mlflow import Logged
from rag1.report.page import write_page
from rag1.report.submission import Row, SubmissionFormat, load_format, write_submission
from rag1.run.record import dumps, to_record
from rag1.score.table import ScoreTable, score_answers, write_scores
from rag1.types import FAILED, Answer, Query, Scorer


@dataclass(frozen=True)
class Ended:
    """What was written. `changed`: the rules that changed a cell of the submission, each with its questions. `faults`:
    what the organiser would refuse; `problems`: those, and a tracker that is down."""

    scores: ScoreTable
    paths: dict[str, str]
    changed: str
    faults: tuple[str, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Ending:
    """Called with the run's folder, inputs, answers in order, and the sweep's folder ("" outside one)."""

    format: SubmissionFormat
    scorers: Sequence[Scorer]
    tracker: Callable[[Path, str], Logged] | None
    workers: int = 1

    def __call__(self, folder: Path, inputs: Inputs, answers: Sequence[Answer], sweep: str = "") -> Ended:
        write_answers(inputs.queries, answers, folder)
        scores = score_answers(answers, inputs.golds, self.scorers, self.workers)
        write_scores(scores, folder / "scores.json")
        rows = submission_rows(inputs, answers, scores)
        submission = write_submission(self.format, [_settled(row) for row in rows], folder)
        table = write_submission(load_format("table"), rows, folder)
        page = write_page(folder, inputs.queries, answers, inputs.golds, scores, inputs.corpus, _recipe(folder))
        paths = {"submission": submission.archive or submission.file, "table": table.file, "report": page}
        logged = self.tracker(folder, sweep) if self.tracker else None
        faults = tuple(f"submission: {fault}" for fault in submission.faults)
        problems = (*faults, logged.problem) if logged and logged.problem else faults
        shown = {name: shortest(path) for name, path in paths.items()}
        if logged and logged.run_id:
            shown["mlflow run"] = logged.run_id
        return Ended(scores, shown, _changed(submission.flags), faults, problems)


def make_ending(config: DictConfig, plan: Plan) -> Ending:
    """Built before the first question, so that a fault in a scorer or format costs nothing."""
    format = read_format(config, plan.workshop)
    tracker = plan.workshop(config.tracker)["tracker"]
    return Ending(format, make_scorers(config, plan.workshop), tracker, plan.executor.workers)


def make_scorers(config: DictConfig, workshop: Workshop) -> list[Scorer]:
    """The rule scorers and the judge, those that are switched on."""
    found = [*workshop(config.scorer).values(), *workshop(config.judge).values()]
    return [scorer for scorer in found if scorer is not None]


def write_answers(queries: Sequence[Query], answers: Sequence[Answer], folder: Path) -> None:
    """answers.jsonl: a line a question, in the order of the question file."""
    lines = [dumps(to_record(answer, query)) for query, answer in zip(queries, answers, strict=True)]
    (folder / "answers.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def submission_rows(inputs: Inputs, answers: Sequence[Answer], scores: ScoreTable) -> list[Row]:
    found = {row.index: row.scores for row in scores.rows}
    golds = {gold.query_id: gold for gold in inputs.golds}
    pairs = zip(inputs.queries, answers, strict=True)
    return [Row.of(answer, query, found.get(query.id), golds.get(query.id)) for query, answer in pairs]


def _settled(row: Row) -> Row:
    """A failed question's row carries the format's abstention, whatever words it ended with."""
    return Row(row.index, "", "", row.question, stop="error", error=row.error) if row.stop in FAILED else row


def _changed(flags: Sequence[tuple[str, str]]) -> str:
    """`shortened 3 (q1, q4, q9), unit_added 1 (q2)`: a rule, how many questions, the first ten of them."""
    by_rule: dict[str, list[str]] = {}
    for index, rule in flags:
        by_rule.setdefault(rule, []).append(index)
    return ", ".join(
        f"{rule} {len(found)} ({', '.join(found[:10])}{', …' if len(found) > 10 else ''})"
        for rule, found in by_rule.items()
    )


def _recipe(folder: Path) -> dict[str, Any]:
    plain = OmegaConf.to_container(read_recipe(str(folder)), resolve=False)
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items()}


def failures(answers: Sequence[Answer]) -> list[Answer]:
    return [answer for answer in answers if answer.stop in FAILED]


def shortest(path: Path) -> str:
    """The path as seen from here, where that is shorter."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
