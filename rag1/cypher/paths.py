"""The facts that a statement's rows stand on: the same patterns, asked for their paths instead of for their values."""

from __future__ import annotations

from dataclasses import dataclass

from rag1.cypher.edit import Edit, apply_edits
from rag1.cypher.parse import parse
from rag1.cypher.tokens import NAME, QUOTED, Tokens
from rag1.cypher.tree import Parsed
from rag1.errors import CypherSyntax

_PREFIX = "rag1_path_"
_FACT = "[r.id, startNode(r).name, type(r), endNode(r).name, r.evidence, r.doc_id, r.start, r.end]"
_ENDS = ("WHERE", "USING", "RETURN")


@dataclass(frozen=True, slots=True)
class FactColumns:
    """The place of a fact's parts in a cell of `evidence_statement`."""

    id: int = 0
    head: int = 1
    relation: int = 2
    tail: int = 3
    evidence: int = 4
    doc_id: int = 5
    start: int = 6
    end: int = 7


COLUMNS = FactColumns()


def evidence_statement(query: str, limit: int = 50) -> str:
    """A statement whose rows are the facts of every path that `query` matches, one cell a row: a list of facts.

    Only for a statement of one MATCH, its WHERE and a RETURN: whatever else it does (WITH, UNION, subqueries,
    quantified paths, path functions), "" says that its facts cannot be asked for this way.
    """
    try:
        parsed = parse(query)
    except CypherSyntax:
        return ""
    tokens, clauses = parsed.tokens, [clause.text for clause in parsed.clauses]
    if clauses[:2] != ["MATCH", "RETURN"] or set(clauses[2:]) - {"ORDER", "SKIP", "LIMIT"}:
        return ""
    starts = _pattern_starts(parsed)
    if not starts:
        return ""
    names, edits = _path_names(tokens, starts)
    body = apply_edits(tokens.text[: parsed.clauses[1].start], edits)
    paths = " + ".join(f"relationships({name})" for name in names)
    return f"{body}RETURN [r IN {paths} | {_FACT}] AS facts LIMIT {limit}"


def _pattern_starts(parsed: Parsed) -> list[int]:
    """Rows where the comma-separated patterns of the MATCH begin; empty where one is no plain path."""
    tokens = parsed.tokens
    row = parsed.clauses[0].row + 1
    starts = [row]
    while row < len(tokens.words) and tokens.words[row] not in _ENDS:
        if tokens.pairs[row] > row:
            row = tokens.pairs[row]
        elif tokens.words[row] == ",":
            starts.append(row + 1)
        row += 1
    plain = all(_node_row(tokens, start) >= 0 for start in starts)
    return starts if plain and not _quantified(tokens, starts[0], row) else []


def _node_row(tokens: Tokens, start: int) -> int:
    """The row of the path's first node: after `p =` where it is named; -1 for what is no plain path."""
    at = start + 2 if _named(tokens, start) else start
    return at if tokens.words[at] == "(" and tokens.words[at + 1] != "(" else -1


def _named(tokens: Tokens, start: int) -> bool:
    return tokens.kinds[start] in (NAME, QUOTED) and tokens.words[start + 1] == "="


def _quantified(tokens: Tokens, first: int, end: int) -> bool:
    """A node in brackets of its own: `((a)-[:X]->(b)){2}`."""
    return any(tokens.words[row] == "(" and tokens.words[row + 1] == "(" for row in range(first, end))


def _path_names(tokens: Tokens, starts: list[int]) -> tuple[list[str], list[Edit]]:
    names: list[str] = []
    edits: list[Edit] = []
    for number, start in enumerate(starts):
        if _named(tokens, start):
            names.append(tokens.raw(start))
            continue
        names.append(f"{_PREFIX}{number}")
        at = tokens.starts[start]
        edits.append((at, at, f"{names[-1]} = "))
    return names, edits
