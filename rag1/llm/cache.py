"""Settled replies by the hash of their whole request, in one SQLite file that several processes may share.

Rollback journal, never WAL: two writers on a WAL file can corrupt it (SQLite 3.7.0 to 3.51.2). One thread a process
writes, gathering what waits into one transaction; `put` returns when its entry is on the disk.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rag1.artifacts import locked
from rag1.errors import ConfigError, StorageError

log = logging.getLogger(__name__)
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS reply"
    " (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, body TEXT NOT NULL, made REAL NOT NULL)"
)
BUSY_SECONDS = 60.0
BATCH = 5000
"""Entries of one transaction at most."""

IDLE_SECONDS = 5.0
"""Seconds without a job after which the writing thread ends."""

LINGER = 0.004
"""Seconds that the writer waits for company: one commit costs far more than one entry."""

Mode = Literal["on", "off", "read", "refresh"]


@dataclass(frozen=True)
class Cache:
    """`mode`: on; off (neither read nor written); read (never written); refresh (never read, written anew)."""

    folder: str = "outputs/cache"
    mode: Mode | bool = "on"
    _state: _State = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        mode = {True: "on", False: "off"}.get(self.mode, self.mode) if isinstance(self.mode, bool) else self.mode
        if mode not in ("on", "off", "read", "refresh"):
            raise ConfigError(f"cache={self.mode} is not a mode; one of on, off, read, refresh")
        object.__setattr__(self, "mode", mode)
        object.__setattr__(self, "_state", _State(Path(self.folder) / "llm.sqlite"))

    def get(self, key: bytes) -> str | None:
        """The entry of a request, or None. Raises StorageError."""
        return self._state.get(key) if self.mode in ("on", "read") else None

    def put(self, key: bytes, body: str) -> None:
        """Stores an entry and returns once it is committed. Raises StorageError."""
        if self.mode in ("on", "refresh"):
            self._state.put(key, body).result()

    def put_many(self, entries: list[tuple[bytes, str]]) -> None:
        """`put` for many at once."""
        if self.mode in ("on", "refresh"):
            for future in [self._state.put(key, body) for key, body in entries]:
                future.result()

    def __len__(self) -> int:
        return self._state.count()

    def close(self) -> None:
        """Lets go of the file; the next use opens it again."""
        self._state.close()


Job = tuple[bytes, str, "Future[None]"]


class _State:
    """The open file: a reading connection under a lock, a writing thread with its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reading = threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._starting = threading.Lock()
        self._writer: threading.Thread | None = None

    def get(self, key: bytes) -> str | None:
        row = self._read("SELECT CAST(body AS BLOB) FROM reply WHERE key = ?", (key,))
        try:
            return bytes(row[0]).decode() if row else None
        except UnicodeDecodeError:  # bytes that rotted on the disk
            return None

    def count(self) -> int:
        row = self._read("SELECT count(*) FROM reply", ())
        return int(row[0]) if row else 0

    def _read(self, statement: str, values: tuple[bytes, ...]) -> tuple[Any, ...] | None:
        with self._reading:
            try:
                return self._fetch(statement, values)
            except sqlite3.DatabaseError as error:
                self._reader = None
                self._mend(error)
                return self._again(statement, values)

    def _again(self, statement: str, values: tuple[bytes, ...]) -> tuple[Any, ...] | None:
        try:
            return self._fetch(statement, values)
        except sqlite3.DatabaseError as error:
            raise broken(self.path, error) from error

    def _fetch(self, statement: str, values: tuple[bytes, ...]) -> tuple[Any, ...] | None:
        if self._reader is None:
            self._reader = connect(self.path)
        found: tuple[Any, ...] | None = self._reader.execute(statement, values).fetchone()
        return found

    def put(self, key: bytes, body: str) -> Future[None]:
        done: Future[None] = Future()
        with self._starting:
            self._jobs.put((key, body, done))
            if self._writer is None or not self._writer.is_alive():
                self._writer = threading.Thread(target=self._write, name="rag1-cache", daemon=True)
                self._writer.start()
        return done

    def close(self) -> None:
        with self._starting:
            if self._writer is not None and self._writer.is_alive():
                self._jobs.put(None)
                self._writer.join()
        with self._reading:
            if self._reader is not None:
                self._reader.close()
                self._reader = None

    def _write(self) -> None:
        connection: sqlite3.Connection | None = None
        while (job := self._next()) is not None:
            jobs, last = self._gather(job)
            connection = self._settle(connection, jobs)
            if last:
                break
        if connection is not None:
            connection.close()

    def _next(self) -> Job | None:
        """The next job; None ends the thread, also when none comes for a while: the next `put` starts another."""
        try:
            return self._jobs.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            with self._starting:
                if self._jobs.empty():
                    self._writer = None
                    return None
            return self._jobs.get()

    def _gather(self, first: Job) -> tuple[list[Job], bool]:
        jobs = [first]
        time.sleep(LINGER)
        while len(jobs) < BATCH:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return jobs, False
            if job is None:
                return jobs, True
            jobs.append(job)
        return jobs, False

    def _settle(self, connection: sqlite3.Connection | None, jobs: list[Job]) -> sqlite3.Connection | None:
        try:
            connection = self._commit(connection, jobs)
        except Exception as error:  # whatever it is: those who wait for their entry must be told
            failure = broken(self.path, error) if isinstance(error, sqlite3.Error | OSError) else error
            for _, _, done in jobs:
                done.set_exception(failure)
            return None
        for _, _, done in jobs:
            done.set_result(None)
        return connection

    def _commit(self, connection: sqlite3.Connection | None, jobs: list[Job]) -> sqlite3.Connection:
        rows = [(key, body, time.time()) for key, body, _ in jobs]
        try:
            connection = connection or connect(self.path)
            insert(connection, rows)
        except sqlite3.DatabaseError as error:
            self._mend(error)
            connection = connect(self.path)
            insert(connection, rows)
        return connection

    def _mend(self, error: sqlite3.DatabaseError) -> None:
        """Sets a corrupt file aside, unless another process did so meanwhile; other errors are raised."""
        if not is_corrupt(error):
            raise broken(self.path, error) from error
        with locked(self.path.with_suffix(".lock")):
            if self.path.exists() and not healthy(self.path):
                aside = self.path.with_name(f"{self.path.name}.corrupt-{time.strftime('%Y%m%dT%H%M%S')}")
                self.path.rename(aside)
                self.path.with_name(f"{self.path.name}-journal").unlink(missing_ok=True)
                log.warning("the cache %s is corrupt (%s): set aside as %s, begun anew", self.path, error, aside.name)


