"""Personalised PageRank from the question's entities: `by="graph:subgraph"`.

Gutiérrez et al. 2024, "HippoRAG: Neurobiologically Inspired Long-Term Memory for Large Language Models", section 2.3:
the question's entities, each weighted by its specificity (one over the number of passages that name it), start a
PageRank over the graph; passages are ranked by the mass on what they name. As in its second version (Gutiérrez et al.
2025) passages are nodes too: here the sentences that facts were read from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag1.chunk.chunks import Chunks
from rag1.graph.model import Fact
from rag1.retrieve.facts import FactTable, lines
from rag1.retrieve.link import Linker
from rag1.retrieve.search import retrieved
from rag1.retrieve.walk import Inside, names_inside
from rag1.types import Query, Retrieved

STEPS = 60
"""Power iterations at most; with damping 0.5 the rest is below 1e-6 after 20."""
ENOUGH = 1e-6


def pagerank(links: Any, start: NDArray[np.float64], damping: float = 0.5) -> NDArray[np.float64]:
    """Personalised PageRank by power iteration; shape (nodes,), sums to 1.

    `links`: symmetric sparse weights, shape (nodes, nodes); `start`: restart weights, not all 0. A node without links
    gives its mass back to the start. `damping`: chance of following a link (HippoRAG: 0.5).
    """
    out = np.asarray(links.sum(axis=1)).ravel()
    start = start / start.sum()
    mass = start
    for _ in range(STEPS):
        share = np.where(out > 0, mass / np.where(out > 0, out, 1), 0)
        lost = float(mass[out == 0].sum())
        fresh = damping * (links.T @ share + lost * start) + (1 - damping) * start
        if float(np.abs(fresh - mass).sum()) < ENOUGH:
            return np.asarray(fresh)
        mass = fresh
    return mass


@dataclass(frozen=True)
class Web:
    """The graph of one scope as a matrix: entities first, then sentences. `rows`: the table's facts in scope."""

    rows: NDArray[np.int64]
    entities: Mapping[str, int]
    heads: NDArray[np.int64]
    tails: NDArray[np.int64]
    sentences: NDArray[np.int64]
    links: Any
    specificity: NDArray[np.float64]


def web(table: FactTable, scope: frozenset[str], inside: Inside) -> Web:
    """Links: head and tail of a fact, a sentence and what it names, a long name and the names inside it."""
    rows = np.flatnonzero(table.in_scope(scope))
    facts = [table.facts[row] for row in rows]
    entities = {name: n for n, name in enumerate(dict.fromkeys(n for f in facts for n in (f.head, f.tail)))}
    sentence_of = _numbers([(f.doc_id, f.span or f.id) for f in facts], len(entities))
    heads, tails = (np.array([entities[n] for n in ends], dtype=np.int64) for ends in _ends(facts))
    sentences = np.array([sentence_of[f.doc_id, f.span or f.id] for f in facts], dtype=np.int64)
    named = {pair for n, f in enumerate(facts) for pair in _named(f, int(sentences[n]), entities)}
    held = {(entities[n], entities[p]) for n in entities for p in inside.parts.get(n, ()) if p in entities}
    follows = _in_text_order(sentence_of)
    pairs = [*zip(heads.tolist(), tails.tolist(), strict=True), *sorted(named), *sorted(held), *follows]
    size = len(entities) + len(sentence_of)
    counts = np.bincount([entity for _, entity in named], minlength=len(entities)) if named else np.ones(len(entities))
    return Web(rows, entities, heads, tails, sentences, _symmetric(pairs, size), 1 / np.maximum(1, counts))


def _in_text_order(sentence_of: Mapping[Any, int]) -> list[tuple[int, int]]:
    """Each sentence of a document with the next one that facts were read from, as they are told together."""
    placed = sorted((doc_id, place, n) for (doc_id, place), n in sentence_of.items() if isinstance(place, tuple))
    return [(a[2], b[2]) for a, b in pairwise(placed) if a[0] == b[0]]


def _ends(facts: Sequence[Fact]) -> tuple[list[str], list[str]]:
    return [f.head for f in facts], [f.tail for f in facts]


def _numbers(keys: Sequence[Any], first: int) -> dict[Any, int]:
    return {key: first + n for n, key in enumerate(dict.fromkeys(keys))}


def _named(fact: Fact, sentence: int, entities: Mapping[str, int]) -> set[tuple[int, int]]:
    """(sentence, entity) for the ends of the fact and all other names that stand in its evidence."""
    names = {fact.head, fact.tail, *names_inside(fact.evidence, entities)}
    return {(sentence, entities[name]) for name in names}


def _symmetric(pairs: Sequence[tuple[int, int]], size: int) -> Any:
    from scipy.sparse import coo_array  # type: ignore[import-untyped]

    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    rows, columns = np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate([ends[:, 1], ends[:, 0]])
    return coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size)).tocsr()


@dataclass(frozen=True)
class Subgraph:
    """`passages`: places among the k that go to chunks, by the mass on the entities that they mention (0: facts only).

    `floor`: worth of a fact that shares nothing with the question.
    """

    linker: Linker
    table: FactTable
    chunks: Chunks | None = None
    passages: int = 4
    damping: float = 0.5
    floor: float = 0.15
    by: str = "graph:subgraph"
    _webs: dict[frozenset[str], Web] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        mass, net = self.masses(query)
        if mass is None:
            return []
        texts = self._passages(query, mass, net)[: min(self.passages, k)]
        scored = self.facts(query, mass, net)
        return [*lines(scored, k - len(texts), self.by), *texts]

    def masses(self, query: Query) -> tuple[NDArray[np.float64] | None, Web]:
        """PageRank of every node of the scope; None where no entity of the question is in the graph."""
        net = self.web(query.scope)
        start = np.zeros(net.links.shape[0])
        for found in self.linker(query):
            if found.name in net.entities:
                at = net.entities[found.name]
                start[at] = found.score * net.specificity[at]
        return (pagerank(net.links, start, self.damping) if start.any() else None), net

    def facts(self, query: Query, mass: NDArray[np.float64], net: Web) -> list[tuple[Fact, float]]:
        """Facts by the mass on their ends and sentence times their relevance, best first."""
        on = mass[net.heads] + mass[net.tails] + mass[net.sentences]
        scores = on * (self.floor + self.table.relevance(query.text)[net.rows])
        return [(self.table.facts[net.rows[n]], float(scores[n])) for n in np.argsort(-scores, kind="stable")]

    def _passages(self, query: Query, mass: NDArray[np.float64], net: Web) -> list[Retrieved]:
        if self.chunks is None or not self.passages:
            return []
        sums: dict[str, float] = {}
        for chunk_id, name in self.table.mentions:
            if name in net.entities:
                sums[chunk_id] = sums.get(chunk_id, 0.0) + float(mass[net.entities[name]])
        found = [(s, self.chunks.by_id[c]) for c, s in sums.items() if c in self.chunks.by_id]
        allowed = [(s, c) for s, c in found if not query.scope or c.doc_id in query.scope]
        return [retrieved(c, s, self.by) for s, c in sorted(allowed, key=lambda each: (-each[0], each[1].id))]

    def web(self, scope: frozenset[str]) -> Web:
        if scope not in self._webs:
            self._webs[scope] = web(self.table, scope, self.inside)
        return self._webs[scope]

    @cached_property
    def inside(self) -> Inside:
        return Inside.of([entity.name for entity in self.table.entities])
