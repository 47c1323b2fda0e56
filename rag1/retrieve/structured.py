"""Graph retrieval from the entities of a question: `by="graph:structured"`."""

from __future__ import annotations

from dataclasses import dataclass

from rag1.retrieve.causes import Causes, causes_first
from rag1.retrieve.facts import lines
from rag1.retrieve.link import Linked, Linker
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
        linked = self.linker(query)
        seeds = {found.name: found.score for found in linked}
        around = lines(self.walk(query, seeds), k, self.by) if seeds else []
        also = [alias_line(found.name, found.asked, self.by) for found in linked if other_name(found)]
        return causes_first(self.causes, query, [*also, *around][:k], k)


def other_name(found: Linked) -> bool:
    """Is an entity found by another name of its own, of which its name tells nothing?"""
    unlike = found.asked not in found.name and found.name not in found.asked
    return unlike and found.by in {"name", "text", "part"} and len(found.asked) > 1


def alias_line(name: str, other: str, by: str) -> Retrieved:
    """That two names are one, as a fact: whoever reads the facts must know whom the question means."""
    return Retrieved(f"alias:{name}:{other}", f"{name} - 別名 -> {other}", "", None, 1.0, by)
