"""Several runs made one by the command: which run is which, and what the table by kind is worth."""

from __future__ import annotations

import runpy
from pathlib import Path

from tests.report.made import make_run


def test_runs_of_one_name_from_two_sweeps_are_told_apart(tmp_path: Path, root: Path) -> None:
    script = runpy.run_path(str(root / "scripts" / "ensemble_runs.py"))
    # by crag of one: right, wrong, right, acceptable, rightly withheld: 2.5 of 5
    one = make_run(tmp_path / "one" / "0-bm25")
    two = make_run(tmp_path / "two" / "0-bm25", {"1": "漁師", "2": "三十年", "3": "犬", "4": "なし"})
    made = script["make"]([one, two], "kind", "offline", "")
    assert set(made.answers) == {"1", "2", "3", "4", "5"}
    assert made.answers["1"].text == "灯台守"
    assert script["gain"]([two, one], one, "").startswith("ensemble +0.500, best single run")
    assert "against one/0-bm25" in script["gain"]([two, one], one, "")
