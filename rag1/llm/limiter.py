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

import asyncio
import errno
import fcntl
import os
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rag1.artifacts import fingerprint
from rag1.errors import ConfigError, Deadline, StorageError

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

    def __post_init__(self) -> None:
        if self.in_flight < 1:
            raise ConfigError(f"llm.max_in_flight={self.in_flight} is under 1; set 1 or more")
        for name, value in (("rpm", self.rpm), ("tpm", self.tpm)):
            if value is not None and value <= 0:
                raise ConfigError(f"llm.{name}={value} lets no call through; set it above 0, or null for no limit")


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
        self._waiters: deque[asyncio.Future[None]] = deque()
        try:
            self._files = SlotFiles(self.folder, self.limits.in_flight) if self.folder else None
            self._requests = self._rate(self.limits.rpm, "rpm")
            self._tokens = self._rate(self.limits.tpm, "tpm")
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise ConfigError(
                    f"llm.max_in_flight={self.limits.in_flight} needs as many open files, more than are allowed here;"
                    " lower it, or raise `ulimit -n`"
                ) from error
            raise StorageError(
                f"slots in {self.folder}: {error.strerror}; set cache_dir to a writable folder"
            ) from error

    def _rate(self, per_minute: float | None, name: str) -> Rate | None:
        return Rate(per_minute, self.folder / name if self.folder else None) if per_minute else None

    def slot(self, tokens: int, due: float, first: Callable[[], None] = lambda: None) -> Slot:
        """One call in flight, to be entered by `with` or, on an event loop, by `async with`.

        Waits here for the rates, and on entering for a free call, until `due` (monotonic seconds); else raises
        Deadline. `first` is called when the slot is held; what it raises lets go of the slot.
        """
        self._wait_rates(tokens, due)
        return Slot(self, due, first)

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
                self._wake()

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

    def take(self, due: float) -> Held:
        """A call in flight, waited for in this thread."""
        with self._turn:
            while True:
                held, wait = self._try(due)
                if held is not None:
                    return held
                self.waiting += 1
                try:
                    self._turn.wait(wait)
                finally:
                    self.waiting -= 1

    async def take_on_loop(self, due: float) -> Held:
        """A call in flight, waited for on the running event loop: no thread wakes between two calls."""
        loop = asyncio.get_running_loop()
        while True:
            with self._turn:
                held, wait = self._try(due)
                if held is not None:
                    return held
                waiter = loop.create_future()
                self._waiters.append(waiter)
            try:
                async with asyncio.timeout(wait):
                    await waiter
            except TimeoutError:
                self._forget(waiter)
            except asyncio.CancelledError:
                self._forget(waiter)
                raise

    def _forget(self, waiter: asyncio.Future[None]) -> None:
        """A waiter that went away; where it had been woken already, the next one is."""
        with self._turn:
            if waiter in self._waiters:
                self._waiters.remove(waiter)
            else:
                self._wake()

    def _try(self, due: float) -> tuple[Held | None, float]:
        """A slot if one is free, else the seconds to wait for one. Raises Deadline."""
        room = self.in_flight < int(self.adapted)
        descriptor = self._files.take() if room and self._files else None
        if room and (descriptor is not None or self._files is None):
            self.in_flight += 1
            self.peak = max(self.peak, self.in_flight)
            return Held(descriptor), 0.0
        left = due - time.monotonic()
        if left <= 0:
            raise Deadline("no call was free before the deadline; raise llm.max_in_flight or llm.deadline")
        return None, min(left, FOREIGN_POLL) if room else left

    def give(self, held: Held) -> None:
        """Ends a call in flight."""
        with self._turn:
            self.in_flight -= 1
            self.given += 1
            if held.descriptor is not None and self._files:
                passed_on = (self.waiting or self._waiters) and self.given % SHARED_EVERY
                (self._files.keep if passed_on else self._files.give)(held.descriptor)
            self._wake()

    def _wake(self) -> None:
        """The next that waits, on its loop or in its thread, tries again."""
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.get_loop().call_soon_threadsafe(_resolve, waiter)
                return
        self._turn.notify()


def _resolve(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


@dataclass(frozen=True, slots=True)
class Held:
    """A call in flight; `descriptor` of its locked file, where slots are shared with other processes."""

    descriptor: int | None


@dataclass
class Slot:
    """A call's place in a pool, held from entering to leaving."""

    pool: Pool
    due: float
    first: Callable[[], None]
    _held: Held | None = field(init=False, default=None)

    def seconds(self, most: float) -> float:
        """What a call that begins now may take. Raises Deadline where nothing is left."""
        left = self.due - time.monotonic()
        if left <= 0:
            raise Deadline("the deadline came before the call could be sent")
        return min(left, most)

    def __enter__(self) -> None:
        self._hold(self.pool.take(self.due))

    async def __aenter__(self) -> None:
        self._hold(await self.pool.take_on_loop(self.due))

    def _hold(self, held: Held) -> None:
        self._held = held
        try:
            self.first()
        except BaseException:
            self._let_go()
            raise

    def _let_go(self) -> None:
        assert self._held is not None
        self.pool.give(self._held)
        self._held = None

    def __exit__(self, *_: object) -> None:
        self._let_go()

    async def __aexit__(self, *_: object) -> None:
        self._let_go()


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
