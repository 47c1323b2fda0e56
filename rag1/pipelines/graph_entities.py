"""Entities of the question, unified with the graph's own, then their facts: `pipeline=graph_entities`."""

from __future__ import annotations

import time
from dataclasses import dataclass

from rag1.answer.quote import with_quotations
from rag1.answer.reader import Reader
from rag1.corpus.corpus import Corpus
from rag1.retrieve.causes import Causes, causes_first
from rag1.retrieve.facts import lines
from rag1.retrieve.link import Linker
from rag1.retrieve.walk import Walk
from rag1.types import Answer, Query, Step


@dataclass(frozen=True)
class GraphEntities:
    """`walk.hops=1`: what the graph says of the entities themselves, and no more. `k`: lines read; `causes`: what a
    question that asks why is given first."""

    linker: Linker
    walk: Walk
    corpus: Corpus
    reader: Reader
    k: int = 30
    causes: Causes | None = None

    def __call__(self, query: Query) -> Answer:
        start = time.perf_counter()
        linked = self.linker(query)
        named = " ".join(f"{found.asked}→{found.name} ({found.by} {found.score:.2f})" for found in linked)
        met = time.perf_counter()
        around = lines(self.walk(query, {found.name: found.score for found in linked}), self.k, "graph:entities")
        facts = causes_first(self.causes, query, around, self.k)
        steps = (
            Step("unify", named or "no entity of the graph", met - start),
            Step("facts", f"{len(facts)} of {self.k}", time.perf_counter() - met),
        )
        flags = () if facts else ("empty:entities",)
        return with_quotations(self.reader(query, facts, steps, flags), self.corpus)
