"""One HTTP road to OpenAI-shaped endpoints: one event loop for the process, one connection pool an endpoint.

Callers are threads; each request hops to the loop and back. The loop is never closed while the process lives,
since a second loop breaks clients that remember the first.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

import aiohttp

from rag1.errors import ConfigError, Unavailable
from rag1.llm.address import checked_headers, checked_key, checked_url, proxy_for, variable
from rag1.llm.limiter import Slot
from rag1.llm.wire import Completion, Fault, read_completion, scrub

T = TypeVar("T")


class Response(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


BODY_LIMIT = 32 * 2**20
"""Bytes of a response that are read at most."""


class Endpoint(Protocol):
    """Where chat completions come from. `send` takes an OpenAI-shaped body, enters the slot for as long as the call is
    in flight, and spends at most `seconds` and no later than `slot.due` on it; it raises Fault, never retries.
    """

    @property
    def identity(self) -> str:
        """All that tells its replies from another endpoint's."""

    @property
    def server(self) -> str:
        """Whose limits count: endpoints of one server share its calls in flight and its rates."""

    @property
    def paid(self) -> bool:
        """False where a call costs nothing, such as a server of one's own."""

    def send(self, body: Mapping[str, Any], seconds: float, slot: Slot) -> Completion: ...
    def ready(self) -> None:
        """Raises Unavailable when a key is missing."""


class Handoff(Generic[T]):
    """A coroutine on the loop that one thread waits for. `run_coroutine_threadsafe` does the same through two futures
    and a condition variable: a third of the processor time of a call when hundreds of threads wait."""

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self.work = work
        self.done = threading.Lock()
        self.done.acquire()
        self.task: asyncio.Task[T] | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        self.task = loop.create_task(self.work)
        self.task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[T]) -> None:
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not complain where nobody waits any more
        self.done.release()

    def cancel(self) -> None:
        if self.task is not None:
            self.task.cancel()

    def result(self) -> T:
        """The value of the finished work, or what it raised."""
        assert self.task is not None
        return self.task.result()


