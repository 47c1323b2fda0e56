"""Scores of a run: each question's, and their means with intervals, overall, by question kind and by document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag1.errors import DataError
from rag1.score.answers import NOT_APPLICABLE, POINTS
from rag1.types import FAILED, Answer, Gold, Score, Scorer

RESAMPLES = 2000
SEED = 20260101


@dataclass(frozen=True, slots=True)
class Summary:
    """A score over `n` questions: mean and its 95 % bootstrap interval (percentiles of resampled means).

    `unread` scores count as 0 in the mean; `not_applicable` ones are outside `n`. With n = 0 the mean is None.
    """

    name: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    unread: int = 0
    not_applicable: int = 0
    labels: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """One question's scores by name."""

    index: str
    kind: str
    documents: tuple[str, ...]
    stop: str
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """`counts`: answered, abstained and failed questions of the whole run, with gold or without."""

    counts: Mapping[str, int]
    overall: Mapping[str, Summary]
    by_kind: Mapping[str, Mapping[str, Summary]]
    by_document: Mapping[str, Mapping[str, Summary]]
    rows: tuple[ScoredRow, ...]


def score_answers(
    answers: Sequence[Answer], golds: Sequence[Gold], scorers: Sequence[Scorer], workers: int = 1
) -> ScoreTable:
    """Scores every answer that has a gold; with `workers` above 1 in threads, for scorers that ask a model.

    A failed question is scored as what a submission says for it, 「分かりません」, and counted as failed in `counts`.
    """
    by_id = {gold.query_id: gold for gold in golds}
    pairs = [(answer, by_id[answer.query_id]) for answer in answers if answer.query_id in by_id]
    with ThreadPoolExecutor(max(workers, 1)) as pool:
        rows = tuple(pool.map(lambda pair: _row(pair[0], pair[1], scorers), pairs))
    return tabulate(rows, _counts(answers))


def _row(answer: Answer, gold: Gold, scorers: Sequence[Scorer]) -> ScoredRow:
    scores = [scorer(answer, gold) for scorer in scorers]
    return ScoredRow(gold.query_id, gold.kind, tuple(sorted(gold.doc_ids)), answer.stop, {s.name: s for s in scores})


def _counts(answers: Sequence[Answer]) -> dict[str, int]:
    failed = sum(answer.stop in FAILED for answer in answers)
    abstained = sum(answer.abstained and answer.stop not in FAILED for answer in answers)
    return {
        "questions": len(answers),
        "answered": len(answers) - failed - abstained,
        "abstained": abstained,
        "failed": failed,
    }


def tabulate(rows: Sequence[ScoredRow], counts: Mapping[str, int]) -> ScoreTable:
    """The means of scored rows; a question over several documents counts in each of them."""
    kinds = sorted({row.kind for row in rows if row.kind})
    documents = sorted({name for row in rows for name in row.documents})
    return ScoreTable(
        dict(counts),
        summaries(rows),
        {kind: summaries([row for row in rows if row.kind == kind]) for kind in kinds},
        {name: summaries([row for row in rows if name in row.documents]) for name in documents},
        tuple(rows),
    )


def summaries(rows: Sequence[ScoredRow]) -> dict[str, Summary]:
    names = dict.fromkeys(name for row in rows for name in row.scores)
    return {name: summary(name, [row.scores[name] for row in rows if name in row.scores]) for name in names}


def summary(name: str, scores: Sequence[Score]) -> Summary:
    counted = [score for score in scores if score.label != NOT_APPLICABLE]
    values = np.array([score.value or 0.0 for score in counted])
    low, high = interval(values) if counted else (None, None)
    return Summary(
        name,
        float(values.mean()) if counted else None,
        low,
        high,
        len(counted),
        sum(score.value is None for score in counted),
        len(scores) - len(counted),
        dict(sorted(Counter(score.label for score in counted if score.label).items())),
    )


def interval(values: NDArray[np.float64], resamples: int = RESAMPLES, seed: int = SEED) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the mean (Efron 1979); the same values give the same interval."""
    draws = np.random.default_rng(seed).integers(0, len(values), (resamples, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def write_scores(table: ScoreTable, path: Path) -> None:
    """As JSON: counts, overall, by_kind, by_document (means, intervals) and rows (each question's scores)."""
    path.write_text(json.dumps(asdict(table), ensure_ascii=False, indent=1), encoding="utf-8", errors="replace")


def read_scores(path: Path) -> ScoreTable:
    """A table that `write_scores` wrote."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = [
            ScoredRow(row["index"], row["kind"], tuple(row["documents"]), row["stop"], _scores(row["scores"]))
            for row in data["rows"]
        ]
        return tabulate(rows, data["counts"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: no score table ({error}); score the run again with scripts/rescore.py") from error


def _scores(data: Mapping[str, Mapping[str, object]]) -> dict[str, Score]:
    return {name: Score(**score) for name, score in data.items()}  # type: ignore[arg-type]


def judge_name(table: ScoreTable | None) -> str:
    """The score whose labels (Perfect … Incorrect) are looked at: a model judge's, else the rules'; "" for none."""
    overall = table.overall if table else {}
    labelled = [name for name, one in overall.items() if name.startswith("judge") or POINTS.keys() & one.labels.keys()]
    return next((name for name in labelled if name.startswith("judge")), labelled[0] if labelled else "")
