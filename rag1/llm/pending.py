"""Calls under way, written down so that a run after a kill can name those that it asks again.

Each process appends to a file of its own and holds a lock on it: `+` and the key when a call begins, `-` when it ends
in whatever way that the process lives to see. A file whose lock is free belongs to the dead; what it leaves open may
have been paid for without an answer. No sync to the disk: a kill loses nothing that was written.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag1.errors import StorageError

log = logging.getLogger(__name__)


class Pending:
    """The calls under way of this process, and those that killed processes left open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with self._storing():
            folder.mkdir(parents=True, exist_ok=True)
            self.left = left_open(folder)
            self._file = begin(folder)
        # Taken over, so that what is never asked again stays known to the run after this one.
        for key, words in self.left.items():
            self._write("+", key, words)

    @contextmanager
    def asking(self, key: str, words: str) -> Iterator[None]:
        """Around a call; `words` name it for a person. Says so in the log when it was asked before a kill."""
        if self.left.pop(key, None) is not None:
            log.warning("asked again, perhaps paid twice: %s (a run was killed while it was asked)", words)
        self._write("+", key, words)
        try:
            yield
        finally:
            self._write("-", key, "")

    def _write(self, sign: str, key: str, words: str) -> None:
        line = f"{sign}{key} {' '.join(words.split())}\n"
        with self._storing():
            os.write(self._file, line.encode("utf-8", "replace"))

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(
                f"calls under way, in {self._folder}: {error.strerror}; make room, or set cache_dir elsewhere"
            ) from error


def begin(folder: Path) -> int:
    """A new locked file of this process. One that another process took for a dead one's, before it was locked, is
    gone from the folder: then the next is begun."""
    while True:
        path = folder / f"{os.getpid()}-{os.urandom(4).hex()}.calls"
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists():
            return file
        os.close(file)


def left_open(folder: Path) -> dict[str, str]:
    """Calls that dead processes left open, by key; their files are taken away."""
    left: dict[str, str] = {}
    for path in sorted(folder.glob("*.calls")):
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                text = file.read()
                path.unlink()
        except (FileNotFoundError, BlockingIOError):  # another process took it over, or lives
            continue
        left |= open_calls(text)
    return left


def open_calls(text: str) -> dict[str, str]:
    """Keys begun and not ended, with their words."""
    calls: dict[str, str] = {}
    for line in text.splitlines():
        key, _, words = line[1:].partition(" ")
        if line.startswith("+"):
            calls[key] = words
        else:
            calls.pop(key, None)
    return calls


_all: dict[tuple[int, str], Pending] = {}
_making = threading.Lock()


def pending_in(folder: Path) -> Pending:
    """The one record of this process under a cache's folder."""
    with _making:
        key = (os.getpid(), str(folder.resolve()))
        if key not in _all:
            _all[key] = Pending(folder / "pending")
        return _all[key]
