"""Arrows set right by the schema: what is turned, what is kept, what is reported."""

from __future__ import annotations

import csv
import re
import statistics
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag1.cypher.direction import Triple, correct_directions
from rag1.cypher.parse import parse
from rag1.cypher.tokens import tokenize

MOVIES: list[Triple] = [
    ("Person", "ACTED_IN", "Movie"),
    ("Person", "DIRECTED", "Movie"),
    ("Person", "KNOWS", "Person"),
    ("Movie", "IN_GENRE", "Genre"),
    ("Person", "LIVES_IN", "City"),
]


def corrected(statement: str, schema: list[Triple] = MOVIES) -> str:
    return correct_directions(statement, schema).query


def read_triples(text: str) -> list[Triple]:
    """`(Person, KNOWS, Person), (…)`."""
    found = [[part.strip() for part in inside.split(",")] for inside in re.findall(r"\(([^)]*)\)", text)]
    return [(start, kind, end) for start, kind, end in found]


def test_the_competitions_examples(shared_data: Path) -> None:
    with (shared_data / "cypher-direction" / "examples.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 74
    for row in rows:
        answer = correct_directions(row["statement"], read_triples(row["schema"]), strict=True)
        assert answer.query == row["correct_query"]


def test_statements_that_ran_are_neither_emptied_nor_broken(shared_data: Path) -> None:
    folder = shared_data / "text2cypher"
    csv.field_size_limit(10_000_000)
    with (folder / "schemas.csv").open(encoding="utf-8") as file:
        schemas = {
            row["database"]: re.findall(r"\(:(\w+)\)-\[:(\w+)\]->\(:(\w+)\)", row["schema"])
            for row in csv.DictReader(file)
        }
    with (folder / "opus_returning_results.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    spent, changed = [], 0
    for row in rows:
        start = time.process_time()
        answer = correct_directions(row["cypher"], schemas[row["database"]])
        spent.append(time.process_time() - start)
        assert answer.query
        assert without_arrows(answer.query) == without_arrows(row["cypher"])
        parse(answer.query)
        changed += bool(answer.changes)
        assert (answer.query == row["cypher"]) is not bool(answer.changes)
    assert (len(rows), changed) == (3987, 39)
    assert statistics.median(spent) < 0.001
    assert max(spent) < 0.1


def without_arrows(statement: str) -> list[str]:
    tokens = tokenize(statement)
    return [tokens.raw(row) for row, word in enumerate(tokens.words) if word not in ("<", ">")]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("(m:Movie|Film)-[:ACTED_IN]->(p:Person)", "(m:Movie|Film)<-[:ACTED_IN]-(p:Person)"),
        ("(m:Movie WHERE m.y>3)-[:ACTED_IN]->(p:Person)", "(m:Movie WHERE m.y>3)<-[:ACTED_IN]-(p:Person)"),
        ("(m:Movie {name:'a(b)'})-[:ACTED_IN]->(p:Person)", "(m:Movie {name:'a(b)'})<-[:ACTED_IN]-(p:Person)"),
        ("(m:Movie)-[:ACTED_IN*1..2]->(p:Person)", "(m:Movie)<-[:ACTED_IN*1..2]-(p:Person)"),
        ("(:City {name:'x'})-[:LIVES_IN]->(p:Person)", "(:City {name:'x'})<-[:LIVES_IN]-(p:Person)"),
        (
            "(m:Movie)-[:ACTED_IN]->(p:Person), (g:Genre)-[:IN_GENRE]->(m), (p)-[:LIVES_IN]->(c)",
            "(m:Movie)<-[:ACTED_IN]-(p:Person), (g:Genre)<-[:IN_GENRE]-(m), (p)-[:LIVES_IN]->(c)",
        ),
        ("(m:Movie:Film)-[:ACTED_IN]->(p:Person:Actor)", "(m:Movie:Film)<-[:ACTED_IN]-(p:Person:Actor)"),
        ("(m:Film&Movie)-[:ACTED_IN]->(p:Person&!Robot)", "(m:Film&Movie)<-[:ACTED_IN]-(p:Person&!Robot)"),
        ("(m IS Movie)-[x IS ACTED_IN]->(p IS Person)", "(m IS Movie)<-[x IS ACTED_IN]-(p IS Person)"),
        ("(m:`Movie`)-[:`ACTED_IN`]->(p:Person)", "(m:`Movie`)<-[:`ACTED_IN`]-(p:Person)"),
        ("(m:Movie)-[r:ACTED_IN {s: '->'}]->(p)", "(m:Movie)<-[r:ACTED_IN {s: '->'}]-(p)"),
        ("(m:Movie)-[r:ACTED_IN WHERE r.x > 1]->(p)", "(m:Movie)<-[r:ACTED_IN WHERE r.x > 1]-(p)"),
        ("(m:Movie) - [:ACTED_IN] - > (p)", "(m:Movie) <- [:ACTED_IN] -  (p)"),
        ("(m:Movie)/* -> */-[:ACTED_IN]-/* < */>(p)", "(m:Movie)/* -> */<-[:ACTED_IN]-/* < */(p)"),
        ("(m:Movie)-[:!KNOWS]->(p:Person)", "(m:Movie)<-[:!KNOWS]-(p:Person)"),
        ("(m:Movie)-[:ACTED_IN|DIRECTED]->(p)", "(m:Movie)<-[:ACTED_IN|DIRECTED]-(p)"),
        ("(m:Movie)-->(p:Person)", "(m:Movie)<--(p:Person)"),
        ("(m:!Person)-[:ACTED_IN]->(p)", "(m:!Person)<-[:ACTED_IN]-(p)"),
        ("p = shortestPath((m:Movie)-[:ACTED_IN]->(q:Person))", "p = shortestPath((m:Movie)<-[:ACTED_IN]-(q:Person))"),
        ("p = ANY SHORTEST (m:Movie)-[:ACTED_IN]->+(q)", "p = ANY SHORTEST (m:Movie)<-[:ACTED_IN]-+(q)"),
    ],
)
def test_what_fits_only_reversed_is_turned(wrong: str, right: str) -> None:
    answer = correct_directions(f"MATCH {wrong} RETURN 1", MOVIES)
    assert answer.query == f"MATCH {right} RETURN 1"
    assert answer.changes
    assert not answer.violations
    again = correct_directions(answer.query, MOVIES)
    assert again.query == answer.query
    assert not again.changes


