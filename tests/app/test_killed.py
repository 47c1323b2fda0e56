"""kill -9 of a run with a model: resumed, it gives the same bytes and pays for nothing settled a second time."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.app.command import ROOT, run
from tests.fake_llm import FakeLlm

QUESTIONS = 12


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("killed") / "questions.csv"
    lines = "".join(f"{n},Q{n}\n" for n in range(1, QUESTIONS + 1))
    path.write_text(f"index,problem\n{lines}", encoding="utf-8")
    return path


def settings(fake: FakeLlm, asked: Path, in_flight: int) -> list[str]:
    """Answers from the model alone, `in_flight` at once."""
    return [
        *("pipeline=zero_shot", "corpus=file", "corpus.path=data/sample/stories/kiri.txt", f"questions.path={asked}"),
        *("llm=custom", f"llm.endpoint.base_url={fake.base_url}", "llm.endpoint.key_env=", "llm.model=m"),
        *(f"llm.max_in_flight={in_flight}", f"executor.workers={in_flight}"),
    ]


@pytest.mark.parametrize("in_flight", [1, 8])
@pytest.mark.parametrize("after", [1, QUESTIONS // 2, QUESTIONS])
def test_a_killed_run_is_resumed_to_the_same_bytes(asked: Path, tmp_path: Path, in_flight: int, after: int) -> None:
    with FakeLlm() as fake:
        assert (
            run(*settings(fake, asked, 8), f"hydra.run.dir={tmp_path / 'whole'}", outputs=tmp_path / "a").returncode
            == 0
        )
    with FakeLlm(latency=0.05) as fake:
        command = [
            sys.executable,
            "run.py",
            "tracker=none",
            f"outputs={tmp_path / 'b'}",
            *settings(fake, asked, in_flight),
        ]
        folder = tmp_path / "killed"
        with subprocess.Popen([*command, f"hydra.run.dir={folder}"], cwd=ROOT, stderr=subprocess.DEVNULL) as victim:
            due = time.monotonic() + 120
            while sum(seen.answered != "" for seen in list(fake.log)) < after and time.monotonic() < due:
                time.sleep(0.001)
            os.kill(victim.pid, signal.SIGKILL)
        sent = fake.asked()
        assert sent >= after
        done = run(f"resume={folder}", outputs=tmp_path / "b")
        assert done.returncode == 0, done.stderr
        twice = [f"Q{n}" for n in range(1, QUESTIONS + 1) if fake.asked(f"Q{n}") > 1]
    assert (folder / "predictions.csv").read_bytes() == (tmp_path / "whole" / "predictions.csv").read_bytes()
    with (folder / "predictions.csv").open(encoding="utf-8", newline="") as file:
        assert [row[0] for row in csv.reader(file)] == [str(n) for n in range(1, QUESTIONS + 1)]
    assert len(twice) <= in_flight
    log = (folder / "run.log").read_text(encoding="utf-8")
    assert all(f"of question {question[1:]} " in log for question in twice), (twice, log)
