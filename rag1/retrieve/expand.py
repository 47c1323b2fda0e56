"""Wordings of a question for searching: the original first, then others by the model or by rule.

`generate`: RAG-Fusion's idea (Rackauckas 2024, "RAG-Fusion: a New Take on Retrieval-Augmented Generation").
`hyde`: Gao et al. 2023, "Precise Zero-Shot Dense Retrieval without Relevance Labels" (a passage written for the
question, searched as if it were one). `entities`: the names of the question alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rag1.corpus.corpus import Corpus
from rag1.errors import ConfigError
from rag1.llm.tasks import ExtractEntities, GenerateQueries, WritePassage
from rag1.types import Llm, Query

Way = Literal["generate", "hyde", "entities"]


@dataclass(frozen=True)
class Expander:
    """`ways` in the order their wordings are added; `n`: wordings that `generate` asks for.

    Wordings that repeat an earlier one are left out, so there may be fewer than asked for.
    """

    llm: Llm
    corpus: Corpus
    ways: Sequence[Way] = ("generate",)
    n: int = 3

    def __post_init__(self) -> None:
        for way in self.ways:
            if way not in WAYS:
                raise ConfigError(f"expander.ways: no way named {way!r}; there are {', '.join(WAYS)}")
        if self.n < 0:
            raise ConfigError(f"expander.n {self.n} must be 0 or more")

    def __call__(self, query: Query) -> list[str]:
        """The original wording and up to n more; searches, not answers."""
        wordings = [query.text]
        for way in self.ways:
            wordings += WAYS[way](self, query)
        return list(dict.fromkeys(text for wording in wordings if (text := wording.strip())))

    def about(self, query: Query) -> str:
        """The title of the one document in scope: what a left-out subject most likely refers to."""
        known = [self.corpus.by_id[doc_id].title for doc_id in query.scope if doc_id in self.corpus.by_id]
        return known[0] if len(known) == 1 else ""


def _generate(expander: Expander, query: Query) -> list[str]:
    if not expander.n:
        return []
    task = GenerateQueries(question=query.text, n=expander.n, about=expander.about(query))
    return list(expander.llm(task).queries)[: expander.n]


def _hyde(expander: Expander, query: Query) -> list[str]:
    return [expander.llm(WritePassage(question=query.text, about=expander.about(query))).text]


def _entities(expander: Expander, query: Query) -> list[str]:
    return [" ".join(expander.llm(ExtractEntities(question=query.text)).names)]


WAYS: Mapping[str, Callable[[Expander, Query], list[str]]] = {
    "generate": _generate,
    "hyde": _hyde,
    "entities": _entities,
}
