"""A graph store that is down at the start ends the run with exit 5 before any model call; one that is lost in the
middle costs the questions that need it, each flagged, and the run can be resumed."""

from __future__ import annotations

import socket as sockets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from rag1.build import Workshop
from rag1.run.batch import Batch, Executor
from rag1.run.journal import Journal
from rag1.types import Query

STARTUP = 30
"""Seconds that starting the process itself may take on a machine at work."""

STORY = Path(__file__).parent / "story"


@pytest.fixture
def silent() -> Iterator[int]:
    """A port where a connection is taken and nothing is ever said."""
    with sockets.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def closed() -> int:
    """A port where nobody listens."""
    with sockets.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("state", ["silent", "closed"])
@pytest.mark.parametrize("store", ["graph.url=falkor://127.0.0.1:{}", "graph=neo4j graph.uri=bolt://127.0.0.1:{}"])
def test_a_store_that_does_not_answer_ends_the_run_with_exit_5(
    root: Path, tmp_path: Path, request: pytest.FixtureRequest, store: str, state: str
) -> None:
    port = request.getfixturevalue(state)
    settings = [*store.format(port).split(), "pipeline=graph_entities", "limit=1", "tracker=none"]
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "run.py", *settings, f"outputs={tmp_path}"],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 5, done.stderr
    assert str(port) in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.rglob("journal.jsonl")), "nothing was extracted and no question begun"
    assert time.monotonic() - start < 15 + STARTUP


def test_a_store_lost_in_the_middle_flags_the_questions_that_need_it(tmp_path: Path) -> None:
    register_resolvers()
    settings = ["corpus=folder", f"corpus.path={STORY}", f"outputs={tmp_path}", "pipeline=graph_entities"]
    config, build = composed(CONF, settings), Workshop()
    pipeline, store = build(config.pipeline), build(config.knowledge)
    first, second = (
        Query("1", "鳴瀬村の水車の羽根を作ったのは誰ですか。"),
        Query("2", "春之丞の衣装を縫ったのは誰ですか。"),
    )

    def lose(query: Query):  # type: ignore[no-untyped-def]
        if query.id == "2":
            _end_server(store.database.server.socket)
        return pipeline(query)

    with Journal(tmp_path / "journal.jsonl") as journal:
        answers = Batch(lose, Executor(workers=1), journal)([first, second])
    assert answers["1"].text == "辰五郎"
    assert (answers["2"].stop, answers["2"].error.split(":")[0]) == ("error", "GraphDown")


def _end_server(socket: Path) -> None:
    """The server dies, as by the hand of the system."""
    import redis

    with redis.Redis(unix_socket_path=str(socket)) as connection:
        connection.shutdown(nosave=True, now=True, force=True)
