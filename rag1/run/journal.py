"""The run's journal: one line a question, on disk as it ends, so that a killed run loses nothing.

A line is either an answer's record or `{"started": index}`, written before the first call of a question: after a
kill it tells which questions were in hand. A torn last line, the mark of a kill in the middle of a write, is cut off.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from dataclasses import dataclass, field
from io import BufferedRandom
from pathlib import Path
from types import TracebackType

from rag1.errors import StorageError
from rag1.run.record import dumps, from_record, to_record
from rag1.types import Answer, Query

SETTLED = ("answered", "no_evidence", "max_turns")
"""Stops that a resumed run does not ask again; a timeout, a spent budget and an error are asked again."""


@dataclass
class Journal:
    """Append-only, one process at a time. `settled`: answers by query id; `in_hand`: started but not ended."""

    path: Path
    settled: dict[str, Answer] = field(default_factory=dict)
    in_hand: tuple[str, ...] = ()
    _handle: BufferedRandom | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Journal:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._handle = self.path.open("a+b")
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read()
        except BlockingIOError as error:
            self._handle.close()
            raise StorageError(f"{self.path.parent} is being written by another run; wait for its end") from error
        except StorageError:
            self._handle.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle:
            self._handle.close()

    def start(self, query: Query) -> None:
        self._append(dumps({"started": query.id}))

    def end(self, query: Query, answer: Answer) -> None:
        self._append(dumps(to_record(answer, query)))

    def _append(self, line: str) -> None:
        assert self._handle is not None
        try:
            with self._lock:
                self._handle.write(line.encode("utf-8") + b"\n")
                self._handle.flush()
                os.fsync(self._handle.fileno())
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror}; free some space and resume the run") from error

    def _read(self) -> None:
        assert self._handle is not None
        self._handle.seek(0)
        data = self._handle.read()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            self._handle.truncate(whole)
        started: dict[str, None] = {}
        for number, line in enumerate(data[:whole].splitlines(), start=1):
            try:
                record = json.loads(line)
                if "started" in record:
                    started[record["started"]] = None
                    continue
                answer = from_record(record)
            except (ValueError, KeyError, TypeError) as error:
                raise StorageError(f"{self.path}, line {number}: not a journal line; move the file away") from error
            started.pop(answer.query_id, None)
            if answer.stop in SETTLED:
                self.settled[answer.query_id] = answer
            else:
                self.settled.pop(answer.query_id, None)
        self.in_hand = tuple(started)
