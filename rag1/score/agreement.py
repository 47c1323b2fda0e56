"""Does a judge agree with people? Cohen's kappa and the confusion table over a small labelled file.

Cohen, "A coefficient of agreement for nominal scales", 1960: kappa = (observed − chance) / (1 − chance).
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag1.errors import DataError
from rag1.score.answers import POINTS
from rag1.score.table import ScoreTable

LABELS = tuple(POINTS)
ENOUGH = 0.6
"""The least kappa that passes: "substantial" in Landis and Koch 1977."""
UNREAD = "unread"


@dataclass(frozen=True)
class Agreement:
    """`confusion[human][judge]` counts; a judge's unread verdict is a label of its own, and agrees with nothing."""

    n: int
    observed: float
    kappa: float
    confusion: Mapping[str, Mapping[str, int]]
    threshold: float = ENOUGH

    @property
    def warning(self) -> str:
        """A line where the judge is not to be trusted; "" otherwise."""
        if self.kappa >= self.threshold:
            return ""
        return (
            f"the judge agrees with people no better than kappa {self.kappa:.2f} on {self.n} questions "
            f"(at least {self.threshold:.2f} is wanted): do not choose between runs by it"
        )


def agreement(human: Sequence[str], judge: Sequence[str], threshold: float = ENOUGH) -> Agreement:
    """Agreement of two labellings of the same questions, in one order."""
    pairs = Counter(zip(human, judge, strict=True))
    n = len(human)
    if not n:
        raise DataError("no question has both a human label and a verdict")
    observed = sum(count for (one, two), count in pairs.items() if one == two) / n
    ours, theirs = Counter(human), Counter(judge)
    chance = sum(ours[label] * theirs[label] for label in LABELS) / n**2
    kappa = (observed - chance) / (1 - chance) if chance < 1 else 1.0
    names = [*LABELS, UNREAD]
    confusion = {one: {two: pairs[one, two] for two in names} for one in LABELS}
    return Agreement(n, observed, kappa, confusion, threshold)


def judge_agreement(table: ScoreTable, name: str, human: Mapping[str, str], threshold: float = ENOUGH) -> Agreement:
    """Agreement of the score `name` of a run with labels by question index."""
    scores = {row.index: row.scores[name] for row in table.rows if name in row.scores}
    shared = [index for index in human if index in scores]
    verdicts = [UNREAD if scores[index].value is None else scores[index].label for index in shared]
    return agreement([human[index] for index in shared], verdicts, threshold)


def noise(table: ScoreTable, name: str) -> float | None:
    """The share of questions on which a judge asked several times did not always say the same; None for one try."""
    said = [row.scores[name].note.split() for row in table.rows if name in row.scores]
    repeated = [labels for labels in said if len(labels) > 1 and set(labels) <= {*LABELS, UNREAD}]
    return sum(len(set(labels)) > 1 for labels in repeated) / len(repeated) if repeated else None


def read_labels(path: Path) -> dict[str, str]:
    """Human labels: a CSV with `index` and `label` (Perfect, Acceptable, Missing, Incorrect). All faults at once."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle, strict=True)
            rows = [(reader.line_num, row) for row in reader]
            columns = reader.fieldnames or []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: {error}") from error
    missing = [name for name in ("index", "label") if name not in columns]
    if missing:
        raise DataError(f"{path}: line 1: no column {missing[0]!r}; found {', '.join(columns) or 'nothing'}")
    faults = [
        f"line {line}: label {row['label']!r} is none of {', '.join(LABELS)}"
        for line, row in rows
        if row["label"] not in LABELS
    ]
    counts = Counter(row["index"] for _, row in rows)
    faults += [f"index {index!r} stands {count} times" for index, count in counts.items() if count > 1]
    if faults:
        raise DataError(f"{path}: {len(faults)} faults", faults)
    return {row["index"]: row["label"] for _, row in rows}
