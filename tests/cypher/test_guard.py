"""What the guard refuses, what it passes, and what it says."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag1.cypher.guard import check_read_only
from rag1.cypher.tokens import tokenize
from rag1.errors import ConfigError, UnsafeCypher
from tests.cypher.statements import HARMLESS, HOSTILE

ALL_HOSTILE = [(kind, statement) for kind, statements in HOSTILE.items() for statement in statements]


def test_there_are_enough_cases_and_none_twice() -> None:
    hostile = [statement for _, statement in ALL_HOSTILE]
    assert len(set(hostile)) == len(hostile) >= 120
    assert len(set(HARMLESS)) == len(HARMLESS) >= 60


@pytest.mark.parametrize("dialect", ["neo4j", "falkordb"])
@pytest.mark.parametrize(("kind", "statement"), ALL_HOSTILE, ids=[repr(s[:60]) for _, s in ALL_HOSTILE])
def test_a_hostile_statement_is_refused(kind: str, statement: str, dialect: str) -> None:
    with pytest.raises(UnsafeCypher):
        check_read_only(statement, dialect)


@pytest.mark.parametrize("statement", HARMLESS, ids=[repr(s[:60]) for s in HARMLESS])
def test_a_harmless_statement_passes(statement: str) -> None:
    check_read_only(statement)


def test_all_statements_of_text2cypher_pass(shared_data: Path) -> None:
    with (shared_data / "text2cypher" / "opus_returning_results.csv").open(encoding="utf-8") as file:
        statements = [row["cypher"] for row in csv.DictReader(file)]
    assert len(statements) == 3987
    for statement in statements:
        check_read_only(statement)


@pytest.mark.parametrize(
    ("statement", "word", "reason"),
    [
        ("MATCH (n) SET n.x = 1", "SET", "SET is not a reading clause"),
        ("CALL { MATCH (n) DELETE n } RETURN 1", "DELETE", "DELETE is not a reading clause"),
        ("MATCH (n) RETURN apoc.cypher.runFirstColumnSingle('', {})", "apoc", "the function apoc.cypher.runFirst"),
        ("CALL dbms.listConfig()", "dbms", "the procedure dbms.listConfig is not on the list"),
        ("SHOW USERS", "SHOW", "expected a clause at 0, found 'SHOW'"),
        ("RETURN 1; RETURN 2", "RETURN 2", "expected the end of the statement at 10"),
        ("MATCH (n)\u3000RETURN n", "\u3000", "the white space U+3000 (write an ordinary space)"),
        (r"RETURN 'a\u0027'", r"\u0027", "the unicode escape"),
        (r"RETURN 1 AS `a\u0060 SET`", r"`a\u0060", "a backslash in a name"),
        ("RETURN 1 AS ＳＥＴ", "ＳＥＴ", "spells SET"),
    ],
)
def test_the_refusal_says_why_and_where(statement: str, word: str, reason: str) -> None:
    with pytest.raises(UnsafeCypher) as refused:
        check_read_only(statement)
    assert reason in str(refused.value)
    assert refused.value.position == statement.index(word)


def test_the_first_fault_is_the_one_that_is_named() -> None:
    with pytest.raises(UnsafeCypher) as refused:
        check_read_only("MATCH (n) SET n.x = unknown(1) DELETE n")
    assert refused.value.position == 10


def test_a_dialect_has_lists_of_its_own() -> None:
    check_read_only("CALL algo.pageRank('A', 'X') YIELD node RETURN node", "falkordb")
    check_read_only("MATCH (n) RETURN elementId(n)", "neo4j")
    for statement, dialect in [
        ("CALL algo.pageRank('A', 'X') YIELD node RETURN node", "neo4j"),
        ("MATCH (n) RETURN elementId(n)", "falkordb"),
        ("EXPLAIN MATCH (n) RETURN n", "falkordb"),
        ("MATCH (n:`a``b`) RETURN n", "falkordb"),
    ]:
        with pytest.raises(UnsafeCypher):
            check_read_only(statement, dialect)


def test_an_unknown_dialect_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ConfigError, match="neo4j, falkordb"):
        check_read_only("RETURN 1", "gremlin")


WRITES = ["SET n.x = 1", "DETACH DELETE n", "CREATE (:Spam)", "MERGE (:Spam)", "CALL dbms.listConfig()", "REMOVE n.x"]


@given(st.sampled_from(HARMLESS), st.sampled_from(WRITES), st.floats(0, 1))
def test_a_writing_clause_is_refused_wherever_it_is_put(statement: str, write: str, place: float) -> None:
    tokens = tokenize(statement)
    at = tokens.starts[int(place * (len(tokens.starts) - 1))]
    with pytest.raises(UnsafeCypher):
        check_read_only(f"{statement[:at]} {write} {statement[at:]}")


@given(st.sampled_from(HARMLESS), st.sampled_from(WRITES))
def test_a_writing_clause_within_a_string_or_comment_is_not(statement: str, write: str) -> None:
    body = statement.rstrip(";")
    check_read_only(f"/* {write} */ {body}")
    check_read_only(f"{body}\n// {write}")
    check_read_only(f"WITH '{write}' AS text, 1 AS `{write}` RETURN text")
