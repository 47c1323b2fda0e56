"""Patterns: nodes, relationships, paths, and the label expressions inside them."""

from __future__ import annotations

from typing import Literal

from rag1.cypher import expressions, lists
from rag1.cypher.cursor import Cursor
from rag1.cypher.tokens import NAME, NUMBER, PARAMETER, QUOTED
from rag1.cypher.tree import ANY, Binding, Labels, Name, Relationship, Scope, Step, all_of, any_of

_SELECTOR = ("ANY", "ALL", "SHORTEST", "PATH", "PATHS", "GROUP", "GROUPS")
_SHORTEST = ("SHORTESTPATH", "ALLSHORTESTPATHS")
_AFTER_NODE_NAME = (")", ":", "{", "WHERE", "IS")


def pattern_list(c: Cursor, scope: Scope) -> None:
    """`path (, path)*`, as after MATCH."""
    path(c, scope)
    while c.take(","):
        path(c, scope)


def path(c: Cursor, scope: Scope) -> None:
    """`[p =] [selector] path`, or a shortestPath(...) around one."""
    if c.is_name() and c.peek() == "=":
        scope.meet(c.name())
        c.i += 1
    if c.at(*_SHORTEST) and c.peek() == "(":
        shortest_path(c, scope)
        return
    if c.at("ANY", "ALL", "SHORTEST"):
        while c.at(*_SELECTOR) or c.kinds[c.i] in (NUMBER, PARAMETER):
            c.i += 1
    chain(c, scope)


def starts_path(c: Cursor) -> bool:
    """Whether a path comes next, where a clause could come too."""
    after = c.peek()
    return c.at("(", "ANY", "ALL", "SHORTEST") or (c.is_name() and after == "=") or (c.at(*_SHORTEST) and after == "(")


def shortest_path(c: Cursor, scope: Scope) -> None:
    c.mention(c.functions, c.tokens.raw(c.i).lower(), c.i)
    c.i += 1
    c.expect("(")
    chain(c, scope)
    c.expect(")")


def chain(c: Cursor, scope: Scope) -> None:
    """Nodes joined by relationships, and parenthesised paths between them. Gathers one Step a relationship
    between two nodes; a quantified path in parentheses gathers none."""
    if not c.at("("):
        c.fail("a node '('")
    left: Binding | None = None
    pending: Relationship | None = None
    first = c.i
    while c.at("("):
        row = c.i
        if _opens_group(c):
            _group(c, scope)
            left = pending = None
            continue
        right = node(c, scope)
        if left is not None and pending is not None:
            span = (c.tokens.starts[first], c.tokens.ends[c.i - 1])
            c.steps.append(Step(left, pending, right, span))
        left, pending, first = right, None, row
        if c.at("-", "<"):
            pending = relationship(c, scope)
            if not c.at("("):
                c.fail("a node '('")


def _opens_group(c: Cursor) -> bool:
    return c.peek() == "(" or (c.peek(2) == "=" and c.is_name(1))


def _group(c: Cursor, scope: Scope) -> None:
    """`([p =] path [WHERE ...])`, perhaps quantified: then its steps are dropped, for each stands for many."""
    mark = len(c.steps)
    c.i += 1
    path(c, scope)
    if c.take("WHERE"):
        expressions.expression(c, scope)
    c.expect(")")
    if _quantifier(c) is not None:
        del c.steps[mark:]


def _quantifier(c: Cursor) -> tuple[int, int | None] | None:
    """`+`, `*`, `{n}`, `{n,m}` after a relationship or a parenthesised path."""
    if c.take("+"):
        return 1, None
    if c.take("*"):
        return 0, None
    if not c.take("{"):
        return None
    low = _hops(c)
    high = low
    if c.take(","):
        high = _hops(c)
    c.expect("}")
    return low or 0, high


def _hops(c: Cursor) -> int | None:
    if c.kinds[c.i] != NUMBER:
        return None
    raw = c.tokens.raw(c.i)
    if not raw.isdigit():
        c.fail("a whole number of hops")
    c.i += 1
    return int(raw)


def node(c: Cursor, scope: Scope) -> Binding:
    """`(name :Labels {map} WHERE ...)`, every part optional."""
    c.expect("(")
    binding = _variable(c, scope)
    if c.take(":") or c.take("IS"):
        binding.said.append(label_expression(c, scope, c.labels))
    _properties(c, scope)
    c.expect(")")
    return binding


