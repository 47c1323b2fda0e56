"""Runs one embedded server and ends it with its last user. Started as a script; the standard library only.

usage: falkordb_watch.py LOCK COMMAND…

Every user of the server holds a shared lock on LOCK. The kernel drops it when the user ends, however it ends, so
an exclusive lock is granted exactly when the last one is gone: no polling, no pid files. Should this process die,
the kernel ends the server too.
"""

from __future__ import annotations

import ctypes
import fcntl
import signal
import subprocess
import sys
import threading

PR_SET_PDEATHSIG = 1
GRACE = 30
"""Seconds that the server has to end by itself: one that is stuck would hold its folder for ever."""


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def main(lock: str, command: list[str]) -> int:
    # A Ctrl-C in the terminal is for the user's program; the server ends when that has ended.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=_die_with_parent)  # noqa: S603
    handle = open(lock, "a")  # noqa: SIM115  held until this process ends

    def end_with_last_user() -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)
        server.terminate()
        try:
            server.wait(GRACE)
        except subprocess.TimeoutExpired:
            server.kill()

    threading.Thread(target=end_with_last_user, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    return server.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
