"""Lists, maps and what runs over them: comprehensions, map projections, all(...), reduce(...)."""

from __future__ import annotations

from rag1.cypher import expressions, patterns
from rag1.cypher.cursor import Cursor
from rag1.cypher.tree import Binding, Scope


def quantified(c: Cursor, scope: Scope) -> None:
    """`x IN list WHERE test)`, after `all(`, `any(`, `none(` or `single(`."""
    inner = _each(c, scope)
    if c.take("WHERE"):
        expressions.expression(c, inner)
    c.expect(")")


def _each(c: Cursor, scope: Scope) -> Scope:
    """`x IN list`: a scope in which x is new."""
    name = c.name("a variable")
    c.expect("IN")
    expressions.expression(c, scope)
    inner = Scope(scope)
    inner.names[name] = Binding()
    return inner


def reduce(c: Cursor, scope: Scope) -> None:
    """`reduce(total = start, x IN list | expression)`."""
    c.i += 2
    total = c.name("a variable")
    c.expect("=")
    expressions.expression(c, scope)
    c.expect(",")
    inner = _each(c, scope)
    inner.names[total] = Binding()
    c.expect("|")
    expressions.expression(c, inner)
    c.expect(")")


def projection(c: Cursor, scope: Scope) -> None:
    """`{.name, .*, other, key: expression}` after a variable."""
    c.expect("{")
    while not c.at("}"):
        if c.take("."):
            if not c.take("*"):
                c.name("a property")
        else:
            c.name("a key")
            if c.take(":"):
                expressions.expression(c, scope)
        if not c.take(","):
            break
    c.expect("}")


def map_literal(c: Cursor, scope: Scope) -> None:
    """`{key: expression, ...}`."""
    c.expect("{")
    while not c.at("}"):
        c.name("a key")
        c.expect(":")
        expressions.expression(c, scope)
        if not c.take(","):
            break
    c.expect("}")


def list_literal(c: Cursor, scope: Scope) -> None:
    """A list, a list comprehension, or a pattern comprehension."""
    c.i += 1
    if c.take("]"):
        return
    inner = Scope(scope)
    if c.is_name() and c.peek() == "IN":
        inner = _each(c, scope)
        if not c.at("WHERE", "|", "]"):
            # `[x IN xs AND y]`: after all a list, whose first member began with IN
            _rest_of_member(c, scope)
    elif (row := _path_row(c)) >= 0:
        if row > c.i:
            inner.names[c.name()] = Binding()
            c.i += 1
        patterns.chain(c, inner)
        if not c.at("WHERE", "|", "]"):
            _rest_of_member(c, scope)
    else:
        expressions.expression(c, scope)
    if c.take("WHERE"):
        expressions.expression(c, inner, bar=False)
    if c.take("|"):
        expressions.expression(c, inner)
    while c.take(","):
        expressions.expression(c, scope)
    c.expect("]")


def _rest_of_member(c: Cursor, scope: Scope) -> None:
    if c.words[c.i] in expressions.BINARY:
        c.i += 1
        expressions.expression(c, scope)


def _path_row(c: Cursor) -> int:
    """The row where a pattern comprehension's path begins, or -1."""
    row = c.i + 2 if c.is_name() and c.peek() == "=" else c.i
    return row if c.words[row] == "(" and patterns.starts_pattern(c, row) else -1
