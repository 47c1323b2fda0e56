"""What a person writes of an endpoint: a mistake is one line before anything is sent, and no secret is in it."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rag1.errors import CallFailed, ConfigError
from rag1.llm.address import export_dotenv, proxy_for, variable
from rag1.llm.client import Client
from rag1.llm.http import HttpEndpoint
from tests.fake_llm import FakeLlm, completion

from .conftest import ask

Make = Callable[..., Client]


# --- address, headers, key -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8000", "ftp://x", "http://", "http://a b/v1", "http://x:port/v1", "http://x:99999", "http://[::1",
     "http://x..y/v1", "http://" + "a" * 64 + ".example"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match=r"base_url .* is not an http"):
        HttpEndpoint(url)


def test_a_password_in_an_address_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError, match=r"base_url 'http://…@x/v1' holds a password") as mistake:
        HttpEndpoint("http://user:secret@x/v1")
    assert "secret" not in str(mistake.value)
    with pytest.raises(ConfigError, match=r"base_url 'http://x/v1' must end before any \?") as mistake:
        HttpEndpoint("http://x/v1?key=secret")
    assert "secret" not in str(mistake.value)


@pytest.mark.parametrize("tail", ["", "/", " ", "/chat/completions"])
def test_an_address_is_taken_as_people_copy_it(client_for: Make, tail: str) -> None:
    with FakeLlm() as fake:
        client_for(fake, endpoint=HttpEndpoint(fake.base_url + tail))(ask("Q"))
        assert fake.log[0].path == "/v1/chat/completions"


def test_headers_may_hold_numbers_and_japanese(client_for: Make) -> None:
    with FakeLlm() as fake:
        client_for(fake, endpoint=HttpEndpoint(fake.base_url, headers={"X-Team": "検索班", "X-Number": 5}))(ask("Q"))  # type: ignore[dict-item]
        assert fake.log[0].headers["x-team"].encode("latin-1").decode() == "検索班"
        assert fake.log[0].headers["x-number"] == "5"


@pytest.mark.parametrize(
    "headers", [{"X": "secret\nX-Evil: 1"}, {"X": None}, {"X": ["secret"]}, {"X Y": "secret"}, {"名前": "secret"}]
)
def test_headers_that_cannot_be_sent_are_named_without_their_value(headers: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"llm\.endpoint\.headers") as mistake:
        HttpEndpoint("http://x/v1", headers=headers)
    assert "secret" not in str(mistake.value)


@pytest.mark.parametrize("key", ["sk-abc\nsk-def", "sk abc", "ｓｋ－ａｂｃ", "sk-abc鍵", "sk-\x7fabc"])
def test_a_key_that_no_header_can_hold_is_named_and_not_shown(
    client_for: Make, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("ODD_KEY", key)
    with FakeLlm() as fake:
        with pytest.raises(ConfigError, match="ODD_KEY holds what no key does") as mistake:
            client_for(fake, key_env="ODD_KEY")
        assert key not in str(mistake.value)
        assert fake.asked() == 0


# --- .env ------------------------------------------------------------------------------------------------

WAYS_OF_WRITING_ABC = {
    "plain": b"K=abc-1\n",
    "double quotes": b'K="abc-1"\n',
    "single quotes": b"K='abc-1'\n",
    "export": b"export K=abc-1\n",
    "comments": b"# mine\nK=abc-1  # of the team\n",
    "byte order mark": b"\xef\xbb\xbfK=abc-1\n",
    "CRLF": b"K=abc-1\r\n",
    "spaces": b"K = abc-1 \n",
    "the last counts": b"K=old\nK=abc-1\n",
}


@pytest.mark.parametrize("text", WAYS_OF_WRITING_ABC.values(), ids=WAYS_OF_WRITING_ABC)
def test_a_line_of_dotenv_in_many_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    (tmp_path / ".env").write_bytes(text)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    monkeypatch.delenv("K", raising=False)
    assert variable("K") == "abc-1"
    monkeypatch.setenv("K", "of the environment")
    assert variable("K") == "of the environment"


def test_a_dotenv_in_another_encoding_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_bytes("# 鍵\nK=abc-1\n".encode("cp932"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("K", raising=False)
    with pytest.raises(ConfigError, match=r"\.env is not UTF-8"):
        variable("K")
    export_dotenv()  # who needs nothing of it is not stopped by it


def test_foreign_classes_find_the_lines_of_dotenv_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("OF_FILE=1\nOF_BOTH=file\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OF_FILE", "")
    monkeypatch.setenv("OF_BOTH", "environment")
    export_dotenv()
    assert (os.environ["OF_FILE"], os.environ["OF_BOTH"]) == ("1", "environment")


# --- proxies ---------------------------------------------------------------------------------------------


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


@contextmanager
def proxy() -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """A proxy with a password; the addresses that it was asked for, and what it was told of itself."""
    seen: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append((self.path, self.headers.get("Proxy-Authorization")))
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps(completion({"content": '{"answer": "A"}'})).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"user:hidden@127.0.0.1:{server.server_port}", seen
        server.shutdown()


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize(("name", "scheme"), [("http_proxy", "http://"), ("HTTP_PROXY", "http://"), ("http_proxy", "")])
def test_the_proxy_of_the_environment_is_used_whatever_netrc_says(
    client_for: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, scheme: str
) -> None:
    (tmp_path / "netrc").write_text("machine model.invalid login other password other\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("KEY", "sk-abc")
    with proxy() as (address, seen), FakeLlm() as fake:
        monkeypatch.setenv(name, scheme + address)
        client_for(fake, endpoint=HttpEndpoint("http://model.invalid/v1", "KEY"))(ask("Q"))
        assert seen == [("http://model.invalid/v1/chat/completions", "Basic dXNlcjpoaWRkZW4=")]
        assert fake.asked() == 0


@pytest.mark.usefixtures("no_proxies")
def test_this_machine_is_never_asked_through_a_proxy(client_for: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with FakeLlm() as fake:
        assert client_for(fake)(ask("Q")).answer
    assert proxy_for("http://localhost:8000/v1") is proxy_for("http://[::1]:8000/v1") is None
    assert proxy_for("http://192.0.2.1/v1") == "http://127.0.0.1:9"
    monkeypatch.setenv("no_proxy", "192.0.2.1")
    assert proxy_for("http://192.0.2.1/v1") is None


@pytest.mark.usefixtures("no_proxies")
def test_a_proxy_that_is_none_or_refuses_does_not_show_its_password(
    client_for: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "socks5://user:hidden@127.0.0.1:9")
    with FakeLlm() as fake, pytest.raises(ConfigError, match=r"http_proxy=socks5://….* is not an http") as mistake:
        client_for(fake, endpoint=HttpEndpoint("http://model.invalid/v1"))
    assert "hidden" not in str(mistake.value)
    with proxy() as (address, _), FakeLlm() as fake:
        monkeypatch.setenv("https_proxy", f"http://{address}")  # it knows no CONNECT
        with pytest.raises(CallFailed, match="the proxy answered 501") as failure:
            client_for(fake, endpoint=HttpEndpoint("https://model.invalid/v1"))(ask("Q"))
    assert "hidden" not in str(failure.value)
