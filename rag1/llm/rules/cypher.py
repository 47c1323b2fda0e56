"""Questions to Cypher: a chain of の becomes a path over the schema's relation types."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag1.llm.rules.chains import Chain, read_chain
from rag1.llm.rules.kinship import compose_relation
from rag1.llm.rules.names import names_in
from rag1.llm.rules.words import words
from rag1.llm.tasks import ComposeRelation, CypherReply, WriteCypher

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


def chain_path(chain: Chain, types: Sequence[str]) -> list[str]:
    """The chain's relations as types of the schema; empty where one has no counterpart."""
    path: list[str] = []
    for relation in chain.relations:
        step = _type_of(relation, types)
        if not step:
            return []
        path.extend(step)
    return path


def _type_of(relation: str, types: Sequence[str]) -> tuple[str, ...]:
    composed = compose_relation(ComposeRelation(relation=relation, known=tuple(types))).path
    if composed:
        return composed
    near = [name for name in types if len(name) > 1 and len(relation) > 1 and (name in relation or relation in name)]
    return (min(near, key=len),) if near else ()


def quote(value: str) -> str:
    """A Cypher string literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def identifier(name: str) -> str:
    """A backticked identifier."""
    return "`" + name.replace("`", "``") + "`"


def _directed(start: str, path: Sequence[str], question: str) -> str:
    return _path(start, path, "->", question) if start and path else ""


def _undirected(start: str, path: Sequence[str]) -> str:
    return _path(start, path, "-", "") if start and path else ""


def _path(start: str, path: Sequence[str], arrow: str, question: str) -> str:
    hops = "()".join(f"-[:{identifier(name)}]{arrow}" for name in path)
    value = "count(DISTINCT x) AS count" if re.search("何人|いくつ|何個|何名", question) else "DISTINCT x.name AS name"
    return f"MATCH (n {{name: {quote(start)}}}){hops}(x) RETURN {value} LIMIT {ROWS}"


def _verb(question: str, types: Sequence[str]) -> str:
    """「Xが作ったのは何か」 → X -[作る]-> x; 「Xを作ったのは誰か」 → x -[作る]-> X."""
    found = words(question)
    verb = next((word for word in found if word.pos[0] == "動詞" and {word.lemma, word.norm} & set(types)), None)
    name = next(iter(names_in(question)), "")
    if verb is None or not name:
        return ""
    kind = verb.lemma if verb.lemma in types else verb.norm
    after = question[question.find(name) + len(name) :].lstrip("」』")
    known, edge = f"(n {{name: {quote(name)}}})", f"-[:{identifier(kind)}]->"
    pattern = f"(x){edge}{known}" if after.startswith(("を", "に")) else f"{known}{edge}(x)"
    return f"MATCH {pattern} RETURN DISTINCT x.name AS name LIMIT {ROWS}"


def _neighbours(start: str) -> str:
    return f"MATCH (n)-[r]-(x) WHERE n.name CONTAINS {quote(start)} RETURN n.name, type(r), x.name LIMIT {ROWS}"
