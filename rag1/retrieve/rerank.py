"""Puts retrieved passages into a better order: by a cross-encoder (extra `rerank`) or by the model as judge."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from rag1.errors import Unavailable
from rag1.llm.tasks import Passage, RerankPassages
from rag1.types import Llm, Query, Retrieved


class Reranker(Protocol):
    """The same items in another order, best first; nothing is added or lost."""

    def __call__(self, query: Query, items: Sequence[Retrieved]) -> list[Retrieved]: ...


@dataclass(frozen=True)
class ModelReranker:
    """Asks the model for an order. Passages that it leaves out keep their order behind those that it names."""

    llm: Llm
    depth: int = 20

    def __call__(self, query: Query, items: Sequence[Retrieved]) -> list[Retrieved]:
        head, rest = list(items[: self.depth]), list(items[self.depth :])
        passages = tuple(Passage(id=str(n), text=item.text) for n, item in enumerate(head, start=1))
        if not passages:
            return list(items)
        named = self.llm(RerankPassages(question=query.text, passages=passages)).ids
        order = list(
            dict.fromkeys(int(n) - 1 for n in named if n.isascii() and n.isdigit() and 0 < int(n) <= len(head))
        )
        left = [n for n in range(len(head)) if n not in order]
        return [*(head[n] for n in (*order, *left)), *rest]


@dataclass(frozen=True)
class CrossEncoderReranker:
    """Nogueira & Cho 2019, "Passage Re-ranking with BERT": scores question and passage together.

    `model`: a name or folder that sentence-transformers can load; weights are fetched at the first use.
    """

    model: str
    depth: int = 20
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @cached_property
    def _encoder(self) -> Any:
        try:
            from sentence_transformers import CrossEncoder
        except ImportError as error:
            raise Unavailable(
                "a cross-encoder needs the extra rerank: pip install 'rag1[rerank]'", "reranker"
            ) from error
        return CrossEncoder(self.model)

    def __call__(self, query: Query, items: Sequence[Retrieved]) -> list[Retrieved]:
        head, rest = list(items[: self.depth]), list(items[self.depth :])
        if not head:
            return list(items)
        with self._lock:
            scores = self._encoder.predict([(query.text, item.text) for item in head])
        order = sorted(range(len(head)), key=lambda n: -float(scores[n]))
        return [*(replace(head[n], score=float(scores[n])) for n in order), *rest]
