"""RAG Fusion: several wordings of the question × several retrievers, fused, then read: `pipeline=fusion`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rag1.answer.reader import Reader
from rag1.errors import ConfigError
from rag1.fuse.rrf import reciprocal_rank_fusion
from rag1.retrieve.expand import Expander
from rag1.retrieve.gather import gather
from rag1.retrieve.rerank import Reranker
from rag1.retrieve.windows import Windows
from rag1.types import Answer, Query, Retrieved, Retriever, Step


@dataclass(frozen=True)
class Fusion:
    """`top_k`: how deep each retriever is read, one number or one a retriever; `max_docs`: passages read.

    `k`, `first_rank`: of the fusion (see `rag1.fuse.rrf`). `weights`: one a retriever (none: 1 each);
    `original_weight` multiplies those of the original wording.
    """

    expand: Expander
    retrievers: Mapping[str, Retriever]
    reader: Reader
    top_k: int | Sequence[int] = 20
    max_docs: int = 8
    k: float = 60
    first_rank: int = 1
    weights: Mapping[str, float] | None = None
    original_weight: float = 1.0
    windows: Windows | None = None
    rerank: Reranker | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.top_k, int) and len(self.top_k) != len(self.retrievers):
            raise ConfigError(
                f"pipeline.top_k has {len(self.top_k)} numbers for {len(self.retrievers)} retrievers "
                f"({', '.join(self.retrievers)}); give one, or one each"
            )
        if min(self._depths(), default=1) < 1 or self.max_docs < 1:
            raise ConfigError(f"pipeline.top_k {self.top_k}, max_docs {self.max_docs}: each must be 1 or more")
        if any(not weight >= 0 for weight in (self.original_weight, *(self.weights or {}).values())):
            raise ConfigError("pipeline.weights, pipeline.original_weight: none may be negative")
        if self.k + self.first_rank <= 0 or self.first_rank not in (0, 1):
            raise ConfigError(f"pipeline.k {self.k}, first_rank {self.first_rank}: their sum above 0, the rank 0 or 1")
        unknown = [name for name in self.weights or {} if name not in self.retrievers]
        if unknown:
            raise ConfigError(f"pipeline.weights: no retriever {unknown[0]!r}; there are {', '.join(self.retrievers)}")

    def __call__(self, query: Query) -> Answer:
        start = time.perf_counter()
        wordings = self.expand(query)
        steps = [Step("expand", " / ".join(wordings), time.perf_counter() - start)]
        rankings: list[Sequence[Retrieved]] = []
        weights: list[float] = []
        flags: list[str] = []
        for number, wording in enumerate(wordings):
            for (name, retriever), depth in zip(self.retrievers.items(), self._depths(), strict=True):
                found = gather(replace(query, text=wording), {name: retriever}, depth)
                rankings.append(found.rankings[0])
                weights.append(self._weight(name, number))
                steps += found.steps
                flags += found.flags if number == 0 else ()
        fused = reciprocal_rank_fusion(rankings, self.k, weights, self.first_rank)
        return self.reader(query, self._shaped(query, fused), steps, flags)

    def _depths(self) -> Sequence[int]:
        return [self.top_k] * len(self.retrievers) if isinstance(self.top_k, int) else self.top_k

    def _weight(self, name: str, wording: int) -> float:
        weight = (self.weights or {}).get(name, 1.0)
        return weight * self.original_weight if wording == 0 else weight

    def _shaped(self, query: Query, fused: list[Retrieved]) -> list[Retrieved]:
        ordered = self.rerank(query, fused) if self.rerank else fused
        return self.windows(ordered, self.max_docs) if self.windows else ordered[: self.max_docs]
