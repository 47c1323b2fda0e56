"""kill -9 in the middle: what was settled is never paid for again."""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

import pytest

from tests.fake_llm import FakeLlm

from .resume_run import QUESTIONS, run


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Fresh processes that have our modules imported already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["rag1.llm.client"])
    return context


@contextmanager
def running(
    processes: ForkServerContext, fake: FakeLlm, folder: Path, in_flight: int
) -> Iterator[tuple[ForkServerProcess, Connection]]:
    here, there = processes.Pipe(duplex=False)
    process = processes.Process(
        target=run, args=(fake.base_url, str(folder), in_flight, there, str(folder / "run.log"))
    )
    process.start()
    there.close()
    yield process, here
    process.join(60)
    here.close()


def told(pipe: Connection) -> Iterator[tuple[int, str]]:
    while True:
        try:
            yield pipe.recv()
        except EOFError:
            return


@pytest.mark.parametrize("in_flight", [1, 8])
@pytest.mark.parametrize("after", [1, 12, 24])
def test_a_killed_run_goes_on_without_asking_settled_calls_again(
    processes: ForkServerContext, tmp_path: Path, in_flight: int, after: int
) -> None:
    with FakeLlm(latency=0.02) as fake:
        with running(processes, fake, tmp_path, in_flight) as (victim, pipe):
            used = [number for (number, _), _ in zip(told(pipe), range(after), strict=False)]
            victim.kill()
        sent = {seen.question for seen in fake.log}
        with running(processes, fake, tmp_path, in_flight) as (second, pipe):
            answers = dict(told(pipe))
        assert second.exitcode == 0
        again = {question for question in sent if fake.asked(question) > 1}
    assert answers == {n: f"「Q{n}」の答え" for n in range(QUESTIONS)}
    assert not {f"Q{n}" for n in used} & again, "a settled call was asked again"
    assert len(again) <= in_flight
    named = set(re.findall(r"asked again, .* of question (Q\d+)", (tmp_path / "run.log").read_text(encoding="utf-8")))
    assert again <= named, "a call was asked again and not named in the log"
    assert len(named) <= in_flight
