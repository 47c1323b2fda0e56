"""Changes to a statement that touch only the characters they mean to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rag1.cypher.parse import parse
from rag1.cypher.tokens import NAME, Tokens, tokenize
from rag1.cypher.tree import Name, Step

Edit = tuple[int, int, str]
"""Replace the characters from start to end by the text."""

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class Change:
    """One place that was changed: `span` and `before` in the statement as given, `after` as it stands now."""

    span: tuple[int, int]
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    query: str
    changes: tuple[Change, ...] = ()


def quote(name: str) -> str:
    """A label, type or property as Cypher writes it; in backticks unless it is a plain ASCII name."""
    return name if _BARE.match(name) else "`" + name.replace("`", "``") + "`"


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """`text` with edits that do not overlap."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(edits):
        parts += (text[at:start], new)
        at = end
    return "".join([*parts, text[at:]])


def replace_types(query: str, alternatives: Mapping[str, Sequence[str]]) -> Rewritten:
    """Each mention of a relationship type in `alternatives` becomes those names: `:葬地` → `` :`葬地`|`墓所` ``.

    A type without an entry, or whose entry is only itself, stays as it is. Raises CypherSyntax for a statement that
    cannot be read.
    """
    parsed = parse(query)
    edits = [
        (mention.start, mention.end, _alternation(parsed.tokens, mention, alternatives[mention.text]))
        for mention in parsed.types
        if mention.text in alternatives and list(alternatives[mention.text]) != [mention.text]
    ]
    return _rewritten(query, edits)


def _alternation(tokens: Tokens, mention: Name, names: Sequence[str]) -> str:
    if not names:
        raise ValueError(f"no alternatives for the type {mention.text!r}")
    joined = "|".join(quote(name) for name in names)
    bound = tokens.words[mention.row - 1] in ("!", "&") or tokens.words[mention.row + 1] == "&"
    return f"({joined})" if bound and len(names) > 1 else joined


def quote_names(query: str) -> Rewritten:
    """Put every unquoted name that is not ASCII into backticks: FalkorDB reads `` (:`寺院`) `` but not `(:寺院)`,
    Neo4j reads both. Raises CypherSyntax for a statement whose tokens cannot be read."""
    tokens = tokenize(query)
    rows = [row for row, kind in enumerate(tokens.kinds) if kind == NAME and not tokens.raw(row).isascii()]
    return _rewritten(query, [(*_place(tokens, row), quote(tokens.raw(row))) for row in rows])


def _place(tokens: Tokens, row: int) -> tuple[int, int]:
    return tokens.starts[row], tokens.ends[row]


def expand_type(query: str, name: str, path: Sequence[str]) -> Rewritten:
    """Each `-[:name]->` becomes the path of types that it stands for: 祖父 as 父, 父 gives
    `` -[:`父`]->()-[:`父`]-> ``.

    Only a directed relationship that holds nothing but this one type is expanded: a variable, properties or a length
    would have to mean something on the path. Raises CypherSyntax for a statement that cannot be read.
    """
    parsed = parse(query)
    steps = [step for step in parsed.steps if _holds_only(parsed.tokens, step, name)]
    return _rewritten(query, [_path(parsed.tokens, step, path) for step in steps])


def _holds_only(tokens: Tokens, step: Step, name: str) -> bool:
    row = step.relationship.row
    inside = tokens.words[row + 1 : row + 5]
    plain = [*inside[:2], *inside[3:]] == ["[", ":", "]"] and tokens.value(row + 3) == name
    single = (step.relationship.low, step.relationship.high) == (1, 1)
    return plain and single and step.relationship.direction != "--"


def _path(tokens: Tokens, step: Step, path: Sequence[str]) -> Edit:
    relationship = step.relationship
    start, end = tokens.starts[relationship.row + 1], tokens.ends[relationship.row + 4]
    onward = relationship.direction == "->"
    names = path if onward else list(reversed(path))
    between = "]->()-[" if onward else "]-()<-["
    return start, end, "[" + between.join(f":{quote(name)}" for name in names) + "]"


def _rewritten(query: str, edits: list[Edit]) -> Rewritten:
    changes = tuple(Change((start, end), query[start:end], new) for start, end, new in sorted(edits))
    return Rewritten(apply_edits(query, edits), changes)
