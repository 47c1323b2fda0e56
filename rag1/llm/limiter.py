"""Calls in flight, requests and tokens a minute: one `Pool` an endpoint, for all roles and threads of the process,
and for all processes that share its folder.

The limit in flight adapts by additive increase, multiplicative decrease (Chiu and Jain 1989, "Analysis of the
Increase and Decrease Algorithms for Congestion Avoidance"): a 429 takes 5 % away, a good reply gives a tenth of a
call back, or 0.4 % of the limit where that is more. A steady share p of 429s settles at 2 (1 - p) / p calls, and
one under 7 %, which any busy key sees, takes nothing away.
Rates follow the generic cell rate algorithm (ITU-T I.371): one number, the theoretical arrival time, in a file.
Across processes a call in flight is a lock on one of `max_in_flight` files, which dies with its process.
"""

from __future__ import annotations

import fcntl
import os
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rag1.artifacts import fingerprint
from rag1.errors import Deadline, StorageError

DECREASE = 0.95
INCREASE = 0.1
INCREASE_SHARE = 0.004
BURST_SECONDS = 1.0
SHARED_EVERY = 4
"""Of the slots that a waiting call of ours could take over at once, one in so many is let go for other processes."""

FOREIGN_POLL = 0.02
"""Seconds between two looks at slots that other processes hold."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`rpm`, `tpm`: requests and tokens a minute; None: no limit of ours."""

    in_flight: int = 16
    rpm: float | None = None
    tpm: float | None = None


class SlotFiles:
    """`count` lock files: a call in flight holds one. A killed process lets go of its locks by dying."""

    def __init__(self, folder: Path, count: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._free = [os.open(folder / f"{n:04d}.slot", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC) for n in range(count)]
        self._kept: list[int] = []

    def take(self) -> int | None:
        """A locked descriptor, or None when other processes hold all that we do not."""
        if self._kept:
            return self._kept.pop()
        for place in range(len(self._free) - 1, -1, -1):
            try:
                fcntl.flock(self._free[place], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            return self._free.pop(place)
        return None

    def keep(self, slot: int) -> None:
        """Hands a locked descriptor to our own next `take`: no system call, and no chance for other processes."""
        self._kept.append(slot)

    def give(self, slot: int) -> None:
        """Lets go of a descriptor, and of those that were kept and not taken."""
        for each in (slot, *self._kept):
            fcntl.flock(each, fcntl.LOCK_UN)
            self._free.append(each)
        self._kept.clear()


class Rate:
    """`per_minute` units, spread evenly with bursts of one second's worth; shared through `path` if given."""

    def __init__(self, per_minute: float, path: Path | None) -> None:
        self.seconds = 60.0 / per_minute
        self._lock = threading.Lock()
        self._next = 0.0
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC) if path else None

    def reserve(self, units: float) -> float:
        """Books `units`; seconds to wait before using them."""
        with self._lock:
            if self._file is None:
                self._next, wait = self._booked(self._next, units)
                return wait
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                stored = os.pread(self._file, 8, 0)
                arrival, wait = self._booked(struct.unpack("d", stored)[0] if len(stored) == 8 else 0.0, units)
                os.pwrite(self._file, struct.pack("d", arrival), 0)
                return wait
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def _booked(self, arrival: float, units: float) -> tuple[float, float]:
        now = time.time()
        # A clock set back leaves an arrival time far ahead: more than ten minutes of debt is not believed.
        start = now if arrival > now + 600 else max(arrival, now)
        return start + units * self.seconds, max(0.0, start - now - BURST_SECONDS)


@dataclass
class Pool:
    """Who may call now. Thread-safe; made by `pool_for`."""

    limits: Limits
    folder: Path | None = None
    adapted: float = field(init=False)
    in_flight: int = field(init=False, default=0)
    waiting: int = field(init=False, default=0)
    given: int = field(init=False, default=0)
    peak: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.adapted = float(self.limits.in_flight)
        self._turn = threading.Condition()
        try:
            self._files = SlotFiles(self.folder, self.limits.in_flight) if self.folder else None
            self._requests = self._rate(self.limits.rpm, "rpm")
            self._tokens = self._rate(self.limits.tpm, "tpm")
        except OSError as error:
            raise StorageError(
                f"slots in {self.folder}: {error.strerror}; set cache_dir to a writable folder"
            ) from error

    def _rate(self, per_minute: float | None, name: str) -> Rate | None:
        return Rate(per_minute, self.folder / name if self.folder else None) if per_minute else None

    @contextmanager
    def slot(self, tokens: int, due: float) -> Iterator[None]:
        """Holds one call in flight; waits for it until `due` (monotonic seconds), else raises Deadline."""
        self._wait_rates(tokens, due)
        held = self._take(due)
        try:
            yield
        finally:
            self._give(held)

    def correct(self, tokens: int) -> None:
        """Books the tokens that a reply used beyond its estimate (a negative count gives some back)."""
        if self._tokens:
            self._tokens.reserve(tokens)

    def refused(self) -> None:
        """A 429 came: fewer calls at once."""
        with self._turn:
            self.adapted = max(1.0, self.adapted * DECREASE)

    def accepted(self) -> None:
        """A good reply came: a little more."""
        with self._turn:
            before = int(self.adapted)
            self.adapted = min(
                float(self.limits.in_flight), self.adapted + max(INCREASE, self.adapted * INCREASE_SHARE)
            )
            if int(self.adapted) > before:
                self._turn.notify()

    def _wait_rates(self, tokens: int, due: float) -> None:
        wait = self._requests.reserve(1) if self._requests else 0.0
        wait = max(wait, self._tokens.reserve(tokens) if self._tokens else 0.0)
        if wait > due - time.monotonic():
            self._give_back(tokens)
            raise Deadline(f"the rate limit's turn comes in {wait:.0f} s, after the deadline; raise llm.rpm or llm.tpm")
        if wait:
            time.sleep(wait)

    def _give_back(self, tokens: int) -> None:
        if self._requests:
            self._requests.reserve(-1)
        if self._tokens:
            self._tokens.reserve(-tokens)

    def _take(self, due: float) -> int | None:
        with self._turn:
            while True:
                room = self.in_flight < int(self.adapted)
                held = self._files.take() if room and self._files else None
                if room and (held is not None or self._files is None):
                    self.in_flight += 1
                    self.peak = max(self.peak, self.in_flight)
                    return held
                left = due - time.monotonic()
                if left <= 0:
                    raise Deadline("no call was free before the deadline; raise llm.max_in_flight or llm.deadline")
                self.waiting += 1
                try:
                    self._turn.wait(min(left, FOREIGN_POLL) if room else left)
                finally:
                    self.waiting -= 1

    def _give(self, held: int | None) -> None:
        with self._turn:
            self.in_flight -= 1
            self.given += 1
            if held is not None and self._files:
                passed_on = self.waiting > 0 and self.given % SHARED_EVERY
                (self._files.keep if passed_on else self._files.give)(held)
            self._turn.notify()


_pools: dict[tuple[int, str, str, Limits], Pool] = {}
_making = threading.Lock()


def pool_for(identity: str, limits: Limits, folder: Path | None) -> Pool:
    """The one pool of this process for an endpoint under these limits; `folder` shares it with other processes."""
    key = (os.getpid(), identity, str(folder), limits)
    with _making:
        if key not in _pools:
            place = folder / "slots" / fingerprint(identity) if folder else None
            _pools[key] = Pool(limits, place)
        return _pools[key]
