"""Finished runs side by side: the comparison for a terminal, as CSV, and as one self-contained page."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag1.errors import InputError
from rag1.report.cells import guarded
from rag1.report.html import write_html
from rag1.report.runs import Run, named_runs, read_run
from rag1.score.answers import NOT_APPLICABLE
from rag1.score.compare import Comparison, Entry, compare, counted
from rag1.score.paired import RIGHT
from rag1.score.table import judge_name
from rag1.types import Score

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


@dataclass(frozen=True)
class SideBySide:
    """The runs, each named apart, over the questions that all of them were scored on."""

    comparison: Comparison
    runs: dict[str, Run]
    indexes: tuple[str, ...]
    notes: tuple[str, ...]


def compare_runs(folders: Sequence[Path], metric: str = "") -> SideBySide:
    """Compares finished runs on the questions that all of them share. `metric` is a score's name ("": the judge's).

    Raises InputError for fewer than two runs, a run without scores, an unknown metric or no shared question.
    """
    if len(folders) < 2:
        raise InputError(f"{len(folders)} run to compare; name two run folders or more")
    runs = named_runs([read_run(folder) for folder in folders])
    metric = metric or _metric(list(runs.values()))
    scored = {name: _scores(run, metric) for name, run in runs.items()}
    indexes, notes = _shared(runs, scored)
    entries = [
        Entry(name, [scored[name][index].value or 0.0 for index in indexes], run.usage.usd, run.seconds)
        for name, run in runs.items()
    ]
    return SideBySide(compare(entries, metric), runs, indexes, notes)


def _metric(runs: Sequence[Run]) -> str:
    names = [judge_name(run.table) for run in runs]
    shared = next((name for name in names if name and all(run.table and name in run.table.overall for run in runs)), "")
    return shared or "crag"


def _scores(run: Run, metric: str) -> dict[str, Score]:
    if run.table is None:
        raise InputError(f"{str(run.folder)!r} has no scores.json; score it with scripts/rescore.py and a gold file")
    if metric not in run.table.overall:
        known = ", ".join(run.table.overall) or "none"
        raise InputError(f"{str(run.folder)!r} has no score {metric!r}; it has {known}")
    return {
        row.index: row.scores[metric]
        for row in run.table.rows
        if metric in row.scores and row.scores[metric].label != NOT_APPLICABLE
    }


def _shared(runs: dict[str, Run], scored: dict[str, dict[str, Score]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    first = next(iter(runs.values()))
    texts = [{query.id: query.text for query in run.queries} for run in runs.values()]
    every = {index for scores in scored.values() for index in scores}
    indexes = tuple(
        query.id
        for query in first.queries
        if all(query.id in scores for scores in scored.values()) and all(text[query.id] == query.text for text in texts)
    )
    if not indexes:
        raise InputError("these runs share no scored question; compare runs over one question file")
    left = len(every) - len(indexes)
    verb = "is" if left == 1 else "are"
    return indexes, ((f"{counted(left)} {verb} left out: not all runs were scored there.",) if left else ())


# --- for a terminal --------------------------------------------------------------------------------------


def print_comparison(found: SideBySide, console: Console) -> None:
    """Standings, pairs and what they mean in words."""
    from rich.text import Text

    console.print(_standings(found.comparison))
    console.print(_pairs(found.comparison))
    for line in (*found.notes, *found.comparison.words):
        console.print(Text(line))


def _standings(comparison: Comparison) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(f"{comparison.metric} over {counted(comparison.n)}"))
    for title in ("run", "mean", "95 %", "USD", "seconds", "Pareto"):
        table.add_column(title, justify="left" if title == "run" else "right")
    for one in comparison.standings:
        usd = "?" if one.usd is None else f"{one.usd:.4f}"
        interval = f"{one.low:.3f} to {one.high:.3f}"
        table.add_row(Text(one.name), f"{one.mean:.3f}", interval, usd, f"{one.seconds:.1f}", "★" if one.pareto else "")
    return table


def _pairs(comparison: Comparison) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title="pairs")
    for title in ("a", "b", "a − b", "95 %", "a alone", "b alone", "McNemar p", "p", "p (Holm)"):
        table.add_column(title, justify="left" if title in "ab" else "right")
    for pair in comparison.pairs:
        one = pair.found
        numbers = (f"{one.mean:+.3f}", f"{one.low:+.3f} to {one.high:+.3f}", str(one.only_a), str(one.only_b))
        chances = (f"{p:.3f}" for p in (one.mcnemar_p, one.p, pair.p_holm))
        table.add_row(Text(pair.a), Text(pair.b), *numbers, *chances)
    return table


# --- as files --------------------------------------------------------------------------------------------


def write_comparison(found: SideBySide, folder: Path) -> tuple[Path, Path]:
    """Writes `comparison.csv` (a line a question) and `comparison.html` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = _rows(found)
    table = folder / "comparison.csv"
    with table.open("w", encoding="utf-8-sig", newline="", errors="replace") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(
            ["index", "question", *(f"{name}: {part}" for name in found.runs for part in ("answer", "label", "score"))]
        )
        for row in rows:
            cells = [one[part] for one in row["runs"].values() for part in ("answer", "label", "value")]
            writer.writerow([guarded(str(cell)) for cell in (row["index"], row["question"], *cells)])
    comparison = found.comparison
    data = {
        "metric": comparison.metric,
        "n": comparison.n,
        "right": RIGHT,
        "words": [*found.notes, *comparison.words],
        "names": [one.name for one in comparison.standings],
        "standings": [asdict(one) for one in comparison.standings],
        "pairs": [asdict(pair) | {"differs": pair.differs} for pair in comparison.pairs],
        "rows": rows,
    }
    return table, write_html(folder / "comparison.html", "rag1: runs compared", "compare", data)


def _rows(found: SideBySide) -> list[dict[str, Any]]:
    answers = {name: {answer.query_id: answer for answer in run.answers} for name, run in found.runs.items()}
    texts = {query.id: query.text for query in next(iter(found.runs.values())).queries}
    scores = {name: _scores(run, found.comparison.metric) for name, run in found.runs.items()}
    kinds = {row.index: row.kind for run in found.runs.values() if run.table for row in run.table.rows}
    rows = []
    for index in found.indexes:
        sides = {}
        for name in found.runs:
            answer, score = answers[name][index], scores[name][index]
            sides[name] = {
                "answer": answer.text,
                "evidence": answer.evidence,
                "label": "unread" if score.value is None else score.label,
                "value": score.value or 0.0,
                "stop": answer.stop,
                "retrieved": [f"{item.id} ({item.by})" for item in answer.support],
            }
        rows.append({"index": index, "question": texts[index], "kind": kinds.get(index, ""), "runs": sides})
    return rows
