"""Graph retrieval from the entities of a question: `by="graph:structured"`."""

from __future__ import annotations

from dataclasses import dataclass

from rag1.retrieve.causes import Causes, causes_first
from rag1.retrieve.facts import lines
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
        around = lines(self.walk(query, seeds), k, self.by) if seeds else []
        return causes_first(self.causes, query, around, k)
