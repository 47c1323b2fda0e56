"""Learns from a scored run when 「分かりません」 is better than an answer, and says what that is worth.

The calibration is used by `python run.py abstention=tuned abstention.calibration.path=FILE`, or put over a finished
run with --apply.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from rag1.app.again import write_again
from rag1.app.cli import register_resolvers
from rag1.app.plan import find_gold
from rag1.app.recipe import read_recipe
from rag1.corpus.questions import read_golds, read_questions
from rag1.errors import InputError, Rag1Error
from rag1.report.runs import Run, read_run
from rag1.score.abstain import Tuned, tune
from rag1.score.answers import RuleJudge
from rag1.types import ABSTENTION, Answer, Gold


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, help="a run folder with scores")
    parser.add_argument("--metric", default="", help="the points to raise (default: the judge's, else crag)")
    parser.add_argument("--out", type=Path, default=Path("outputs/calibration.json"), help="where the calibration goes")
    parser.add_argument("--apply", type=Path, help="a finished run whose unsure answers become abstentions")
    parser.add_argument("--to", type=Path, help="the new run folder of --apply (default: its name with -abstaining)")
    given = parser.parse_args()
    register_resolvers()
    try:
        found = learn(read_run(given.run), given.metric)
        given.out.parent.mkdir(parents=True, exist_ok=True)
        found.calibration.write(given.out)
        show(found, given.out)
        if given.apply:
            source = read_run(given.apply)
            answers = [found.calibration.apply(answer) for answer in source.answers]
            to = given.to or given.apply.with_name(given.apply.name + "-abstaining")
            print(write_again(source, answers, to, {"calibration": str(given.out)}))
    except Rag1Error as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def learn(run: Run, metric: str) -> Tuned:
    if run.table is None or not run.table.rows:
        raise InputError(f"{run.folder} has no scores; give its run a gold file, or rescore it")
    points = run.points(metric)
    if not points:
        raise InputError(f"{run.folder} has no score {metric!r}; there are {', '.join(run.table.overall)}")
    golds = golds_of(run)
    scored = [answer for answer in run.answers if answer.query_id in points and answer.query_id in golds]
    judge = RuleJudge()
    withheld = [judge(Answer(a.query_id, ABSTENTION), golds[a.query_id]).value or 0.0 for a in scored]
    return tune(scored, [points[a.query_id] for a in scored], withheld)


def golds_of(run: Run) -> dict[str, Gold]:
    """What the run was scored against, by query id."""
    config = read_recipe(str(run.folder))
    path = find_gold(config.gold.path, config.questions.path)
    golds = read_golds(path, read_questions(config.questions.path)) if path else ()
    return {gold.query_id: gold for gold in golds}


def show(found: Tuned, path: Path) -> None:
    table = Table("policy", "points a question", "answered")
    table.add_row("answer everything", f"{found.always:+.3f}", "as it is")
    table.add_row("always 「分かりません」", f"{found.never:+.3f}", "0 %")
    held = f"{found.held_out:+.3f}  [{found.low:+.3f}, {found.high:+.3f}]"
    table.add_row("tuned, on held-out folds", held, f"{found.coverage:.0%}")
    console = Console()
    console.print(table)
    gain, low, high = found.gain
    console.print(f"tuned against always 「分かりません」: {gain:+.3f} [{low:+.3f}, {high:+.3f}]")
    weights = ", ".join(f"{name} {weight:+.2f}" for name, weight in found.calibration.weights.items())
    console.print(f"n={found.n}; threshold {found.calibration.threshold:.3f}; weights: {weights}")
    console.print(f"written: {path}")


if __name__ == "__main__":
    sys.exit(main())
