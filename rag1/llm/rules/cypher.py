"""Questions to Cypher: a chain of の becomes a path over the schema's relation types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag1.llm.rules.chains import Chain, read_chain
from rag1.llm.rules.clauses import Clause, clauses
from rag1.llm.rules.kin_cypher import identifier, kin_statements, quote, sure_kin
from rag1.llm.rules.kinship import compositions, synonyms
from rag1.llm.rules.mentions import fit
from rag1.llm.rules.names import names_in
from rag1.llm.rules.question import WORD
from rag1.llm.rules.relations import TOGETHER, Reading, entity
from rag1.llm.tasks import CypherReply, WriteCypher

ROWS = 50
_BRACKETED = re.compile(r"\[\s*\w*\s*:\s*`?([^\]`|{]+?)`?\s*(?:\{[^}]*\})?\s*\]")
_NAME = re.compile(r"^Name: (?P<name>.+?)(?: \(in the question: (?P<asked>.+)\))?$", re.MULTILINE)
_PATH = re.compile(r"^Path: \(\{name: (?P<name>.+?)\}\)(?P<hops>.+)$", re.MULTILINE)
_HOP = re.compile(r"(<?)-\[:(`[^`]+`|\w+)\]-")
LEAST_FIT = 0.45
"""Fit of a path (see `mentions.fit`) from which it is worth a try."""
_IDENTIFIER = re.compile(r"`([^`]+)`|([^\s,、:：()\[\]{}<>\-|`'\"]+)")


def write_cypher(task: WriteCypher) -> CypherReply:
    """The next statement after `previous`: chains of の, the schema's fittest paths, verbs, then any neighbour."""
    tries = list(dict.fromkeys(query for query in _tries(task) if query))
    at = tries.index(task.previous) + 1 if task.previous in tries else 0
    return CypherReply(cypher=tries[min(at, len(tries) - 1)])


def _tries(task: WriteCypher) -> list[str]:
    """A chain goes first where the schema has its relations and names its start; else after what fits well."""
    chain = read_chain(task.question)
    types = relation_types(task.schema_text)
    names = linked_names(task.schema_text)
    asked = chain.start if chain else next(iter(names_in(task.question)), "")
    start = names.get(asked, asked)
    path = chain_path(chain, types) if chain and chain.asks_last else []
    known = not names or asked in names or asked in names.values()
    whole = known and bool(path) and all(set(hop) <= set(types) for hop in path)
    fitting = [_along(found) for found in fitting_paths(task.question, task.schema_text)]
    chained = [_path(start, path, "->", task.question)] if start and path else []
    verb = _verb(task.question, types)
    kin = kin_statements(task.question, types, names)
    ahead = [*chained, verb, *fitting] if whole else [*fitting, verb, *chained]
    if kin and sure_kin(task.question, types, names):
        return kin
    ahead = [*ahead, *kin]
    return [*ahead, _path(start, path, "-", "") if start and path else "", _neighbours(start)]


@dataclass(frozen=True, slots=True)
class SchemaPath:
    """A path of types that leads away from a name: (type, forward) a hop."""

    name: str
    asked: str
    hops: tuple[tuple[str, bool], ...]


def linked_names(schema: str) -> dict[str, str]:
    """Names as the question writes them → the graph's own, the surest where several share one."""
    found = [(match["asked"] or match["name"], match["name"]) for match in _NAME.finditer(schema)]
    return dict(reversed(found))


def fitting_paths(question: str, schema: str, most: int = 3) -> list[SchemaPath]:
    """The schema's paths that fit the question, best first; of equals the shorter one."""
    asked = {name: as_asked for as_asked, name in linked_names(schema).items()}
    scored = []
    for at, line in enumerate(_PATH.finditer(schema)):
        hops = tuple((kind.strip("`"), not left) for left, kind in _HOP.findall(line["hops"]))
        found = SchemaPath(line["name"], asked.get(line["name"], line["name"]), hops)
        score = fit([kind for kind, _ in hops], question, found.asked) * 0.8 ** sum(not on for _, on in hops)
        if score >= LEAST_FIT:
            scored.append((-score, len(hops), at, found))
    return [found for *_, found in sorted(scored, key=lambda entry: entry[:3])[:most]]


def _along(path: SchemaPath) -> str:
    hops = "()".join(f"-[:{identifier(kind)}]->" if on else f"<-[:{identifier(kind)}]-" for kind, on in path.hops)
    return f"MATCH (n:Entity){hops}(x) WHERE {_named(path.name)} RETURN DISTINCT x.name AS name LIMIT {ROWS}"


def _named(name: str) -> str:
    return f"n.name = {quote(name)} OR {quote(name)} IN n.aliases"


def relation_types(schema: str) -> tuple[str, ...]:
    """Relation types of a schema's text: those in `[:TYPE]`; where there are none, every word of it."""
    found = _BRACKETED.findall(schema) or ["".join(pair) for pair in _IDENTIFIER.findall(schema)]
    return tuple(dict.fromkeys(name.strip() for name in found if name.strip()))


def chain_path(chain: Chain, types: Sequence[str]) -> list[tuple[str, ...]]:
    """A hop a relation, each with all types of the schema that mean it; a relation that the schema lacks as it is."""
    return [hop for relation in chain.relations for hop in _hops(relation, types)]


def _hops(relation: str, types: Sequence[str]) -> list[tuple[str, ...]]:
    for steps in ((relation,), *compositions(relation)):
        hops = [synonyms(step, types) for step in steps]
        if all(hops):
            return hops
    near = [name for name in types if len(name) > 1 and len(relation) > 1 and (name in relation or relation in name)]
    return [(min(near, key=len),)] if near else [(relation,)]


def _path(start: str, path: Sequence[tuple[str, ...]], arrow: str, question: str) -> str:
    hops = "()".join(f"-[:{'|'.join(map(identifier, names))}]{arrow}" for names in path)
    value = "count(DISTINCT x) AS count" if re.search("何人|いくつ|何個|何名", question) else "DISTINCT x.name AS name"
    return f"MATCH (n:Entity){hops}(x) WHERE {_named(start)} RETURN {value} LIMIT {ROWS}"


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
    edge = f"(n:Entity){left}[:{identifier(kind)}]{right}(x)"
    return f"MATCH {edge} WHERE n.name IN [{names}] RETURN DISTINCT x.name AS name LIMIT {ROWS}"


def _neighbours(start: str) -> str:
    """Every fact about whatever holds the name, in its true direction; looked up from the name, not relation by
    relation: an untyped pattern between any two nodes is the dearest there is."""
    return (
        f"MATCH (n:Entity)-[r]-(x:Entity) WHERE n.name CONTAINS {quote(start)} "
        f"RETURN DISTINCT startNode(r).name, type(r), endNode(r).name LIMIT {ROWS}"
    )
