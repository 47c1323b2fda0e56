"""Kept answers under another judge: the command on a real run, with labels by people."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rag1.report.runs import read_run
from tests.report.made import make_run


def test_separators_of_lines_inside_an_answer_do_not_break_its_record(tmp_path: Path) -> None:
    made = make_run(tmp_path / "run", {"1": "一\u2028二\x85三\x0b四"})
    assert made.answers[0].text == "一\u2028二\x85三\x0b四"


def test_a_run_is_judged_again_and_held_against_people(tmp_path: Path, root: Path) -> None:
    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, cwd=root, check=False, timeout=250
        )

    folder = tmp_path / "run"
    where = (f"hydra.run.dir={folder}", f"outputs={tmp_path}", f"artifacts={root}/outputs/artifacts")
    done = command("run.py", "pipeline=bm25", "limit=4", "tracker=none", *where)
    assert done.returncode == 0, done.stderr
    before = read_run(folder)
    human = tmp_path / "human.csv"
    human.write_text("index,label\n" + "".join(f"{q.id},Perfect\n" for q in before.queries), encoding="utf-8")
    judge = ("--set", "judge=rag1", "--set", "llm@judge.judge.llm=offline")
    done = command("scripts/rescore.py", *judge, "--human", str(human), str(folder))
    assert done.returncode == 0, done.stderr
    after = read_run(folder)
    assert after.answers == before.answers
    assert after.table is not None
    assert before.table is not None
    assert set(after.table.overall) == {*before.table.overall, "judge_rag1"}
    assert after.table.overall["crag"] == before.table.overall["crag"]
    assert "judge_rag1 against people: 4 questions" in done.stdout.replace("\n", " ").replace("  ", " ")
    assert '"judge":"judge_rag1"' in (folder / "report.html").read_text(encoding="utf-8")
    done = command("scripts/rescore.py", "--set", "judge=nobody", str(folder))
    assert (done.returncode, done.stdout) == (2, "")
    assert "no judge named 'nobody'" in done.stderr
