"""Resolution: the merges of a graph's names and relations, each with its reason. Nothing is merged in silence.

Names are resolved within a document: 綱 is a person in one story and a rope in another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import rag1.graph
from rag1.artifacts import fingerprint
from rag1.corpus.corpus import Corpus
from rag1.errors import ConfigError
from rag1.graph.links import Links
from rag1.graph.merge import Merge
from rag1.graph.model import Triple
from rag1.graph.resolve_names import Names, Proposal
from rag1.graph.resolve_near import Neighbours
from rag1.graph.resolve_relations import relation_merges
from rag1.graph.resolve_rules import ALIAS_RELATIONS, proposals
from rag1.graph.resolve_words import proper
from rag1.types import Document, Llm

APART = (("Person", "Place"), ("Person", "Organization"), ("Place", "Object"))
"""Types that one name's bearers do not share; a place may be an organization (a school)."""


@dataclass(frozen=True)
class Resolver:
    """`spelling`: variants, readings, names cut short, renamings. `links`: a dictionary of aliases. `neighbours`: near
    vectors, confirmed by a model. `relations`: unify relation names. `keep_apart`: pairs that are never merged, which
    is how a merge is taken back."""

    spelling: bool = True
    relations: bool = True
    links: Links = field(default_factory=Links)
    neighbours: Neighbours | None = None
    keep_apart: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        for pair in self.keep_apart:
            if len(pair) != 2:
                raise ConfigError(f"resolver.keep_apart: {list(pair)} is no pair of names")

    @property
    def name(self) -> str:
        near = self.neighbours.name if self.neighbours else ""
        apart = sorted(sorted(pair) for pair in self.keep_apart)
        return fingerprint(self.spelling, self.relations, self.links.name, near, apart, _digest())

    @property
    def llm(self) -> Llm | None:
        return self.neighbours.llm if self.neighbours else None

    def __call__(self, triples: Sequence[Triple], corpus: Corpus) -> tuple[Merge, ...]:
        by_document: dict[str, list[Triple]] = {document.id: [] for document in corpus}
        for triple in triples:
            by_document.setdefault(triple.doc_id, []).append(triple)
        merges: list[Merge] = []
        for doc_id, found in by_document.items():
            document = corpus.by_id.get(doc_id) or Document(doc_id, "", "")
            merges += self.of_document(Names(document, found, corpus.readings.get(doc_id, {})))
        if self.relations:
            merges += relation_merges(triples)
        return tuple(merges)

    def of_document(self, names: Names) -> list[Merge]:
        """The merges of one document's names, in the order of the names."""
        groups = _Groups(names, {frozenset(pair) for pair in self.keep_apart})
        links = self.links.of(names.document.id)
        for name in names.all:
            if name in links:
                groups.join(Proposal(name, links[name], "link", "the link dictionary", short=name), trusted=True)
        for proposal in proposals(names) if self.spelling else ():
            groups.join(proposal)
        if self.neighbours:
            for proposal in self.neighbours(names, groups.groups()):
                groups.join(proposal)
        return list(groups.merges())


@dataclass
class _Groups:
    """Names that are one so far. A pair is refused when anything speaks against any two of the joined names."""

    names: Names
    apart: set[frozenset[str]]
    _members: dict[str, list[str]] = field(default_factory=dict)
    _taken: list[Proposal] = field(default_factory=list)
    _related: set[frozenset[str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._related = {frozenset((t.head, t.tail)) for t in self.names.triples if t.relation not in ALIAS_RELATIONS}

    def of(self, name: str) -> list[str]:
        return self._members.setdefault(name, [name])

    def groups(self) -> list[frozenset[str]]:
        return [frozenset(group) for group in {id(g): g for g in self._members.values()}.values()]

    def join(self, proposal: Proposal, trusted: bool = False) -> None:
        left, right = self.of(proposal.a), self.of(proposal.b)
        if left is right or any(self._refused(a, b, trusted) for a in left for b in right):
            return
        left.extend(right)
        for name in right:
            self._members[name] = left
        self._taken.append(proposal)

    def _refused(self, a: str, b: str, trusted: bool) -> bool:
        if frozenset((a, b)) in self.apart:
            return True
        if trusted:
            return False
        if frozenset((a, b)) in self._related:
            return True
        one, other = self.names.types.get(a, set()), self.names.types.get(b, set())
        return any((_only(one, x) and _only(other, y)) or (_only(one, y) and _only(other, x)) for x, y in APART)

    def merges(self) -> Iterator[Merge]:
        for group in {id(g): g for g in self._members.values() if len(g) > 1}.values():
            canonical = self._canonical(group)
            for alias in group:
                if alias != canonical:
                    taken = self._reason(alias, group)
                    yield Merge(
                        "entity", self.names.document.id, alias, canonical, taken.by, taken.why, round(taken.score, 3)
                    )

    def _reason(self, alias: str, group: Sequence[str]) -> Proposal:
        """The proposal that names this alias, as the cut-short name where there is one."""
        own = [p for p in self._taken if alias in (p.a, p.b) and p.a in group]
        return next((p for p in own if p.short == alias), own[0])

    def _canonical(self, group: Sequence[str]) -> str:
        """The link's target; else the most frequent name that is no short form, proper names before descriptions.

        Of equals the longer one, then the one that the text tells first: who takes a name had another before.
        """
        linked = [p.b for p in self._taken if p.by == "link" and p.b in group]
        if linked:
            return linked[0]
        short = {p.short for p in self._taken}
        whole = [name for name in group if name not in short] or list(group)
        counts: Mapping[str, int] = self.names.counts
        text = self.names.document.text
        return max(whole, key=lambda name: (proper(name), counts.get(name, 0), len(name), -text.find(name), name))


def _only(types: Iterable[str], kind: str) -> bool:
    return set(types) == {kind}


def _digest() -> str:
    """The source of the rules: merges made by other rules make another graph."""
    files = sorted(Path(rag1.graph.__path__[0]).glob("resolve*.py"))
    return fingerprint([(path.name, path.read_text(encoding="utf-8")) for path in files])
