"""Learns from scored runs which pipeline to send each kind of question to, and writes the table for pipeline=routed.

Give one run a pipeline, all over the same questions: `python scripts/learn_routes.py outputs/sweeps/X/*/`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from rag1.app.recipe import read_recipe
from rag1.errors import InputError, Rag1Error
from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import ClassifyQuestion
from rag1.report.runs import Run, read_run
from rag1.score.routes import Learnt, learn_routes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, nargs="+", help="scored run folders, one a pipeline")
    parser.add_argument("--metric", default="", help="the points to raise (default: the judge's, else crag)")
    parser.add_argument("--prior", type=float, default=10, help="how many questions the overall mean counts for")
    parser.add_argument("--out", type=Path, default=Path("outputs/routes.json"))
    given = parser.parse_args()
    try:
        kinds, scores = gathered([read_run(folder) for folder in given.run], given.metric)
        found = learn_routes(kinds, scores, given.prior)
    except Rag1Error as error:
        print(error, file=sys.stderr)
        return error.exit_code
    show(found)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(asdict(found), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"written: {given.out}")
    return 0


def gathered(runs: Sequence[Run], metric: str) -> tuple[list[str], dict[str, list[float]]]:
    """The kinds of the questions that all runs have a score for, and each pipeline's points for them."""
    points: dict[str, dict[str, float]] = {}
    for run in runs:
        if run.table is None or not run.table.rows:
            raise InputError(f"{run.folder} has no scores; give its run a gold file, or rescore it")
        name = str(read_recipe(str(run.folder)).meta.pipeline)
        if name in points:
            raise InputError(f"{run.folder}: pipeline {name!r} is there twice; give one run of each")
        points[name] = run.points(metric)
    shared = [q for q in runs[0].queries if all(q.id in found for found in points.values())]
    if not shared:
        raise InputError("the runs share no scored question; give runs over one question file")
    llm = OfflineLlm()
    kinds = [llm(ClassifyQuestion(question=query.text)).kind for query in shared]
    return list(kinds), {name: [found[q.id] for q in shared] for name, found in points.items()}


def show(found: Learnt) -> None:
    console = Console()
    table = Table("kind", "questions", "pipeline", "chosen again in", title="routes")
    for kind, name in found.table.items():
        table.add_row(kind, str(found.counts[kind]), name, f"{found.sure[kind]:.0%} of resamples")
    console.print(table)
    shares = ", ".join(f"{name} {share:.0%}" for name, share in found.share.items() if share)
    console.print(f"share of the questions: {shares}")
    gain = found.routed - found.single
    console.print(
        f"held out: routed {found.routed:+.3f}, best single pipeline {found.single:+.3f}, "
        f"difference {gain:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"
    )
    if found.constant:
        console.print(f"The table sends everything to {found.default}: these runs show nothing that routing gains.")


if __name__ == "__main__":
    sys.exit(main())
