"""Learns from scored runs which pipeline to send each kind of question to, and writes the table for pipeline=routed.

Give one run a pipeline and question file: `python scripts/learn_routes.py outputs/sweeps/X/*/ outputs/sweeps/Y/*/`.
Beside the pipelines there is the route "abstain". --policies also holds tuned abstention out (a minute or two).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from rag1.app.cli import register_resolvers
from rag1.app.validation import Validation, read_validation
from rag1.errors import Rag1Error
from rag1.pipelines.routed import ABSTAIN
from rag1.score.folds import Array
from rag1.score.policy import policies
from rag1.score.routes import Learnt, learn_routes
from rag1.score.table import interval


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, nargs="+", help="scored run folders, one a pipeline and question file")
    parser.add_argument("--metric", default="", help="the points to raise (default: the judge's, else crag)")
    parser.add_argument("--prior", type=float, default=10, help="how many questions the overall mean counts for")
    parser.add_argument("--policies", action="store_true", help="hold every pipeline out with tuned abstention, too")
    parser.add_argument("--out", type=Path, default=Path("outputs/routes.json"))
    given = parser.parse_args()
    register_resolvers()
    try:
        found = read_validation(given.run, given.metric)
        learnt = learn_routes(found.kinds, scores(found), given.prior)
        show(learnt)
        if given.policies:
            show_policies(found, policies(found.kinds, found.runs, given.prior))
    except Rag1Error as error:
        print(error, file=sys.stderr)
        return error.exit_code
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(asdict(learnt), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"written: {given.out}")
    return 0


def scores(found: Validation) -> dict[str, list[float]]:
    """Each pipeline's points for each question, and those of an abstention."""
    points = {name: run.points.tolist() for name, run in found.runs.items()}
    return {**points, ABSTAIN: next(iter(found.runs.values())).withheld.tolist()}


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


def show_policies(found: Validation, points: Mapping[str, Array]) -> None:
    """A row a policy, a column a question file: the mean over all questions, and over each file's."""
    sets = {"all": np.ones(len(found.sets), dtype=bool)}
    sets |= {name: np.array([one == name for one in found.sets]) for name in dict.fromkeys(found.sets)}
    table = Table("policy", *(f"{name} ({mask.sum()})" for name, mask in sets.items()), title="held-out points")
    for policy, values in points.items():
        table.add_row(policy, *(_cell(values[mask]) for mask in sets.values()))
    Console().print(table)


def _cell(values: Array) -> str:
    low, high = interval(values)
    return f"{values.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


if __name__ == "__main__":
    sys.exit(main())
