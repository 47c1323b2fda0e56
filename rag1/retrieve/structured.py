"""Graph retrieval from the entities of a question: `by="graph:structured"`."""

from __future__ import annotations

from dataclasses import dataclass

from rag1.retrieve.asked import asked_relations
from rag1.retrieve.causes import Causes
from rag1.retrieve.facts import key_of, lines
from rag1.retrieve.link import Linker
from rag1.retrieve.walk import Walk
from rag1.types import Query, Retrieved


@dataclass(frozen=True)
class Structured:
    """The question's entities, their facts both ways in true direction, the most relevant to the question first.

    `causes`: for a question that asks why, the chain of causes comes first, and other causes are left out.
    """

    linker: Linker
    walk: Walk
    causes: Causes | None = None
    by: str = "graph:structured"

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        seeds = {found.name: found.score for found in self.linker(query)}
        around = self.walk(query, seeds) if seeds else []
        if self.causes is None or self.causes.relation not in asked_relations(query.text):
            return lines(around, k, self.by)
        chain = self.causes(query)
        told = {key_of(fact) for fact, _ in chain}
        others = [(f, s) for f, s in around if f.relation != self.causes.relation and key_of(f) not in told]
        found = lines(chain, k, "graph:causes")
        return [*found, *lines(others if chain else around, k - len(found), self.by)]
