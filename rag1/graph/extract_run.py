"""Runs an extractor over all chunks: a trial first, then documents in parallel, everything journalled."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from rag1.chunk.chunks import Chunks
from rag1.errors import BudgetSpent, ConfigError, TooManyFailures
from rag1.graph.extract import ChunkTriples, Extractor
from rag1.graph.extract_journal import ExtractJournal
from rag1.llm.ledger import Ledger, Line, money

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Effort:
    """`trial`: chunks that are read before the rest may be. `workers`: documents read at once. `usd`: the most that
    the extraction may cost. `max_failed`: the share of chunks that may fail."""

    trial: int = 8
    workers: int = 8
    usd: float | None = None
    max_failed: float = 0.5

    def __post_init__(self) -> None:
        if self.trial < 1 or self.workers < 1:
            raise ConfigError(f"effort.trial={self.trial} and effort.workers={self.workers} must be at least 1")
        if not 0 <= self.max_failed <= 1:
            raise ConfigError(f"effort.max_failed={self.max_failed} is no share; set 0 to 1")


@dataclass(frozen=True, slots=True)
class Yield:
    """Figures of a set of chunks. `usd` is None where a price is unknown; it counts what was asked this time."""

    chunks: int
    triples: int
    skipped: int
    failed: int
    tries: int
    usd: float | None
    seconds: float

    @property
    def failure_rate(self) -> float:
        return self.failed / self.chunks if self.chunks else 0.0

    def __str__(self) -> str:
        rate = f"{self.triples / self.chunks:.1f} a chunk" if self.chunks else "none asked"
        return (
            f"{self.chunks} chunks, {self.triples} triples ({rate}), {self.skipped} skipped, "
            f"{self.failed} chunks failed ({self.failure_rate:.0%}), {money(self.usd)} usd, {self.seconds:.1f} s"
        )


@dataclass
class Extraction:
    """One extraction of `chunks` into `journal`. Raises what would meet every chunk; the journal is kept."""

    chunks: Chunks
    extractor: Extractor
    journal: ExtractJournal
    ledger: Ledger
    effort: Effort = field(default_factory=Effort)
    trial: Yield | None = None
    _stop: threading.Event = field(default_factory=threading.Event)

    def __call__(self) -> Yield:
        """Figures of all chunks, those of earlier builds included."""
        start, before = time.perf_counter(), self.ledger.total()
        streams = [self._stream(document.id) for document in self.chunks.corpus]
        if len(self.journal.done) < len(self.chunks.items):
            self._try(streams, start, before)
            self._rest(streams)
        return self._yield(list(self._results()), start, before)

    def _stream(self, doc_id: str) -> Iterator[ChunkTriples]:
        return self.extractor(self.chunks.corpus[doc_id], self.chunks.of_document[doc_id], self.journal)

    def _results(self) -> Iterable[ChunkTriples]:
        for chunk in self.chunks.items:
            found = self.journal.done.get(chunk.id) or self.journal.failed.get(chunk.id)
            if found:
                yield found

    def _try(self, streams: Sequence[Iterator[ChunkTriples]], start: float, before: Line) -> None:
        """The first chunks of every document in turn; earlier builds' chunks count, but only new ones tell a price."""
        known = list(self.journal.done.values())
        fresh: list[ChunkTriples] = []
        for result in _in_turn(streams):
            self.journal.add(result)
            fresh.append(result)
            if len(fresh) >= self.effort.trial:
                break
        tried = self._yield([*known, *fresh], start, before)
        self.trial = tried
        log.info("trial: %s", tried)
        left = len(self.chunks.items) - len(self.journal.done) - len(self.journal.failed)
        self._judge(tried)
        self._afford(self._yield(fresh, start, before), left)

    def _judge(self, tried: Yield) -> None:
        """An empty or failing graph is not worth the rest."""
        errors = [r.error for r in self._results() if r.error]
        reasons = [s.reason for r in self._results() for s in r.skipped]
        if tried.chunks and tried.triples == 0:
            why = next(iter([*errors, *reasons]), "the text states none that it reads")
            raise TooManyFailures(
                f"the graph would be empty: no triple from {tried.chunks} chunks ({why}); try another extractor"
            )
        if tried.failure_rate > self.effort.max_failed:
            raise self._too_many(tried.failed, tried.chunks, errors[0])

    def _too_many(self, failed: int, asked: int, error: str) -> TooManyFailures:
        return TooManyFailures(
            f"{failed} of {asked} chunks failed, effort.max_failed is {self.effort.max_failed:g}; the last: {error}"
        )

    def _afford(self, fresh: Yield, left: int) -> None:
        """Stops before the rest is paid for when it would go over what the extraction, or the run, may cost."""
        limit, run = self.effort.usd, self.ledger.budget.usd
        if fresh.usd is None:
            if limit is not None:
                raise ConfigError(
                    f"effort.usd={limit} cannot be kept: the model has no price; add it to llm.ledger.prices"
                )
            return
        rest = fresh.usd / fresh.chunks * left if fresh.chunks else 0.0
        if limit is not None and fresh.usd + rest > limit:
            raise BudgetSpent(_too_dear(fresh.usd, rest, left, f"effort.usd={limit:g}"))
        if run is not None and (self.ledger.total().usd or 0.0) + rest > run:
            raise BudgetSpent(_too_dear(fresh.usd, rest, left, f"budget.usd={run:g}"))

    def _rest(self, streams: Sequence[Iterator[ChunkTriples]]) -> None:
        pool = ThreadPoolExecutor(self.effort.workers, thread_name_prefix="extract")
        try:
            jobs = [pool.submit(self._drain, stream) for stream in streams]
            done, _ = wait(jobs, return_when=FIRST_EXCEPTION)
            for job in done:
                job.result()
        finally:
            self._stop.set()
            pool.shutdown(wait=True, cancel_futures=True)

    def _drain(self, stream: Iterator[ChunkTriples]) -> None:
        for result in stream:
            self.journal.add(result)
            if self._stop.is_set():
                return
            failed, done = len(self.journal.failed), len(self.journal.done)
            if failed > self.effort.max_failed * (failed + done) and failed + done >= self.effort.trial:
                raise self._too_many(failed, failed + done, result.error)

    def _yield(self, results: Sequence[ChunkTriples], start: float, before: Line) -> Yield:
        now = self.ledger.total()
        usd = None if now.usd is None or before.usd is None else now.usd - before.usd
        return Yield(
            len(results),
            sum(len(r.triples) for r in results),
            sum(len(r.skipped) for r in results),
            sum(bool(r.error) for r in results),
            sum(r.tries for r in results),
            usd,
            time.perf_counter() - start,
        )


def _too_dear(spent: float, rest: float, left: int, limit: str) -> str:
    return (
        f"the trial cost {spent:.4f} usd, the other {left} chunks would cost about {rest:.4f} more, over {limit}; "
        "raise it and build again: what was read is kept"
    )


def _in_turn(streams: Sequence[Iterator[ChunkTriples]]) -> Iterator[ChunkTriples]:
    """One result of each stream after another. Pulls one at a time: what is not asked for is not paid for."""
    waiting = list(streams)
    while waiting:
        for stream in list(waiting):
            try:
                yield next(stream)
            except StopIteration:
                waiting.remove(stream)
