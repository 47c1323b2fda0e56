"""What is Neo4j's own: whose database it is, how it falls silent, and that reading stays reading."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag1.errors import ConfigError, CypherError, GraphDown
from rag1.graph.model import Triple
from rag1.graph.neo4j import OpenNeo4j
from tests.stores import turn_on


@pytest.fixture
def uri(neo4j_uri: str) -> Iterator[str]:
    """The server with an empty database, for this test alone."""
    with turn_on(neo4j_uri):
        yield neo4j_uri


def test_a_database_that_holds_another_graph_is_refused_unless_it_may_be_replaced(uri: str) -> None:
    first = OpenNeo4j(uri)(Path(), "novels-1")
    first.prepare()
    first.write_triples([Triple("桃太郎", "来た", "島")])
    second = OpenNeo4j(uri)(Path(), "novels-2")
    with pytest.raises(ConfigError, match=r"holds graph 'novels-1', not 'novels-2': set graph.replace=true"):
        second.prepare()
    assert first.counts()["relations"] == 1
    third = OpenNeo4j(uri, replace=True)(Path(), "novels-2")
    third.prepare()
    assert third.counts()["relations"] == 0
    for store in (first, second, third):
        store.close()


def test_nodes_that_are_not_ours_are_left_alone(uri: str) -> None:
    store = OpenNeo4j(uri, replace=True)(Path(), "novels")
    store.database.write("CREATE (:Customer {name: 'somebody'})", {})
    with pytest.raises(ConfigError, match="not ours"):
        store.prepare()
    store.clear()
    assert store.read("MATCH (n:Customer) RETURN n.name").rows == (("somebody",),)
    store.close()


def test_the_server_is_the_real_thing_and_has_apoc(uri: str) -> None:
    store = OpenNeo4j(uri)(Path(), "novels")
    ((name, versions, edition),) = store.read(
        "CALL dbms.components() YIELD name, versions, edition RETURN name, versions, edition"
    ).rows
    assert (name, edition) == ("Neo4j Kernel", "community")
    assert isinstance(versions, list)
    assert str(versions[0]).startswith("5.26.")
    assert store.read("RETURN apoc.text.join(['桃', '太郎'], '') AS name").rows == (("桃太郎",),)
    store.close()


WAYS_AROUND = [
    "LOAD CSV FROM 'http://127.0.0.1:9/x' AS line RETURN line",
    "CREATE USER eve SET PASSWORD 'long enough'",
    "CREATE CONSTRAINT FOR (n:X) REQUIRE n.y IS UNIQUE",
    "DROP INDEX rag1_names",
    "MATCH (n) CALL (n) { SET n.x = 1 } IN TRANSACTIONS",
    "CALL apoc.cypher.doIt('CREATE (n)', {}) YIELD value RETURN value",
    "CALL db.createLabel('X')",
]


def test_ways_around_read_only_are_closed(uri: str) -> None:
    store = OpenNeo4j(uri)(Path(), "novels")
    store.prepare()
    for statement in WAYS_AROUND:
        with pytest.raises(CypherError):
            store.read(statement)
    store.close()


def test_rows_are_streamed_and_the_rest_is_left(uri: str) -> None:
    store = OpenNeo4j(uri)(Path(), "novels")
    start = time.monotonic()
    rows = store.read("UNWIND range(1, 30000000) AS n RETURN n", limit=5, timeout=30)
    assert (rows.rows, rows.cut) == (((1,), (2,), (3,), (4,), (5,)), True)
    assert time.monotonic() - start < 10
    store.close()


def test_an_absent_server_is_told_within_fifteen_seconds() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = time.monotonic()
    with pytest.raises(GraphDown, match=str(port)):
        OpenNeo4j(f"bolt://127.0.0.1:{port}")(Path(), "g").prepare()
    assert time.monotonic() - start < 15


def test_a_silent_server_is_told_within_fifteen_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "geheim-wort")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = OpenNeo4j(f"bolt://127.0.0.1:{silent.getsockname()[1]}")(Path(), "g")
        start = time.monotonic()
        with pytest.raises(GraphDown) as caught:
            store.prepare()
    assert time.monotonic() - start < 15
    assert "geheim" not in str(caught.value) + repr(store)


def test_a_malformed_address_is_told() -> None:
    with pytest.raises(ConfigError, match="graph uri 'http://here'"):
        OpenNeo4j("http://here")(Path(), "g").prepare()
