"""Questions to Cypher: a chain of の becomes a path over the schema's relation types."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag1.llm.rules.chains import Chain, read_chain
from rag1.llm.rules.clauses import Clause, clauses
from rag1.llm.rules.kinship import compositions, synonyms
from rag1.llm.rules.names import names_in
from rag1.llm.rules.question import WORD
from rag1.llm.rules.relations import TOGETHER, Reading, entity
from rag1.llm.tasks import CypherReply, WriteCypher

ROWS = 50
_BRACKETED = re.compile(r"\[\s*\w*\s*:\s*`?([^\]`|{]+?)`?\s*(?:\{[^}]*\})?\s*\]")
_IDENTIFIER = re.compile(r"`([^`]+)`|([^\s,、:：()\[\]{}<>\-|`'\"]+)")


def write_cypher(task: WriteCypher) -> CypherReply:
    """A directed path first; after an error or an empty result undirected, then any neighbour by part of the name."""
    chain = read_chain(task.question)
    types = relation_types(task.schema_text)
    start = chain.start if chain else next(iter(names_in(task.question)), "")
    path = chain_path(chain, types) if chain else []
    tries = [
        query
        for query in (_directed(start, path, task.question), _verb(task.question, types), _undirected(start, path))
        if query
    ]
    tries.append(_neighbours(start))
    at = tries.index(task.previous) + 1 if task.previous in tries else 0
    return CypherReply(cypher=tries[min(at, len(tries) - 1)])


def relation_types(schema: str) -> tuple[str, ...]:
    """Relation types of a schema's text: those in `[:TYPE]`; where there are none, every word of it."""
    found = _BRACKETED.findall(schema) or ["".join(pair) for pair in _IDENTIFIER.findall(schema)]
    return tuple(dict.fromkeys(name.strip() for name in found if name.strip()))


def chain_path(chain: Chain, types: Sequence[str]) -> list[tuple[str, ...]]:
    """A hop a relation, each with all types of the schema that mean it; empty where one has no counterpart."""
    path: list[tuple[str, ...]] = []
    for relation in chain.relations:
        hops = _hops(relation, types)
        if not hops:
            return []
        path.extend(hops)
    return path


def _hops(relation: str, types: Sequence[str]) -> list[tuple[str, ...]]:
    for steps in ((relation,), *compositions(relation)):
        hops = [synonyms(step, types) for step in steps]
        if all(hops):
            return hops
    near = [name for name in types if len(name) > 1 and len(relation) > 1 and (name in relation or relation in name)]
    return [(min(near, key=len),)] if near else []


def quote(value: str) -> str:
    """A Cypher string literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def identifier(name: str) -> str:
    """A backticked identifier."""
    return "`" + name.replace("`", "``") + "`"


def _directed(start: str, path: Sequence[tuple[str, ...]], question: str) -> str:
    return _path(start, path, "->", question) if start and path else ""


def _undirected(start: str, path: Sequence[tuple[str, ...]]) -> str:
    return _path(start, path, "-", "") if start and path else ""


def _path(start: str, path: Sequence[tuple[str, ...]], arrow: str, question: str) -> str:
    hops = "()".join(f"-[:{'|'.join(map(identifier, names))}]{arrow}" for names in path)
    value = "count(DISTINCT x) AS count" if re.search("何人|いくつ|何個|何名", question) else "DISTINCT x.name AS name"
    return f"MATCH (n {{name: {quote(start)}}}){hops}(x) RETURN {value} LIMIT {ROWS}"


def _verb(question: str, types: Sequence[str]) -> str:
    """「Xが作ったのは何か」 → X -[作る]-> x; 「Xを作ったのは誰か」 → x -[作る]-> X; Xは誰と一緒に → X -[一緒]- x."""
    for clause in clauses(question):
        subject, thing = _known(clause, "が", "は"), _known(clause, "を", "に", "へ", "から")
        together = any(
            argument.particle.startswith("と") and len(argument.particle) > 1 for argument in clause.arguments
        )
        if together and subject and TOGETHER in types:
            return _edge(subject, TOGETHER, "-", "-")
        if clause.predicate not in types:
            continue
        if thing and (not subject or clause.link == "のは"):
            return _edge(thing, clause.predicate, "<-", "-")
        if subject:
            return _edge(subject, clause.predicate, "-", "->")
    return ""


def _known(clause: Clause, *particles: str) -> str:
    """The named argument of a clause; "" where it is asked for or missing."""
    argument = clause.get(*particles)
    return "" if argument is None or WORD.search(argument.text) else entity(argument, Reading())


def _edge(name: str, kind: str, left: str, right: str) -> str:
    parts = name.split("の")
    names = ", ".join(quote("の".join(parts[at:])) for at in range(len(parts)))
    edge = f"(n){left}[:{identifier(kind)}]{right}(x)"
    return f"MATCH {edge} WHERE n.name IN [{names}] RETURN DISTINCT x.name AS name LIMIT {ROWS}"


def _neighbours(start: str) -> str:
    return f"MATCH (n)-[r]-(x) WHERE n.name CONTAINS {quote(start)} RETURN n.name, type(r), x.name LIMIT {ROWS}"
