"""One OpenAI-shaped endpoint as our model: typed tasks in, typed replies out, through cache, pool and ledger."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

from rag1.errors import ConfigError, UnreadableReply
from rag1.llm.cache import Cache
from rag1.llm.deadline import due_within
from rag1.llm.exchange import Exchange, Patience, Request
from rag1.llm.flights import Flights
from rag1.llm.http import Endpoint
from rag1.llm.ledger import Account, Ledger, account
from rag1.llm.limiter import Limits, pool_for
from rag1.llm.parse import parse_reply
from rag1.llm.pending import Pending, pending_in
from rag1.llm.probe import Probe
from rag1.llm.prompts import PromptSet
from rag1.llm.roles import check_roles, model_for, role_of
from rag1.llm.schema import FORMATS, Format, json_schema, response_format
from rag1.llm.wire import Completion
from rag1.types import Llm, ReplyT, Task

T = TypeVar("T")
KEY_VERSION = "1"
CHARS_PER_TOKEN = 1.2
"""Of Japanese text under o200k, for the rate limits' estimates only; each is corrected by the provider's count."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of the model, sent as the endpoint names them; None: not sent. `extra` goes into the body as it is."""

    temperature: float | None = 0.0
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = 1024
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    extra: Mapping[str, Any] = field(default_factory=dict)

    def body(self, repeat: int) -> dict[str, Any]:
        """The settings of a sample; a seed is raised by `repeat`, so that samples differ."""
        seed = None if self.seed is None else self.seed + repeat
        named = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": seed,
            self.max_tokens_name: self.max_tokens,
        }
        return {**{name: value for name, value in named.items() if value is not None}, **self.extra}


