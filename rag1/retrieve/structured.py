"""Graph retrieval from the entities of a question: `by="graph:structured"`."""

from __future__ import annotations

from dataclasses import dataclass

from rag1.retrieve.facts import lines
from rag1.retrieve.link import Linker
from rag1.retrieve.walk import Walk
from rag1.types import Query, Retrieved


@dataclass(frozen=True)
class Structured:
    """The question's entities, their facts both ways in true direction, the most relevant to the question first."""

    linker: Linker
    walk: Walk
    by: str = "graph:structured"

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        seeds = {found.name: found.score for found in self.linker(query)}
        return lines(self.walk(query, seeds), k, self.by) if seeds else []
