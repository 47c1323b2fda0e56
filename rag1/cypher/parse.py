"""Statements: clauses, projections and subqueries of Neo4j 5 and FalkorDB.

The parser knows the writing clauses too, so that a caller can say what it found; whether a statement may run is
for `guard` to decide. Anything that is not in the grammar raises CypherSyntax with its position.
"""

from __future__ import annotations

from collections.abc import Callable

from rag1.cypher import calls, expressions, patterns, writes
from rag1.cypher.cursor import Cursor
from rag1.cypher.tokens import END, NAME, tokenize
from rag1.cypher.tree import Binding, Name, Parsed, Scope

Clause = Callable[[Cursor, Scope], Scope]
Exports = dict[str, Binding]

_ENDS = ("", "}", ")", ";", "UNION")


def parse(text: str) -> Parsed:
    """Read one statement. Raises CypherSyntax with the position of what cannot be read."""
    c = Cursor(tokenize(text))
    while c.at("EXPLAIN", "PROFILE"):
        c.mention(c.clauses, c.words[c.i], c.i)
        c.i += 1
    limited = query(c, Scope)
    c.take(";")
    if c.kinds[c.i] != END:
        c.fail("the end of the statement")
    return c.parsed(limited)


def relationship_types(text: str) -> tuple[Name, ...]:
    """Every mention of a relationship type with its span, in the order of the text."""
    return parse(text).types


def labels(text: str) -> tuple[Name, ...]:
    """Every mention of a node label with its span, in the order of the text."""
    return parse(text).labels


def has_limit(text: str) -> bool:
    """Whether the rows of the whole statement are limited: every branch of a UNION ends in a LIMIT."""
    return parse(text).limited


def query(c: Cursor, begin: Callable[[], Scope], exports: Exports | None = None) -> bool:
    """Branches joined by UNION, each in a scope of its own from `begin`. What they return goes to `exports`.
    True where each branch limits its rows."""
    limited = _branch(c, begin(), exports)
    while c.at("UNION"):
        c.mention(c.clauses, "UNION", c.i)
        c.i += 1
        _ = c.take("ALL") or c.take("DISTINCT")
        other: Exports = {}
        limited = _branch(c, begin(), other) and limited
        if exports is not None:
            exports.update({name: Binding() for name in other})
    return limited


def _branch(c: Cursor, scope: Scope, exports: Exports | None) -> bool:
    if c.words[c.i] in _ENDS:
        c.fail("a clause")
    c.limited = False
    last = ""
    while c.words[c.i] not in _ENDS:
        last = c.words[c.i]
        scope = _clause(c, scope)
    if exports is not None and last == "RETURN":
        exports.update(scope.names)
    return c.limited


def _clause(c: Cursor, scope: Scope) -> Scope:
    word = c.words[c.i]
    read = _READS.get(word) or writes.WRITES.get(word)
    if read is None or c.kinds[c.i] != NAME:
        c.fail("a clause")
    c.mention(c.clauses, word, c.i)
    c.i += 1
    return read(c, scope)


def _match(c: Cursor, scope: Scope) -> Scope:
    if c.at("MODE"):
        c.i += 1
    while c.at("DIFFERENT", "REPEATABLE", "RELATIONSHIP", "RELATIONSHIPS", "ELEMENT", "ELEMENTS"):
        c.i += 1
    patterns.pattern_list(c, scope)
    while c.take("USING"):
        _hint(c)
    where(c, scope)
    return scope


def _hint(c: Cursor) -> None:
    """`USING INDEX n:Label(property)`, `USING SCAN n:Label`, `USING JOIN ON n`."""
    if c.take("JOIN"):
        c.expect("ON")
        names(c)
        return
    while c.at("TEXT", "RANGE", "POINT", "INDEX", "SCAN", "SEEK"):
        c.i += 1
    c.name("a variable")
    c.expect(":")
    c.name("a label")
    if c.take("("):
        names(c)
        c.expect(")")


