"""Fits the weights by which a tale's sentences find their causes, and prints the table.

    python bench/fit_plot.py FOLDER... [--folds N]

Each folder holds annotated tales (*.txt): a sentence a line, blank lines between paragraphs, under one, behind a
tab, `原因 | N` for each sentence (from 1) that tells its direct cause, `原因 | ?` where that is left open; what follows
a line `---` is not read. The model is a walk from an effect to its cause and on, over the sentences near each one, that
ends where none is told. Minimises -log p(direct causes) - log p(the walk ends at the first cause of all), with an L2
penalty, by L-BFGS. `--folds` measures it first on tales left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rag1.llm.rules.plot import STAYS, Tale
from rag1.llm.rules.plot_features import of_none, of_pair

PENALTY = 1.0
ROOTS = 1.0
"""Weight of a first cause beside a direct one."""
LEAST = 0.05
"""Weights nearer to 0 are left out."""
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Annotated:
    """`causes`: sentence → its causes, [] for none; sentences left open are missing."""

    name: str
    sentences: list[str]
    opens: list[int]
    causes: dict[int, list[int]]

    @cached_property
    def tale(self) -> Tale:
        return Tale.of(self.sentences, self.opens)

    def first_causes(self, at: int, seen: frozenset[int] = frozenset()) -> frozenset[int]:
        """Where the annotated causes of a sentence lead; nothing where they are open on the way."""
        if at not in self.causes or at in seen:
            return frozenset()
        if not self.causes[at]:
            return frozenset({at})
        return frozenset().union(*(self.first_causes(n, seen | {at}) for n in self.causes[at]))


def read(path: Path) -> Annotated:
    sentences: list[str] = []
    opens: list[int] = []
    causes: dict[int, list[int]] = {}
    opening = True
    for line in path.read_text(encoding="utf-8").split("\n---")[0].splitlines():
        if line.startswith("\t"):
            kind, _, value = (part.strip() for part in line.partition("|"))
            if kind == "原因" and value == "?":
                causes.pop(len(sentences) - 1, None)
            elif kind == "原因" and value.isdigit():
                causes[len(sentences) - 1].append(int(value) - 1)
        elif line.strip():
            if opening or line.startswith("「") or (sentences and sentences[-1].endswith("」")):
                opens.append(len(sentences))
            causes[len(sentences)] = []
            sentences.append(line.strip())
            opening = False
        else:
            opening = True
    return Annotated(path.stem, sentences, opens, causes)


@dataclass(frozen=True)
class Sheet:
    """A tale as one table: a row for each sentence and candidate, the candidate after the last for none."""

    story: Annotated
    table: Array
    of: NDArray[np.int64]
    to: NDArray[np.int64]

    def walk(self, weights: Array) -> Array:
        """p(cause | sentence), shape (sentences, sentences + 1)."""
        size = len(self.story.sentences)
        scores = self.table @ weights
        highest = np.full(size, -np.inf)
        np.maximum.at(highest, self.of, scores)
        shares = np.exp(scores - highest[self.of])
        p = np.zeros((size, size + 1))
        p[self.of, self.to] = shares
        return np.asarray(p / p.sum(axis=1, keepdims=True))


def rows_of(story: Annotated) -> list[tuple[int, int, dict[str, float]]]:
    """(sentence, candidate, features); the candidate behind the last sentence stands for none."""
    rows = []
    for at in range(len(story.sentences)):
        window, low = story.tale.window(at)
        rows += [(at, low + n, of_pair(window, n)) for n in window.candidates]
        rows.append((at, len(story.sentences), of_none(window)))
    return rows


def sheets_of(stories: Sequence[Annotated]) -> tuple[list[str], list[Sheet]]:
    """Names of the features, and the tables."""
    read_rows = [rows_of(story) for story in stories]
    names = sorted({name for rows in read_rows for _, _, values in rows for name in values})
    place = {name: n for n, name in enumerate(names)}
    found = []
    for story, rows in zip(stories, read_rows, strict=True):
        table = np.zeros((len(rows), len(names)))
        for n, (_, _, values) in enumerate(rows):
            table[n, [place[name] for name in values]] = list(values.values())
        found.append(Sheet(story, table, np.array([row[0] for row in rows]), np.array([row[1] for row in rows])))
    return names, found


def ends(p: Array) -> Array:
    """Expected visits of the walk, shape (sentences, sentences)."""
    size = len(p)
    return np.asarray(np.linalg.inv(np.eye(size) - STAYS * p[:, :size]))


def loss_of(own: Sheet, weights: Array) -> tuple[float, Array]:
    """Loss and its gradient by the weights."""
    story, size = own.story, len(own.story.sentences)
    p = own.walk(weights)
    by_p = np.zeros_like(p)
    total = 0.0
    for at, causes in story.causes.items():
        right = [n for n in causes if p[at, n] > 0] or ([] if causes else [size])
        if right:
            held = p[at, right].sum() + 1e-12
            total -= np.log(held)
            by_p[at, right] -= 1 / held
    visits = ends(p)
    for at in story.causes:
        firsts = sorted(story.first_causes(at) - {at})
        if not firsts:
            continue
        stop = np.zeros(size)
        stop[firsts] = p[firsts, size]
        reached = visits @ stop
        held = reached[at] + 1e-9
        total -= ROOTS * np.log(held)
        by_p[:, :size] -= ROOTS / held * STAYS * np.outer(visits[at], reached)
        by_p[firsts, size] -= ROOTS / held * visits[at, firsts]
    by_score = p * (by_p - (p * by_p).sum(axis=1, keepdims=True))
    return total, own.table.T @ by_score[own.of, own.to]


def fit(sheets: Sequence[Sheet]) -> Array:
    def loss(weights: Array) -> tuple[float, Array]:
        total, gradient = PENALTY * float(weights @ weights), 2 * PENALTY * weights
        for own in sheets:
            value, slope = loss_of(own, weights)
            total, gradient = total + value, gradient + slope
        return total, gradient

    start = np.zeros(sheets[0].table.shape[1])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x)


def measure(own: Sheet, weights: Array) -> NDArray[np.int64]:
    """(sentences, right, with a cause, right, first causes sought, found)."""
    story, size = own.story, len(own.story.sentences)
    p = own.walk(weights)
    visits = ends(p)
    counts = np.zeros(6, dtype=np.int64)
    for at, causes in story.causes.items():
        hit = int(p[at].argmax()) in (causes or [size])
        counts[:4] += (1, hit, bool(causes), hit and bool(causes))
        firsts = story.first_causes(at) - {at}
        if firsts:
            ended = visits[at] * p[:, size]
            ended[at] = 0
            counts[4:] += (1, int(ended.argmax()) in firsts)
    return counts


def folds(sheets: Sequence[Sheet], count: int) -> str:
    found = np.zeros(6, dtype=np.int64)
    for fold in range(count):
        weights = fit([own for n, own in enumerate(sheets) if n % count != fold])
        found += sum(
            (measure(own, weights) for n, own in enumerate(sheets) if n % count == fold), np.zeros(6, np.int64)
        )
    return (
        f"{found[1]} of {found[0]} sentences right, {found[3]} of {found[2]} with a cause, "
        f"{found[5]} of {found[4]} first causes"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--folds", type=int, default=0)
    options = parser.parse_args()
    stories = [read(path) for folder in options.folders for path in sorted(folder.glob("*.txt"))]
    names, sheets = sheets_of(stories)
    measured = f", left out: {folds(sheets, options.folds)}" if options.folds else ""
    print(f"# {len(stories)} tales{measured}")
    for name, weight in zip(names, fit(sheets), strict=True):
        if abs(weight) >= LEAST:
            print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    main()