def broken(path: Path, error: Exception) -> StorageError:
    """What is wrong with a cache file that is not corrupt, with its remedy."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    remedy = {sqlite3.SQLITE_BUSY: "end the program that holds it, or ", sqlite3.SQLITE_FULL: "make room, or "}
    return StorageError(f"cache {path}: {error}; {remedy.get(code, '')}set cache_dir elsewhere")


def connect(path: Path) -> sqlite3.Connection:
    """An open cache file with its table. Raises sqlite3.Error or StorageError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cache_dir {path.parent}: {error.strerror}; set cache_dir to a writable folder") from error
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        prepare(connection, path)
    except (sqlite3.Error, StorageError):
        connection.close()
        raise
    return connection


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Settings and table. A database that is not ours is left as it is. Raises sqlite3.Error or StorageError."""
    columns = {str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info('reply')")}
    foreign = connection.execute("SELECT name FROM sqlite_master WHERE tbl_name != 'reply' LIMIT 1").fetchone()
    if foreign or (columns and not columns >= {"key", "body", "made"}):
        raise StorageError(f"cache {path} is the database of another program; move it, or set cache_dir elsewhere")
    mode = connection.execute("PRAGMA journal_mode=TRUNCATE").fetchone()
    if mode != ("truncate",):
        raise StorageError(f"cache {path} stays in journal mode {mode}; end the program that holds it, and try again")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA cache_size=-65536")
    if not columns:
        connection.execute(SCHEMA)


def insert(connection: sqlite3.Connection, rows: list[tuple[bytes, str, float]]) -> None:
    """Writes rows in one transaction; a later body of the same key replaces the earlier."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany(
            "INSERT INTO reply (key, body, made) VALUES (?, ?, ?)"
            " ON CONFLICT (key) DO UPDATE SET body = excluded.body, made = excluded.made",
            rows,
        )
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def is_corrupt(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def healthy(path: Path) -> bool:
    """True when SQLite's own check finds the file whole."""
    connection = None
    try:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS)
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.DatabaseError:
        return False
    finally:
        if connection is not None:
            connection.close()
