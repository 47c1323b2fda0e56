"""What a graph holds, as text for whoever writes a statement about it: cut to what the question needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag1.cypher.edit import quote
from rag1.graph.model import Fact, GraphSchema, PropertyKey, RelationPattern
from rag1.graph.store import GraphStore
from rag1.llm.rules.mentions import fit
from rag1.retrieve.link import Linked, Linker
from rag1.types import Query

SURE = 0.45
"""Least score of a link to be named in the schema."""
STEP_FACTS = 600
"""Facts that one step away from the names may read."""

Path = tuple[tuple[str, bool], ...]
"""(type, forward) a hop."""


@dataclass(frozen=True)
class SchemaText:
    """`names`: entities of the question named at most. `paths`, `hops`: paths of types that lead away from them, the
    fittest first, and how long these may be. `patterns`, `values`: other patterns and properties shown.

    Values at the ends of paths are left out: they are for the statement to find.
    """

    store: GraphStore
    linker: Linker
    names: int = 4
    paths: int = 24
    hops: int = 3
    patterns: int = 60
    values: int = 12

    def __call__(self, query: Query) -> str:
        """Labels, names of the question, paths from these, patterns, properties with examples; a line each."""
        linked = [found for found in self.linker(query) if found.score >= SURE][: self.names]
        lines = [f"Node labels: Entity, {', '.join(quote(label) for label in self._labels)}"]
        lines += ["Every node has name and aliases (a list); every relationship has evidence, doc_id, start, end."]
        for found in linked:
            also = "" if found.asked == found.name else f" (in the question: {found.asked})"
            lines.append(f"Name: {found.name}{also}")
        for found in linked:
            lines += [_path_line(found.name, path) for path in self._paths(found, query)]
        lines += [_pattern_line(pattern) for pattern in self._patterns(query.text)]
        lines += [_value_line(key) for key in self.schema.entity_keys[: self.values]]
        return "\n".join(dict.fromkeys(lines))

    @property
    def schema(self) -> GraphSchema:
        return self.store.schema()

    @property
    def _labels(self) -> list[str]:
        return [label for label in self.schema.labels if label != "Entity"][:20]

    def _patterns(self, question: str) -> list[RelationPattern]:
        """One a relation, the fittest for the question first, then the most frequent."""
        first: dict[str, RelationPattern] = {}
        for pattern in self.schema.patterns:
            first.setdefault(pattern.relation, pattern)
        return sorted(first.values(), key=lambda p: (-fit([p.relation], question, ""), -p.count))[: self.patterns]

    def _paths(self, found: Linked, query: Query) -> list[Path]:
        """A beam over the paths of types that exist, by how well they fit the question."""
        beam: dict[Path, set[str]] = {(): {found.name}}
        scored: dict[Path, float] = {}
        for _ in range(self.hops):
            beam = self._onward(beam, query)
            fits = {path: _fit(path, query.text, found.asked) for path in beam}
            scored |= fits
            kept = sorted(beam, key=lambda path: (-fits[path], path))[: self.paths]
            beam = {path: beam[path] for path in kept}
        return sorted(scored, key=lambda path: (-scored[path], len(path), path))[: self.paths]

    def _onward(self, beam: dict[Path, set[str]], query: Query) -> dict[Path, set[str]]:
        """All paths one hop longer, with the names that they reach."""
        facts = self.linker.table.around({name for names in beam.values() for name in names}, STEP_FACTS, query.scope)
        longer: dict[Path, set[str]] = {}
        for path, names in beam.items():
            for kind, forward, end in _steps(facts, names):
                if not (path and path[-1] == (kind, not forward)):
                    longer.setdefault((*path, (kind, forward)), set()).add(end)
        return longer


def _steps(facts: Iterable[Fact], names: set[str]) -> Iterable[tuple[str, bool, str]]:
    for fact in facts:
        if fact.head in names:
            yield fact.relation, True, fact.tail
        if fact.tail in names:
            yield fact.relation, False, fact.head


def _fit(path: Sequence[tuple[str, bool]], question: str, asked: str) -> float:
    """A hop against the arrow is told less often: it costs a fifth."""
    backward = sum(not forward for _, forward in path)
    return fit([kind for kind, _ in path], question, asked) * 0.8**backward


def _path_line(name: str, path: Path) -> str:
    hops = "()".join(f"-[:{quote(kind)}]->" if forward else f"<-[:{quote(kind)}]-" for kind, forward in path)
    return f"Path: ({{name: {name}}}){hops}()"


def _pattern_line(pattern: RelationPattern) -> str:
    start, end = (_labels_of(side) for side in (pattern.start, pattern.end))
    return f"({start})-[:{quote(pattern.relation)}]->({end})"


def _labels_of(joined: str) -> str:
    return "".join(f":{quote(label)}" for label in joined.split(":"))


def _value_line(key: PropertyKey) -> str:
    return f"Property of {quote(key.owner)}: {quote(key.key)}, e.g. {', '.join(key.examples)}"
