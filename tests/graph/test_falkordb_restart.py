"""What a server that was killed has, and how long it is waited for while it reads its files: real servers throughout.

A server is made to load slowly by a last statement in its append-only file that works, or sleeps, for some seconds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from rag1.build import Workshop
from rag1.errors import GraphDown
from rag1.graph import falkordb_launch
from rag1.graph.cypher_store import CypherStore
from rag1.graph.falkordb import FalkorDatabase, OpenFalkorDB
from rag1.graph.falkordb_server import EmbeddedServer
from rag1.graph.model import Entity, Triple
from rag1.types import Chunk
from tests.graph.test_falkordb_server import ends, server_pid

WORKS = "local start = os.clock() repeat until os.clock() - start > {seconds}"
STORY = Path(__file__).parent.parent / "pipelines" / "story"
TEXTS = ("桃が流れた", "犬が来た", "猿と雉", "鬼")
VECTORS = np.eye(4, dtype=np.float32)
CHUNKS = [
    Chunk(f"d:{n}", "d", text, (n, n + 1), {}) for n, text in enumerate(("桃が流れた", "犬が来た", "猿と雉", "鬼"))
]


def load(folder: Path) -> CypherStore:
    store = OpenFalkorDB()(folder, "g")
    store.prepare()
    store.write_chunks(CHUNKS)
    steps = ["来た", "連れた", "倒した"]
    store.write_triples(
        [
            Triple(f"者{n}", steps[n % 3], f"者{n + 1}", "Person", "Person", {"年": f"{n}年"}, "d", f"d:{n % 4}")
            for n in range(30)
        ]
    )
    store.write_entities([Entity("者1", aliases=("桃太郎",), properties={"背": "三尺"})])
    store.index_chunks("four", [chunk.id for chunk in CHUNKS], VECTORS)
    return store


def state(store: CypherStore) -> dict[str, object]:
    indexes = "CALL db.indexes() YIELD label, properties, status RETURN label, properties, status"
    return {
        "facts": sorted(store.facts(), key=lambda fact: fact.id),
        "entities": sorted(store.entities(), key=lambda entity: entity.name),
        "counts": store.counts(),
        "indexes": sorted(map(str, store.database.rows(indexes))),
        "names": store.match_names("桃太郎"),
        "near": store.nearest_chunks(VECTORS[1], 2),
        "text": store.match_chunks("犬が来た", 2),
    }


def kill(folder: Path) -> None:
    os.kill(server_pid(folder), signal.SIGKILL)
    assert ends(folder)


def unread(folder: Path) -> int:
    """Bytes of statements that a start would have to run again."""
    return sum(part.stat().st_size for part in (folder / "appendonlydir").glob("*.incr.aof"))


def last_statement(folder: Path, *words: str) -> None:
    """Adds one to the append-only file of a server that is down."""
    (part,) = (folder / "appendonlydir").glob("*.incr.aof")
    lines = [f"*{len(words)}", *(line for word in words for line in (f"${len(word.encode())}", word))]
    with part.open("ab") as file:
        file.write("".join(f"{line}\r\n" for line in lines).encode())


def test_a_killed_server_has_all_that_was_written(tmp_path: Path) -> None:
    store = load(tmp_path)
    store.write_triples([Triple("者1", "住む", "島")])
    assert unread(tmp_path) > 0
    before = state(store)
    kill(tmp_path)
    store.close()
    again = OpenFalkorDB()(tmp_path, "g")
    assert state(again) == before
    assert len(before["facts"]) == 31  # type: ignore[arg-type]
    assert before["near"][0] == ("d:1", pytest.approx(1.0))  # type: ignore[index]
    again.close()


def test_after_a_load_nothing_has_to_be_run_again(tmp_path: Path) -> None:
    """The same data from the folded file: nodes, relations, properties, full text, vectors."""
    store = load(tmp_path)
    store.settle()
    assert unread(tmp_path) == 0
    before = state(store)
    kill(tmp_path)
    store.close()
    again = OpenFalkorDB()(tmp_path, "g")
    assert state(again) == before
    again.write_triples([Triple("者1", "住む", "島")])
    assert again.counts()["relations"] == 31
    again.close()


def test_a_server_that_is_still_reading_is_waited_for(tmp_path: Path) -> None:
    load(tmp_path).close()
    last_statement(tmp_path, "EVAL", WORKS.format(seconds=4), "0")
    server = EmbeddedServer(tmp_path, startup=3)
    start = time.monotonic()
    server.start()
    assert time.monotonic() - start > 4
    store = OpenFalkorDB()(tmp_path, "g")
    assert store.counts()["relations"] == 30
    store.close()
    server.close()


def test_a_server_that_reads_for_too_long_is_given_up_and_ended(tmp_path: Path) -> None:
    load(tmp_path).close()
    last_statement(tmp_path, "EVAL", WORKS.format(seconds=120), "0")
    start = time.monotonic()
    with pytest.raises(GraphDown, match="did not start"):
        EmbeddedServer(tmp_path, loading=3).start()
    assert 3 < time.monotonic() - start < 15
    assert not still_runs(tmp_path)


def test_a_server_that_is_stuck_is_started_once_more_and_then_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sleeps while it reads: alive, silent, and without any use of the processor."""
    load(tmp_path).close()
    last_statement(tmp_path, "DEBUG", "SLEEP", "120")
    monkeypatch.setattr(falkordb_launch, "STALL", 2.0)
    start = time.monotonic()
    with pytest.raises(GraphDown, match="stuck, twice"):
        EmbeddedServer(tmp_path).start()
    assert 4 < time.monotonic() - start < 40
    assert not still_runs(tmp_path)


def still_runs(folder: Path) -> bool:
    socket = str(EmbeddedServer(folder).socket).encode()
    return any(socket in line.read_bytes() for line in Path("/proc").glob("[0-9]*/cmdline") if line.exists())


def test_a_graph_that_never_gets_ready_ends_the_run_with_exit_5(tmp_path: Path, root: Path) -> None:
    register_resolvers()
    settings = ["corpus=folder", f"corpus.path={STORY}", f"outputs={tmp_path}", "pipeline=graph_entities"]
    store = Workshop()(composed(CONF, settings).knowledge)
    assert isinstance(store, CypherStore)
    assert isinstance(store.database, FalkorDatabase)
    assert store.database.server
    folder = store.database.server.folder
    assert unread(folder) == 0, "a build folds its files at its end"
    store.close()
    last_statement(folder, "NO.SUCH.COMMAND", "1")
    command = [sys.executable, "run.py", *settings, "limit=1", "tracker=none"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 5, done.stderr
    assert "FalkorDB did not start" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.rglob("answers.jsonl"))
