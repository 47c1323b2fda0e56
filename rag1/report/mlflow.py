"""Logs a finished run folder to MLflow. The folder is complete without it, and can be logged later.

One SQLite file under `outputs/` and one folder of artifacts beside it, or a server (`uri`). MLflow is imported when
a run is logged, not before: it takes seconds.
"""

from __future__ import annotations

import logging
import math
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rag1.artifacts import fingerprint, locked
from rag1.report.runs import Run, read_run
from rag1.text.secrets import is_secret

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run as MlflowRun

T = TypeVar("T")

LONGEST_VALUE = 500
BATCH = 100
"""Params that MLflow takes at once."""

_UNSAFE = re.compile(r"[^\w.\- /]")


@dataclass(frozen=True)
class Logged:
    """`run_id`, or why there is none: a line for a person."""

    run_id: str
    problem: str = ""


@dataclass(frozen=True)
class MlflowTracker:
    """Where runs are logged: `mlflow.db` and `mlruns/` in `folder`, or the server at `uri`."""

    folder: str = "outputs"
    experiment: str = "rag1"
    uri: str | None = None

    def __call__(self, run: Path, sweep: str = "") -> Logged:
        """Logs the run, under the parent run of its sweep where it has one. Never raises: the run is done."""
        try:
            return Logged(log_run(run, self, sweep))
        except Exception as error:  # whatever a tracker dies of, the run folder stays
            line = (str(error).strip() or type(error).__name__).splitlines()[0]
            return Logged("", f"MLflow: {line}; log the run later with: python scripts/log_run.py {run}")

    @property
    def tracking_uri(self) -> str:
        return self.uri or f"sqlite:///{Path(self.folder).resolve() / 'mlflow.db'}"


def log_run(folder: Path, tracker: MlflowTracker, sweep: str = "") -> str:
    """The id of the new MLflow run of a run folder; one that was logged of it before is deleted.

    Logging is serialised by a lock: MLflow's migration of a fresh database cannot be done by two processes at once,
    and SQLite wants one writer.
    """
    run = read_run(folder)
    _import()  # seconds of work that need no lock
    with locked(Path(tracker.folder) / ".mlflow.lock"):
        client = _client(tracker)
        experiment = _experiment(client, tracker)
        for old in _tagged(client, experiment, "rag1.folder", _key(folder)):
            client.delete_run(old.info.run_id)
        tags = {"rag1.folder": _key(folder), "rag1.commit": str(_meta(run).get("commit", ""))}
        if sweep:
            tags["mlflow.parentRunId"] = _parent(client, experiment, sweep)
        run_id = str(client.create_run(experiment, tags=tags, run_name=run.name).info.run_id)
        status = "FAILED"
        try:
            _fill(client, run_id, run)
            status = "FINISHED"
        finally:
            client.set_terminated(run_id, status)
    return run_id


def _import() -> type[MlflowClient]:
    for name, value in (
        ("MLFLOW_DISABLE_TELEMETRY", "true"),
        ("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1"),
        ("MLFLOW_HTTP_REQUEST_TIMEOUT", "20"),
    ):
        os.environ.setdefault(name, value)
    from mlflow import MlflowClient

    for name in ("mlflow", "alembic"):  # a fresh database tells of each of its migrations
        logging.getLogger(name).setLevel(logging.WARNING)
    return MlflowClient


def _client(tracker: MlflowTracker) -> MlflowClient:
    Path(tracker.folder).mkdir(parents=True, exist_ok=True)
    return _import()(tracker.tracking_uri)


def _experiment(client: MlflowClient, tracker: MlflowTracker) -> str:
    found = client.get_experiment_by_name(tracker.experiment)
    if found is not None:
        return str(found.experiment_id)
    place = None if tracker.uri else (Path(tracker.folder).resolve() / "mlruns").as_uri()
    return str(client.create_experiment(tracker.experiment, artifact_location=place))


def _tagged(client: MlflowClient, experiment: str, tag: str, value: str) -> Sequence[MlflowRun]:
    return list(client.search_runs([experiment], filter_string=f"tags.`{tag}` = '{value}'"))


