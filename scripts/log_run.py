"""Logs finished run folders to MLflow, for runs whose tracker was down or switched off."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rag1.errors import Rag1Error
from rag1.report.mlflow import MlflowTracker, log_run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, nargs="+", help="a run folder")
    parser.add_argument("--folder", default="outputs", help="where mlflow.db is (default: outputs)")
    parser.add_argument("--uri", help="a tracking server instead")
    parser.add_argument("--experiment", default="rag1")
    parser.add_argument("--sweep", default="", help="log under the parent run of this name")
    given = parser.parse_args()
    tracker = MlflowTracker(given.folder, given.experiment, given.uri)
    try:
        for run in given.run:
            print(f"{run}: {log_run(run, tracker, given.sweep)}")
    except Rag1Error as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
