"""Cypher as data, measured: `python bench/cypher.py [--data ../shared/data]`.

Prints the 74 examples of the competition, every change and violation over the 3,987 statements that ran, the guard
over the same, and times (process CPU time). With langchain-neo4j installed, the peer's corrector beside ours.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rag1.cypher.direction import Corrected, Triple, correct_directions
from rag1.cypher.guard import check_read_only
from rag1.cypher.parse import parse
from rag1.cypher.tokens import MAX_LENGTH
from rag1.errors import UnsafeCypher

LONG = {
    "path of many steps": ("MATCH (a:L0)", "-[:T1]->(:L1)", " RETURN a"),
    "path without labels": ("MATCH (a)", "--()", " RETURN a"),
    "many labels": ("MATCH (a:A", "|B", ") RETURN a"),
    "pattern predicates": ("MATCH (a) WHERE (a)-->()", " AND (a)-->()", " RETURN a"),
    "sum": ("RETURN 1", "+1", ""),
    "open brackets": ("RETURN ", "(", ""),
    "escapes in an open string": ("RETURN '", "\\'", ""),
    "open comment": ("RETURN 1 ", "/* ", ""),
    "a megabyte": ("RETURN 1", "+1" * 200, ""),
}


def timed(act: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of CPU, and what came out."""
    start = time.process_time()
    result = act()
    return time.process_time() - start, result


def read_rows(path: Path) -> list[dict[str, str]]:
    csv.field_size_limit(10_000_000)
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def examples(folder: Path) -> None:
    rows = read_rows(folder / "cypher-direction" / "examples.csv")
    right = 0
    for row in rows:
        triples = [tuple(p.strip() for p in t.split(",")) for t in re.findall(r"\(([^)]*)\)", row["schema"])]
        schema: list[Triple] = [(start, kind, end) for start, kind, end in triples]
        right += correct_directions(row["statement"], schema, strict=True).query == row["correct_query"]
    print(f"examples.csv: {right} of {len(rows)} right")


def load(folder: Path) -> list[tuple[str, str, list[Triple]]]:
    """Database, statement and schema of each row."""
    schemas = {
        row["database"]: re.findall(r"\(:(\w+)\)-\[:(\w+)\]->\(:(\w+)\)", row["schema"])
        for row in read_rows(folder / "text2cypher" / "schemas.csv")
    }
    rows = read_rows(folder / "text2cypher" / "opus_returning_results.csv")
    return [(row["database"], row["cypher"], schemas[row["database"]]) for row in rows]


def directions(rows: list[tuple[str, str, list[Triple]]]) -> None:
    spent: list[float] = []
    answers: list[tuple[str, Corrected]] = []
    for database, statement, schema in rows:
        seconds, answer = timed(lambda s=statement, t=schema: correct_directions(s, t))
        spent.append(seconds)
        answers.append((database, answer))
        parse(answer.query)
    for number, (database, answer) in enumerate(answers):
        for change in answer.changes:
            print(f"  changed  {number:4} {database}: {change.before} → {change.after}")
    for number, (database, answer) in enumerate(answers):
        for violation in answer.violations:
            print(f"  violates {number:4} {database}: {violation.text}: {violation.reason}")
    changed = sum(bool(answer.changes) for _, answer in answers)
    violating = sum(bool(answer.violations) for _, answer in answers)
    emptied = sum(not answer.query for _, answer in answers)
    print(f"text2cypher: {len(rows)} statements, {changed} changed, {emptied} emptied, {violating} fit neither way")
    print(f"  correct_directions: {said(spent)}")


def said(spent: list[float]) -> str:
    return f"median {statistics.median(spent) * 1e6:.0f} µs, worst {max(spent) * 1e3:.1f} ms"


def guard(rows: list[tuple[str, str, list[Triple]]]) -> None:
    spent, refused = [], 0
    for _, statement, _ in rows:
        start = time.process_time()
        try:
            check_read_only(statement)
        except UnsafeCypher as fault:
            refused += 1
            print(f"  refused: {statement!r}: {fault}")
        spent.append(time.process_time() - start)
    print(f"  check_read_only: {refused} refused, {said(spent)}")


def long_inputs() -> None:
    schema: list[Triple] = [(f"L{i}", f"T{j}", f"L{i + 1}") for i in range(30) for j in range(10)]
    for name, (opening, unit, closing) in LONG.items():
        times = 2500 if len(unit) > 100 else (MAX_LENGTH - len(opening) - len(closing)) // len(unit)
        statement = opening + unit * times + closing
        best = min(timed(lambda s=statement: correct_directions(s, schema))[0] for _ in range(3))
        print(f"  {name} ({len(statement):,} characters): {best * 1e3:.1f} ms")


def peer(rows: list[tuple[str, str, list[Triple]]]) -> None:
    try:
        module = importlib.import_module("langchain_neo4j.chains.graph_qa.cypher_utils")
    except ImportError:
        print("langchain-neo4j is not installed: its CypherQueryCorrector is not measured here")
        return
    spent, emptied, changed = [], 0, 0
    for _, statement, schema in rows:
        corrector = module.CypherQueryCorrector([module.Schema(*triple) for triple in schema])
        seconds, query = timed(lambda c=corrector, s=statement: c(s))
        spent.append(seconds)
        emptied += not query
        changed += bool(query) and query != statement
    print(f"CypherQueryCorrector (regex): {changed} changed, {emptied} emptied, {said(spent)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    folder = parser.parse_args().data
    examples(folder)
    rows = load(folder)
    directions(rows)
    guard(rows)
    print("longest inputs, best of three:")
    long_inputs()
    peer(rows)


if __name__ == "__main__":
    main()
