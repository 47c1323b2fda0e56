"""Calls at once and calls a minute, in one process and across several."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag1.errors import BudgetSpent, Deadline, StorageError
from rag1.llm.limiter import Limits, Pool, Rate, pool_for


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def test_no_more_calls_at_once_than_the_limit_and_all_get_their_turn(tmp_path: Path) -> None:
    pool = Pool(Limits(4), tmp_path)

    def call(_: int) -> int:
        with pool.slot(0, soon(20)):
            time.sleep(0.005)
            return 1

    with ThreadPoolExecutor(32) as workers:
        assert sum(workers.map(call, range(200))) == 200
    assert pool.peak == 4
    assert pool.in_flight == 0


def test_on_a_loop_too_all_get_their_turn(tmp_path: Path) -> None:
    pool = Pool(Limits(4), tmp_path)

    async def call() -> int:
        async with pool.slot(0, soon(20)):
            await asyncio.sleep(0.005)
            return 1

    async def calls() -> list[int]:
        return await asyncio.gather(*(call() for _ in range(200)))

    assert sum(asyncio.run(calls())) == 200
    assert pool.peak == 4
    assert pool.in_flight == 0


def test_one_that_is_cancelled_when_its_turn_comes_passes_it_on(tmp_path: Path) -> None:
    pool = Pool(Limits(1), tmp_path)

    async def wait(order: list[str], name: str) -> None:
        async with pool.slot(0, soon(5)):
            order.append(name)

    async def three() -> list[str]:
        order: list[str] = []
        held = pool.slot(0, soon(5))
        held.__enter__()
        gives_up, stays = (asyncio.create_task(wait(order, name)) for name in ("gives up", "stays"))
        await asyncio.sleep(0.01)
        held.__exit__()  # wakes the first, which is cancelled before it runs
        gives_up.cancel()
        await asyncio.wait_for(stays, 1)
        return order

    assert asyncio.run(three()) == ["stays"]
    assert pool.in_flight == 0


def test_what_is_looked_at_first_lets_go_of_the_slot_when_it_refuses() -> None:
    pool = Pool(Limits(1))

    def spent() -> None:
        raise BudgetSpent("budget.tokens=10 is used up")

    with pytest.raises(BudgetSpent), pool.slot(0, soon(), spent):
        pytest.fail("the call was made")
    assert pool.in_flight == 0


def test_who_waits_past_the_deadline_is_told_so(tmp_path: Path) -> None:
    pool = Pool(Limits(1), tmp_path)
    with pool.slot(0, soon()), pytest.raises(Deadline, match=r"llm\.max_in_flight"), pool.slot(0, soon(0.1)):
        pass


def test_429s_take_away_and_good_replies_give_back() -> None:
    pool = Pool(Limits(20))
    for _ in range(10):
        pool.refused()
    assert pool.adapted == pytest.approx(20 * 0.95**10)
    for _ in range(200):
        pool.accepted()
    assert pool.adapted == 20.0
    for _ in range(1000):
        pool.refused()
    assert pool.adapted == 1.0


def test_a_steady_share_of_429s_settles_where_the_formula_says() -> None:
    pool = Pool(Limits(64))
    for _ in range(2000):
        pool.refused()
        for _ in range(4):  # p = 1/5: 2 (1 - p) / p = 8
            pool.accepted()
    assert pool.adapted == pytest.approx(8.0, rel=0.1)


def test_five_per_cent_of_429s_leave_the_limit_where_it_is() -> None:
    pool = Pool(Limits(128))
    for _ in range(100):
        pool.refused()
        for _ in range(19):
            pool.accepted()
    assert pool.adapted > 0.95 * 128


def test_requests_a_minute_are_spread_with_a_second_s_burst() -> None:
    rate = Rate(600, None)  # one each 0.1 s
    waits = [rate.reserve(1) for _ in range(31)]
    assert waits[:10] == [0.0] * 10
    assert waits[20] == pytest.approx(1.0, abs=0.05)
    assert waits[30] == pytest.approx(2.0, abs=0.05)


def test_a_rate_is_shared_through_its_file(tmp_path: Path) -> None:
    one, two = Rate(60, tmp_path / "rpm"), Rate(60, tmp_path / "rpm")
    one.reserve(5)
    assert two.reserve(1) == pytest.approx(4.0, abs=0.1)


def test_calls_wait_for_the_rate_or_fail_by_the_deadline(tmp_path: Path) -> None:
    pool = Pool(Limits(4, rpm=60, tpm=60_000), tmp_path)
    began = time.monotonic()
    for _ in range(3):
        with pool.slot(100, soon()):
            pass
    assert 0.9 < time.monotonic() - began < 1.6  # 3 requests: a burst of two, one second for the third
    with pytest.raises(Deadline, match=r"llm\.rpm or llm\.tpm"), pool.slot(60_000, soon(0.5)):
        pass
    pool.correct(10_000)  # a reply used 10,000 tokens more than was thought: ten seconds of debt
    with pytest.raises(Deadline), pool.slot(100, soon(3)):
        pass


def test_one_endpoint_has_one_pool(tmp_path: Path) -> None:
    assert pool_for("a", Limits(3), tmp_path) is pool_for("a", Limits(3), tmp_path)
    assert pool_for("a", Limits(3), tmp_path) is not pool_for("b", Limits(3), tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cache_dir"):
        Pool(Limits(2), tmp_path / "file" / "slots")


HOLD = """
import sys, time
from pathlib import Path
from rag1.llm.limiter import Limits, Pool
pool = Pool(Limits(2), Path(sys.argv[1]))
with pool.slot(0, time.monotonic() + 5), pool.slot(0, time.monotonic() + 5):
    print("held", flush=True)
    time.sleep(60)
"""


def test_processes_share_the_slots_and_a_killed_one_gives_its_own_back(tmp_path: Path, root: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, cwd=root) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        pool = Pool(Limits(2), tmp_path)
        with pytest.raises(Deadline), pool.slot(0, soon(0.3)):
            pass
        other.kill()
        with pool.slot(0, soon(2)), pool.slot(0, soon(2)):
            assert pool.in_flight == 2
