"""One run from config to run folder."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from omegaconf import DictConfig
from tqdm import tqdm
from tqdm.contrib.logging import logging_redirect_tqdm

from rag1.app.finish import failures, write_answers, write_files
from rag1.app.plan import Plan, make_plan
from rag1.app.recipe import file_fingerprint, read_recipe, write_recipe
from rag1.app.table import print_table
from rag1.errors import InputError
from rag1.report.submission import SubmissionFormat
from rag1.run.batch import Batch
from rag1.run.journal import Journal
from rag1.score.table import score_answers, write_scores
from rag1.types import Answer

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """`name` of the pipeline as chosen; `folder` of the run; `sweep`: the sweep's folder, "" outside one."""

    config: DictConfig
    folder: Path
    name: str
    sweep: str = ""


def run_job(job: Job) -> int:
    """Answers, writes, scores, reports. Gives the exit code: 0 complete, 1 when a question failed."""
    start = time.perf_counter()
    plan = make_plan(job.config)
    format = plan.workshop(job.config.submission)
    scorers = [scorer for scorer in plan.workshop(job.config.scorer).values() if scorer is not None]
    keep_recipe(job, plan)
    answers = answer(job, plan)
    assert isinstance(format, SubmissionFormat)
    scores = score_answers(answers, plan.inputs.golds, scorers)
    write_answers(plan.inputs.queries, answers, job.folder)
    write_scores(scores, job.folder / "scores.json")
    files = write_files(format, plan.inputs.queries, answers, scores, job.folder)
    paths: dict[str, Path | str] = {"submission": files.submission.file, "table": files.table.file}
    print_table(job.name, answers, scores, time.perf_counter() - start, paths)
    failed = failures(answers)
    for one in failed:
        log.error("question %s failed (%s): %s", one.query_id, one.stop, one.error)
    for fault in files.submission.faults:
        log.error("submission: %s", fault)
    return 1 if failed or files.submission.faults else 0


def keep_recipe(job: Job, plan: Plan) -> None:
    """Writes run.yaml; when the folder has one already (resume), its inputs must be the same as now."""
    facts = {
        "pipeline": job.name,
        "corpus": plan.inputs.corpus.fingerprint,
        "questions": file_fingerprint(job.config.questions.path),
        "gold": file_fingerprint(plan.inputs.gold_path),
        "n": len(plan.inputs.queries),
    }
    if (job.folder / "journal.jsonl").exists():
        meta = read_recipe(str(job.folder)).get("meta", {})
        for name in ("corpus", "questions"):
            if meta.get(name) != facts[name]:
                raise InputError(f"{job.folder}: the {name} changed since the run began; start a new run")
        return
    write_recipe(job.config, facts, job.folder)


def answer(job: Job, plan: Plan) -> list[Answer]:
    """All answers in the order of the questions, those of an earlier start included."""
    queries = plan.inputs.queries
    with Journal(job.folder / "journal.jsonl") as journal, logging_redirect_tqdm():
        if journal.settled or journal.in_hand:
            log.info("resuming: %d of %d questions are settled", len(journal.settled), len(queries))
        if journal.in_hand:
            log.info("in hand when the run stopped, asked again: %s", ", ".join(journal.in_hand))
        left = sum(q.id not in journal.settled for q in queries)
        with tqdm(total=len(queries), initial=len(queries) - left, desc=job.name, unit="question") as bar:
            batch = Batch(plan.pipeline, plan.executor, journal, plan.ledger.of, _ticks(bar))
            answers = batch(queries)
    return [answers[query.id] for query in queries]


def _ticks(bar: tqdm[NoReturn]) -> Callable[[Answer], None]:
    def tick(_: Answer) -> None:
        bar.update()

    return tick
