"""An OpenAI-shaped endpoint that fails on order: real HTTP on loopback, a fault plan per question, a log.

    with FakeLlm({"Q1": [status(500), status(500)]}) as fake:      # Q1 fails twice, then is answered
        ...
    fake.log[0].question, fake.log[0].body, fake.log[0].answered

A plan names faults by question, in the order of its attempts; after the last one the question is answered, unless
that one is `always`. `EVERY` names faults for all questions together. Run as a program it serves until it is killed
and prints its address.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

EVERY = "*"


@dataclass(frozen=True)
class Plan:
    """One answer that is not as it should be."""

    code: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    after: float = 0.0
    drip: float | None = None
    cut: bool = False
    always: bool = False

    def forever(self) -> Plan:
        return replace(self, always=True)


def status(code: int, retry_after: str | None = None, kind: str = "", message: str = "") -> Plan:
    """An error status with OpenAI's error body."""
    body = {"error": {"message": message or f"status {code}", "type": kind or "error", "code": kind or None}}
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Plan(code, headers, json.dumps(body).encode())


def raw(body: bytes | str | object) -> Plan:
    """A 200 with this body: bytes and text as they are, anything else as JSON."""
    data = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return Plan(body=data)


def says(content: object, finish: str = "stop", **message: object) -> Plan:
    """A 200 whose message has this content (and these further keys)."""
    return raw(completion({"role": "assistant", "content": content, **message}, finish))


def hang() -> Plan:
    """No answer, ever."""
    return Plan(after=3600, always=True)


def drip(seconds: float) -> Plan:
    """A good answer, a byte at a time, that takes so long."""
    return replace(says('{"answer": "遅い"}'), drip=seconds, always=True)


def cut() -> Plan:
    """A good answer whose connection closes in the middle of the body."""
    return replace(says('{"answer": "切れた"}'), cut=True)


def completion(message: dict[str, Any], finish: str = "stop", usage: object = None) -> dict[str, Any]:
    usage = {"prompt_tokens": 100, "completion_tokens": 10} if usage is None else usage
    return {"id": "x", "object": "chat.completion", "model": "fake", "usage": usage,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}]}  # fmt: skip


@dataclass
class Seen:
    """One request: when it came, what it asked, the attempt's number for its question, what was answered."""

    at: float
    path: str
    question: str
    attempt: int
    body: dict[str, Any]
    headers: dict[str, str]
    answered: int = 0
    """Status that was sent whole; 0: none, cut, or the caller left."""


def question_of(body: dict[str, Any]) -> str:
    """The text after the last 「質問: 」, else the first user message whole."""
    text = next((str(m.get("content")) for m in body.get("messages", []) if m.get("role") == "user"), "")
    found = re.findall(r"(?:質問|Question): ?(.+)", text)
    return found[-1].strip() if found else text


def answer(body: dict[str, Any]) -> str:
    """The standard reply: an answer made from the question."""
    return json.dumps({"answer": f"「{question_of(body)}」の答え", "evidence": ""}, ensure_ascii=False)


class FakeLlm:
    """The server, in a thread of its own. `latency` seconds before each answer; `reply` makes the content."""

    def __init__(
        self,
        plans: Mapping[str, Sequence[Plan]] | None = None,
        latency: float = 0.0,
        reply: Callable[[dict[str, Any]], str] = answer,
        formats: Sequence[str] = ("json_schema", "json_object"),
        refuse: Callable[[int], Plan | None] = lambda _: None,
    ) -> None:
        self.plans = plans or {}
        self.latency = latency
        self.reply = reply
        self.formats = formats
        self.refuse = refuse
        self.log: list[Seen] = []
        self.in_flight = self.peak = 0
        self._tries: dict[str, int] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> FakeLlm:
        self._thread.start()
        starting = asyncio.run_coroutine_threadsafe(asyncio.start_server(self._serve, "127.0.0.1", 0), self._loop)
        self._server = starting.result(10)
        self.port = self._server.sockets[0].getsockname()[1]
        self.base_url = f"http://127.0.0.1:{self.port}/v1"
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _stop(self) -> None:
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def asked(self, question: str | None = None) -> int:
        """Requests so far, of one question or of all."""
        return sum(1 for seen in self.log if question is None or seen.question == question)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (head := await reader.readuntil(b"\r\n\r\n")) and await self._one(head, reader, writer):
                pass
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            return
        finally:
            writer.close()

    async def _one(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        lines = head.decode("latin-1").split("\r\n")
        headers = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in lines[1:] if ":" in line)}
        body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
        path = lines[0].split(" ")[1]
        question = "embeddings" if path.endswith("/embeddings") else question_of(body)
        self._tries[question] = self._tries.get(question, 0) + 1
        seen = Seen(time.monotonic(), path, question, self._tries[question], body, headers)
        self.log.append(seen)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            return await self._send(self._plan(seen), seen, writer)
        finally:
            self.in_flight -= 1

    def _plan(self, seen: Seen) -> Plan:
        if refused := self.refuse(len(self.log)):
            return refused
        for name in (seen.question, EVERY):
            plans, attempt = self.plans.get(name, ()), seen.attempt if name != EVERY else len(self.log)
            if plans and (attempt <= len(plans) or plans[-1].always):
                return plans[min(attempt, len(plans)) - 1]
        form = (seen.body.get("response_format") or {}).get("type")
        if form and form not in self.formats:
            return status(400, kind="invalid_request_error", message=f"response_format {form} is not supported")
        return Plan(body=self._good(seen))

    def _good(self, seen: Seen) -> bytes:
        if seen.path.endswith("/embeddings"):
            data = [{"index": n, "embedding": vector_of(text)} for n, text in enumerate(seen.body["input"])]
            return json.dumps({"data": data, "usage": {"prompt_tokens": 5}}).encode()
        return json.dumps(completion({"role": "assistant", "content": self.reply(seen.body)})).encode()

    async def _send(self, plan: Plan, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        await asyncio.sleep(plan.after or self.latency)
        body = plan.body or b""
        extra = "".join(f"{name}: {value}\r\n" for name, value in plan.headers.items())
        head = f"HTTP/1.1 {plan.code} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
        writer.write(head.encode())
        if plan.cut:
            writer.write(body[: len(body) // 2])
            await writer.drain()
            return False
        if plan.drip:
            for n in range(len(body)):
                writer.write(body[n : n + 1])
                await writer.drain()
                await asyncio.sleep(plan.drip / len(body))
        else:
            writer.write(body)
            await writer.drain()
        seen.answered = plan.code
        return True


def vector_of(text: str) -> list[float]:
    """A vector of three dimensions that tells texts apart."""
    return [float(len(text)), float(sum(map(ord, text)) % 97), 1.0]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--refuse-every", type=int, default=0, help="every n-th request is a 429 with Retry-After 1")
    options = parser.parse_args()
    every = options.refuse_every
    refuse = (lambda n: status(429, "1") if n % every == 0 else None) if every else (lambda _: None)
    with FakeLlm(latency=options.latency, refuse=refuse) as fake:
        print(fake.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
