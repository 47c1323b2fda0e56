"""Equal requests in flight at once are sent once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from rag1.errors import BudgetSpent, Deadline

T = TypeVar("T")


class Flights(Generic[T]):
    """By key, the call that is under way; others of the key wait for its result or its failure."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flying: dict[bytes, Future[T]] = {}

    def once(self, key: bytes, call: Callable[[], T], due: float) -> tuple[T, bool]:
        """The result, and whether this caller made the call. A leader's deadline is not its followers'."""
        while True:
            with self._lock:
                flight = self._flying.get(key)
                if flight is None:
                    flight = self._flying[key] = Future()
                    break
            try:
                return flight.result(max(0.0, due - time.monotonic())), False
            except TimeoutError:
                raise Deadline("the deadline came while an equal request was in flight") from None
            except (Deadline, BudgetSpent):
                continue
        return self._lead(key, call, flight), True

    def _lead(self, key: bytes, call: Callable[[], T], flight: Future[T]) -> T:
        try:
            result = call()
        except BaseException as error:
            self._land(key)
            flight.set_exception(error)
            raise
        self._land(key)
        flight.set_result(result)
        return result

    def _land(self, key: bytes) -> None:
        with self._lock:
            del self._flying[key]