def _parent(client: MlflowClient, experiment: str, sweep: str) -> str:
    """The run that the runs of one sweep hang on; made by the first of them that is logged."""
    for found in _tagged(client, experiment, "rag1.sweep", fingerprint(sweep)):
        return str(found.info.run_id)
    made = client.create_run(experiment, tags={"rag1.sweep": fingerprint(sweep)}, run_name=Path(sweep).name)
    client.set_terminated(made.info.run_id)
    return str(made.info.run_id)


def _key(folder: Path) -> str:
    return fingerprint(str(folder.resolve()))


def _meta(run: Run) -> Mapping[str, Any]:
    meta = run.recipe.get("meta", {})
    return meta if isinstance(meta, Mapping) else {}


def _fill(client: MlflowClient, run_id: str, run: Run) -> None:
    from mlflow.entities import Metric, Param

    now = int(time.time() * 1000)
    for names in _batches(params(run.recipe).items()):
        client.log_batch(run_id, params=[Param(name, value) for name, value in names])
    for values in _batches(metrics(run).items()):
        client.log_batch(run_id, metrics=[Metric(name, value, now, 0) for name, value in values])
    client.log_table(run_id, question_table(run), "questions.json")
    for path in sorted(run.folder.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            client.log_artifact(run_id, str(path))


def _batches(items: Any) -> Iterator[list[tuple[str, Any]]]:
    rest = iter(items)
    while batch := list(islice(rest, BATCH)):
        yield batch


def params(recipe: Mapping[str, Any]) -> dict[str, str]:
    """The recipe flattened to names that MLflow takes; long values are cut, what looks like a secret is left out."""
    flat: dict[str, str] = {}
    for name, value in _flat("", recipe):
        text = str(value)
        if is_secret(name, text):
            continue
        flat[safe(name)] = text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
    return flat


def _flat(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _flat(f"{prefix}.{name}" if prefix else str(name), inner)
    elif prefix:
        yield prefix, value


def safe(name: str) -> str:
    """A name that MLflow takes: `recall@8` becomes `recall_at_8`; what else it refuses becomes `_`."""
    return _UNSAFE.sub("_", name.replace("@", "_at_")).strip("/. ")[:250]


def metrics(run: Run) -> dict[str, float]:
    """Means with their intervals, overall, by kind and by document; counts; tokens, money, seconds."""
    found: dict[str, float] = {"seconds": run.seconds, "requests": run.usage.requests, "cached": run.usage.cached}
    found |= {"prompt_tokens": run.usage.prompt_tokens, "completion_tokens": run.usage.completion_tokens}
    if run.usage.usd is not None:
        found["usd"] = run.usage.usd
    if run.table is None:
        return found
    found |= {name: float(count) for name, count in run.table.counts.items()}
    for name, one in run.table.overall.items():
        for suffix, value in (("", one.mean), ("_low", one.low), ("_high", one.high), ("_unread", one.unread or None)):
            if value is not None:
                found[safe(name + suffix)] = value
    for part, groups in (("kind", run.table.by_kind), ("document", run.table.by_document)):
        for group, summaries in groups.items():
            found |= {safe(f"{part}/{group}/{n}"): s.mean for n, s in summaries.items() if s.mean is not None}
    return {name: value for name, value in found.items() if math.isfinite(value)}


def question_table(run: Run) -> dict[str, list[Any]]:
    """Columns of the per-question table: index, question, answer, evidence, stop, seconds and each score."""
    rows = {row.index: row for row in run.table.rows} if run.table else {}
    names = list(run.table.overall) if run.table else []
    table: dict[str, list[Any]] = {
        "index": [answer.query_id for answer in run.answers],
        "question": [query.text for query in run.queries],
        "answer": [answer.text for answer in run.answers],
        "evidence": [answer.evidence for answer in run.answers],
        "stop": [answer.stop for answer in run.answers],
        "seconds": [answer.seconds for answer in run.answers],
    }
    for name in names:
        scores = [rows[index].scores.get(name) if index in rows else None for index in table["index"]]
        table[name] = [score.value if score else None for score in scores]
    return table
