"""The time that is left for a question: set by the batch, kept by every call under it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_due: ContextVar[float] = ContextVar("due", default=float("inf"))


@contextmanager
def deadline_scope(seconds: float) -> Iterator[None]:
    """All calls inside end within `seconds`, or within an outer scope's rest if that is shorter."""
    token = _due.set(min(_due.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _due.reset(token)


def due_within(seconds: float) -> float:
    """When a call that may take `seconds` must end (monotonic seconds)."""
    return min(_due.get(), time.monotonic() + seconds)


def seconds_left() -> float:
    """Seconds that the current scope has left; infinite outside one."""
    return _due.get() - time.monotonic()
