"""A dry run: pipelines go their way on rule-made replies while what a model would be asked is counted."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rag1.llm.client import Client
from rag1.llm.ledger import aligned, money
from rag1.llm.limiter import Slot
from rag1.llm.prices import FREE
from rag1.llm.roles import model_for, role_of
from rag1.llm.wire import Completion, Tokens
from rag1.text.tokens import count_tokens
from rag1.types import Llm, ReplyT, Task


@dataclass
class Count:
    """Calls of one task by one model. `known`: in the cache, or asked before in this run."""

    calls: int = 0
    known: int = 0
    prompt: int = 0
    completion: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.calls + other.calls,
            self.known + other.known,
            self.prompt + other.prompt,
            self.completion + other.completion,
        )


@dataclass(frozen=True)
class Unsent:
    """An `Endpoint` known by the name of a real one and never asked."""

    identity: str
    paid: bool = True

    @property
    def server(self) -> str:
        return self.identity

    def ready(self) -> None:
        """Where nothing is sent no key is needed."""

    def send(self, body: Mapping[str, Any], seconds: float, slot: Slot) -> Completion:
        raise AssertionError(f"a dry run was about to send something to {self.identity}: {body}, {seconds}, {slot}")


@dataclass(frozen=True)
class DryRun:
    """Stands in for `client`: renders and counts each task's prompt, then answers it from the cache where that knows
    it, else by `stand_in` (the offline rules). Sends nothing.

    Later prompts hold earlier replies, so the figures of pipelines that loop are an estimate. Completion tokens are
    those of the stand-in's reply. `seconds_per_call` is an assumption, not a measurement.
    """

    client: Client
    stand_in: Llm
    seconds_per_call: float = 2.0
    _counts: dict[tuple[str, str], Count] = field(init=False, default_factory=dict, repr=False, compare=False)
    _asked: dict[bytes, None] = field(init=False, default_factory=dict, repr=False, compare=False)
    _others: dict[int, DryRun] = field(init=False, default_factory=dict, repr=False, compare=False)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock, repr=False, compare=False)

    def __call__(self, task: Task[ReplyT], *, repeat: int = 0) -> ReplyT:
        chosen = model_for(self.client.roles, task.task_name(), self.client.model)
        if isinstance(chosen, str):
            return self._count(task, chosen, repeat)
        return self.other(chosen)(task, repeat=repeat)

    def other(self, llm: Llm) -> Llm:
        """Another model (of `roles`, a judge), counted with this one where it would be asked."""
        if not isinstance(llm, Client):
            return llm
        with self._lock:
            return self._others.setdefault(id(llm), DryRun(llm, self.stand_in, self.seconds_per_call))

    def _count(self, task: Task[ReplyT], model: str, repeat: int) -> ReplyT:
        call = self.client.call(task, model, repeat)
        key = self.client.key(call)
        settled = self.client.settled(call, key)
        reply = settled.value if settled else self.stand_in(task, repeat=repeat)
        prompt = sum(count_tokens(str(message["content"])) for message in call.body["messages"])
        with self._lock:
            count = self._counts.setdefault((call.task, model), Count())
            count.calls += 1
            if settled or key in self._asked:
                count.known += 1
            else:
                count.prompt += prompt
                count.completion += count_tokens(reply.model_dump_json())
            self._asked[key] = None
        return reply

    def counts(self) -> dict[tuple[str, str], Count]:
        """By task and model, this client's and the others'."""
        merged = dict(self._counts)
        for other in self._others.values():
            for names, count in other.counts().items():
                merged[names] = merged[names] + count if names in merged else count
        return merged

    def summary(self) -> str:
        """What the run would need: a line a task and model, the sum, and the time at the limits."""
        counts = self.counts()
        rows = [(*names, role_of(names[0]), *self._figures(names[1], count)) for names, count in counts.items()]
        header = ("task", "model", "role", "calls", "from cache", "prompt", "completion", "usd")
        return f"{aligned([header, *rows, self._sum(counts)])}\n{self._time(counts)}"

    def usd(self, model: str, count: Count) -> float | None:
        """What the calls would cost at list price; None: unknown."""
        price = self.client.ledger.price_list.of(model) if self.client.endpoint.paid else FREE
        return price.usd(Tokens(count.prompt, count.completion)) if price else None

    def _figures(self, model: str, count: Count) -> tuple[str, ...]:
        figures = (count.calls, count.known, count.prompt, count.completion)
        return (*map(str, figures), money(self.usd(model, count)))

    def _sum(self, counts: dict[tuple[str, str], Count]) -> tuple[str, ...]:
        costs = [self.usd(model, count) for (_, model), count in counts.items()]
        known = [cost for cost in costs if cost is not None]
        total = [sum(getattr(c, name) for c in counts.values()) for name in ("calls", "known", "prompt", "completion")]
        return ("total", "", "", *map(str, total), money(sum(known) if len(known) == len(costs) else None))

    def _time(self, counts: dict[tuple[str, str], Count]) -> str:
        client = self.client
        calls = sum(count.calls - count.known for count in counts.values())
        tokens = sum(count.prompt + count.completion for count in counts.values())
        bounds = {
            f"{client.max_in_flight} in flight, {self.seconds_per_call:g} s a call assumed": calls
            * self.seconds_per_call
            / client.max_in_flight,
            f"{client.rpm} requests a minute": calls * 60 / client.rpm if client.rpm else 0.0,
            f"{client.tpm} tokens a minute": tokens * 60 / client.tpm if client.tpm else 0.0,
        }
        name = max(bounds, key=lambda each: bounds[each])
        return f"{calls} calls, about {bounds[name]:.0f} s ({name})"
