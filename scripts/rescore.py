"""Scores the kept answers of finished runs again, under other scorers or another judge; asks no pipeline anything.

Rewrites scores.json and report.html of each run folder. `--human FILE` (a CSV with index and label) shows how far
the judge agrees with people.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from omegaconf import DictConfig
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from rag1.app.plan import read_inputs
from rag1.app.recipe import read_recipe
from rag1.build import Workshop
from rag1.errors import Rag1Error
from rag1.report.page import write_page
from rag1.report.runs import read_run
from rag1.score.agreement import Agreement, judge_agreement, noise, read_labels
from rag1.score.table import ScoreTable, judge_name, score_answers, write_scores


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, nargs="+", help="run folders")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="scorer=…, judge=…, gold.path=…"
    )
    parser.add_argument("--human", type=Path, help="human labels: a CSV with index and label")
    parser.add_argument("--workers", type=int, default=8, help="verdicts asked for at once (default: 8)")
    given = parser.parse_args()
    register_resolvers()
    try:
        human = read_labels(given.human) if given.human else {}
        for folder in given.run:
            table = rescore(folder, given.set, given.workers)
            show(folder, table, Console())
            if human:
                show_agreement(judge_agreement(table, judge_name(table), human), judge_name(table), Console())
    except Rag1Error as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def rescore(folder: Path, overrides: list[str], workers: int) -> ScoreTable:
    """The new table of a run: its corpus, questions and gold from its recipe, scorers and judge as now chosen."""
    run = read_run(folder)
    config = _config(folder, overrides)
    workshop = Workshop()
    inputs = read_inputs(config, workshop)
    scorers = [*workshop(config.scorer).values(), *workshop(config.judge).values()]
    table = score_answers(run.answers, inputs.golds, [one for one in scorers if one is not None], workers)
    write_scores(table, folder / "scores.json")
    write_page(folder, run.queries, run.answers, inputs.golds, table, inputs.corpus, run.recipe)
    return table


def _config(folder: Path, overrides: list[str]) -> DictConfig:
    """The run's recipe with scorer, judge and gold of the command line; without any, those of the recipe."""
    recipe = read_recipe(str(folder))
    if overrides:
        chosen = composed(CONF, overrides)
        for role in ("scorer", "judge", "prompt"):
            if any(override.lstrip("+~").startswith(role) or f"@{role}" in override for override in overrides):
                recipe[role] = chosen[role]
        if any(override.startswith("gold.path") for override in overrides):
            recipe.gold = chosen.gold
    return recipe


def show(folder: Path, table: ScoreTable, console: Console) -> None:
    shown = Table(title=Text(str(folder)))
    for title in ("score", "mean", "95 %", "questions", "unread"):
        shown.add_column(title, justify="left" if title == "score" else "right")
    for one in table.overall.values():
        if one.mean is not None:
            cells = (f"{one.mean:.3f}", f"{one.low:.3f} to {one.high:.3f}", str(one.n), str(one.unread or ""))
            shown.add_row(Text(one.name), *cells)
    console.print(shown)
    for name in table.overall:
        if (differing := noise(table, name)) is not None:
            console.print(
                f"{name}: asked again, the judge changed its label on {100 * differing:.0f} % of the questions"
            )


def show_agreement(found: Agreement, name: str, console: Console) -> None:
    shown = Table(
        title=Text(
            f"{name} against people: {found.n} questions, agreement {found.observed:.2f}, kappa {found.kappa:.2f}"
        )
    )
    shown.add_column("human \\ judge")
    for title in next(iter(found.confusion.values())):
        shown.add_column(title, justify="right")
    for label, counts in found.confusion.items():
        shown.add_row(label, *map(str, counts.values()))
    console.print(shown)
    if found.warning:
        console.print(Text(f"warning: {found.warning}"))


if __name__ == "__main__":
    sys.exit(main())
