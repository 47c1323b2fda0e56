"""The run's journal: one line a question, on disk as it ends, so that a killed run loses nothing.

A line is either an answer's record, or `{"started": index}`, written before the first call of a question: after a
kill it tells which questions were in hand. A record's `spent` is what the whole run had spent when it was written, and
`{"spent": usage}` what it had when it stopped. A torn last line, the mark of a kill while it was written, is cut off.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from io import BufferedRandom
from pathlib import Path
from types import TracebackType
from typing import Any

from rag1.errors import StorageError
from rag1.run.record import dumps, from_record, to_record
from rag1.types import Answer, Query, Usage

SETTLED = ("answered", "no_evidence", "max_turns")
"""Stops that a resumed run does not ask again; a timeout, a spent budget and an error are asked again."""


@dataclass
class Journal:
    """Append-only, one process at a time. `settled`: answers by query id; `in_hand`: started but not ended; `spent`: by
    all starts so far, also on answers that were lost."""

    path: Path
    settled: dict[str, Answer] = field(default_factory=dict)
    in_hand: tuple[str, ...] = ()
    spent: Usage = field(default_factory=Usage)
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
        self._append(lambda: {"started": query.id})

    def end(self, query: Query, answer: Answer, spent: Callable[[], Usage] = Usage) -> None:
        """`spent`: all that the run spent by now."""
        self._append(lambda: {**to_record(answer, query), "spent": asdict(spent())})

    def stop(self, spent: Callable[[], Usage]) -> None:
        """The last word of a start: what questions in hand spent without an answer is on record too."""
        self._append(lambda: {"spent": asdict(spent())})

    def _append(self, record: Callable[[], dict[str, Any]]) -> None:
        """`record` is made under the lock: what later lines say was spent is never less."""
        assert self._handle is not None
        try:
            with self._lock:
                self._handle.write(dumps(record()).encode("utf-8") + b"\n")
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
                self.spent = Usage(**record["spent"]) if "spent" in record else self.spent
                if set(record) == {"spent"}:
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
