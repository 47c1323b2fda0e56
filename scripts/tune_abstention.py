"""Learns from scored runs when 「分かりません」 is better than an answer, and says what that is worth.

Give runs of one pipeline, over one question file or several: the more questions, the better it learns. The
calibration is used by `python run.py abstention=tuned abstention.calibration.path=FILE`, or put over a finished run
with --apply.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from rag1.app.again import write_again
from rag1.app.cli import register_resolvers
from rag1.app.validation import Validation, read_validation
from rag1.errors import InputError, Rag1Error
from rag1.report.runs import read_run
from rag1.score.abstain import Judged, Tuned, tune


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, nargs="+", help="run folders with scores, all of one pipeline")
    parser.add_argument("--metric", default="", help="the points to raise (default: the judge's, else crag)")
    parser.add_argument("--out", type=Path, default=Path("outputs/calibration.json"), help="where the calibration goes")
    parser.add_argument("--apply", type=Path, help="a finished run whose unsure answers become abstentions")
    parser.add_argument("--to", type=Path, help="the new run folder of --apply (default: its name with -abstaining)")
    given = parser.parse_args()
    register_resolvers()
    try:
        found = tune(only(read_validation(given.run, given.metric)))
        given.out.parent.mkdir(parents=True, exist_ok=True)
        found.calibration.write(given.out)
        show(found, given.out)
        if given.apply:
            print(apply(found, given.apply, given.to, given.out))
    except Rag1Error as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def only(found: Validation) -> Judged:
    """The one pipeline's answers. Raises InputError where there are several: their confidences are not alike."""
    if len(found.runs) > 1:
        raise InputError(f"the runs are of {len(found.runs)} pipelines ({', '.join(found.runs)}); give runs of one")
    return next(iter(found.runs.values()))


def apply(found: Tuned, folder: Path, to: Path | None, calibration: Path) -> Path:
    source = read_run(folder)
    texts = {query.id: query.text for query in source.queries}
    answers = [found.calibration.apply(answer, texts[answer.query_id]) for answer in source.answers]
    return write_again(
        source, answers, to or folder.with_name(folder.name + "-abstaining"), {"calibration": str(calibration)}
    )


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
    weights = ", ".join(f"{name} {weight:+.2f}" for name, weight in found.calibration.weights.items() if weight)
    console.print(f"n={found.n}; threshold {found.calibration.threshold:.3f}; weights: {weights}")
    console.print(f"written: {path}")


if __name__ == "__main__":
    sys.exit(main())
