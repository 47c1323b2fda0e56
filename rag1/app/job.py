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

from rag1.app.dry import dry_run
from rag1.app.finish import failures, make_ending
from rag1.app.plan import Plan, make_plan
from rag1.app.recipe import file_fingerprint, read_recipe, write_recipe
from rag1.app.table import print_table
from rag1.errors import InputError
from rag1.run.batch import Batch
from rag1.run.journal import Journal
from rag1.types import Answer

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """`name` of the pipeline as chosen; `folder` of the run; `sweep`: the sweep's folder, "" outside one.

    `resumes`: the config is the recipe of the run that the folder holds.
    """

    config: DictConfig
    folder: Path
    name: str
    sweep: str = ""
    resumes: bool = False


def run_job(job: Job) -> int:
    """Answers, writes, scores, reports, logs. Gives the exit code: 0 complete, 1 when a question failed."""
    if job.config.dry_run:
        return dry_run(job.config, job.name)
    if not job.resumes and (job.folder / "journal.jsonl").exists():
        raise InputError(f"{job.folder} holds a run already; resume it, or name another folder")
    start = time.perf_counter()
    plan = make_plan(job.config)
    ending = make_ending(job.config, plan)
    keep_recipe(job, plan)
    answers = answer(job, plan)
    written = ending(job.folder, plan.inputs, answers, job.sweep)
    print_table(job.name, answers, written.scores, time.perf_counter() - start, written.paths)
    if plan.ledger.total().requests or plan.ledger.total().cached:
        print(plan.ledger.table())
    failed = failures(answers)
    for one in failed:
        log.error("question %s failed (%s): %s", one.query_id, one.stop, one.error)
    for problem in written.problems:
        log.error(problem)
    return 1 if failed or written.faults else 0


def keep_recipe(job: Job, plan: Plan) -> None:
    """Writes run.yaml; a resumed run keeps the one that is there, and its inputs must be the same as then."""
    facts = {
        "pipeline": job.name,
        "corpus": plan.inputs.corpus.fingerprint,
        "questions": file_fingerprint(str(job.config.questions.path)),
        "gold": file_fingerprint(plan.inputs.gold_path),
        "n": len(plan.inputs.queries),
    }
    if job.resumes:
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
