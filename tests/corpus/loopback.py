"""A real HTTP server on loopback that serves what a test gives it and remembers what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Reply:
    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Server:
    url: str
    asked: list[str]
    agents: list[str]


@contextmanager
def serving(answer: Callable[[str, int], Reply]) -> Iterator[Server]:
    """`answer(path with query, how often that path was asked before)`; runs while the block does."""
    asked: list[str] = []
    agents: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            reply = answer(self.path, asked.count(self.path))
            asked.append(self.path)
            agents.append(self.headers["User-Agent"])
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *args: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{httpd.server_port}", asked, agents)
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()
