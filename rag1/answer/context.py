"""Retrieved evidence as the passages that a model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag1.corpus.corpus import Corpus
from rag1.llm.tasks import Passage
from rag1.text.tokens import count_tokens, truncate_tokens
from rag1.types import Retrieved

KINDS = {"graph": "関係", "cypher": "検索結果", "count": "count"}
"""`Retrieved.by` up to its first colon → what a passage's label says of it."""


@dataclass(frozen=True)
class Context:
    """Passages in rank order, each labelled with its document's title, cut off at `max_tokens` (o200k_base)."""

    corpus: Corpus
    max_tokens: int = 24_000

    def __call__(self, support: Sequence[Retrieved]) -> tuple[Passage, ...]:
        passages: list[Passage] = []
        left = self.max_tokens
        for item in support:
            size = count_tokens(item.text)
            text = item.text if size <= left else truncate_tokens(item.text, left)
            if text.strip():
                passages.append(Passage(id=item.id, text=text, label=self._label(item)))
            left -= size
            if left <= 0:
                break
        return tuple(passages)

    def _label(self, item: Retrieved) -> str:
        document = self.corpus.by_id.get(item.doc_id)
        title = document.title if document else ""
        kind = KINDS.get(item.by.split(":", 1)[0], "")
        return " ".join(part for part in (kind, f"『{title}』" if title else "") if part)
