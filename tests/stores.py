"""Both graph stores, real, for tests: FalkorDB embedded, and Neo4j brought up by scripts/neo4j_local.sh.

Use: `from tests.stores import falkordb_folder, neo4j_uri, store  # noqa: F401` in the conftest of a folder, then take
`store` as a fixture: each test runs once on each store, on an empty graph. `$NEO4J_TEST_URI` names a server to use
instead; it is emptied.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from rag1.graph.cypher_store import CypherStore
from rag1.graph.falkordb import OpenFalkorDB
from rag1.graph.neo4j import OpenNeo4j
from rag1.graph.store import OpenGraph

ROOT = Path(__file__).resolve().parent.parent
PORT = "17690"
"""A port of the tests' own, so that they never touch a server that somebody works with."""


def _script(action: str) -> None:
    command = [str(ROOT / "scripts" / "neo4j_local.sh"), action, "--port", PORT]
    environment = {name: value for name, value in os.environ.items() if name != "NEO4J_PASSWORD"}
    # Short runs are all warm-up, and the quick compiler alone takes less of it.
    environment["NEO4J_JAVA_OPTS"] = "-XX:TieredStopAtLevel=1"
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=290, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def neo4j_uri() -> Iterator[str]:
    """A real Neo4j, shared by test sessions that run side by side and stopped by the last one."""
    if given := os.environ.get("NEO4J_TEST_URI"):
        yield given
        return
    for program in ("java", "mvn"):
        if not shutil.which(program):
            pytest.skip(f"no Neo4j: {program} is not installed and NEO4J_TEST_URI is not set")
    folder = ROOT / ".servers" / "neo4j"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "tests.lock").open("a") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        _script("start")
        yield f"bolt://127.0.0.1:{PORT}"
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        _script("stop")


@contextmanager
def turn_on(uri: str) -> Iterator[None]:
    """Holds the one database of Neo4j Community, emptied, against other test sessions on this machine."""
    with (ROOT / ".servers" / "neo4j-tests.turn").open("a") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        with GraphDatabase.driver(uri) as driver:
            driver.execute_query("MATCH (n) DETACH DELETE n")
        yield


@pytest.fixture(scope="session")
def falkordb_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of an embedded server that is up for the whole session."""
    folder = tmp_path_factory.mktemp("falkordb")
    keeper = OpenFalkorDB()(folder, "keeper")
    keeper.prepare()
    yield folder
    keeper.close()


@pytest.fixture(params=["falkordb", "neo4j"])
def opener(request: pytest.FixtureRequest) -> Iterator[tuple[OpenGraph, Path]]:
    """How to open a graph on this store. Neo4j Community has one database: one test at a time holds it."""
    if request.param == "falkordb":
        yield OpenFalkorDB(), request.getfixturevalue("falkordb_folder")
        return
    uri = request.getfixturevalue("neo4j_uri")
    with turn_on(uri):
        yield OpenNeo4j(uri, replace=True), Path()


@pytest.fixture
def store(opener: tuple[OpenGraph, Path]) -> Iterator[CypherStore]:
    """An empty graph with its indexes made."""
    open_graph, folder = opener
    graph = open_graph(folder, f"test-{uuid.uuid4().hex[:8]}")
    assert isinstance(graph, CypherStore)
    graph.prepare()
    yield graph
    graph.clear()
    graph.close()
