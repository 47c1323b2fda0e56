"""CALL: subqueries with what they may see and return, and procedures."""

from __future__ import annotations

from collections.abc import Callable

from rag1.cypher import expressions, parse
from rag1.cypher.cursor import Cursor
from rag1.cypher.tokens import NUMBER, PARAMETER
from rag1.cypher.tree import Binding, Scope

_BATCHING = (
    *("IN", "CONCURRENT", "TRANSACTIONS", "OF", "ROWS", "ROW"),
    *("ON", "ERROR", "CONTINUE", "BREAK", "FAIL", "REPORT", "STATUS"),
)


def call(c: Cursor, scope: Scope) -> Scope:
    if not c.at("{", "("):
        _procedure(c, scope)
        return scope
    begin = _imports(c, scope)
    c.expect("{")
    exports: parse.Exports = {}
    parse.query(c, begin, exports)
    c.expect("}")
    scope.names.update(exports)
    _transactions(c)
    return scope


def _imports(c: Cursor, scope: Scope) -> Callable[[], Scope]:
    """What a subquery may see: the variables of `CALL (a, b) {`, or those of its first WITH."""
    if c.at("{"):
        imports = c.peek() == "WITH"
        return lambda: Scope(scope if imports else None)
    c.expect("(")
    if c.take("*"):
        c.expect(")")
        return lambda: Scope(scope, scope)
    names = [] if c.at(")") else parse.names(c)
    c.expect(")")
    given = Scope()
    given.names.update({name: Binding(scope.find(name)) for name in names})
    return lambda: Scope(given, given)


def _transactions(c: Cursor) -> None:
    """`IN [n CONCURRENT] TRANSACTIONS [OF n ROWS] [ON ERROR ...] [REPORT STATUS AS s]`."""
    if not c.at("IN"):
        return
    c.mention(c.clauses, "IN TRANSACTIONS", c.i)
    while c.at(*_BATCHING) or c.kinds[c.i] in (NUMBER, PARAMETER):
        c.i += 1
    if c.take("AS"):
        c.name("a variable")


def _procedure(c: Cursor, scope: Scope) -> None:
    first = c.i
    parts = [c.name("a procedure")]
    while c.take("."):
        parts.append(c.name("a procedure"))
    c.mention(c.procedures, ".".join(parts), first, c.i - 1)
    if c.take("("):
        if not c.at(")"):
            expressions.expressions(c, scope)
        c.expect(")")
    if c.take("YIELD") and not c.take("*"):
        _yields(c, scope)
    parse.where(c, scope)


def _yields(c: Cursor, scope: Scope) -> None:
    while True:
        name = c.name("a column")
        if c.take("AS"):
            name = c.name("a variable")
        scope.names[name] = Binding()
        if not c.take(","):
            return
