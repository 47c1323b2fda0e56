"""The guard against a real Neo4j, whose own reading is the oracle: EXPLAIN says what a statement would do.

Its word is necessary and not sufficient: to Neo4j, a statement that loads a file over the network or ends somebody's
transaction reads.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j import GraphDatabase, Query, Session
from neo4j.exceptions import Neo4jError

from rag1.cypher.edit import expand_type, quote_names, replace_types
from rag1.cypher.guard import check_read_only
from rag1.errors import UnsafeCypher
from tests.cypher.statements import HARMLESS, HOSTILE, MUTABLE, PIECES, mutated

PARAMETERS = {"q": "x", "vector": [1.0], "v": [1.0], "delete": 1, "set": 1, "label": "A", "map": {}, "url": "x"}


@pytest.fixture(scope="module")
def session(neo4j_uri: str) -> Iterator[Session]:
    with GraphDatabase.driver(neo4j_uri, notifications_min_severity="OFF") as driver, driver.session() as session:
        yield session


def verdict(session: Session, statement: str) -> str:
    """`r` for reading, `w`, `rw` or `s` for writing, or why Neo4j cannot run it."""
    wrapped = statement.lstrip().upper().startswith(("EXPLAIN", "PROFILE"))
    try:
        # The text is what is under test.
        result = session.run(Query(statement if wrapped else f"EXPLAIN {statement}"), PARAMETERS)  # type: ignore[arg-type]
        return str(result.consume().query_type)
    except Neo4jError as refusal:
        return str(refusal.message)


@pytest.mark.parametrize("statement", [s for s in HARMLESS if "apoc.convert" not in s])
def test_what_we_call_harmless_is_cypher_that_reads(session: Session, statement: str) -> None:
    assert verdict(session, statement) == "r"


def test_neo4j_would_write_for_many_hostile_statements_and_calls_some_reading(session: Session) -> None:
    verdicts = [verdict(session, s) for s in HOSTILE["writing clauses"]]
    assert sum(one in ("w", "rw", "s") for one in verdicts) >= 25
    assert verdict(session, "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row") == "r"


@pytest.mark.parametrize(
    "statement",
    [
        replace_types("MATCH (a)-[:葬地|!父&X]->(b) RETURN b", {"葬地": ["葬地", "墓所"], "父": ["父", "母 親"]}).query,
        expand_type("MATCH (a)-[:祖父]->(b)<-[:祖父]-(c) RETURN b", "祖父", ["母", "父"]).query,
        quote_names("MATCH (人:人物 {名: '石'})-[縁:父]->(b) RETURN 人.名 AS 名前, 縁").query,
    ],
)
def test_what_our_edits_write_is_cypher(session: Session, statement: str) -> None:
    assert verdict(session, statement) == "r"


NEO4J_PIECES = [
    *(*PIECES, "FINISH"),
    *("\\u0027", "\\u0060", "\\u000a", "\\u0041", "\u2028", "\x85", "\ufeff", "\u180e", "’", "＇", " IN TRANSACTIONS"),
]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(MUTABLE),
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from(NEO4J_PIECES)), min_size=1, max_size=3),
)
def test_neo4j_writes_for_no_mutation_that_passes(
    session: Session, statement: str, insertions: list[tuple[float, str]]
) -> None:
    statement = mutated(statement, insertions)
    try:
        check_read_only(statement)
    except UnsafeCypher:
        return
    assert verdict(session, statement) not in ("w", "rw", "s")