@pytest.mark.parametrize(
    "statement",
    [
        "MATCH (m:Movie|Film)<-[:ACTED_IN]-(p:Person) RETURN p",
        "MATCH (m:Movie WHERE m.y>3)<-[:ACTED_IN]-(p:Person) RETURN p",
        "MATCH (p:Person {name:'a(b)'})-[:ACTED_IN]->(m:Movie) RETURN p",
        "MATCH (p:Person)-[*1..2]->(g:Genre) RETURN g",
        "MATCH (p:Person)-[:KNOWS*1..2]->(m:Person) RETURN m",
        "MATCH (:City {name:'x'})<-[:LIVES_IN]-(p:Person), (p)-[:KNOWS]->(q:Person) RETURN q",
        "MATCH (a:Person:Actor)-[:ACTED_IN]->(m:Movie:Film) RETURN a",
        "MATCH (a:Person)-[:KNOWS]-(b:Person)--(m:Movie) RETURN a",
        "MATCH (a:Person)<-[:KNOWS]->(m:Movie) RETURN a",
        "MATCH (a)-[:ACTED_IN]->(b) RETURN a",
        "MATCH (a)-->(b)<-[r]-(c) RETURN a",
        "MATCH (m:Movie)-[:KNOWS*0..]->(n) RETURN n",
        "MATCH (m:Movie)((x)-[:ACTED_IN]->(y:Person)){1,3}(z) RETURN m",
        "MATCH (n) WHERE n.x = '(m:Movie)-[:ACTED_IN]->(p:Person)' RETURN n",
        "MATCH (n) // (m:Movie)-[:ACTED_IN]->(p:Person)\nRETURN n",
        'MATCH (n {`(m:Movie)-[:ACTED_IN]->(p)`: "(m:Movie)-->(:Person)"}) RETURN n',
    ],
)
def test_what_fits_or_says_nothing_is_kept(statement: str) -> None:
    answer = correct_directions(statement, MOVIES, strict=True)
    assert (answer.query, answer.changes, answer.violations) == (statement, (), ())


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        # a label in another clause, before or after
        ("MATCH (m:Movie) MATCH (m)-[:ACTED_IN]->(p) RETURN p", "MATCH (m:Movie) MATCH (m)<-[:ACTED_IN]-(p) RETURN p"),
        ("MATCH (m)-[:ACTED_IN]->(p) MATCH (m:Movie) RETURN p", "MATCH (m)<-[:ACTED_IN]-(p) MATCH (m:Movie) RETURN p"),
        # a label that WHERE demands
        ("MATCH (m)-->(p) WHERE m:Movie AND p:Person RETURN p", "MATCH (m)<--(p) WHERE m:Movie AND p:Person RETURN p"),
        # carried and renamed by WITH
        (
            "MATCH (m:Movie) WITH m AS film, 1 AS x MATCH (film)-[:ACTED_IN]->(p) RETURN p",
            "MATCH (m:Movie) WITH m AS film, 1 AS x MATCH (film)<-[:ACTED_IN]-(p) RETURN p",
        ),
        (
            "MATCH (m:Movie) WITH * MATCH (m)-->(p:Person) RETURN p",
            "MATCH (m:Movie) WITH * MATCH (m)<--(p:Person) RETURN p",
        ),
        # into and out of subqueries
        (
            "MATCH (m:Movie) CALL { WITH m MATCH (m)-[:ACTED_IN]->(p) RETURN p } RETURN p",
            "MATCH (m:Movie) CALL { WITH m MATCH (m)<-[:ACTED_IN]-(p) RETURN p } RETURN p",
        ),
        (
            "MATCH (m:Movie) CALL (m) { MATCH (m)-[:ACTED_IN]->(p) RETURN p } RETURN p",
            "MATCH (m:Movie) CALL (m) { MATCH (m)<-[:ACTED_IN]-(p) RETURN p } RETURN p",
        ),
        (
            "CALL { MATCH (m:Movie) RETURN m } MATCH (m)-[:ACTED_IN]->(p) RETURN p",
            "CALL { MATCH (m:Movie) RETURN m } MATCH (m)<-[:ACTED_IN]-(p) RETURN p",
        ),
        (
            "MATCH (m:Movie) WHERE EXISTS { (m)-[:ACTED_IN]->() } RETURN m",
            "MATCH (m:Movie) WHERE EXISTS { (m)<-[:ACTED_IN]-() } RETURN m",
        ),
        (
            "MATCH (m:Movie) RETURN [(m)-[:ACTED_IN]->(p) | p.name]",
            "MATCH (m:Movie) RETURN [(m)<-[:ACTED_IN]-(p) | p.name]",
        ),
    ],
)
def test_a_variable_keeps_its_labels_across_the_statement(wrong: str, right: str) -> None:
    assert corrected(wrong) == right


