"""Fetching over HTTP, politely: a cache on disk, deadlines, few attempts, errors that name the address."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from rag1.errors import InputError, StorageError

USER_AGENT = "rag1/0.1 (research on question answering)"
MAX_BODY = 64 * 1024 * 1024
LONGEST_WAIT = 30.0
"""Seconds of Retry-After that are waited out; a server that asks for more is named instead."""

_RETRIED = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Page:
    """A body as it was sent; `url` is where redirects ended, `content_type` the server's header or ""."""

    url: str
    content_type: str
    body: bytes


@dataclass(frozen=True)
class Fetcher:
    """GETs http and https addresses, each once: what is in `cache` (a folder) is never asked for again.

    `timeout`: seconds for connecting and for each silence. `attempts`: tries in all, for a busy or broken server and
    for a lost connection; a refusal (404, 403) is final at once. Raises InputError, naming the address.
    """

    cache: str
    timeout: float = 20.0
    attempts: int = 3
    user_agent: str = USER_AGENT

    def __call__(self, url: str, params: Mapping[str, str] | None = None) -> Page:
        address = str(httpx.URL(url, params=dict(params)) if params else httpx.URL(url))
        if not address.startswith(("http://", "https://")):
            raise InputError(f"{address!r} is not an http or https address")
        path = Path(self.cache) / f"{hashlib.sha256(address.encode()).hexdigest()[:32]}.page"
        if found := _read(path):
            return found
        page = self._get(address)
        _write(path, page)
        return page

    def _get(self, address: str) -> Page:
        fault = ""
        headers = {"User-Agent": self.user_agent}
        with httpx.Client(timeout=self.timeout, follow_redirects=True, headers=headers) as client:
            for attempt in range(1, self.attempts + 1):
                try:
                    page, wait, fault = _once(client, address)
                except httpx.HTTPError as error:
                    page, wait, fault = None, 0.0, f"{type(error).__name__}: {error}"
                if page:
                    return page
                if attempt < self.attempts:
                    time.sleep(max(wait, 0.5 * 2 ** (attempt - 1)))
        raise InputError(f"{address}: {fault} ({self.attempts} attempts); check the address and the connection")


def _once(client: httpx.Client, address: str) -> tuple[Page | None, float, str]:
    """The page, or how long the server asks to wait (seconds) and what it said."""
    with client.stream("GET", address) as reply:
        if reply.status_code in _RETRIED:
            wait = _seconds(reply.headers.get("Retry-After", ""))
            if wait > LONGEST_WAIT:
                raise InputError(f"{address}: HTTP {reply.status_code}, asks to wait {wait:.0f} s; try again later")
            return None, wait, f"HTTP {reply.status_code}"
        if reply.status_code != httpx.codes.OK:
            raise InputError(f"{address}: HTTP {reply.status_code} {reply.reason_phrase}; check the address")
        body = bytearray()
        for part in reply.iter_bytes():
            body += part
            if len(body) > MAX_BODY:
                raise InputError(f"{address}: over the limit of {MAX_BODY:,} bytes")
        return Page(str(reply.url), reply.headers.get("Content-Type", ""), bytes(body)), 0.0, ""


def _seconds(header: str) -> float:
    """Retry-After in seconds; a date or nonsense counts as none."""
    return float(header) if header.isascii() and header.isdigit() else 0.0


def _read(path: Path) -> Page | None:
    """A cached page, or None where there is none or it is not whole."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        facts = json.loads(head)
        whole = hashlib.sha256(body).hexdigest() == facts["sha256"]
        return Page(facts["url"], facts["content_type"], body) if whole else None
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    except OSError as error:
        raise StorageError(f"cache {path}: {error}") from error


def _write(path: Path, page: Page) -> None:
    """One line of JSON, then the body; in place at once or not at all."""
    sha256 = hashlib.sha256(page.body).hexdigest()
    head = json.dumps({"url": page.url, "content_type": page.content_type, "sha256": sha256})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(head.encode() + b"\n" + page.body)
        os.replace(scratch, path)
    except OSError as error:
        raise StorageError(f"cache {path}: {error}") from error
