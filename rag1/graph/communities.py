"""Communities of a document's graph, by Leiden, with their summaries: what answers questions about the whole.

Traag, Waltman and van Eck 2019, "From Louvain to Leiden: guaranteeing well-connected communities" (modularity, as
`graspologic-native` implements it); Edge et al. 2024, "From Local to Global: A Graph RAG Approach to Query-Focused
Summarization", section 3.1.4. A community never spans documents, so that a question's scope leaves out whole ones.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path

from rag1.artifacts import fingerprint, get_or_build
from rag1.errors import ConfigError, UnreadableReply
from rag1.graph.identity import llm_identity
from rag1.graph.model import Fact
from rag1.llm.tasks import SummariseCommunity
from rag1.types import Llm

log = logging.getLogger(__name__)
SEED = 20_261_201
VERSION = 1


@dataclass(frozen=True, slots=True)
class Community:
    """`names`: its entities; `facts`: those with both ends among them, in text order."""

    id: str
    doc_id: str
    names: tuple[str, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    community: Community
    text: str


@dataclass(frozen=True)
class Leiden:
    """`largest`: entities from which a community is divided further; `resolution`: above 1 gives more of them.

    `level`: 0 for the coarsest division, higher ones for what larger communities fall into. `least`: facts that a
    community must have to be summarised.
    """

    largest: int = 40
    resolution: float = 1.0
    level: int = 0
    least: int = 3

    def __post_init__(self) -> None:
        if self.largest < 2 or self.resolution <= 0 or self.level < 0:
            raise ConfigError(
                f"communities: largest={self.largest} (2 or more), resolution={self.resolution} (above 0), "
                f"level={self.level} (0 or more)"
            )

    def __call__(self, facts: Sequence[Fact]) -> list[Community]:
        """The communities of each document, the largest first within it."""
        of_document: dict[str, list[Fact]] = {}
        for fact in facts:
            of_document.setdefault(fact.doc_id, []).append(fact)
        return [c for doc_id, own in sorted(of_document.items()) for c in self._of_document(doc_id, own)]

    def _of_document(self, doc_id: str, facts: Sequence[Fact]) -> list[Community]:
        members = self._partition(facts)
        inner: dict[int, list[Fact]] = {}
        for fact in sorted(facts, key=lambda f: (f.span or (0, 0), f.id)):
            if members[fact.head] == members[fact.tail]:
                inner.setdefault(members[fact.head], []).append(fact)
        kept = sorted(inner.values(), key=lambda own: (-len(own), own[0].id))
        return [_community(doc_id, n, own) for n, own in enumerate(kept) if len(own) >= self.least]

    def _partition(self, facts: Sequence[Fact]) -> Mapping[str, int]:
        """Entity → number of its community at the level asked for, or at its own last one above."""
        from graspologic_native import hierarchical_leiden  # type: ignore[import-untyped]

        weights: dict[tuple[str, str], float] = {}
        for fact in facts:
            ends = (min(fact.head, fact.tail), max(fact.head, fact.tail))
            weights[ends] = weights.get(ends, 0.0) + 1.0
        edges = [(a, b, weight) for (a, b), weight in sorted(weights.items())]
        found = hierarchical_leiden(edges, resolution=self.resolution, max_cluster_size=self.largest, seed=SEED)
        return {c.node: c.cluster for c in sorted(found, key=lambda c: c.level) if c.level <= self.level}


def _community(doc_id: str, number: int, facts: Sequence[Fact]) -> Community:
    names = tuple(dict.fromkeys(name for fact in facts for name in (fact.head, fact.tail)))
    return Community(f"community:{doc_id}:{number}", doc_id, names, tuple(facts))


def open_summaries(
    facts: Sequence[Fact], leiden: Leiden, llm: Llm, artifacts: str, workers: int = 8, most: int = 60
) -> tuple[Summary, ...]:
    """A summary of every community by the model: an artifact under the fingerprint of facts, division and model.

    `most`: fact lines of a community that the model is given. Interrupted, it goes on from the model's cache. Where a
    summary cannot be read (a small model that repeats itself until it is cut), those lines stand for it.
    """
    communities = leiden(sorted(facts, key=lambda f: (f.id, f.head, f.tail)))
    tasks = [SummariseCommunity(facts=tuple(dict.fromkeys(f.text for f in c.facts))[:most]) for c in communities]
    key = fingerprint("communities", VERSION, [t.facts for t in tasks], llm_identity(llm, SummariseCommunity))

    def build(folder: Path) -> None:
        contexts = [copy_context() for _ in tasks]
        with ThreadPoolExecutor(workers) as pool:
            read = list(pool.map(lambda context, task: context.run(_summary, llm, task), contexts, tasks))
        if unread := read.count(None):
            log.warning("%d of %d community summaries could not be read: their facts are used", unread, len(tasks))
        texts = ["\n".join(task.facts) if text is None else text for task, text in zip(tasks, read, strict=True)]
        (folder / "summaries.json").write_text(json.dumps(texts, ensure_ascii=False, indent=1), encoding="utf-8")

    folder = get_or_build(Path(artifacts), "communities", key, build)
    texts = json.loads((folder / "summaries.json").read_text(encoding="utf-8"))
    return tuple(Summary(c, text) for c, text in zip(communities, texts, strict=True))


def _summary(llm: Llm, task: SummariseCommunity) -> str | None:
    try:
        return llm(task).text
    except UnreadableReply:
        return None
