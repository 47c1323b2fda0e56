"""Calls under way: what a killed process leaves open is known to one later process, and only to one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rag1.errors import StorageError
from rag1.llm.pending import Pending, open_calls

KILLED = """
import os, signal, sys
from pathlib import Path
from rag1.llm.pending import Pending
with Pending(Path(sys.argv[1])).asking(sys.argv[2], "answer_from of question 7"):
    os.kill(os.getpid(), signal.SIGKILL)
"""
STARTS = """
import sys
from pathlib import Path
from rag1.llm.pending import Pending
input()
pending = Pending(Path(sys.argv[1]))
print(len(pending.left), flush=True)
input()
"""


def test_begun_and_not_ended() -> None:
    assert open_calls("+a x\n+b y z\n-a \n+c w") == {"b": "y z", "c": "w"}


def test_each_killed_call_is_found_by_one_of_many_that_start_at_once(tmp_path: Path, root: Path) -> None:
    for name in ("a", "b", "c"):
        subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), name], cwd=root, check=False)
    command = [sys.executable, "-c", STARTS, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "cwd": root, "text": True}
    starts = [subprocess.Popen(command, **pipes) for _ in range(4)]  # type: ignore[call-overload]
    for each in starts:
        each.stdin.write("\n")
        each.stdin.flush()
    found = [int(each.stdout.readline()) for each in starts]
    assert len(list(tmp_path.glob("*.calls"))) == 4, "a living process's file was taken away"
    for each in starts:
        each.communicate("\n", timeout=30)
        assert each.returncode == 0
    assert sum(found) == 3


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "pending").write_text("")
    with pytest.raises(StorageError, match=r"calls under way, in .*pending.* set cache_dir elsewhere"):
        Pending(tmp_path / "pending")
