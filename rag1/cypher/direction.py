"""The arrows of a statement, set right by the schema's (start, type, end) triples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rag1.cypher.edit import Change, Edit, apply_edits
from rag1.cypher.parse import parse
from rag1.cypher.tree import ANY, Labels, Parsed, Relationship, Step
from rag1.errors import CypherSyntax

Triple = tuple[str, str, str]
_SHOWN = 5  # labels named in a reason


@dataclass(frozen=True, slots=True)
class Violation:
    """One step that the schema allows in neither direction, or (`span` empty) a statement that cannot be read."""

    span: tuple[int, int]
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """The statement with its arrows set right; empty where `strict` was asked for and something fits neither way."""

    query: str
    changes: tuple[Change, ...] = ()
    violations: tuple[Violation, ...] = ()


def correct_directions(query: str, schema: Iterable[Triple], strict: bool = False) -> Corrected:
    """Turn the arrows that fit the schema only when turned; nothing else of `query` changes.

    A directed relationship, typed or not, is kept where a triple fits it as written, turned where one fits only the
    other way round, and reported where none fits. A variable's labels are those of all its mentions in its scope; an
    unlabelled node fits every label. Undirected relationships and quantified paths are left alone; one of
    variable length is turned only where its first or last hop contradicts the schema, and never reported. An empty
    `schema` says nothing. A statement that cannot be read comes back as it is, with a violation that says why.
    """
    graph = _Schema(frozenset(schema))
    try:
        parsed = parse(query)
    except CypherSyntax as fault:
        unread = Violation((fault.position, fault.position), "", str(fault))
        return Corrected("" if strict else query, (), (unread,))
    if not graph.labels:
        return Corrected(query)
    turned, violations = _judge(parsed, graph)
    if strict and violations:
        return Corrected("", (), violations)
    edits = [_turn(parsed, step.relationship) for step in turned]
    changes = tuple(_change(query, step, edit) for step, edit in zip(turned, edits, strict=True))
    return Corrected(apply_edits(query, [one for edit in edits for one in edit]), changes, violations)


class _Schema:
    """The triples, indexed by what a step asks for."""

    def __init__(self, triples: frozenset[Triple]) -> None:
        self.labels = frozenset(label for start, _, end in triples for label in (start, end))
        self._ends: dict[str, dict[str, set[str]]] = {}
        self._all: dict[str, set[str]] = {}
        for start, kind, end in triples:
            self._ends.setdefault(start, {}).setdefault(kind, set()).add(end)
            self._all.setdefault(kind, set()).add(end)
        self._allowed: dict[Labels, frozenset[str]] = {ANY: self.labels}

    def allowed(self, labels: Labels) -> frozenset[str]:
        """The labels of the schema that an expression leaves possible."""
        known = self._allowed.get(labels)
        if known is None:
            known = self.labels - labels.names if labels.excluded else self.labels & labels.names
            self._allowed[labels] = known
        return known

    def has(self, start: Labels, types: Labels, end: Labels) -> bool:
        """Whether a triple fits all three."""
        ends = self.allowed(end)
        starts = [self._all] if start == ANY else [self._ends.get(label, {}) for label in self.allowed(start)]
        for by_type in starts:
            kinds = by_type if types.excluded else by_type.keys() & types.names
            if any(types.admits(kind) and not ends.isdisjoint(by_type[kind]) for kind in kinds):
                return True
        return False

    def fits(self, start: Labels, relationship: Relationship, end: Labels) -> bool:
        """Whether a path of the relationship's hops can lead from start to end. Of longer paths only the ends are
        tested: a node between may carry labels that no triple shows together."""
        types, low, high = relationship.types, relationship.low, relationship.high
        if low == 0:
            return True
        if low == 1 and self.has(start, types, end):
            return True
        longer = high is None or high > 1
        return longer and self.has(start, types, ANY) and self.has(ANY, types, end)


def _judge(parsed: Parsed, graph: _Schema) -> tuple[list[Step], tuple[Violation, ...]]:
    turned: list[Step] = []
    violations: list[Violation] = []
    for step in parsed.steps:
        relationship = step.relationship
        if relationship.direction == "--":
            continue
        start, end = step.start.known(), step.end.known()
        if relationship.direction == "<-":
            start, end = end, start
        if graph.fits(start, relationship, end):
            continue
        if graph.fits(end, relationship, start):
            turned.append(step)
        elif (relationship.low, relationship.high) == (1, 1):
            text = parsed.tokens.text[slice(*step.span)]
            violations.append(Violation(step.span, text, _reason(start, relationship.types, end)))
    return turned, tuple(violations)


def _reason(start: Labels, types: Labels, end: Labels) -> str:
    said = f"({_said(start)})-[{_said(types)}]->({_said(end)})"
    return f"the schema has {said} in neither direction"


def _said(labels: Labels) -> str:
    names = sorted(labels.names)
    joined = "|".join([*names[:_SHOWN], "…"] if len(names) > _SHOWN else names)
    return f":!({joined})" if labels.excluded and joined else f":{joined}" if joined else ""


def _turn(parsed: Parsed, relationship: Relationship) -> tuple[Edit, Edit]:
    """Take the head off one dash and put it on the other."""
    text = parsed.tokens.text
    left, right = relationship.left[0], relationship.right[1]
    if relationship.direction == "->":
        head = text.index(">", right)
        return (left, left, "<"), (head, head + 1, "")
    head = text.rindex("<", 0, left)
    return (head, head + 1, ""), (right, right, ">")


def _change(query: str, step: Step, edits: tuple[Edit, Edit]) -> Change:
    start, end = step.span
    local = [(first - start, last - start, text) for first, last, text in edits]
    before = query[start:end]
    return Change(step.span, before, apply_edits(before, local))