class Loop:
    """The process's event loop, in a thread of its own, and its sessions by endpoint."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.sessions: dict[str, aiohttp.ClientSession] = {}
        self.thread = threading.Thread(target=self.loop.run_forever, name="rag1-http", daemon=True)
        self.thread.start()
        atexit.register(self.close)

    def run(self, work: Coroutine[Any, Any, T], due: float) -> T:
        """Waits for `work`, cancelling it half a second after `due` (monotonic seconds)."""
        handoff = Handoff(work)
        self.loop.call_soon_threadsafe(handoff.start, self.loop)
        ended = False
        try:
            ended = handoff.done.acquire(timeout=max(0.0, due - time.monotonic()) + 0.5)
        finally:
            if not ended:
                self.loop.call_soon_threadsafe(handoff.cancel)
        if not ended:
            raise Fault("again", "no answer by the deadline", maybe_paid=True)
        return handoff.result()

    def session(self, identity: str) -> aiohttp.ClientSession:
        """The session of an endpoint; to be called on the loop."""
        if identity not in self.sessions:
            self.sessions[identity] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),
            )
        return self.sessions[identity]

    def close(self) -> None:
        if self.pid == os.getpid() and self.thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._close_sessions(), self.loop).result(5)
            self.loop.call_soon_threadsafe(self.loop.stop)
            self.thread.join(5)
            self.loop.close()

    async def _close_sessions(self) -> None:
        for session in self.sessions.values():
            await session.close()


_started: list[Loop] = []
_starting = threading.Lock()


def the_loop() -> Loop:
    """The loop of this process; a forked child gets its own."""
    with _starting:
        if not _started or _started[-1].pid != os.getpid():
            _started.append(Loop())
        return _started[-1]


@dataclass(frozen=True)
class HttpEndpoint:
    """An OpenAI-shaped endpoint. `base_url` ends before `/chat/completions`; for `kind="azure"` it is the resource's
    address and `api_version` is needed.

    `key_env` names the environment variable (or the line of `.env`) that holds the key; empty: no key is sent.
    """

    base_url: str
    key_env: str = ""
    kind: Literal["openai", "azure"] = "openai"
    headers: Mapping[str, str] = field(default_factory=dict)
    api_version: str = ""
    paid: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", checked_url(self.base_url))
        object.__setattr__(self, "headers", checked_headers(self.headers))
        if self.kind == "azure" and not self.api_version:
            raise ConfigError("llm.endpoint.api_version is empty; Azure needs one, such as 2024-10-21")

    @property
    def identity(self) -> str:
        return f"{self.kind} {self.base_url} {self.api_version}".strip()

    @property
    def server(self) -> str:
        return self.identity

    @cached_property
    def key(self) -> str:
        """The key's value. Raises Unavailable when it is not set."""
        if not self.key_env:
            return ""
        value = variable(self.key_env)
        if not value:
            raise Unavailable(
                f"{self.key_env} is not set; put the endpoint's key in the environment or in .env",
                "llm",
                "embedder",
                "judge",
            )
        return checked_key(self.key_env, value)

    def ready(self) -> None:
        _ = self.key, self._proxy

    def send(self, body: Mapping[str, Any], seconds: float, slot: Slot) -> Completion:
        """One chat completion. Raises Fault, and Deadline where no slot was free."""
        status, headers, raw = self.post(self._path(str(body.get("model"))), body, seconds, slot)
        try:
            return read_completion(status, headers, raw)
        except Fault as fault:
            fault.args = (scrub(str(fault), self.key),)
            raise

    def post(self, path: str, body: Mapping[str, Any], seconds: float, slot: Slot) -> Response:
        """One POST of JSON, in its slot. Raises Fault on every network failure."""
        url = self.base_url + path
        data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        loop = the_loop()
        attempt = partial(_post, loop, self.identity, url, data, self._headers, self._proxy)
        return loop.run(_in_slot(slot, seconds, attempt), slot.due)

    @cached_property
    def _proxy(self) -> str | None:
        return proxy_for(self.base_url)

    @cached_property
    def _headers(self) -> dict[str, str]:
        own = {"Content-Type": "application/json", **self.headers}
        if self.key:
            own |= {"api-key": self.key} if self.kind == "azure" else {"Authorization": f"Bearer {self.key}"}
        return own

    def _path(self, model: str) -> str:
        if self.kind == "azure":
            return f"/openai/deployments/{model}/chat/completions?api-version={self.api_version}"
        return "/chat/completions"


async def _in_slot(slot: Slot, seconds: float, post: Callable[[float], Coroutine[Any, Any, Response]]) -> Response:
    async with slot:
        return await post(slot.seconds(seconds))


async def _post(
    loop: Loop, identity: str, url: str, data: bytes, headers: Mapping[str, str], proxy: str | None, seconds: float
) -> Response:
    session = loop.session(identity)
    try:
        async with (
            asyncio.timeout(seconds),
            session.post(url, data=data, headers=headers, proxy=proxy, allow_redirects=False) as response,
        ):
            return Response(response.status, response.headers, await _bounded(response))
    except TimeoutError:
        raise Fault("again", f"no whole answer within {seconds:.1f} s", maybe_paid=True) from None
    except aiohttp.ClientConnectorError as error:
        raise Fault("again", f"no connection: {error.os_error.strerror or error}") from error
    except aiohttp.ClientHttpProxyError as error:  # its text holds the proxy's address, and that a password
        raise Fault("again", f"no connection: the proxy answered {error.status} {error.message}") from None
    except (aiohttp.ClientError, OSError) as error:
        raise Fault("again", f"connection lost: {error or type(error).__name__}", maybe_paid=True) from error


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    packed = "Content-Encoding" in response.headers
    if not packed and response.content_length is not None and response.content_length <= BODY_LIMIT:
        return await response.read()
    parts, size = [], 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > BODY_LIMIT:
            raise Fault("bad", f"the response is over {BODY_LIMIT // 2**20} MiB", maybe_paid=True)
    return b"".join(parts)
