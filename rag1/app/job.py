"""One run from config to run folder."""

from __future__ import annotations

import fcntl
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from omegaconf import DictConfig
from tqdm import tqdm
from tqdm.contrib.logging import logging_redirect_tqdm

from rag1.app.dry import dry_run
from rag1.app.finish import failures, make_ending
from rag1.app.plan import Plan, make_plan
from rag1.app.recipe import file_fingerprint, read_recipe, write_recipe
from rag1.app.table import print_table
from rag1.build import Workshop
from rag1.errors import InputError, StorageError
from rag1.run.batch import Batch
from rag1.run.journal import Journal
from rag1.types import Answer

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """`name` of the pipeline as chosen; `folder` of the run; `sweep`: the sweep's folder, "" outside one.

    `resumes`: the config is the recipe of the run that the folder holds. `shared`: built by earlier jobs of the sweep.
    """

    config: DictConfig
    folder: Path
    name: str
    sweep: str = ""
    resumes: bool = False
    shared: dict[str, Any] = field(default_factory=dict)


def run_job(job: Job) -> int:
    """Answers, writes, scores, reports, logs. Gives the exit code: 0 complete, 1 when a question failed."""
    if job.config.dry_run:
        return dry_run(job.config, job.name)
    with claimed(job.folder):
        return _run(job)


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Holds a run's folder from before its recipe is written. Raises StorageError where another process holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StorageError(
                f"{folder} is being written by another run; wait for its end, or name another folder"
            ) from error
        yield
    finally:
        os.close(handle)


def _run(job: Job) -> int:
    if not job.resumes and (job.folder / "journal.jsonl").exists():
        raise InputError(f"{job.folder} holds a run already; resume it, or name another folder")
    start = time.perf_counter()
    plan = make_plan(job.config, Workshop(shared=job.shared))
    ending = make_ending(job.config, plan)
    keep_recipe(job, plan)
    answers = answer(job, plan)
    written = ending(job.folder, plan.inputs, answers, job.sweep)
    print_table(job.name, answers, written.scores, time.perf_counter() - start, written.paths)
    if plan.ledger.total().requests or plan.ledger.total().cached:
        print(plan.ledger.table())
    if written.changed:
        log.info("submission: answers changed by rule: %s", written.changed)
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
        ledger = plan.ledger
        ledger.carry(journal.spent)
        left = sum(q.id not in journal.settled for q in queries)
        with tqdm(total=len(queries), initial=len(queries) - left, desc=job.name, unit="question") as bar:
            batch = Batch(plan.pipeline, plan.executor, journal, ledger.of, _ticks(bar), ledger.spent)
            try:
                answers = batch(queries)
            finally:
                journal.stop(ledger.spent)
    return [answers[query.id] for query in queries]


def _ticks(bar: tqdm[NoReturn]) -> Callable[[Answer], None]:
    def tick(_: Answer) -> None:
        bar.update()

    return tick
