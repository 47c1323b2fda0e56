"""Reads the inputs and builds the objects of one run, in the order in which a fault is cheapest to find."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rag1.answer.confidence import Abstaining
from rag1.build import Workshop
from rag1.corpus.corpus import Corpus
from rag1.corpus.questions import read_golds, read_questions
from rag1.errors import ConfigError, InputError
from rag1.llm.ledger import Ledger, ledger_of
from rag1.report.formats import SubmissionFormat
from rag1.route.scope import RoutedPipeline
from rag1.run.batch import Executor
from rag1.types import Gold, Llm, Pipeline, Query

COUNTS = ("k", "depth", "top_k", "max_turns", "max_tokens", "max_docs")
"""Names of settings that say how many: none of them may be under 1."""

SHOWN = 3
"""Notices of the corpus that the console shows."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Inputs:
    """What is read before anything is built: faults of files cost no time and no money."""

    corpus: Corpus
    queries: tuple[Query, ...]
    golds: tuple[Gold, ...]
    gold_path: str | None


@dataclass(frozen=True)
class Plan:
    """One run, ready to start. `workshop` builds what comes after (scorers, judge) from the same objects."""

    inputs: Inputs
    pipeline: Pipeline
    llm: Llm
    executor: Executor
    workshop: Workshop

    @property
    def ledger(self) -> Ledger:
        """Of the model; where that keeps none (offline), of whatever else asks an endpoint, such as the embedder."""
        return next(iter(self.workshop.made(Ledger)), None) or ledger_of(self.llm)


def read_inputs(config: DictConfig, workshop: Workshop) -> Inputs:
    """Corpus, questions and gold. Raises InputError with all faults of the first file that has any."""
    if unset := sorted(OmegaConf.missing_keys(config.corpus)):
        raise ConfigError(f"{unset[0]} is not set and this corpus needs it: add {unset[0]}=… to the command")
    corpus = workshop(config.corpus)
    if not isinstance(corpus, Corpus):
        raise ConfigError("corpus: its _target_ gives no Corpus")
    queries = read_questions(str(config.questions.path), set(corpus.by_id))
    gold_path = find_gold(config.gold.path, str(config.questions.path))
    golds = read_golds(gold_path, queries) if gold_path else ()
    strange = sorted({name for gold in golds for name in gold.doc_ids if name not in corpus.by_id})
    if strange:
        log.warning(
            "the gold names documents that the corpus lacks: %s; is questions.path set?", ", ".join(strange[:5])
        )
    if config.limit is not None:
        if type(config.limit) is not int or config.limit < 1:
            raise InputError(f"limit={config.limit} is no whole number of questions from 1 up; leave it null for all")
        queries = queries[: config.limit]
        wanted = {q.id for q in queries}
        golds = tuple(gold for gold in golds if gold.query_id in wanted)
    return Inputs(corpus, queries, golds, gold_path)


def tell_notices(notices: Sequence[str]) -> None:
    """What was odd in the documents' files: the first few for the console, every one for run.log."""
    for notice in notices:
        log.debug("corpus: %s", notice)
    if notices:
        more = f" … all {len(notices)} of them in run.log" if len(notices) > SHOWN else ""
        log.warning("corpus: marks that could not be read: %s%s", "; ".join(notices[:SHOWN]), more)


def read_format(config: DictConfig, workshop: Workshop) -> SubmissionFormat:
    """The submission format that is chosen."""
    format = workshop(config.submission)
    if not isinstance(format, SubmissionFormat):
        raise ConfigError("submission: its _target_ gives no SubmissionFormat")
    return format


def find_gold(setting: str | None, questions: str) -> str | None:
    """`auto`: gold.csv beside a file named questions.csv, where it is there."""
    if setting != "auto":
        return str(setting) if setting else None
    path = Path(questions)
    beside = path.with_name("gold.csv")
    return str(beside) if path.name == "questions.csv" and beside.is_file() else None


def check_counts(config: DictConfig) -> None:
    """Raises ConfigError for a number of things to retrieve or to read that is under 1, named by its setting."""
    try:
        plain = OmegaConf.to_container(config.pipeline, resolve=True)
    except OmegaConfBaseException as error:
        raise ConfigError(f"pipeline: {str(error).splitlines()[0]}") from error
    assert isinstance(plain, dict)
    for name, value in _settings(plain, "pipeline"):
        if name.rpartition(".")[2] in COUNTS and isinstance(value, int) and value < 1:
            raise ConfigError(f"{name}={value} must be a whole number from 1 up")


def _settings(node: Mapping[Any, Any], path: str) -> Iterator[tuple[str, Any]]:
    for key, value in node.items():
        if isinstance(value, Mapping):
            yield from _settings(value, f"{path}.{key}")
        else:
            yield f"{path}.{key}", value


def make_plan(config: DictConfig, workshop: Workshop | None = None) -> Plan:
    """Builds the pipeline and all it stands on; indexes that are not there yet are built here."""
    workshop = workshop or Workshop()
    inputs = read_inputs(config, workshop)
    tell_notices(inputs.corpus.notices)
    read_format(config, workshop).check_indexes([query.id for query in inputs.queries])
    check_counts(config)
    executor = workshop({"_target_": "rag1.run.batch.Executor", **_plain(config.executor)})
    llm = workshop(config.llm)
    pipeline = workshop(config.pipeline)
    router = workshop(config.router)
    if router["router"] is not None:
        pipeline = RoutedPipeline(pipeline, router["router"], router["top"], router["margin"])
    calibration = workshop(config.abstention)["calibration"]
    if calibration is not None:
        pipeline = Abstaining(pipeline, calibration)
    return Plan(inputs, pipeline, llm, executor, workshop)


def _plain(node: Any) -> dict[str, Any]:
    return {str(key): value for key, value in node.items()}
