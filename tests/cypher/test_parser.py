"""Reading Cypher: what is found, where it stands, and what cannot be read."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag1.cypher.direction import correct_directions
from rag1.cypher.parse import has_limit, labels, parse, relationship_types
from rag1.cypher.tokens import MAX_LENGTH, tokenize
from rag1.errors import CypherSyntax
from tests.cypher.statements import HARMLESS, HOSTILE


def clauses(statement: str) -> list[str]:
    return [clause.text for clause in parse(statement).clauses]


def test_types_and_labels_come_with_their_places() -> None:
    statement = "MATCH (a:`人 物`:B)-[:父|`A``B`*1..2]->(b WHERE b:C) RETURN a, [(a)--(:D) | 1]"
    found = relationship_types(statement)
    assert [(name.text, statement[name.start : name.end]) for name in found] == [("父", "父"), ("A`B", "`A``B`")]
    found = labels(statement)
    assert [name.text for name in found] == ["人 物", "B", "C", "D"]
    assert [statement[name.start : name.end] for name in found] == ["`人 物`", "B", "C", "D"]


@pytest.mark.parametrize(
    "statement",
    [
        "MATCH (n) WHERE n.text = '(a)-[:X]->(b:Y)' RETURN n",
        'MATCH (n {name: "-[:X]->"}) RETURN n',
        "MATCH (n) // (a)-[:X]->(b:Y)\nRETURN n",
        "MATCH (n) /* (a)-[:X]->(b:Y) */ RETURN n",
        "MATCH (n) RETURN n AS `(a)-[:X]->(b:Y)`",
    ],
)
def test_strings_comments_and_names_hold_no_patterns(statement: str) -> None:
    assert parse(statement).types == parse(statement).labels == parse(statement).steps == ()


@pytest.mark.parametrize(
    ("statement", "steps"),
    [
        ("MATCH (a)-->(b)<--(c) RETURN a", 2),
        ("MATCH (a)-[:X]->(b), (c)-[:Y]->(d) RETURN a", 2),
        ("MATCH p = ((a)-[:X]->(b)) RETURN p", 1),
        ("MATCH (s)((a)-[:X]->(b)){1,3}(e)-[:Y]->(f) RETURN s", 1),
        ("MATCH ((a)-[:X]->(b) WHERE a.x > 1)+ RETURN a", 0),
        ("MATCH p = shortestPath((a)-[*]-(b)) RETURN p", 1),
        ("MATCH (a) WHERE (a)-[:X]->() AND NOT (a)<--(:B) RETURN a", 2),
        ("MATCH (a) RETURN [(a)-[:X]->(b) WHERE (b)-->() | b], size((a)--())", 3),
        ("MATCH (a) WHERE EXISTS { (a)-->(b) } AND COUNT { MATCH (a)--(c) RETURN c } > 1 RETURN a", 2),
        ("RETURN (1)-(2), (a)--1, [1, 2][0], -(-1)", 0),
        ("RETURN (a.x)-[1][0], (a)<-1", 0),
    ],
)
def test_every_path_is_found_and_no_sum_is_taken_for_one(statement: str, steps: int) -> None:
    assert len(parse(statement).steps) == steps


def test_the_clauses_of_subqueries_are_found_too() -> None:
    statement = "MATCH (n) CALL (n) { WITH n MERGE (m) RETURN m } RETURN COLLECT { MATCH (x) SET x.y = 1 RETURN x }"
    assert clauses(statement) == ["MATCH", "CALL", "WITH", "MERGE", "RETURN", "RETURN", "MATCH", "SET", "RETURN"]


def test_functions_and_procedures_are_found_wherever_they_are_called() -> None:
    parsed = parse("CALL a.`b`.c(f(1)) YIELD x WHERE g.h(x) RETURN {k: [i(x)]}, x.y[j()], CASE WHEN k() THEN 1 END")
    assert [name.text for name in parsed.procedures] == ["a.b.c"]
    assert [name.text for name in parsed.functions] == ["f", "g.h", "i", "j", "k"]


@pytest.mark.parametrize(
    ("statement", "limited"),
    [
        ("MATCH (n) RETURN n", False),
        ("MATCH (n) RETURN n LIMIT 5", True),
        ("MATCH (n) WITH n LIMIT 5 RETURN n", False),
        ("MATCH (n) RETURN COLLECT { MATCH (m) RETURN m LIMIT 1 }", False),
        ("MATCH (n) RETURN n ORDER BY n.x SKIP 1 LIMIT COUNT { MATCH (m) RETURN m }", True),
        ("MATCH (n) RETURN n LIMIT 5 UNION MATCH (n) RETURN n", False),
        ("MATCH (n) RETURN n LIMIT 5 UNION MATCH (n) RETURN n LIMIT 5", True),
        ("MATCH (n) RETURN 'LIMIT 5'", False),
    ],
)
def test_a_limit_counts_where_it_limits_the_rows_of_the_statement(statement: str, limited: bool) -> None:
    assert has_limit(statement) is limited


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("MATCH (n RETURN n", "'(' at 6 is never closed"),
        ("MATCH (n)) RETURN n", "')' at 9 closes nothing"),
        ("MATCH (n] RETURN n", "']' at 8 closes nothing"),
        ("MATCH (n) WHERE RETURN n", "expected a clause at 23, found 'n'"),
        ("MATCH (n) RETURN n.", "expected a property at 19, found the end"),
        ("MATCH (n)-[:X]-> RETURN n", "expected a node '(' at 17, found 'RETURN'"),
        ("RETURN 'abc", "cannot read a string that is never closed at 7"),
        ("RETURN 1 # 2", "cannot read the character '#' (NUMBER SIGN) at 9"),
        ("FIND (n) RETURN n", "expected a clause at 0, found 'FIND'"),
        ("RETURN 12ab", "cannot read the character '1'"),
        ("", "expected a clause at 0, found the end"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(statement: str, message: str) -> None:
    with pytest.raises(CypherSyntax) as fault:
        parse(statement)
    assert message in str(fault.value)


@given(st.text(alphabet="()[]{}-<>:|&!*.,;='\"`/\\$ \nMATCHRETURNab1墓", max_size=80))
def test_any_text_is_read_or_refused_and_nothing_else_happens(text: str) -> None:
    try:
        tokens = parse(text).tokens
    except CypherSyntax:
        return
    between = "".join(gap for _, gap in tokens.gaps())
    assert sorted(between + "".join(tokens.raw(row) for row in range(len(tokens.kinds)))) == sorted(text)


@pytest.mark.parametrize("statement", HARMLESS)
def test_tokens_and_gaps_make_up_the_text(statement: str) -> None:
    tokens = tokenize(statement)
    pieces = dict(tokens.gaps()) | {tokens.starts[row]: tokens.raw(row) for row in range(len(tokens.kinds) - 1)}
    assert "".join(pieces[start] for start in sorted(pieces)) == statement


SCHEMA = [(f"L{i}", f"T{j}", f"L{i + 1}") for i in range(20) for j in range(10)]
UNITS = [
    *("-[:T1]->(:L1)", "<--(:L2)", "--()", "-[*1..2]-()", ",(a:L1)", "((a)-->(b))+", "[(a)-->(b)|"),
    *("|B", "&!B", ":C", "+1", " NOT", " AND (a)-->(:L3)", " x.y.z", "[x IN ", "f(", " CASE WHEN 1 THEN "),
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "'",
        '"',
        "`",
        "/*",
        "*/",
        "//",
        "\\",
        "\\'",
        "\n",
        " ",
        ".",
        "..",
        "1",
        "-",
        "<",
        "$",
    ),
    *(" WITH *, a AS b", " WITH a", " UNION RETURN 1", " CALL {RETURN 1 AS x}", " MATCH (a)"),
    *(" OPTIONAL MATCH (a:L1)-->(b)", "EXISTS { MATCH (a) WHERE "),
]
OPENINGS = ["MATCH (a:L0)", "RETURN ", "RETURN [1", "MATCH (a:A", "MATCH (a) WHERE a", "RETURN '", "", "MATCH (a) "]


def work(act: Callable[[], object]) -> int:
    """How many calls, of Python or of C, `act` makes: a measure of time without the noise of a clock."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return calls


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(OPENINGS), st.lists(st.sampled_from(UNITS), min_size=1, max_size=3).map("".join))
def test_work_grows_with_the_length_and_no_faster(opening: str, unit: str) -> None:
    def statement(length: int) -> str:
        return opening + unit * ((length - len(opening)) // len(unit))

    half = work(lambda: correct_directions(statement(MAX_LENGTH // 4), SCHEMA))
    whole = work(lambda: correct_directions(statement(MAX_LENGTH // 2), SCHEMA))
    assert whole <= 2.3 * half + 2000

    longest = statement(MAX_LENGTH)
    spent = []
    for _ in range(3):
        start = time.process_time()
        correct_directions(longest, SCHEMA)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.1


@pytest.mark.parametrize("statement", [s for kind in HOSTILE.values() for s in kind] + ["RETURN 1" + "+1" * 500_000])
def test_no_statement_takes_long_to_read_or_refuse(statement: str) -> None:
    start = time.process_time()
    correct_directions(statement, SCHEMA)
    assert time.process_time() - start < 0.1
