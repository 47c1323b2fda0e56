"""Graph facts and passages in one context: `pipeline=graphrag`, the prize-winner's whole system with `router=fused`.

The router before it leaves the document that the question asks about; of its graph come the facts around the
question's entities, of its text the passages of a hybrid search.
"""

from __future__ import annotations

from dataclasses import dataclass

from rag1.answer.quote import with_quotations
from rag1.answer.reader import Reader
from rag1.corpus.corpus import Corpus
from rag1.retrieve.gather import gather
from rag1.types import Answer, Query, Retriever


@dataclass(frozen=True)
class GraphRag:
    """`facts`: graph lines read, first in the context; `k`: passages read after them."""

    structured: Retriever
    unstructured: Retriever
    corpus: Corpus
    reader: Reader
    facts: int = 60
    k: int = 8

    def __call__(self, query: Query) -> Answer:
        graph = gather(query, {"structured": self.structured}, self.facts)
        text = gather(query, {"unstructured": self.unstructured}, self.k)
        support = [*graph.rankings[0], *text.rankings[0]]
        answer = self.reader(query, support, (*graph.steps, *text.steps), (*graph.flags, *text.flags))
        return with_quotations(answer, self.corpus)
