"""What is learnt of an endpoint by asking it: whether it answers at all, and which response format it knows.

The first call of a model goes alone, so that a wrong key or name costs one request, not as many as are in flight.
The format starts at json_schema and steps down each time that the endpoint refuses one, never by a model's name.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rag1.errors import ProviderError
from rag1.llm.schema import FORMATS, Format

OPENING_PATIENCE = 5.0
"""Seconds that others wait for the first call before they go as well."""


@dataclass
class Probe:
    """What is known of one model at one endpoint. `remember` is called with a format that proved itself."""

    form: Format = "json_schema"
    settled: bool = False
    remember: Callable[[Format], None] = field(default=lambda _: None)
    _forms: dict[str, Format] = field(default_factory=dict)
    _opened: threading.Event = field(default_factory=threading.Event)
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _fatal: ProviderError | None = None
    _fatal_until: float = float("inf")

    @contextmanager
    def passage(self, due: float) -> Iterator[None]:
        """Around each attempt: the first goes alone, the others wait for it or for a few seconds."""
        self.check()
        first = not self._opened.is_set() and self._opening.acquire(blocking=False)
        try:
            if not first:
                self._opened.wait(max(0.0, min(OPENING_PATIENCE, due - time.monotonic())))
                self.check()
            yield
        finally:
            if first:
                self._opened.set()
                self._opening.release()

    def check(self) -> None:
        """Raises what stopped the run before, if anything did."""
        if self._fatal is not None and time.monotonic() < self._fatal_until:
            raise type(self._fatal)(str(self._fatal))

    def stop(self, error: ProviderError, seconds: float = float("inf")) -> ProviderError:
        """Every later call of the next `seconds` fails with `error` before it asks."""
        with self._lock:
            self._fatal, self._fatal_until = error, time.monotonic() + seconds
        return error

    def form_of(self, task: str) -> Format:
        """The response format to ask with."""
        return self._forms.get(task, self.form)

    def unsupported(self, task: str, form: Format) -> bool:
        """The endpoint refused `form`: steps down. False when nothing is left below.

        Once another call has proven the format, the refusal is about this task's schema, and only the task steps down.
        """
        place = FORMATS.index(form) + 1
        if place == len(FORMATS):
            return False
        with self._lock:
            if self.settled:
                self._forms[task] = FORMATS[place]
            elif self.form == form:
                self.form = FORMATS[place]
        return True

    def proven(self, form: Format) -> None:
        """A reply came under `form`."""
        with self._lock:
            fresh = not self.settled and self.form == form
            self.settled = self.settled or fresh
        if fresh:
            self.remember(form)
