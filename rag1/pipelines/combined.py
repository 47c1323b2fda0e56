"""One reader for everything: graph lines and fused passages together, counts before them: `pipeline=combined`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rag1.answer.quote import with_quotations
from rag1.answer.reader import Reader
from rag1.corpus.corpus import Corpus
from rag1.retrieve.gather import gather
from rag1.retrieve.windows import Windows
from rag1.types import Answer, Fuser, Query, Retrieved, Retriever


@dataclass(frozen=True)
class Combined:
    """`passages` are fused, `k` of them read; of each of `facts` its first `lines`. The reader labels each kind.

    `counter`: what it counts for a counting question is read first, whatever the run's own setting of `count`.

    Passages come first: the reader cuts a long context from its end, and a fact is also told by some passage.
    """

    passages: Mapping[str, Retriever]
    facts: Mapping[str, Retriever]
    fuser: Fuser
    reader: Reader
    corpus: Corpus
    k: int = 8
    depth: int = 50
    lines: int = 20
    windows: Windows | None = None
    counter: Retriever | None = None

    def __call__(self, query: Query) -> Answer:
        text = gather(query, self.passages, self.depth)
        graph = gather(query, self.facts, self.lines)
        fused = self.fuser(text.rankings)
        passages = self.windows(fused, self.k) if self.windows else fused[: self.k]
        lines = list({item.id: item for ranking in graph.rankings for item in ranking}.values())
        support: list[Retrieved] = [*passages, *lines]
        reader = replace(self.reader, counter=self.counter) if self.counter else self.reader
        answer = reader(query, support, (*text.steps, *graph.steps), (*text.flags, *graph.flags))
        return with_quotations(answer, self.corpus)
