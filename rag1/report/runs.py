"""A finished run, read back from its folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from rag1.errors import DataError, InputError
from rag1.run.record import from_record
from rag1.score.table import ScoreTable, judge_name, read_scores
from rag1.types import Answer, Query, Usage

ANSWERS, SCORES, RECIPE = "answers.jsonl", "scores.json", "run.yaml"


@dataclass(frozen=True)
class Run:
    """`table` is None for a run without gold; `recipe` is run.yaml as plain values, interpolations as written."""

    folder: Path
    queries: tuple[Query, ...]
    answers: tuple[Answer, ...]
    table: ScoreTable | None
    recipe: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The folder's name: unique, and by default it ends with the pipeline's."""
        return self.folder.resolve().name

    @property
    def usage(self) -> Usage:
        return sum((answer.usage for answer in self.answers), Usage())

    @property
    def seconds(self) -> float:
        """Of all questions together, as if one had followed the other."""
        return sum(answer.seconds for answer in self.answers)

    def points(self, metric: str = "") -> dict[str, float]:
        """Each scored question's points by id: of `metric`, else of the judge, else of the rules; unread ones are 0.

        Empty for a run without gold, and for a metric that it was not scored by.
        """
        if self.table is None:
            return {}
        name = metric or judge_name(self.table)
        return {row.index: row.scores[name].value or 0.0 for row in self.table.rows if name in row.scores}


def read_run(folder: Path) -> Run:
    """The run of a folder. Raises InputError where the folder holds none, DataError for a broken file in it."""
    if not (folder / ANSWERS).is_file():
        raise InputError(f"{str(folder)!r} is not a finished run: it holds no {ANSWERS}; resume it first")
    queries, answers = _answers(folder / ANSWERS)
    table = read_scores(folder / SCORES) if (folder / SCORES).is_file() else None
    return Run(folder, queries, answers, table, _recipe(folder / RECIPE))


def named_runs(runs: Sequence[Run]) -> dict[str, Run]:
    """Runs by folder name; folders of one name are told apart by the folder above.

    Raises InputError for a run that is named twice.
    """
    counts = Counter(run.name for run in runs)
    named: dict[str, Run] = {}
    for run in runs:
        folder = run.folder.resolve()
        name = run.name if counts[run.name] == 1 else f"{folder.parent.name}/{run.name}"
        if name in named:
            raise InputError(f"{str(run.folder)!r} is named twice; name different runs")
        named[name] = run
    return named


def _answers(path: Path) -> tuple[tuple[Query, ...], tuple[Answer, ...]]:
    found: dict[str, tuple[Query, Answer]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line:
            continue
        try:
            record = json.loads(line)
            if "started" not in record:
                found[record["index"]] = (Query(record["index"], record["question"]), from_record(record))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{path}, line {number}: not an answer's record ({type(error).__name__}: {error})"
            ) from error
    return tuple(query for query, _ in found.values()), tuple(answer for _, answer in found.values())


def _recipe(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    try:
        recipe = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    except (OmegaConfBaseException, ValueError, YAMLError) as error:
        raise DataError(f"{path}: not a recipe: {str(error).splitlines()[0]}") from error
    return {str(name): value for name, value in recipe.items()} if isinstance(recipe, dict) else {}
