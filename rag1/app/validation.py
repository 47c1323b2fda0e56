"""Scored runs as one validation set: each pipeline's answers to the questions of one question file or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag1.app.plan import find_gold
from rag1.app.recipe import read_recipe
from rag1.corpus.questions import read_golds, read_questions
from rag1.errors import InputError
from rag1.llm.rules.classify import kind_of
from rag1.report.runs import Run, read_run
from rag1.score.abstain import Judged, judged
from rag1.score.answers import RuleJudge
from rag1.types import ABSTENTION, Answer, Gold


@dataclass(frozen=True)
class Validation:
    """`kinds` and `sets` (the question file's path) of each question; `runs`: pipeline → its scored answers."""

    kinds: tuple[str, ...]
    sets: tuple[str, ...]
    runs: Mapping[str, Judged]


def read_validation(folders: Sequence[Path], metric: str = "") -> Validation:
    """`folders`: run folders, one a pipeline and question file; files that some pipeline has no run over are left out.

    `metric`: the points (none: the judge's, else crag). Raises InputError where runs have no scores, or share none.
    """
    by_pipeline: dict[str, dict[str, Run]] = {}
    for folder in folders:
        run = read_run(folder)
        meta = read_recipe(str(folder)).meta
        runs = by_pipeline.setdefault(str(meta.pipeline), {})
        if str(meta.questions) in runs:
            raise InputError(f"{folder}: pipeline {meta.pipeline!r} is there twice over one file; give one run of each")
        runs[str(meta.questions)] = run
    first = next(iter(by_pipeline.values()))
    shared = [files for files in first if all(files in runs for runs in by_pipeline.values())]
    places = [(files, q.id) for files in shared for q in first[files].queries]
    points = {name: _points(runs, shared, metric) for name, runs in by_pipeline.items()}
    places = [place for place in places if all(place in found for found in points.values())]
    if not places:
        raise InputError("the runs share no scored question; give runs over the same question files")
    texts = {(files, q.id): q.text for files in shared for q in first[files].queries}
    names = {files: str(read_recipe(str(first[files].folder)).questions.path) for files in shared}
    withheld = _withheld({files: first[files] for files in shared})
    answers = {name: _answers(runs, shared) for name, runs in by_pipeline.items()}
    return Validation(
        tuple(kind_of(texts[place]) for place in places),
        tuple(names[files] for files, _ in places),
        {
            name: judged(
                [answers[name][place] for place in places],
                [texts[place] for place in places],
                [points[name][place] for place in places],
                [withheld[place] for place in places],
            )
            for name in by_pipeline
        },
    )


Place = tuple[str, str]
"""Fingerprint of a question file, and the question's id in it."""


def _points(runs: Mapping[str, Run], shared: Sequence[str], metric: str) -> dict[Place, float]:
    found: dict[Place, float] = {}
    for files in shared:
        run = runs[files]
        if run.table is None or not run.table.rows:
            raise InputError(f"{run.folder} has no scores; give its run a gold file, or rescore it")
        points = run.points(metric)
        if not points:
            raise InputError(f"{run.folder} has no score {metric!r}; there are {', '.join(run.table.overall)}")
        found |= {(files, i): value for i, value in points.items()}
    return found


def _answers(runs: Mapping[str, Run], shared: Sequence[str]) -> dict[Place, Answer]:
    return {(files, answer.query_id): answer for files in shared for answer in runs[files].answers}


def _withheld(runs: Mapping[str, Run]) -> dict[Place, float]:
    """What an abstention would have scored; 0 for a question whose gold is not there any more."""
    judge = RuleJudge()
    found: dict[Place, float] = {}
    for files, run in runs.items():
        golds = golds_of(run)
        for query in run.queries:
            gold = golds.get(query.id)
            found[files, query.id] = (judge(Answer(query.id, ABSTENTION), gold).value or 0.0) if gold else 0.0
    return found


def golds_of(run: Run) -> dict[str, Gold]:
    """What the run was scored against, by query id."""
    config = read_recipe(str(run.folder))
    path = find_gold(config.gold.path, config.questions.path)
    golds = read_golds(path, read_questions(config.questions.path)) if path else ()
    return {gold.query_id: gold for gold in golds}
