"""Fetching: asked once, kept whole, refused by name."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from rag1.corpus.fetch import USER_AGENT, Fetcher
from rag1.errors import InputError
from tests.corpus.loopback import Reply, serving


def test_each_address_is_asked_once(tmp_path: Path) -> None:
    with serving(lambda path, n: Reply(path.encode(), headers={"Content-Type": "text/plain"})) as server:
        fetch = Fetcher(str(tmp_path))
        first = fetch(server.url + "/a", {"q": "海 山"})
        again = Fetcher(str(tmp_path))(server.url + "/a", {"q": "海 山"})
        fetch(server.url + "/b")
    assert first == again
    assert first.content_type == "text/plain"
    assert len(server.asked) == 2
    assert set(server.agents) == {USER_AGENT}


def test_a_damaged_cache_is_asked_anew(tmp_path: Path) -> None:
    with serving(lambda path, n: Reply(b"whole")) as server:
        fetch = Fetcher(str(tmp_path))
        fetch(server.url + "/a")
        (kept,) = tmp_path.glob("*.page")
        kept.write_bytes(kept.read_bytes()[:-2])
        assert fetch(server.url + "/a").body == b"whole"
    assert len(server.asked) == 2


def test_a_busy_server_is_asked_again(tmp_path: Path) -> None:
    def answer(path: str, n: int) -> Reply:
        return Reply(b"ok") if n == 1 else Reply(b"", 503, {"Retry-After": "0"})

    with serving(answer) as server:
        assert Fetcher(str(tmp_path))(server.url + "/").body == b"ok"


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        (Reply(b"", 404), "HTTP 404 Not Found; check the address"),
        (Reply(b"", 503), r"HTTP 503 \(2 attempts\)"),
        (Reply(b"", 429, {"Retry-After": "3600"}), "HTTP 429, asks to wait 3600 s"),
    ],
)
def test_refusals_are_named_and_not_kept(tmp_path: Path, reply: Reply, named: str) -> None:
    with serving(lambda path, n: reply) as server, pytest.raises(InputError, match=named):
        Fetcher(str(tmp_path), attempts=2)(server.url + "/x")
    assert not list(tmp_path.glob("*.page"))


def test_redirects_are_followed(tmp_path: Path) -> None:
    def answer(path: str, n: int) -> Reply:
        return Reply(b"", 302, {"Location": "/new"}) if path == "/old" else Reply(b"here")

    with serving(answer) as server:
        page = Fetcher(str(tmp_path))(server.url + "/old")
    assert (page.body, page.url) == (b"here", server.url + "/new")


def test_nobody_there(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        with pytest.raises(InputError, match=r"ConnectError.*\(1 attempts\)"):
            Fetcher(str(tmp_path), attempts=1)(address)


def test_a_silent_server(tmp_path: Path) -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        address = f"http://127.0.0.1:{mute.getsockname()[1]}/"
        with pytest.raises(InputError, match="ReadTimeout"):
            Fetcher(str(tmp_path), timeout=0.2, attempts=1)(address)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://127.0.0.1/x", "notes.txt"])
def test_other_schemes(tmp_path: Path, address: str) -> None:
    with pytest.raises(InputError, match="not an http or https address"):
        Fetcher(str(tmp_path))(address)
