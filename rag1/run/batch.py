"""Answers many questions at once: workers, a deadline a question, an error budget a run, everything journalled."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from rag1.errors import (
    AuthError,
    BudgetSpent,
    Deadline,
    InputError,
    Rag1Error,
    RateLimited,
    StorageError,
    TooManyFailures,
)
from rag1.llm.deadline import deadline_scope
from rag1.llm.ledger import question_scope
from rag1.run.journal import Journal
from rag1.run.record import as_kept
from rag1.types import ABSTENTION, FAILED, Answer, Pipeline, Query, Stop, Usage

log = logging.getLogger(__name__)

FATAL = (AuthError, BudgetSpent, InputError, RateLimited, StorageError)
"""What the next question would meet as well: the run stops and can be resumed."""

WORKER = "rag1 question"
"""The name of every thread that has a question in hand."""

GRACE = 5.0
"""Seconds over its deadline after which a question that does not come back is given up."""


@dataclass(frozen=True)
class Executor:
    """`workers`: questions in hand. `deadline`: seconds a question. `max_failures`: failed questions a run."""

    workers: int = 16
    deadline: float = 300.0
    max_failures: int = 20

    def __post_init__(self) -> None:
        for name, value, least in (("workers", self.workers, 1), ("max_failures", self.max_failures, 0)):
            if value < least:
                raise InputError(f"executor.{name} {value} must be at least {least}")
        if self.deadline <= 0:
            raise InputError(f"executor.deadline {self.deadline} must be above 0 seconds")


@dataclass
class _Hand:
    """A question in hand: who ends it first, worker or watch, settles it."""

    query: Query
    since: float
    settled: bool = False


@dataclass
class Batch:
    """One run's questions. `usage_of` tells what a question used, `spent` what the run did; `on_end` is called after
    each line of the journal."""

    pipeline: Pipeline
    executor: Executor
    journal: Journal
    usage_of: Callable[[str], Usage] = lambda _: Usage()
    on_end: Callable[[Answer], None] = lambda _: None
    spent: Callable[[], Usage] = Usage
    failures: int = 0
    fatal: BaseException | None = None
    answers: dict[str, Answer] = field(default_factory=dict)
    _todo: queue.SimpleQueue[Query] = field(default_factory=queue.SimpleQueue)
    _done: queue.SimpleQueue[str] = field(default_factory=queue.SimpleQueue)
    _hands: dict[str, _Hand] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, queries: Sequence[Query]) -> dict[str, Answer]:
        """Answers by query id, those of the journal included. Raises what stopped the run, the journal kept."""
        self.answers.update(self.journal.settled)
        waiting = {q.id for q in queries if q.id not in self.journal.settled}
        for query in queries:
            if query.id in waiting:
                self._todo.put(query)
        for _ in range(min(self.executor.workers, len(waiting))):
            self._hire()
        try:
            while waiting and self.fatal is None:
                self._await(waiting)
        except KeyboardInterrupt as error:
            self._halt(error)
        if self.fatal is not None:
            raise self.fatal
        return {q.id: self.answers[q.id] for q in queries}

    def _await(self, waiting: set[str]) -> None:
        try:
            waiting.discard(self._done.get(timeout=0.2))
        except queue.Empty:
            self._watch()

    def _hire(self) -> None:
        # Daemons: a question that hangs in foreign code must not keep the process from ending.
        threading.Thread(target=self._work, name=WORKER, daemon=True).start()

    def _work(self) -> None:
        while self.fatal is None:
            try:
                query = self._todo.get_nowait()
            except queue.Empty:
                return
            hand = _Hand(query, time.monotonic())
            with self._lock:
                self._hands[query.id] = hand
            try:
                self.journal.start(query)
                answer = self._answer(query)
            except BaseException as error:  # a bug must reach the person who runs this, from whatever thread
                self._halt(error)
                return
            if not self._settle(hand, answer):
                return

    def _answer(self, query: Query) -> Answer:
        start = time.perf_counter()
        with question_scope(query.id), deadline_scope(self.executor.deadline):
            try:
                answer = self.pipeline(query)
            except FATAL:
                raise
            except Deadline as error:
                answer = failed(query, "timeout", error)
            except Rag1Error as error:
                answer = failed(query, "error", error)
            except Exception as error:  # a bug met by one question costs that question, and shows its traceback
                if self.fatal is None:  # once the run ends, what it stood on may be gone
                    log.exception("question %s", query.id)
                answer = failed(query, "error", error)
        whole = replace(answer, seconds=time.perf_counter() - start, usage=self.usage_of(query.id))
        return as_kept(whole, query)

    def _settle(self, hand: _Hand, answer: Answer) -> bool:
        """Journals the answer unless the question was settled already; False then: the caller is no longer needed."""
        with self._lock:
            if hand.settled or self.fatal is not None:
                return False
            hand.settled = True
            self._hands.pop(hand.query.id, None)
        try:
            self.journal.end(hand.query, answer, self.spent)
            self.answers[answer.query_id] = answer
            self.on_end(answer)
        except BaseException as error:
            self._halt(error)
            return False
        self._count(answer)
        self._done.put(hand.query.id)
        return True

    def _count(self, answer: Answer) -> None:
        if answer.stop not in FAILED:
            return
        with self._lock:
            self.failures += 1
            over = self.failures > self.executor.max_failures
        if over:
            limit = self.executor.max_failures
            last = f"the last: question {answer.query_id}: {answer.error}"
            self._halt(TooManyFailures(f"{self.failures} questions failed, executor.max_failures is {limit}; {last}"))

    def _watch(self) -> None:
        """Gives up questions that are over their deadline and do not come back; a new worker takes the place."""
        now = time.monotonic()
        with self._lock:
            late = [h for h in self._hands.values() if now - h.since > self.executor.deadline + GRACE]
        for hand in late:
            error = Deadline(f"no answer within executor.deadline {self.executor.deadline:g} s")
            answer = failed(hand.query, "timeout", error)
            seconds = now - hand.since
            if self._settle(hand, replace(answer, seconds=seconds, usage=self.usage_of(hand.query.id))):
                self._hire()

    def _halt(self, error: BaseException) -> None:
        with self._lock:
            self.fatal = self.fatal or error


def failed(query: Query, stop: Stop, error: BaseException) -> Answer:
    """The answer of a question that failed: an abstention that says why, counted apart."""
    return Answer(query.id, ABSTENTION, stop=stop, error=f"{type(error).__name__}: {error}")
