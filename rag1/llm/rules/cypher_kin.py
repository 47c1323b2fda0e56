"""Statements for questions along kin: a path of relation types to the last person, and what is told there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rag1.llm.rules.asked_kin import AskedKin, asked_kin, named_after
from rag1.llm.rules.final_part import final_of
from rag1.llm.rules.kin_marks import GRAVES
from rag1.llm.rules.kinship import compositions, presumed
from rag1.llm.rules.solve import MORE, SAME_STEP

ROWS = 200
MOST_PATHS = 3


def quote(value: str) -> str:
    """A Cypher string literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def identifier(name: str) -> str:
    """A backticked identifier."""
    return "`" + name.replace("`", "``") + "`"


def side_of(question: str) -> bool:
    """Does the question name a side (父方, 母方)? What is told of the other one is no answer to it."""
    return bool(re.search("父方|母方", question))


def kin_statements(question: str, types: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """Statements for a chain of kin, the likeliest path first; none where the question is no such chain.

    `names`: names as the question writes them → the graph's own.
    """
    asked = asked_kin(question)
    if asked is None:
        return []
    asked = named_after(asked, frozenset([*names, *names.values()]))
    start = _start(asked, names)
    paths = _paths(asked.steps, frozenset(types))
    graves = [name for name in sorted(GRAVES) if name in types] or ["墓所"]
    return [_statement(start, path, asked, graves) for path in paths[:MOST_PATHS] if path]


def _start(asked: AskedKin, names: Mapping[str, str]) -> tuple[str, str]:
    """Pattern and condition of the first node: a name, or whoever something that the description names is told of."""
    own = names.get(asked.start) or next((full for full in names.values() if full == asked.start), "")
    own = own or next(
        (
            full
            for as_asked, full in names.items()
            if full.endswith(asked.start)
            or (asked.start.endswith(as_asked) and len(as_asked) > 1 and len(as_asked) * 2 > len(asked.start))
        ),
        "",
    )
    if own and not _described(asked.start):
        return "(n)", _named("n", own)
    inside = sorted((full for as_asked, full in names.items() if as_asked in asked.start), key=len, reverse=True)
    if inside and (_described(asked.start) or not own):
        titles = " OR ".join(f"t.name = {quote(name)}" for name in inside[:3])
        return "(t)<--(n)", f"({titles})"
    return "(n)", _named("n", own or asked.start)


def _described(start: str) -> bool:
    return bool(
        re.search(
            "[たるだ](?:人物?|者|藩主|当主|男|女|主人?|[一-龥]{1,4})$|第?[0-9０-９一二三四五六七八九]+代|初代|先代",
            start,
        )
    )


def _named(node: str, name: str) -> str:
    return f"({node}.name = {quote(name)} OR {quote(name)} IN {node}.aliases)"


def _paths(steps: Sequence[str], types: frozenset[str]) -> list[list[tuple[str, ...]]]:
    """Ways to write the steps as hops of alternative types, the plainest first."""
    paths: list[list[tuple[str, ...]]] = [[]]
    for step in steps:
        ways = _ways(step, types)
        paths = [[*path, *way] for path in paths for way in ways][: 2 * MOST_PATHS]
    return paths


def _ways(step: str, types: frozenset[str]) -> list[list[tuple[str, ...]]]:
    plain = [name for name in (step, *sorted(SAME_STEP.get(step, ()))) if name in types]
    ways = [[tuple(dict.fromkeys(plain))]] if plain else []
    for chain in (*MORE.get(step, ()), *compositions(step), *presumed(step)):
        hops = [
            tuple(dict.fromkeys(n for n in (part, *sorted(SAME_STEP.get(part, ()))) if n in types)) for part in chain
        ]
        if all(hops):
            ways.append(hops)
    return ways[:3] or [[(step,)]]


def _statement(start: tuple[str, str], path: Sequence[tuple[str, ...]], asked: AskedKin, graves: Sequence[str]) -> str:
    node, condition = start
    hops = "()".join(f"-[:{'|'.join(map(identifier, names))}]->" for names in path)
    final = final_of(asked.final)
    if asked.who:
        return f"MATCH {node}{hops}(x) WHERE {condition} RETURN DISTINCT x.name AS name LIMIT {ROWS}"
    if final.grave and not final.birth:
        kinds = "|".join(map(identifier, graves))
        return f"MATCH {node}{hops}()-[:{kinds}]->(x) WHERE {condition} RETURN DISTINCT x.name AS name LIMIT {ROWS}"
    return f"MATCH {node}{hops}(x)-[r]->(y) WHERE {condition} RETURN x.name, type(r), y.name LIMIT {ROWS}"
