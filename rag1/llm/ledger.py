"""What was asked of models and what it cost: by question, task, role and model. Thread-safe.

The question of a call is the `question_scope` around it; threads that a pipeline starts by itself must run in a
copied context (`contextvars.copy_context`), else their calls count for the run but for no question.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from rag1.errors import BudgetSpent, ConfigError
from rag1.llm.prices import FREE, Prices, read_prices
from rag1.llm.wire import Tokens
from rag1.types import Llm, Usage

_question: ContextVar[str] = ContextVar("question", default="")


@contextmanager
def question_scope(query_id: str) -> Iterator[None]:
    """Calls inside are booked on this question."""
    token = _question.set(query_id)
    try:
        yield
    finally:
        _question.reset(token)


class Account(NamedTuple):
    """What a call is booked on."""

    question: str
    task: str
    role: str
    model: str


def account(task: str, role: str, model: str) -> Account:
    """The account of a call made now, in the current question scope."""
    return Account(_question.get(), task, role, model)


@dataclass
class Line:
    """Sums of one account.

    requests: calls that had to ask the endpoint. attempts: HTTP requests that they took. cached: calls answered by
    the cache or by an equal call in flight. maybe_paid: attempts cut or timed out, perhaps charged without a reply.
    unstated: replies without token counts. usd is None once any of it is unknown.
    """

    requests: int = 0
    attempts: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    maybe_paid: int = 0
    unstated: int = 0
    usd: float | None = 0.0

    def add(self, other: Line) -> None:
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.usd = None if self.usd is None or other.usd is None else self.usd + other.usd

    def usage(self) -> Usage:
        return Usage(self.requests, self.cached, self.prompt_tokens, self.completion_tokens, self.usd)


COUNTS = tuple(each.name for each in fields(Line) if each.name != "usd")


@dataclass(frozen=True)
class Budget:
    """What a run may spend at most; None: no limit."""

    usd: float | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("usd", self.usd), ("tokens", self.tokens)):
            if value is not None and value < 0:
                raise ConfigError(f"budget.{name}={value} is under 0; set 0 or more, or null for no limit")


@dataclass(frozen=True)
class Ledger:
    """`prices`: path of the price file. One ledger a run: equal config nodes share it."""

    prices: str = "conf/prices.yaml"
    budget: Budget = Budget()
    _lines: dict[Account, Line] = field(init=False, default_factory=dict, repr=False, compare=False)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock, repr=False, compare=False)
    _spent: Line = field(init=False, default_factory=Line, repr=False, compare=False)

    @property
    def price_list(self) -> Prices:
        return read_prices(self.prices)

    def check(self, model: str, paid: bool = True) -> None:
        """Raises BudgetSpent when the run's budget is used up, ConfigError when dollars cannot be counted."""
        if self.budget.usd is not None and paid and self.price_list.of(model) is None:
            raise ConfigError(
                f"budget.usd={self.budget.usd} cannot be kept: {model!r} has no price; add it to {self.prices}"
            )
        tokens = self._spent.prompt_tokens + self._spent.completion_tokens
        if self.budget.tokens is not None and tokens >= self.budget.tokens:
            raise BudgetSpent(f"budget.tokens={self.budget.tokens} is used up ({tokens}); raise it and resume")
        if self.budget.usd is not None and self._spent.usd is None:
            raise BudgetSpent(f"budget.usd={self.budget.usd} cannot be kept: replies came without token counts")
        if self.budget.usd is not None and (self._spent.usd or 0.0) >= self.budget.usd:
            raise BudgetSpent(f"budget.usd={self.budget.usd} is used up ({self._spent.usd:.4f}); raise it and resume")

    def carry(self, earlier: Usage) -> None:
        """What earlier starts of this run spent: it counts for the budget, not in the table of this start."""
        with self._lock:
            self._spent.add(
                Line(
                    requests=earlier.requests,
                    cached=earlier.cached,
                    prompt_tokens=earlier.prompt_tokens,
                    completion_tokens=earlier.completion_tokens,
                    usd=earlier.usd,
                )
            )

    def spent(self) -> Usage:
        """All that the run spent so far, what was carried over included."""
        with self._lock:
            return self._spent.usage()

    def hit(self, place: Account) -> None:
        """A call answered without asking."""
        self._book(place, Line(cached=1))

    def request(self, place: Account) -> None:
        """A call that has to ask."""
        self._book(place, Line(requests=1))

    def attempt(self, place: Account, tokens: Tokens | None, paid: bool, maybe_paid: bool = False) -> None:
        """One HTTP request. `tokens` None: no reply came."""
        if tokens is None:
            self._book(place, Line(attempts=1, maybe_paid=int(maybe_paid)))
            return
        price = self.price_list.of(place.model) if paid else FREE
        usd = price.usd(tokens) if price and (tokens.stated or not paid) else None
        spent = Line(1, 1, 0, tokens.prompt, tokens.completion, tokens.cached, tokens.reasoning, 0, 0, usd)
        spent.requests, spent.unstated = 0, int(not tokens.stated)
        self._book(place, spent)

    def _book(self, place: Account, line: Line) -> None:
        with self._lock:
            self._lines.setdefault(place, Line()).add(line)
            self._spent.add(line)

    def of(self, query_id: str) -> Usage:
        """What one question used."""
        return self._sum(lambda place: place.question == query_id).usage()

    def total(self) -> Line:
        return self._sum(lambda _: True)

    def by(self, *names: str) -> dict[tuple[str, ...], Line]:
        """Sums grouped by any of question, task, role, model; in the order of first use."""
        sums: dict[tuple[str, ...], Line] = {}
        with self._lock:
            for place, line in self._lines.items():
                sums.setdefault(tuple(getattr(place, name) for name in names), Line()).add(line)
        return sums

    def _sum(self, wanted: Callable[[Account], bool]) -> Line:
        total = Line()
        with self._lock:
            for place, line in self._lines.items():
                if wanted(place):
                    total.add(line)
        return total

    def table(self) -> str:
        """The totals by task, role and model as aligned text, the sum last; empty when nothing was asked."""
        shown = [_shown(group, line) for group, line in self.by("task", "role", "model").items()]
        if not shown:
            return ""
        return aligned([HEADER, *shown, _shown(("total", "", f"prices of {self.price_list.as_of}"), self.total())])


HEADER = (
    "task", "role", "model", "requests", "attempts", "cached", "prompt", "completion",
    "of prompt cached", "of completion reasoning", "maybe paid", "usd",
)  # fmt: skip


def _shown(names: tuple[str, ...], line: Line) -> tuple[str, ...]:
    counts = (
        line.requests, line.attempts, line.cached, line.prompt_tokens, line.completion_tokens,
        line.cached_tokens, line.reasoning_tokens, line.maybe_paid,
    )  # fmt: skip
    return (*names, *map(str, counts), money(line.usd))


def money(usd: float | None) -> str:
    """Dollars to four places, or `unknown`."""
    return "unknown" if usd is None else f"{usd:.4f}"


def aligned(rows: list[tuple[str, ...]]) -> str:
    """Rows as columns: the first three to the left, figures to the right."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    lines = (
        "  ".join(
            cell.ljust(width) if n < 3 else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def ledger_of(llm: Llm) -> Ledger:
    """The ledger of a model, or an empty one where it keeps none (offline)."""
    found = getattr(llm, "ledger", None)
    return found if isinstance(found, Ledger) else Ledger()
