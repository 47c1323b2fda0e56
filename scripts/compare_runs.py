"""Compares finished runs question by question, and says whether their difference is real."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from rag1.errors import Rag1Error
from rag1.report.comparison import compare_runs, print_comparison, write_comparison


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, nargs="+", help="run folders, two or more")
    parser.add_argument("--metric", default="", help="a score's name (default: the judge's, else crag)")
    parser.add_argument("--out", type=Path, default=Path("outputs/comparison"), help="folder of the CSV and the page")
    given = parser.parse_args()
    try:
        found = compare_runs(given.run, given.metric)
        print_comparison(found, Console(width=max(100, Console().width)))
        for path in write_comparison(found, given.out):
            print(path)
    except Rag1Error as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