@pytest.mark.parametrize(
    "statement",
    [
        # m after WITH is another m
        "MATCH (m:Movie) WITH count(m) AS c MATCH (m)-[:ACTED_IN]->(p) RETURN p",
        "MATCH (m:Movie) WITH collect(m) AS ms UNWIND ms AS m MATCH (m)-[:ACTED_IN]->(p) RETURN p",
        # the branches of a UNION do not know each other
        "MATCH (m:Movie) RETURN m AS x UNION MATCH (m)-[:ACTED_IN]->(p) RETURN p AS x",
        # a subquery without imports does not see m
        "MATCH (m:Movie) CALL { MATCH (m)-[:ACTED_IN]->(p) RETURN p } RETURN p",
        # what an optional or negated part says of m need not hold outside
        "MATCH (m)-[:ACTED_IN]->(p) OPTIONAL MATCH (m:Movie)-[:IN_GENRE]->(g) RETURN p",
        "MATCH (m)-[:ACTED_IN]->(p) WHERE NOT EXISTS { MATCH (m:Movie) RETURN m } RETURN p",
        "MATCH (m)-[:ACTED_IN]->(p) WHERE NOT m:Movie OR m:Person RETURN p",
        # the x of a comprehension is not the x outside
        "MATCH (x:Movie) RETURN [x IN $people | [(x)-[:ACTED_IN]->(f) | f]]",
    ],
)
def test_a_variable_of_the_same_name_elsewhere_says_nothing(statement: str) -> None:
    assert corrected(statement) == statement


