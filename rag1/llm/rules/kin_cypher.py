"""Statements for questions along kin: a path of relation types to the last person, and what is told there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import product

from rag1.llm.rules.kin_asked import AskedKin, asked_kin
from rag1.llm.rules.kin_end import End, asked_end, asks_deed
from rag1.llm.rules.kin_steps import (
    ADOPTED,
    ALIASES,
    CHILDREN,
    FATHERS,
    FEMALE,
    HUSBANDS,
    MALE,
    MOTHERS,
    NO_NAME,
    RANKED,
    TITLES,
    WIVES,
    Hop,
    chains,
    hops,
)
from rag1.llm.rules.words import wordset

ROWS = 200
MOST_PATHS = 5
"""Paths that are tried for one question: each may be a statement that finds nothing."""
DEEPEST = 2
UNTOLD = wordset("子 子供 子ども 実子 一子 末子 親")
"""Types whose end may be a man or a woman."""
SIDED = re.compile("[父母]方の")


def quote(value: str) -> str:
    """A Cypher string literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def identifier(name: str) -> str:
    """A backticked identifier."""
    return "`" + name.replace("`", "``") + "`"


def kin_statements(question: str, types: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """Statements for a chain of kin, the likeliest path first, then the sentences about who is at its end.

    `names`: names as the question writes them → the graph's own. Empty where the question is no such chain, or asks
    for something that no relation is known for.
    """
    asked = asked_kin(question)
    if asked is None:
        return []
    end, known = asked_end(asked.final), frozenset(types)
    found = paths(asked.steps, known)[:MOST_PATHS]
    start = _start(asked, names)
    kinds = _end(end, known)[: None if start.alike else 1]
    told = [_statement(start, path, kinds, known) for path in found] if end.relations or asked.who else []
    read = found[:1] if told else found
    if told and ALIASES & known:
        told.insert(1, _statement(replace(start, called=ALIASES & known), found[0], kinds, known))
    return told if asked.who else [*told, *(_sentences(start, path, known) for path in read)]


@dataclass(frozen=True, slots=True)
class Start:
    """Whom a question starts from. `alike`: by the question's own name, if cut short. `linked`: the graph has it.

    `short`: it may be the end of a longer one. `called`: relations that may tell the name.
    """

    name: str
    alike: bool
    linked: bool
    short: bool = False
    called: frozenset[str] = frozenset()

    @property
    def pattern(self) -> str:
        return f"(s)<-[:{'|'.join(map(identifier, sorted(self.called)))}]-(n0)" if self.called else "(n0)"

    @property
    def condition(self) -> str:
        node = "s" if self.called else "n0"
        ends = f" OR {node}.name ENDS WITH {quote(self.name)}" if self.short else ""
        return f"({node}.name = {quote(self.name)} OR {quote(self.name)} IN {node}.aliases{ends})"


def sure_kin(question: str, types: Sequence[str], names: Mapping[str, str]) -> bool:
    """Is the question one of kin in this graph, so that no other way may answer it?

    The graph must know the name, the steps and what is asked for, and have no word of its own for a side's relative.
    """
    asked, known = asked_kin(question), frozenset(types)
    if asked is None or not _start(asked, names).linked or any(SIDED.search(name) for name in types):
        return False
    if not all(_ways(step, known, DEEPEST) for step in asked.steps):
        return False
    told = any(kinds & known for kinds in asked_end(asked.final).relations)
    return asked.who or told or asks_deed(asked.final)


def _start(asked: AskedKin, names: Mapping[str, str]) -> Start:
    names = {said: own for said, own in names.items() if not NO_NAME.search(own)}
    near = (own for own in names.values() if asked.start in own or asked.start.endswith(own))
    own = names.get(asked.start) or min(near, key=len, default=asked.start)
    alike = TITLES.sub("", asked.start) in own or asked.start.endswith(own)
    return Start(own, alike, own in names.values(), own == asked.start and len(own) > 1)


def paths(steps: Sequence[str], types: Set[str]) -> list[tuple[Hop, ...]]:
    """Ways to write the steps as hops that the graph has, the plainest first."""
    ways = [_ways(step, types, DEEPEST) or [(Hop(frozenset({step})),)] for step in steps]
    weights = [2 if step in {"父", "母"} else 1 for step in steps]  # parents are rarely told by others alone

    def cost(chosen: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        return sum(weight * at for weight, at in zip(weights, chosen, strict=True)), chosen[::-1]

    ranked = sorted(product(*(range(len(way)) for way in ways)), key=cost)
    return [tuple(hop for way, at in zip(ways, chosen, strict=True) for hop in way[at]) for chosen in ranked]


def _ways(step: str, types: Set[str], depth: int) -> list[tuple[Hop, ...]]:
    """Links, then chains, then children's links for a parent, which a graph with inverse links has both ways."""
    links = [replace(hop, types=_able(hop) & types) for hop in hops(step) if _able(hop) & types]
    ahead = [hop for hop in links if hop.forward]
    if step not in RANKED and ahead:
        ahead = [replace(ahead[0], types=frozenset().union(*(hop.types for hop in ahead)))]
    back = [hop for hop in links if not hop.forward]
    late = [hop for hop in back if hop.types & CHILDREN] if ahead else []
    ways: list[tuple[Hop, ...]] = [(hop,) for hop in (*ahead, *back) if hop not in late]
    for chain in chains(step) if depth else ():
        parts = [_ways(part, types, depth - 1)[:1] for part in chain]
        ways += [tuple(hop for part in parts for hop in part[0])] if all(parts) else []
    ways += [(hop,) for hop in late]
    return list(dict.fromkeys(ways))


def _able(hop: Hop) -> frozenset[str]:
    """The types whose end may be of the hop's sex: a 弟 is no sister."""
    other = {"m": FEMALE, "f": MALE}.get(hop.sex, frozenset[str]()) if hop.forward else frozenset[str]()
    return hop.types - other


def _end(end: End, types: Set[str]) -> tuple[str, ...]:
    """Relations that may tell what is asked for; those of the graph, else all."""
    wanted = [name for kinds in end.relations for name in sorted(kinds)]
    return tuple(name for name in wanted if name in types) or tuple(wanted[:1])


def _statement(start: Start, path: Sequence[Hop], end: Sequence[str], types: Set[str]) -> str:
    """Rows of the last person, the relation and its value, so that they are read; or the value alone."""
    last = "x" if end else f"n{len(path)}"
    one = f"n{len(path) - (not end)}"
    one, other = (one, last) if end or path[-1].forward else (last, one)
    tail = f"-[r:{'|'.join(map(identifier, end))}]->(x)" if end else ""
    value = f"{one}.name, type(r), {other}.name" if start.alike else f"DISTINCT {last}.name AS name"
    return f"{_match(start, path, 0 if end else len(path), tail, types)} RETURN {value} LIMIT {ROWS}"


def _sentences(start: Start, path: Sequence[Hop], types: Set[str]) -> str:
    """The sentences that tell something of the last person."""
    value = f"DISTINCT n{len(path)}.name AS name, r.evidence AS text"
    return f"{_match(start, path, 0, '-[r]-(x)', types)} RETURN {value} LIMIT {ROWS}"


def _match(start: Start, path: Sequence[Hop], named: int, tail: str, types: Set[str]) -> str:
    """`named`: the hop whose link is called r."""
    hops_made = "".join(_hop(hop, at, at == named) for at, hop in enumerate(path, start=1))
    where = " AND ".join([start.condition, *_own_parents(path, types)])
    return f"MATCH {start.pattern}{hops_made}{tail} WHERE {where}"


def _hop(hop: Hop, at: int, named: bool) -> str:
    link = f"[{'r' if named else ''}:{'|'.join(map(identifier, sorted(hop.types)))}]"
    return f"-{link}->(n{at})" if hop.forward else f"<-{link}-(n{at})"


def _own_parents(path: Sequence[Hop], types: Set[str]) -> list[str]:
    """A father is not one by adoption where the graph tells of that, nor whoever has a husband."""
    adopted = "|".join(identifier(name) for name in sorted(ADOPTED & types))
    spouses = {"m": HUSBANDS & types, "f": WIVES & types}
    told = []
    for at, hop in enumerate(path, start=1):
        if adopted and hop.forward and hop.types & (FATHERS | MOTHERS):
            told.append(f"NOT (n{at})-[:{adopted}]->(n{at - 1})")
        untold = hop.types & (FATHERS | UNTOLD) or not hop.forward
        if untold and (wed := spouses.get(hop.sex)):
            told.append(f"NOT (n{at})-[:{'|'.join(map(identifier, sorted(wed)))}]->()")
    return told
