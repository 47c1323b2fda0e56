"""One call of a model, from its first attempt to a reply that was read, or to a typed failure.

Attempts never exceed 1 + `max_retries`, whatever they failed on: the network, the provider, or a reply that could not
be read (then the next attempt shows the model its reply and the error). All of it ends by the deadline.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rag1.errors import AuthError, CallFailed, ConfigError, Deadline, ProviderError, RateLimited, UnreadableReply
from rag1.llm.http import Endpoint
from rag1.llm.ledger import Account, Ledger
from rag1.llm.limiter import Pool, Slot
from rag1.llm.probe import Probe
from rag1.llm.schema import Format
from rag1.llm.wire import Completion, Empty, Fault, Refusal

log = logging.getLogger(__name__)
T = TypeVar("T")
LAST_BACKOFF = 8.0
SHOWN_BACK = 4000
"""Characters of an unreadable reply that are shown to the model again."""


@dataclass(frozen=True, slots=True)
class Patience:
    """`attempt_seconds` bounds one HTTP request, `deadline` the whole call (seconds). A provider that asks for a
    longer wait than `retry_after_cap` (seconds) stops the run, to be resumed. `first_backoff`: the ceiling of the first
    wait that we choose ourselves (seconds); it doubles with each attempt."""

    max_retries: int = 4
    attempt_seconds: float = 60.0
    deadline: float = 120.0
    retry_after_cap: float = 60.0
    first_backoff: float = 0.5

    def __post_init__(self) -> None:
        for name in ("max_retries", "retry_after_cap", "first_backoff"):
            if (value := getattr(self, name)) < 0:
                raise ConfigError(f"llm.patience.{name}={value} is under 0; set 0 or more")
        for name in ("attempt_seconds", "deadline"):
            if (value := getattr(self, name)) <= 0:
                raise ConfigError(f"llm.patience.{name}={value} must be over 0 seconds")


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    """`body` makes the HTTP body for a response format; `read` turns a reply into its value or raises
    UnreadableReply; `tokens` estimates what it will use."""

    body: Callable[[Format], dict[str, Any]]
    read: Callable[[Completion], T]
    place: Account
    tokens: int


@dataclass(frozen=True, slots=True)
class Exchange:
    endpoint: Endpoint
    pool: Pool
    ledger: Ledger
    patience: Patience

    def __call__(self, request: Request[T], probe: Probe, due: float) -> tuple[T, Completion]:
        """The value and the reply it was read from. Raises AuthError, RateLimited, CallFailed, Deadline,
        UnreadableReply or BudgetSpent."""
        failure: ProviderError = CallFailed("no attempt was made")
        complaint: tuple[Mapping[str, str], ...] = ()
        for attempt in range(1 + self.patience.max_retries):
            try:
                completion = self._attempt(request, probe, due, complaint)
                return self._read(request, completion), completion
            except CutShort:
                raise
            except UnreadableReply as error:
                failure, complaint, wait = error, shown_back(error), 0.0
            except Fault as fault:
                failure, wait = self._judge(fault, probe, attempt)
            if attempt < self.patience.max_retries:
                log.info(
                    "attempt %d for %s failed, again in %.1f s: %s", attempt + 1, request.place.task, wait, failure
                )
                self._rest(wait, due, failure)
        raise failure

    def _attempt(
        self, request: Request[T], probe: Probe, due: float, complaint: tuple[Mapping[str, str], ...]
    ) -> Completion:
        with probe.passage(due):
            form = probe.form_of(request.place.task)
            body = request.body(form)
            if complaint:
                body["messages"] = [*body["messages"], *complaint]

            def still_wanted() -> None:
                probe.check()
                self.ledger.check(request.place.model, self.endpoint.paid)

            slot = self.pool.slot(request.tokens, due, still_wanted)
            try:
                completion = self._send(body, request, probe, slot)
            except Fault as fault:
                if fault.kind == "unsupported" and not probe.unsupported(request.place.task, form):
                    fault.kind = "bad"
                raise
        probe.proven(form)
        return completion

    def _send(self, body: dict[str, Any], request: Request[T], probe: Probe, slot: Slot) -> Completion:
        """One HTTP request, booked; the pool learns from it."""
        try:
            completion = self.endpoint.send(body, self.patience.attempt_seconds, slot)
        except Fault as fault:
            tokens = fault.tokens if isinstance(fault, Refusal | Empty) else None
            self.ledger.attempt(request.place, tokens, self.endpoint.paid, fault.maybe_paid)
            if fault.kind == "rate":
                self.pool.refused()
            if fault.kind == "fatal":
                # Stopped while the passage is still held, so that nobody behind it asks the same.
                probe.stop(AuthError(str(fault)))
            raise
        self.ledger.attempt(request.place, completion.tokens, self.endpoint.paid)
        self.pool.accepted()
        self.pool.correct(completion.tokens.prompt + completion.tokens.completion - request.tokens)
        return completion

    def _read(self, request: Request[T], completion: Completion) -> T:
        if completion.finish == "length":
            raise CutShort("the reply was cut at max_tokens; raise llm.sampling.max_tokens", completion.text)
        return request.read(completion)

    def _judge(self, fault: Fault, probe: Probe, attempt: int) -> tuple[ProviderError, float]:
        """What the call fails with if no attempt is left, and the seconds to wait for the next one."""
        match fault.kind:
            case "fatal":
                raise AuthError(str(fault)) from fault
            case "refused" | "bad":
                raise CallFailed(str(fault)) from fault
            case "unsupported":
                return CallFailed(str(fault)), 0.0
        wait = fault.wait
        if wait is not None and wait > self.patience.retry_after_cap:
            limited = RateLimited(
                f"{fault}; the provider asks to wait {wait:.0f} s, over llm.patience.retry_after_cap"
                f"={self.patience.retry_after_cap:.0f}; resume the run later"
            )
            raise probe.stop(limited, wait) from fault
        # "Retry-After: 0" names no wait, so that ours keeps all attempts from being spent within one burst.
        return CallFailed(f"{attempt + 1} attempts: {fault}"), wait or backoff(attempt, self.patience.first_backoff)

    def _rest(self, wait: float, due: float, failure: ProviderError) -> None:
        if time.monotonic() + wait >= due:
            raise Deadline(f"the deadline leaves no time for another attempt; the last: {failure}") from failure
        time.sleep(wait)


class CutShort(UnreadableReply):
    """A reply that ended at max_tokens: never passed on as whole, nor asked for again."""


def backoff(attempt: int, first: float) -> float:
    """Full jitter over a doubling ceiling (Brooker 2015, "Exponential Backoff And Jitter"), seconds."""
    ceiling = min(LAST_BACKOFF, first * 2**attempt)
    return random.uniform(ceiling / 10, ceiling)  # noqa: S311


def shown_back(error: UnreadableReply) -> tuple[Mapping[str, str], ...]:
    """Messages that show the model its own reply and what is wrong with it."""
    words = f"この返答は読めませんでした ({error})。同じ質問に、指定の形式だけで答え直してください。"
    return ({"role": "assistant", "content": error.raw[:SHOWN_BACK] or "…"}, {"role": "user", "content": words})
