"""Expressions, as far as reading needs them: every function, subquery and pattern inside is found; precedence is not
kept, for nothing here evaluates."""

from __future__ import annotations

from rag1.cypher import lists, parse, patterns
from rag1.cypher.cursor import Cursor
from rag1.cypher.tokens import MAX_NESTING, NAME, NUMBER, PARAMETER, QUOTED, STRING
from rag1.cypher.tree import Labels, Scope

Tests = list[tuple[str, Labels]]
"""`variable:Labels` tests that an expression makes, all of which must hold."""

_WORDS = {"OR", "XOR", "AND", "IN", "CONTAINS"}
_SIGNS = {"=", "<>", "!=", "<", "<=", ">", ">=", "=~", "+", "-", "*", "/", "%", "^", "||"}
BINARY = _WORDS | _SIGNS
_PREFIX = ("NOT", "-", "+")
_SUBQUERY = ("EXISTS", "COUNT", "COLLECT")
_QUANTIFIER = ("ALL", "ANY", "NONE", "SINGLE")
_TRIM = ("BOTH", "LEADING", "TRAILING")


def expression(c: Cursor, scope: Scope, bar: bool = True) -> Tests:
    """Read one expression. Gives the label tests that must hold where it is true (joined by AND alone)."""
    tests: Tests = []
    certain = True
    while True:
        while c.words[c.i] in _PREFIX:
            certain = False
            c.i += 1
        _operand(c, scope, bar, tests)
        word = c.words[c.i]
        while word in ("IS", "::"):
            certain = False
            _predicate(c, scope, bar)
            word = c.words[c.i]
        if word in BINARY:
            c.i += 1
        elif word in ("STARTS", "ENDS") and c.peek() == "WITH":
            c.i += 2
        else:
            return tests if certain else []
        certain = certain and word == "AND"


def expressions(c: Cursor, scope: Scope) -> None:
    """`expression (, expression)*`."""
    expression(c, scope)
    while c.take(","):
        expression(c, scope)


def _predicate(c: Cursor, scope: Scope, bar: bool) -> None:
    """What follows an operand: IS [NOT] NULL, a type, a normal form, or labels."""
    if c.take("::"):
        _type(c)
        return
    c.i += 1
    c.take("NOT")
    if c.take("NULL"):
        return
    if c.take("::") or c.take("TYPED"):
        _type(c)
    elif c.at("NFC", "NFD", "NFKC", "NFKD", "NORMALIZED"):
        c.i += 1
        c.take("NORMALIZED")
    else:
        patterns.label_expression(c, scope, c.labels, bar)


def _type(c: Cursor) -> None:
    """`INTEGER`, `LIST<STRING NOT NULL>`, `ZONED DATETIME | DATE` …"""
    depth = 0
    c.name("a type")
    while True:
        if c.take("<"):
            depth += 1
        elif depth and c.take(">"):
            depth -= 1
        elif c.at("NOT") and c.peek() == "NULL":
            c.i += 2
        elif c.at("|") or c.at("ZONED", "LOCAL", "DATETIME", "TIME", "WITH", "WITHOUT", "TIMEZONE", "VALUE"):
            c.i += 1
        elif depth or c.words[c.i - 1] == "|":
            c.name("a type")
        else:
            return


def _operand(c: Cursor, scope: Scope, bar: bool, tests: Tests) -> None:
    first = c.i
    _primary(c, scope)
    named = c.i == first + 1 and c.kinds[first] in (NAME, QUOTED)
    while True:
        word = c.words[c.i]
        if word == ".":
            c.i += 1
            c.name("a property")
        elif word == "[":
            _subscript(c, scope)
        elif word == ":":
            c.i += 1
            labels = patterns.label_expression(c, scope, c.labels, bar)
            if named and c.words[first + 1] == ":":
                tests.append((c.tokens.value(first), labels))
        else:
            return


def _subscript(c: Cursor, scope: Scope) -> None:
    c.i += 1
    if not c.at(".."):
        expression(c, scope)
    if c.take("..") and not c.at("]"):
        expression(c, scope)
    c.expect("]")


