"""An embedded FalkorDB server in a folder, on a unix socket, shared by all processes of one machine.

The first user starts it, the last one ends it (`falkordb_watch`). The data is an append-only file: what a write
returned from is there after a kill. No TCP port is opened; the socket is for this user alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag1.artifacts import locked
from rag1.errors import GraphDown, StorageError
from rag1.graph.falkordb_launch import LOADING, STARTUP, answers, client_of, launch

SOCKET_PATH = 100
"""Bytes that the path of a unix socket may safely have (Linux: 107, macOS: 103)."""

COMPACTION = 120.0
"""Seconds that folding the append-only file may take."""


@dataclass
class EmbeddedServer:
    """One user's hold on the server of `folder`. `start()` and `close()` may each be called more than once.

    `startup`: seconds within which a server must answer; `loading`: one that is reading its files.
    """

    folder: Path
    startup: float = STARTUP
    loading: float = LOADING
    _hold: int | None = field(default=None, repr=False)
    """Descriptor of the user's lock."""

    @property
    def socket(self) -> Path:
        """In the folder, or in a private folder under the temporary one where that path is too long."""
        near = self.folder.resolve() / "falkordb.sock"
        if len(os.fsencode(near)) <= SOCKET_PATH:
            return near
        name = hashlib.sha256(os.fsencode(near)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"rag1-{os.getuid()}" / f"{name}.sock"

    def start(self) -> Path:
        """The socket of a server that answers. Raises GraphDown when there is none within its limits."""
        if self._hold is not None:
            return self.socket
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with locked(self.folder / "start.lock"):
                self._hold = self._join()
                if not answers(self.socket):
                    _private(self.socket.parent, own=self.socket.parent != self.folder.resolve())
                    launch(self.folder, self.socket, self.startup, self.loading)
        except OSError as error:
            self._release()
            raise StorageError(f"graph folder {self.folder}: {error}") from error
        except GraphDown:
            self._release()
            raise
        return self.socket

    def _join(self) -> int:
        """Takes the user's shared lock; waits while a server that ended with its last user is writing its rest."""
        handle = os.open(self.folder / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
        until = time.monotonic() + self.startup
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    os.close(handle)
                    raise GraphDown(f"the FalkorDB server of {self.folder} does not end: see falkordb.log") from None
                time.sleep(0.02)
            else:
                return handle

    def close(self) -> None:
        """Lets go. The last user returns when the server has ended and its files are whole."""
        if self._hold is None:
            return
        self.settle()
        try:
            fcntl.flock(self._hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._wait_for_end(self._hold)
        else:
            self._shut_down()
        self._release()

    def settle(self) -> None:
        """Folds what was written into the base file, which loads many times faster than statements are run again,
        and opening it to read changes nothing."""
        import redis

        if self._hold is None or not any(part.stat().st_size for part in self._written()):
            return
        client = client_of(self.socket)
        until = time.monotonic() + COMPACTION
        try:
            client.bgrewriteaof()
            while time.monotonic() < until and _rewrites(client.info("persistence")):
                time.sleep(0.02)
        except (redis.exceptions.RedisError, OSError):
            # Nothing is lost: the append-only file holds it all, only longer.
            return
        finally:
            client.close()

    def _written(self) -> list[Path]:
        return list((self.folder / "appendonlydir").glob("*.incr.aof"))

    def _shut_down(self) -> None:
        import redis

        client = client_of(self.socket, timeout=30)
        try:
            pid = int(client.info("server")["process_id"])
            client.shutdown()
        except (redis.exceptions.RedisError, OSError):
            return
        finally:
            client.close()
        until = time.monotonic() + 30
        while _runs(pid) and time.monotonic() < until:
            time.sleep(0.01)

    def _wait_for_end(self, hold: int) -> None:
        """Either others use the server (a shared lock is free at once), or it is ending (not free until it has)."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                fcntl.flock(hold, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.01)
            else:
                return

    def _release(self) -> None:
        if self._hold is not None:
            os.close(self._hold)
        self._hold = None


def _private(folder: Path, own: bool) -> None:
    """The folder of the socket; one under the shared temporary folder must be ours and closed to others."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if own and (folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077):
        raise StorageError(f"folder {folder} belongs to someone else or is open to others: remove it")


def _rewrites(state: Mapping[str, Any]) -> bool:
    return bool(state["aof_rewrite_in_progress"] or state["aof_rewrite_scheduled"])


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
