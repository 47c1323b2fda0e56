"""Puts tables of finished runs into the READMEs, between `<!-- table: NAME -->` and `<!-- end -->`.

    python scripts/readme_tables.py kinds:sample_kinds=outputs/sweeps/A scores:sample_scores=outputs/sweeps/A
    python scripts/readme_tables.py chains:chains=outputs/sweeps/FALKORDB,outputs/sweeps/NEO4J

LAYOUT:NAME=FOLDER[,FOLDER]; a folder holds run folders, those that are not finished are named and left out. `kinds`:
pipelines × kinds of question by one score. `scores`: pipelines × main scores. `chains`: exact matches, a column a graph
store. Cells are means with 95 % intervals, in hundredths.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from rag1.errors import InputError, Rag1Error
from rag1.report.runs import Run, read_run
from rag1.score.table import ScoreTable, Summary

ROOT = Path(__file__).resolve().parent.parent
READMES = (ROOT / "README.md", ROOT / "README.ja.md")
MAIN = ("crag", "exact_match", "f1", "evidence_recall_at_8", "all_evidence_at_8", "evidence_verbatim")
STORES = {"OpenFalkorDB": "FalkorDB", "OpenNeo4j": "Neo4j"}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="+", metavar="LAYOUT:NAME=FOLDER", help=f"LAYOUT is one of {', '.join(LAYOUTS)}")
    parser.add_argument("--metric", default="crag", help="the score of `kinds` (default: crag)")
    parser.add_argument("--readme", type=Path, nargs="+", default=READMES, help="the files to change")
    given = parser.parse_args(arguments)
    try:
        made = dict(made_table(text, given.metric) for text in given.table)
        texts = {path: replaced(path, made) for path in given.readme}
    except Rag1Error as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
        print(f"{path}: {', '.join(made)}")
    return 0


def made_table(given: str, metric: str) -> tuple[str, str]:
    """(name, markdown) of one argument."""
    found = re.fullmatch(r"(\w+):(\w+)=(.+)", given)
    if not found or found[1] not in LAYOUTS:
        raise InputError(f"{given!r} is not LAYOUT:NAME=FOLDER with one of {', '.join(LAYOUTS)}")
    runs = [run for folder in found[3].split(",") for run in scored_runs(Path(folder))]
    return found[2], LAYOUTS[found[1]](runs, metric)


def scored_runs(folder: Path) -> list[Run]:
    """The scored runs of a sweep in the order of its jobs. Raises InputError where there is none."""
    runs = []
    for path in sorted((p for p in folder.glob("*") if p.is_dir() and p.name != "comparison"), key=_place):
        try:
            run = read_run(path)
        except Rag1Error as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        if run.table and run.table.rows:
            runs.append(run)
    if not runs:
        raise InputError(f"{str(folder)!r} holds no scored run")
    return runs


def _place(path: Path) -> tuple[int, str]:
    number = path.name.partition("-")[0]
    return (int(number) if number.isdecimal() else sys.maxsize, path.name)


def kinds(runs: Sequence[Run], metric: str) -> str:
    tables = {pipeline(run): table_of(run) for run in runs}
    first = next(iter(tables.values()))
    names = sorted(first.by_kind)
    header = [f"{metric}, n", "all", *names]
    rows = [["", *(str(one.n) for one in (first.overall[metric], *(first.by_kind[kind][metric] for kind in names)))]]
    for name, table in tables.items():
        one = [table.overall[metric], *(table.by_kind.get(kind, {}).get(metric) for kind in names)]
        rows.append([f"`{name}`", *(cell(summary) for summary in one)])
    return markdown(header, rows)


def scores(runs: Sequence[Run], _metric: str) -> str:
    rows = []
    for run in runs:
        table = table_of(run)
        counts = "{answered} / {abstained} / {failed}".format(**table.counts)
        rows.append([f"`{pipeline(run)}`", *(cell(table.overall.get(name)) for name in MAIN), counts])
    return markdown(["pipeline", *MAIN, "answered / abstained / failed"], rows)


def chains(runs: Sequence[Run], _metric: str) -> str:
    """Exact matches of all questions, a column a store; a pipeline that was not run there has none."""
    right: dict[str, dict[str, str]] = {}
    for run in runs:
        one = table_of(run).overall["exact_match"]
        quoted = table_of(run).overall.get("evidence_verbatim")
        cells = [count_of(one), f"evidence verbatim {count_of(quoted)}" if quoted and quoted.n else ""]
        right.setdefault(pipeline(run), {})[store(run)] = "; ".join(filter(None, cells))
    stores = list(dict.fromkeys(store(run) for run in runs))
    return markdown(
        ["pipeline", *stores], [[f"`{name}`", *(by.get(s, "–") for s in stores)] for name, by in right.items()]
    )


LAYOUTS: Mapping[str, Callable[[Sequence[Run], str], str]] = {"kinds": kinds, "scores": scores, "chains": chains}


def table_of(run: Run) -> ScoreTable:
    assert run.table is not None
    return run.table


def pipeline(run: Run) -> str:
    return str(run.recipe["meta"]["pipeline"])


def store(run: Run) -> str:
    target = str(run.recipe.get("graph", {}).get("_target_", "")).rpartition(".")[2]
    return STORES.get(target, target)


def count_of(summary: Summary) -> str:
    """A score of 0 or 1 as a count: `9 of 10`."""
    return f"{round((summary.mean or 0) * summary.n)} of {summary.n}"


def cell(summary: Summary | None) -> str:
    """Mean and interval in hundredths: `36 (24…50)`."""
    if summary is None or summary.mean is None or summary.low is None or summary.high is None:
        return "–"
    mean, low, high = (round(100 * value) for value in (summary.mean, summary.low, summary.high))
    return f"{mean} ({low}…{high})"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---", *("---:" for _ in header[1:])], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def replaced(path: Path, made: Mapping[str, str]) -> str:
    """The file's text with the tables in place. Raises InputError where one has no place."""
    text = path.read_text(encoding="utf-8")
    for name, table in made.items():
        place = re.compile(rf"(<!-- table: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, count = place.subn(lambda found, table=table: f"{found[1]}{table}{found[2]}", text)  # type: ignore[misc]
        if count != 1:
            raise InputError(f"{path}: {count} places `<!-- table: {name} -->` … `<!-- end -->`, one is needed")
    return text


if __name__ == "__main__":
    sys.exit(main())