def _primary(c: Cursor, scope: Scope) -> None:
    kind = c.kinds[c.i]
    word = c.words[c.i]
    if kind in (STRING, NUMBER, PARAMETER):
        c.i += 1
    elif kind == NAME and _special(c, scope, word):
        pass
    elif kind in (NAME, QUOTED):
        _name(c, scope)
    elif word == "(":
        _parenthesis(c, scope)
    elif word == "[":
        lists.list_literal(c, scope)
    elif word == "{":
        lists.map_literal(c, scope)
    else:
        c.fail("an expression")


def _special(c: Cursor, scope: Scope, word: str) -> bool:
    """The forms that begin with a word of the language; False where the word is an ordinary name."""
    after = c.peek()
    if word == "CASE" and after not in (".", ",", ")", ""):
        _case(c, scope)
    elif after == "{" and word in _SUBQUERY:
        _subquery(c, scope)
    elif after != "(":
        return False
    elif word in _QUANTIFIER and c.is_name(2) and c.peek(3) == "IN":
        c.i += 2
        lists.quantified(c, scope)
    elif word == "REDUCE" and c.peek(3) == "=":
        lists.reduce(c, scope)
    elif word in ("SHORTESTPATH", "ALLSHORTESTPATHS"):
        patterns.shortest_path(c, Scope(scope))
    else:
        return False
    return True


def _case(c: Cursor, scope: Scope) -> None:
    c.cases += 1
    if c.cases > MAX_NESTING:
        c.fail(f"CASE to nest no deeper than {MAX_NESTING}")
    c.i += 1
    if not c.at("WHEN"):
        expression(c, scope)
    if not c.at("WHEN"):
        c.fail("WHEN")
    while c.take("WHEN"):
        if c.words[c.i] in BINARY:
            c.i += 1
        expressions(c, scope)
        c.expect("THEN")
        expression(c, scope)
    if c.take("ELSE"):
        expression(c, scope)
    c.expect("END")
    c.cases -= 1


def _subquery(c: Cursor, scope: Scope) -> None:
    """`EXISTS { pattern WHERE ... }` or `{ clauses }`; outer variables stay in sight all through."""
    c.i += 2
    inner = Scope(scope, scope)
    if patterns.starts_path(c):
        patterns.pattern_list(c, inner)
        if c.take("WHERE"):
            expression(c, inner)
    else:
        parse.query(c, lambda: Scope(scope, scope))
    c.expect("}")


def _name(c: Cursor, scope: Scope) -> None:
    """A variable, perhaps with a map projection, or the call of a function."""
    last = c.i
    while c.words[last + 1] == "." and c.kinds[last + 2] in (NAME, QUOTED):
        last += 2
    if c.words[last + 1] == "(":
        _call(c, scope, last)
        return
    c.i += 1
    if c.at("{"):
        lists.projection(c, scope)


def _call(c: Cursor, scope: Scope, last: int) -> None:
    first = c.i
    name = ".".join(c.tokens.value(row) for row in range(first, last + 1, 2))
    c.mention(c.functions, name, first, last)
    c.i = last + 2
    if c.at("*") and c.peek() == ")":
        c.i += 1
    elif name.lower() == "trim":
        _trimmed(c, scope)
    elif not c.at(")"):
        if _says_distinct(c):
            c.i += 1
        expressions(c, scope)
    c.expect(")")


def _says_distinct(c: Cursor) -> bool:
    after = c.peek()
    return (c.at("DISTINCT") and after not in (")", ",", ".")) or (c.at("ALL") and after not in (")", ",", ".", "("))


def _trimmed(c: Cursor, scope: Scope) -> None:
    """`trim([BOTH] [characters] [FROM] text)`."""
    if c.at(*_TRIM) and c.peek() not in (")", ".", ","):
        c.i += 1
    if not c.at("FROM") or c.peek() in (")", ".", ","):
        expressions(c, scope)
    if c.take("FROM"):
        expression(c, scope)


def _parenthesis(c: Cursor, scope: Scope) -> None:
    if patterns.starts_pattern(c, c.i):
        patterns.chain(c, Scope(scope))
        return
    c.i += 1
    expression(c, scope)
    c.expect(")")