@dataclass(frozen=True)
class Client:
    """Answers tasks; called from many threads at once.

    `roles`: for a role or task name, another model at this endpoint, or another Llm altogether.
    `max_in_flight`, `rpm`, `tpm`: calls at once, requests and tokens a minute; one pool for all that share the
    endpoint's server and these limits; other limits, and other processes that share the cache's folder, take from the
    same slots and rates.
    `structured`: auto (probed), or the response format to use.
    """

    endpoint: Endpoint
    model: str
    prompts: PromptSet
    cache: Cache
    ledger: Ledger
    sampling: Sampling = Sampling()
    roles: Mapping[str, str | Llm] = field(default_factory=dict)
    max_in_flight: int = 16
    rpm: float | None = None
    tpm: float | None = None
    patience: Patience = field(default_factory=Patience)
    structured: Literal["auto"] | Format = "auto"
    _exchange: Exchange = field(init=False, repr=False, compare=False)
    _pending: Pending = field(init=False, repr=False, compare=False)
    _flights: Flights[Settled[Any]] = field(init=False, repr=False, compare=False, default_factory=Flights)
    _probes: dict[str, Probe] = field(init=False, repr=False, compare=False, default_factory=dict)
    _lock: threading.Lock = field(init=False, repr=False, compare=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        check_roles(self.roles)
        if self.structured not in ("auto", *FORMATS):
            raise ConfigError(f"llm.structured={self.structured} is not a format; one of auto, {', '.join(FORMATS)}")
        limits = Limits(self.max_in_flight, self.rpm, self.tpm)
        self.endpoint.ready()
        pool = pool_for(self.endpoint.server, limits, Path(self.cache.folder))
        object.__setattr__(self, "_exchange", Exchange(self.endpoint, pool, self.ledger, self.patience))
        object.__setattr__(self, "_pending", pending_in(Path(self.cache.folder)))

    def __call__(self, task: Task[ReplyT], *, repeat: int = 0) -> ReplyT:
        """The reply to a task. Raises ProviderError of some kind, or BudgetSpent."""
        chosen = model_for(self.roles, task.task_name(), self.model)
        if not isinstance(chosen, str):
            return chosen(task, repeat=repeat)
        return self.ask(self.call(task, chosen, repeat))

    def call(self, task: Task[ReplyT], model: str, repeat: int = 0) -> Call[ReplyT]:
        """A task as the request it makes."""
        assert isinstance(task, BaseModel)
        reply = task.reply_type()
        body = {"model": model, "messages": list(self.prompts(task).messages), **self.sampling.body(repeat)}
        return Call(task.task_name(), body, reply, repeat, lambda completion: parse_reply(completion.text, reply))

    def ask(self, call: Call[T]) -> T:
        """The value of a call: from the cache, from an equal call in flight, or from the endpoint."""
        key, due = self.key(call), due_within(self.patience.deadline)
        place = account(call.task, role_of(call.task), call.model)
        found, led = self._flights.once(key, lambda: self._find(call, key, place, due), due)
        if found.cached or not led:
            self.ledger.hit(place)
        return found.value if led else call.read(found.completion)

    def key(self, call: Call[T]) -> bytes:
        """SHA-256 over all that the reply depends on. The probed format is no part of it: a resumed run would not
        find what was settled before the probe was."""
        schema = json_schema(call.reply) if call.reply else None
        whole = [KEY_VERSION, self.endpoint.identity, call.body, schema, self.structured, call.repeat]
        text = json.dumps(whole, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

    def _find(self, call: Call[T], key: bytes, place: Account, due: float) -> Settled[T]:
        return self.settled(call, key) or self._fresh(call, key, place, due)

    def settled(self, call: Call[T], key: bytes) -> Settled[T] | None:
        """What the cache knows of a call; an entry that can no longer be read counts as none."""
        dumped = self.cache.get(key)
        if dumped is None:
            return None
        try:
            completion = Completion.load(dumped)
            return Settled(call.read(completion), completion, cached=True)
        except (UnreadableReply, ValueError, KeyError):
            return None

    def _fresh(self, call: Call[T], key: bytes, place: Account, due: float) -> Settled[T]:
        """Asks; the reply is on the disk before it is used."""
        self.ledger.request(place)
        request = Request(lambda form: self._shaped(call, form), call.read, place, estimate(call.body))
        with self._pending.asking(key.hex(), f"{call.task} of question {place.question or '(none)'}"):
            value, completion = self._exchange(request, self._probe(call), due)
            self.cache.put(key, completion.dump())
        return Settled(value, completion, cached=False)

    def _shaped(self, call: Call[T], form: Format) -> dict[str, Any]:
        shape = response_format(call.reply, form) if call.reply else None
        return {**call.body, "response_format": shape} if shape else dict(call.body)

    def _probe(self, call: Call[T]) -> Probe:
        """What is known of the call's model; a format proven in an earlier run is taken from the cache."""
        name = call.model if call.reply else f"{call.model} raw"
        with self._lock:
            if name not in self._probes:
                self._probes[name] = self._new_probe(name) if call.reply else Probe(form="text")
            return self._probes[name]

    def _new_probe(self, model: str) -> Probe:
        if self.structured != "auto":
            return Probe(form=self.structured, settled=True)
        key = hashlib.sha256(f"format {KEY_VERSION} {self.endpoint.identity} {model}".encode()).digest()
        known = self.cache.get(key)
        form = next((form for form in FORMATS if form == known), None)
        remember = partial(self.cache.put, key)
        return Probe(form=form, settled=True) if form else Probe(remember=remember)


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request before its response format is chosen. `reply`: the type whose schema is asked for; None: a raw call,
    whose body says all. `repeat` tells samples of one request apart."""

    task: str
    body: Mapping[str, Any]
    reply: type[BaseModel] | None
    repeat: int
    read: Callable[[Completion], T]

    @property
    def model(self) -> str:
        return str(self.body["model"])


@dataclass(frozen=True, slots=True)
class Settled(Generic[T]):
    """A reply that was read; `cached`: it was there before it was asked for."""

    value: T
    completion: Completion
    cached: bool


def estimate(body: Mapping[str, Any]) -> int:
    """Tokens that a request may use, roughly: its text, and a fifth of the most that it may answer."""
    chars = sum(len(str(message.get("content") or "")) for message in body.get("messages", ()))
    chars += sum(map(len, body.get("input", ())))
    most = body.get("max_tokens") or body.get("max_completion_tokens") or 1024
    return int(chars / CHARS_PER_TOKEN) + int(most) // 5