def test_what_fits_neither_way_is_reported_and_the_rest_still_corrected() -> None:
    statement = "MATCH (m:Movie)-[:ACTED_IN]->(p:Person)-[:IN_GENRE]->(c:City) RETURN m"
    answer = correct_directions(statement, MOVIES)
    assert answer.query == "MATCH (m:Movie)<-[:ACTED_IN]-(p:Person)-[:IN_GENRE]->(c:City) RETURN m"
    (change,) = answer.changes
    assert statement[slice(*change.span)] == change.before == "(m:Movie)-[:ACTED_IN]->(p:Person)"
    assert change.after == "(m:Movie)<-[:ACTED_IN]-(p:Person)"
    (violation,) = answer.violations
    assert statement[slice(*violation.span)] == violation.text == "(p:Person)-[:IN_GENRE]->(c:City)"
    assert violation.reason == "the schema has (:Person)-[:IN_GENRE]->(:City) in neither direction"
    assert correct_directions(statement, MOVIES, strict=True).query == ""


def test_a_label_may_hold_any_sign() -> None:
    schema: list[Triple] = [("City:x", "IS|IN", "a(b)")]
    wrong = "MATCH (:`a(b)` {name: 'x'})-[:`IS|IN`]->(:`City:x`) RETURN 1"
    assert corrected(wrong, schema) == "MATCH (:`a(b)` {name: 'x'})<-[:`IS|IN`]-(:`City:x`) RETURN 1"


def test_an_empty_schema_says_nothing() -> None:
    statement = "MATCH (m:Movie)-[:ACTED_IN]->(p:Person) RETURN m"
    assert correct_directions(statement, [], strict=True).query == statement


def test_what_cannot_be_read_comes_back_as_it_is_with_the_reason() -> None:
    statement = "MATCH (m:Movie-[:ACTED_IN]->(p) RETURN m"
    answer = correct_directions(statement, MOVIES)
    assert answer.query == statement
    assert "at 6" in answer.violations[0].reason
    assert correct_directions(statement, MOVIES, strict=True).query == ""


LABELS = st.sampled_from(["", ":Person", ":Movie", ":Genre", ":City"])
ARROWS = st.sampled_from([("-", "->"), ("<-", "-"), ("-", "-")])
TYPES = st.sampled_from(["ACTED_IN", "DIRECTED", "KNOWS", "IN_GENRE", "LIVES_IN"])


@given(LABELS, st.lists(st.tuples(ARROWS, TYPES, LABELS), min_size=1, max_size=5))
def test_each_arrow_agrees_with_a_lookup_in_the_triples(
    first: str, rest: list[tuple[tuple[str, str], str, str]]
) -> None:
    """The oracle: a path of anonymous nodes, each step looked up on its own."""
    given_path = expected = f"({first})"
    left = first
    for (tail, head), kind, right in rest:
        given_path += f"{tail}[:{kind}]{head}({right})"
        out, back = known(left, kind, right), known(right, kind, left)
        if (tail, head) == ("-", "->") and not out and back:
            tail, head = "<-", "-"
        elif (tail, head) == ("<-", "-") and not back and out:
            tail, head = "-", "->"
        expected += f"{tail}[:{kind}]{head}({right})"
        left = right
    assert corrected(f"MATCH {given_path} RETURN 1") == f"MATCH {expected} RETURN 1"


def known(start: str, kind: str, end: str) -> bool:
    return any(
        kind == middle and start in ("", f":{first}") and end in ("", f":{last}") for first, middle, last in MOVIES
    )
