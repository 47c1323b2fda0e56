"""Calls a second and CPU a call: our client beside LangChain's `batch` and the bare `AsyncOpenAI`.

    python bench/llm.py [--quick]

A fake endpoint with a fixed latency runs in a process of its own, each client in another. Ratios are to the ideal
time, calls × latency / in flight. CPU is the client process's own, over its calls, imports left out; it is the figure
to trust on a busy machine. Each client has made one call before the clock starts: ours lets the first call of a run
go alone, so that a wrong key costs one request; that is one latency more, once. Ours does more than the others: cache
commit, ledger, prompt, strict reading.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LATENCY = 0.2
PROMPT = "竹取の翁といふものありけり。野山にまじりて竹を取りつつ、よろづのことに使ひけり。" * 10


def ours(url: str, calls: int, in_flight: int) -> float:
    """Twice as many questions in hand as calls at once, so that a waiting call gives its slot to another."""
    from rag1.llm.cache import Cache
    from rag1.llm.client import Client
    from rag1.llm.exchange import Patience
    from rag1.llm.http import HttpEndpoint
    from rag1.llm.ledger import Ledger
    from rag1.llm.prompts import PromptSet
    from rag1.llm.tasks import AnswerFrom, Passage

    logging.getLogger("rag1").setLevel(logging.WARNING)
    passage = (Passage(id="p", text=PROMPT),)
    with tempfile.TemporaryDirectory() as folder:
        client = Client(
            HttpEndpoint(url, paid=False),
            "fake",
            PromptSet(str(ROOT / "conf/prompt/ja")),
            Cache(folder),
            Ledger(str(ROOT / "conf/prices.yaml")),
            max_in_flight=in_flight,
            patience=Patience(max_retries=4),
        )
        client(AnswerFrom(question="first", context=passage))
        began = time.perf_counter()
        with ThreadPoolExecutor(2 * in_flight) as workers:
            replies = list(workers.map(lambda n: client(AnswerFrom(question=f"Q{n}", context=passage)), range(calls)))
        seconds = time.perf_counter() - began
        assert {reply.answer for reply in replies} == {f"「Q{n}」の答え" for n in range(calls)}, "a call was lost"
        client.cache.close()
    return seconds


def langchain(url: str, calls: int, in_flight: int) -> float:
    from langchain_openai import ChatOpenAI

    chat = ChatOpenAI(model="fake", base_url=url, api_key="k", max_retries=4)  # type: ignore[arg-type]
    prompts = [f"{PROMPT}\n質問: Q{n}" for n in range(calls)]
    chat.invoke(prompts[0])
    began = time.perf_counter()
    replies = chat.batch(prompts, config={"max_concurrency": in_flight})  # type: ignore[arg-type]
    seconds = time.perf_counter() - began
    assert len(replies) == calls
    return seconds


def async_openai(url: str, calls: int, in_flight: int) -> float:
    from openai import AsyncOpenAI

    async def run() -> float:
        async with AsyncOpenAI(base_url=url, api_key="k", max_retries=4) as client:
            turn = asyncio.Semaphore(in_flight)

            async def one(number: int) -> None:
                async with turn:
                    message: Any = {"role": "user", "content": f"{PROMPT}\n質問: Q{number}"}
                    await client.chat.completions.create(model="fake", messages=[message])

            await one(0)
            began = time.perf_counter()
            await asyncio.gather(*(one(n) for n in range(calls)))
            return time.perf_counter() - began

    return asyncio.run(run())


CLIENTS: dict[str, Callable[[str, int, int], float]] = {
    "rag1": ours,
    "ChatOpenAI.batch": langchain,
    "AsyncOpenAI": async_openai,
}


@contextlib.contextmanager
def server(refuse_every: int) -> Iterator[str]:
    command = [sys.executable, str(ROOT / "tests/fake_llm.py"), "--latency", str(LATENCY)]
    process = subprocess.Popen([*command, "--refuse-every", str(refuse_every)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def measure(name: str, calls: int, in_flight: int, refuse_every: int) -> tuple[float, float]:
    """Wall seconds and CPU milliseconds a call, in a fresh process."""
    with server(refuse_every) as url:
        command = [sys.executable, __file__, "--one", name, url, str(calls), str(in_flight)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    result = json.loads(done.stdout.splitlines()[-1])
    return float(result["seconds"]), float(result["cpu_ms"])


def one(name: str, url: str, calls: int, in_flight: int) -> None:
    client = CLIENTS[name]
    client(url, 2, 2)  # imports and first connections, for all alike
    before = time.process_time()
    seconds = client(url, calls, in_flight)
    print(json.dumps({"seconds": seconds, "cpu_ms": (time.process_time() - before) * 1000 / calls}))


SCENES = ((600, 32, 0, 1.15), (2400, 128, 0, 1.20), (600, 32, 20, 1.15))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", nargs=4)
    parser.add_argument("--quick", action="store_true", help="the first scene only")
    options = parser.parse_args()
    if options.one:
        name, url, calls, in_flight = options.one
        return one(name, url, int(calls), int(in_flight))
    for calls, in_flight, refuse_every, goal in SCENES[: 1 if options.quick else None]:
        ideal = calls * LATENCY / in_flight + (1.0 if refuse_every else 0.0)
        kind = f", every {refuse_every}th a 429 with Retry-After 1 s" if refuse_every else ""
        print(f"\n{calls} calls of {LATENCY} s, {in_flight} in flight{kind}: ideal {ideal:.2f} s, goal {goal:.2f} ×")
        for name in CLIENTS:
            seconds, cpu = measure(name, calls, in_flight, refuse_every)
            print(f"  {name:18} {seconds:6.2f} s  {seconds / ideal:5.2f} × ideal  {cpu:6.2f} ms CPU a call", flush=True)
    return None


if __name__ == "__main__":
    main()
