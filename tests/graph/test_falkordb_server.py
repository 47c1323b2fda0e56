"""The embedded server: shared by processes, ended with its last user, however that one ends."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from rag1.errors import CypherError, GraphDown, StorageError
from rag1.graph.falkordb import OpenFalkorDB
from rag1.graph.falkordb_server import EmbeddedServer
from rag1.graph.model import Triple

USER = """
import sys
from pathlib import Path
from rag1.graph.falkordb import OpenFalkorDB
from rag1.graph.model import Triple
store = OpenFalkorDB()(Path(sys.argv[1]), "g")
store.prepare()
store.write_triples([Triple(sys.argv[2], "来た", "島")])
print("ready", flush=True)
sys.stdin.read()
store.close()
"""


@pytest.fixture
def user(tmp_path: Path) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Starts another process that uses the server of `tmp_path`, writes one fact and waits."""
    started: list[subprocess.Popen[str]] = []

    def start(name: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            [sys.executable, "-c", USER, str(tmp_path), name], stdin=pipe, stdout=pipe, text=True
        )
        started.append(process)
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def ping(folder: Path) -> bool:
    client = redis.Redis(unix_socket_path=str(EmbeddedServer(folder).socket), retry=None)
    try:
        return bool(client.ping())
    except redis.exceptions.RedisError:
        return False
    finally:
        client.close()


def ends(folder: Path, within: float = 10) -> bool:
    until = time.monotonic() + within
    while time.monotonic() < until:
        if not ping(folder):
            return True
        time.sleep(0.05)
    return False


def server_pid(folder: Path) -> int:
    with redis.Redis(unix_socket_path=str(EmbeddedServer(folder).socket)) as client:
        return int(client.info("server")["process_id"])


def test_two_processes_share_one_server_and_the_last_one_ends_it(
    tmp_path: Path, user: Callable[[str], subprocess.Popen[str]]
) -> None:
    first = user("桃太郎")
    pid = server_pid(tmp_path)
    second = user("犬")
    assert server_pid(tmp_path) == pid
    first.communicate()
    assert ping(tmp_path)
    second.communicate()
    assert not ping(tmp_path)
    store = OpenFalkorDB()(tmp_path, "g")
    assert sorted(fact.head for fact in store.facts()) == ["桃太郎", "犬"]
    store.close()


def test_a_killed_user_does_not_leave_the_server_behind(
    tmp_path: Path, user: Callable[[str], subprocess.Popen[str]]
) -> None:
    first, second = user("桃太郎"), user("犬")
    pid = server_pid(tmp_path)
    first.kill()
    time.sleep(0.3)
    assert ping(tmp_path)
    second.kill()
    assert ends(tmp_path)
    store = OpenFalkorDB()(tmp_path, "g")
    assert store.counts()["relations"] == 2
    assert server_pid(tmp_path) != pid
    store.close()


def test_the_server_ends_with_its_watcher(tmp_path: Path, user: Callable[[str], subprocess.Popen[str]]) -> None:
    user("桃太郎")
    status = Path(f"/proc/{server_pid(tmp_path)}/status").read_text()
    watcher = int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))
    os.kill(watcher, signal.SIGKILL)
    assert ends(tmp_path)


def test_a_server_that_dies_is_told_and_started_again_by_the_next(tmp_path: Path) -> None:
    store = OpenFalkorDB()(tmp_path, "g")
    store.prepare()
    store.write_triples([Triple("桃太郎", "来た", "島")])
    os.kill(server_pid(tmp_path), signal.SIGKILL)
    assert ends(tmp_path)
    with pytest.raises(GraphDown, match="lost"):
        store.counts()
    store.close()
    again = OpenFalkorDB()(tmp_path, "g")
    assert again.counts()["relations"] == 1
    again.close()


def test_one_user_may_open_close_and_open_again(tmp_path: Path) -> None:
    store = OpenFalkorDB()(tmp_path, "g")
    for expected in (0, 1, 1):
        store.prepare()
        assert store.counts()["relations"] == expected
        store.write_triples([Triple("桃太郎", "来た", "島")])
        store.close()
        assert not ping(tmp_path)
        store.close()


def test_no_port_is_opened_and_the_socket_is_private(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path)
    path = server.start()
    pid = server_pid(tmp_path)
    inodes = {os.readlink(link).removeprefix("socket:[").rstrip("]") for link in Path(f"/proc/{pid}/fd").iterdir()}
    lines = [line for table in ("tcp", "tcp6") for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()]
    tcp = {line.split()[9] for line in lines}
    assert inodes
    assert not inodes & tcp
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    server.close()


def test_a_path_too_long_for_a_socket_works_all_the_same(tmp_path: Path) -> None:
    deep = tmp_path / ("長い名前の枝" * 8) / ("x" * 100)
    store = OpenFalkorDB()(deep, "g")
    store.prepare()
    store.write_triples([Triple("桃太郎", "来た", "島")])
    assert store.counts()["relations"] == 1
    assert len(os.fsencode(EmbeddedServer(deep).socket)) <= 100
    store.close()
    assert (deep / "appendonlydir").is_dir()


def test_a_graph_that_was_never_built_is_told(tmp_path: Path) -> None:
    store = OpenFalkorDB()(tmp_path, "nowhere")
    with pytest.raises(CypherError, match="'nowhere' is not there: build it"):
        store.counts()
    store.clear()
    store.close()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="file"):
        OpenFalkorDB()(tmp_path / "file", "g").prepare()


def test_a_damaged_data_file_is_told_within_fifteen_seconds(tmp_path: Path) -> None:
    store = OpenFalkorDB()(tmp_path, "g")
    store.prepare()
    store.close()
    (tmp_path / "appendonlydir" / "appendonly.aof.manifest").write_text("nonsense\n")
    start = time.monotonic()
    with pytest.raises(GraphDown, match="did not start"):
        OpenFalkorDB()(tmp_path, "g").prepare()
    assert time.monotonic() - start < 15


def hashes(folder: Path) -> dict[str, str]:
    files = sorted((folder / "appendonlydir").iterdir())
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_reading_leaves_the_data_files_as_they_are(tmp_path: Path) -> None:
    store = OpenFalkorDB()(tmp_path, "g")
    store.prepare()
    store.write_triples([Triple("桃太郎", "来た", "島")])
    store.close()
    before = hashes(tmp_path)
    store.prepare()
    assert store.match_names("桃太郎")[0].name == "桃太郎"
    store.read("MATCH (n) RETURN n")
    store.close()
    assert hashes(tmp_path) == before


def test_an_absent_server_is_told_within_fifteen_seconds() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = time.monotonic()
    with pytest.raises(GraphDown, match="does not answer"):
        OpenFalkorDB(url=f"falkor://user:geheim@127.0.0.1:{port}")(Path(), "g").prepare()
    assert time.monotonic() - start < 15


def test_a_silent_server_is_told_within_fifteen_seconds_and_the_password_is_not() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"falkor://user:geheim@127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        with pytest.raises(GraphDown, match="does not answer") as caught:
            OpenFalkorDB(url=url)(Path(), "g").prepare()
    assert time.monotonic() - start < 15
    assert "geheim" not in str(caught.value)
    assert "geheim" not in repr(OpenFalkorDB(url=url))


def test_a_server_by_url_serves_the_same_graph(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path)
    store = OpenFalkorDB(url=f"unix://{server.start()}")(Path(), "g")
    store.prepare()
    store.write_triples([Triple("桃太郎", "来た", "島")])
    store.close()
    assert ping(tmp_path)
    server.close()
    assert not ping(tmp_path)
