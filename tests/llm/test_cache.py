"""The cache file: on the disk before it is used, shared by processes, rebuilt when it is broken."""

from __future__ import annotations

import hashlib
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag1.errors import StorageError
from rag1.llm.cache import Cache


def key(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


def test_what_is_put_is_got_also_after_reopening(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    assert cache.get(key(1)) is None
    cache.put(key(1), "返答\U0001f600")
    cache.put(key(1), "新しい返答")
    cache.put(key(2), "")
    cache.close()
    assert Cache(str(tmp_path)).get(key(1)) == "新しい返答"
    assert Cache(str(tmp_path)).get(key(2)) == ""
    assert len(Cache(str(tmp_path))) == 2


def test_many_threads_put_and_get_at_once(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))

    def work(number: int) -> str | None:
        cache.put(key(number), str(number))
        return cache.get(key(number))

    with ThreadPoolExecutor(16) as workers:
        assert list(workers.map(work, range(300))) == [str(n) for n in range(300)]


def test_an_idle_cache_keeps_no_thread_and_goes_on_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag1.llm.cache.IDLE_SECONDS", 0.1)
    cache, threads = Cache(str(tmp_path)), threading.active_count()
    for number in range(3):
        cache.put(key(number), "x")
        time.sleep(0.3)
        assert threading.active_count() <= threads
    assert len(cache) == 3


def test_the_journal_is_a_rollback_journal(tmp_path: Path) -> None:
    Cache(str(tmp_path)).put(key(1), "x")
    with sqlite3.connect(tmp_path / "llm.sqlite") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
    connection.close()
    assert not (tmp_path / "llm.sqlite-wal").exists()


WRITE = """
import hashlib, sys
from rag1.llm.cache import Cache
cache, first = Cache(sys.argv[1]), int(sys.argv[2])
for n in range(first, first + 60):
    cache.put(hashlib.sha256(str(n).encode()).digest(), f"{n} " + "x" * 500)
    print(n, flush=True)
"""


def writer(folder: Path, first: int, root: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITE, str(folder), str(first)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root)


def test_four_processes_write_one_file(tmp_path: Path, root: Path) -> None:
    writers = [writer(tmp_path, 1000 * n, root) for n in range(4)]
    for each in writers:
        each.communicate(timeout=120)
        assert each.returncode == 0
    cache = Cache(str(tmp_path))
    assert len(cache) == 240
    assert cache.get(key(3059)) == "3059 " + "x" * 500


def test_what_a_killed_process_had_put_is_there(tmp_path: Path, root: Path) -> None:
    with writer(tmp_path, 0, root) as victim:
        assert victim.stdout is not None
        for line in victim.stdout:
            if line == "40\n":
                os.kill(victim.pid, signal.SIGKILL)
                break
        told = [40, *(int(line) for line in victim.stdout)]
    cache = Cache(str(tmp_path))
    assert all(cache.get(key(n)) is not None for n in range(max(told) + 1))
    cache.put(key(9999), "goes on")


def test_a_kill_does_not_cost_the_other_process_an_entry(tmp_path: Path, root: Path) -> None:
    told: set[int] = set()
    with writer(tmp_path, 5000, root) as other:
        for first in (0, 1000):
            with writer(tmp_path, first, root) as victim:
                assert victim.stdout is not None
                for line in victim.stdout:
                    told.add(int(line))
                    if int(line) == first + 20:
                        os.kill(victim.pid, signal.SIGKILL)
        lines, _ = other.communicate(timeout=120)
    assert other.returncode == 0
    told |= set(map(int, lines.split()))
    assert told >= {*range(21), *range(1000, 1021), *range(5000, 5060)}
    cache = Cache(str(tmp_path))
    assert all(cache.get(key(number)) is not None for number in told)
    with sqlite3.connect(tmp_path / "llm.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


@pytest.mark.parametrize("damage", ["garbage", "pages", "cut"])
def test_a_broken_file_is_set_aside_by_name_and_begun_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    path = tmp_path / "llm.sqlite"
    whole = Cache(str(tmp_path))
    whole.put_many([(key(n), "x" * 300) for n in range(500)])
    whole.close()
    data = path.read_bytes()
    broken = {"garbage": b"no database" * 1000, "pages": data[:100] + os.urandom(len(data) - 100), "cut": data[:5000]}
    path.write_bytes(broken[damage])
    caplog.set_level(logging.WARNING)
    cache = Cache(str(tmp_path))
    assert cache.get(key(499)) is None
    cache.put(key(7), "neu")
    assert cache.get(key(7)) == "neu"
    aside = list(tmp_path.glob("llm.sqlite.corrupt-*"))
    assert [each.read_bytes() for each in aside] == [broken[damage]]
    assert aside[0].name in caplog.text


def test_a_folder_in_the_file_s_place_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "llm.sqlite").mkdir()
    with pytest.raises(StorageError, match=r"llm\.sqlite: .*; set cache_dir elsewhere"):
        Cache(str(tmp_path)).get(key(1))
    assert [path.name for path in tmp_path.iterdir()] == ["llm.sqlite"]


@pytest.mark.parametrize("table", ["users (name)", "reply (name)"])
def test_another_program_s_database_is_left_as_it_is(tmp_path: Path, table: str) -> None:
    path = tmp_path / "llm.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute(f"CREATE TABLE {table}")
    other.close()
    before, cache = path.read_bytes(), Cache(str(tmp_path))
    for use in (lambda: cache.get(key(1)), lambda: cache.put(key(1), "x")):
        with pytest.raises(StorageError, match="is the database of another program"):
            use()
    assert path.read_bytes() == before


def test_a_cache_that_somebody_set_to_wal_is_set_back_or_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag1.llm.cache.BUSY_SECONDS", 0.2)
    Cache(str(tmp_path)).put(key(1), "x")
    other = sqlite3.connect(tmp_path / "llm.sqlite")
    other.execute("PRAGMA journal_mode=WAL")
    other.execute("UPDATE reply SET body = 'y'")
    other.commit()
    with pytest.raises(StorageError, match="end the program that holds it"):
        Cache(str(tmp_path)).put(key(2), "x")
    other.close()
    cache = Cache(str(tmp_path))
    cache.put(key(2), "x")
    assert cache.get(key(1)) == "y"
    with sqlite3.connect(tmp_path / "llm.sqlite") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
    connection.close()


def test_an_entry_whose_bytes_rotted_counts_as_none(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    cache.put_many([(key(1), "返答"), (key(2), "返答")])
    with sqlite3.connect(tmp_path / "llm.sqlite") as connection:
        connection.execute("UPDATE reply SET body = CAST(x'7b22ff' AS TEXT) WHERE key = ?", (key(1),))
    connection.close()
    assert cache.get(key(1)) is None
    assert cache.get(key(2)) == "返答"


def test_an_entry_that_cannot_be_stored_is_told_and_the_next_one_goes_on(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    with pytest.raises(UnicodeEncodeError):
        cache.put(key(1), "\ud800")
    cache.put(key(2), "x")
    assert cache.get(key(2)) == "x"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(str(tmp_path / "file" / "cache"))
    with pytest.raises(StorageError, match="cache_dir") as failure:
        cache.get(key(1))
    assert failure.value.exit_code == 4
    with pytest.raises(StorageError, match="cache_dir"):
        cache.put(key(1), "x")