def names(c: Cursor) -> list[str]:
    names = [c.name()]
    while c.take(","):
        names.append(c.name())
    return names


def where(c: Cursor, scope: Scope) -> None:
    """`WHERE ...`: a label that every row must pass is as good as one in the pattern."""
    if c.take("WHERE"):
        for name, tested in expressions.expression(c, scope):
            scope.meet(name).said.append(tested)


def _optional(c: Cursor, scope: Scope) -> Scope:
    """What an optional clause says of a variable that was there before holds only inside it."""
    inner = Scope(scope, scope.base)
    if c.take("CALL"):
        calls.call(c, inner)
    else:
        c.expect("MATCH")
        _match(c, inner)
    for name, binding in inner.names.items():
        if scope.find(name) is None:
            scope.names[name] = binding
    return scope


def _unwind(c: Cursor, scope: Scope) -> Scope:
    expressions.expression(c, scope)
    c.expect("AS")
    scope.names[c.name("a variable")] = Binding()
    return scope


def _with(c: Cursor, scope: Scope) -> Scope:
    kept = _projection(c, scope)
    sight = Scope(scope)
    sight.names = kept.names
    where(c, sight)
    return kept


def _return(c: Cursor, scope: Scope) -> Scope:
    c.limited = False
    return _projection(c, scope)


def _projection(c: Cursor, scope: Scope) -> Scope:
    """`[DISTINCT] items [ORDER BY] [SKIP] [LIMIT]`: the scope in which only the items are left."""
    kept = Scope(scope.base, scope.base)
    _ = c.take("DISTINCT") or (c.at("ALL") and c.peek() != "(" and c.take("ALL"))
    if c.take("*"):
        kept.names.update(scope.visible())
    else:
        _item(c, scope, kept)
    while c.take(","):
        _item(c, scope, kept)
    sight = Scope(scope)
    sight.names = dict(kept.names)
    _rows(c, sight)
    return kept


def _item(c: Cursor, scope: Scope, kept: Scope) -> None:
    first = c.i
    plain = c.is_name()
    expressions.expression(c, scope)
    plain = plain and c.i == first + 1
    name = c.tokens.value(first)
    binding = (scope.find(name) or Binding()) if plain else Binding()
    if c.take("AS"):
        name = c.name("an alias")
    elif not plain:
        return
    kept.names[name] = binding


def _rows(c: Cursor, scope: Scope) -> None:
    """`ORDER BY ... SKIP ... LIMIT ...`, each optional."""
    if c.take("ORDER"):
        c.expect("BY")
        _order(c, scope)
    c.limited = False
    while c.at("SKIP", "OFFSET", "LIMIT"):
        c.limited = c.at("LIMIT") or c.limited
        limited = c.limited
        c.i += 1
        expressions.expression(c, scope)
        c.limited = limited


def _order(c: Cursor, scope: Scope) -> None:
    expressions.expression(c, scope)
    while True:
        if c.at("ASC", "ASCENDING", "DESC", "DESCENDING"):
            c.i += 1
        if not c.take(","):
            return
        expressions.expression(c, scope)


def _rows_alone(c: Cursor, scope: Scope) -> Scope:
    """ORDER BY, SKIP or LIMIT as a clause of its own (Neo4j 5.24)."""
    c.i -= 1
    _rows(c, scope)
    return scope


def _call(c: Cursor, scope: Scope) -> Scope:
    return calls.call(c, scope)


def _finish(_: Cursor, scope: Scope) -> Scope:
    return scope


def _use(c: Cursor, scope: Scope) -> Scope:
    expressions.expression(c, scope)
    return scope


_READS: dict[str, Clause] = {
    "MATCH": _match,
    "OPTIONAL": _optional,
    "WITH": _with,
    "RETURN": _return,
    "UNWIND": _unwind,
    "CALL": _call,
    "ORDER": _rows_alone,
    "SKIP": _rows_alone,
    "OFFSET": _rows_alone,
    "LIMIT": _rows_alone,
    "FINISH": _finish,
    "USE": _use,
}