def _variable(c: Cursor, scope: Scope) -> Binding:
    kind = c.kinds[c.i]
    keyword = (c.at("WHERE") and c.peek() not in _AFTER_NODE_NAME) or (c.at("IS") and c.is_name(1))
    if kind == QUOTED or (kind == NAME and not keyword):
        return scope.meet(c.name())
    return Binding()


def _properties(c: Cursor, scope: Scope) -> None:
    if c.at("{"):
        lists.map_literal(c, scope)
    elif c.kinds[c.i] == PARAMETER:
        c.i += 1
    if c.take("WHERE"):
        expressions.expression(c, scope)


def relationship(c: Cursor, scope: Scope) -> Relationship:
    """`-[name :TYPES *low..high {map} WHERE ...]->` in any direction, or a bare arrow."""
    incoming = c.take("<")
    row = c.i
    left = c.place(row)
    c.expect("-")
    types: Labels = ANY
    hops: tuple[int, int | None] = (1, 1)
    if c.take("["):
        _variable(c, Scope(scope))
        if c.take(":") or c.take("IS"):
            types = label_expression(c, scope, c.types)
        if c.take("*"):
            hops = _range(c)
        _properties(c, scope)
        c.expect("]")
    right = c.place(c.i)
    c.expect("-")
    outgoing = c.take(">")
    quantified = _quantifier(c)
    low, high = quantified or hops
    direction: Literal["->", "<-", "--"] = "--" if incoming == outgoing else "->" if outgoing else "<-"
    return Relationship(types, direction, left, right, low, high, row)


def _range(c: Cursor) -> tuple[int, int | None]:
    low = _hops(c)
    if c.take(".."):
        return 1 if low is None else low, _hops(c)
    return (1, None) if low is None else (low, low)


def label_expression(c: Cursor, scope: Scope, sink: list[Name], bar: bool = True) -> Labels:
    """`A`, `A|B`, `A&B`, `A:B`, `!A`, `%`, `(A|B)&C`, `$(expr)`; the names go to `sink`.

    With `bar=False` (inside `[x IN xs WHERE x:A | ...]`) a `|` continues the labels only where another bar follows.
    """
    parts = [_conjunction(c, scope, sink)]
    while c.at("|") and (bar or c.peek(2) == "|"):
        c.i += 1
        c.take(":")
        parts.append(_conjunction(c, scope, sink))
    return any_of(parts)


def _conjunction(c: Cursor, scope: Scope, sink: list[Name]) -> Labels:
    parts = [_negation(c, scope, sink)]
    while c.at("&", ":"):
        c.i += 1
        parts.append(_negation(c, scope, sink))
    return all_of(parts)


def _negation(c: Cursor, scope: Scope, sink: list[Name]) -> Labels:
    inverted = False
    while c.take("!"):
        inverted = not inverted
    labels = _label(c, scope, sink)
    return labels.inverse() if inverted else labels


def _label(c: Cursor, scope: Scope, sink: list[Name]) -> Labels:
    if c.take("%"):
        return ANY
    if c.take("("):
        labels = label_expression(c, scope, sink)
        c.expect(")")
        return labels
    if c.at("$"):
        _dynamic(c, scope)
        return ANY
    name = c.name("a label or type")
    c.mention(sink, name, c.i - 1)
    return Labels(frozenset((name,)), excluded=False)


def _dynamic(c: Cursor, scope: Scope) -> None:
    """`$(expr)`, `$any(expr)`, `$all(expr)` (Neo4j 5.26): known only when it runs."""
    c.i += 1
    c.expect("(")
    expressions.expression(c, scope)
    c.expect(")")


def starts_pattern(c: Cursor, row: int) -> bool:
    """Whether the `(` in `row` of an expression opens a path, not a sum in parentheses: a node, then an arrow."""
    words, close = c.words, c.pairs[row]
    if close < 0 or not _node_shaped(c, row):
        return False
    after = words[close + 1 : close + 5]
    if after[:1] == ["<"]:
        after, close = after[1:], close + 1
    if after[:2] == ["-", "["]:
        end = c.pairs[close + 2]
        return words[end + 1] == "-"
    return after[:2] == ["-", "-"] and after[2:3] in (["("], [">"])


def _node_shaped(c: Cursor, row: int) -> bool:
    if c.words[row + 1] in (")", ":", "{"):
        return True
    return c.kinds[row + 1] in (NAME, QUOTED) and c.words[row + 2] in _AFTER_NODE_NAME
