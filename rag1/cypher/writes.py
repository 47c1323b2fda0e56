"""The writing clauses, read so that they can be named and refused, and so that their patterns can be checked."""

from __future__ import annotations

from rag1.cypher import expressions, parse, patterns
from rag1.cypher.cursor import Cursor
from rag1.cypher.tree import Binding, Scope


def _create(c: Cursor, scope: Scope) -> Scope:
    patterns.pattern_list(c, scope)
    return scope


def _merge(c: Cursor, scope: Scope) -> Scope:
    patterns.path(c, scope)
    while c.take("ON"):
        if not (c.take("CREATE") or c.take("MATCH")):
            c.fail("CREATE or MATCH")
        c.expect("SET")
        _set(c, scope)
    return scope


def _set(c: Cursor, scope: Scope) -> Scope:
    while True:
        expressions.expression(c, scope)
        if c.take("+="):
            expressions.expression(c, scope)
        if not c.take(","):
            return scope


def _listed(c: Cursor, scope: Scope) -> Scope:
    expressions.expressions(c, scope)
    return scope


def _detach(c: Cursor, scope: Scope) -> Scope:
    c.expect("DELETE")
    return _listed(c, scope)


def _foreach(c: Cursor, scope: Scope) -> Scope:
    c.expect("(")
    inner = Scope(scope)
    inner.names[c.name("a variable")] = Binding()
    c.expect("IN")
    expressions.expression(c, scope)
    c.expect("|")
    parse.query(c, lambda: inner)
    c.expect(")")
    return scope


def _load(c: Cursor, scope: Scope) -> Scope:
    c.expect("CSV")
    if c.take("WITH"):
        c.expect("HEADERS")
    c.expect("FROM")
    expressions.expression(c, scope)
    c.expect("AS")
    scope.names[c.name("a variable")] = Binding()
    if c.take("FIELDTERMINATOR"):
        expressions.expression(c, scope)
    return scope


WRITES: dict[str, parse.Clause] = {
    "CREATE": _create,
    "MERGE": _merge,
    "SET": _set,
    "REMOVE": _listed,
    "DELETE": _listed,
    "DETACH": _detach,
    "NODETACH": _detach,
    "FOREACH": _foreach,
    "LOAD": _load,
}
