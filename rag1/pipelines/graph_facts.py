"""Facts of one graph retriever, then the reader: `pipeline=graph_nodes`, `graph_triples`, `graph_subgraph`."""

from __future__ import annotations

from dataclasses import dataclass

from rag1.answer.quote import with_quotations
from rag1.answer.reader import Reader
from rag1.corpus.corpus import Corpus
from rag1.retrieve.causes import Causes, causes_first
from rag1.retrieve.gather import gather
from rag1.types import Answer, Query, Retriever


@dataclass(frozen=True)
class GraphFacts:
    """`k`: lines read; `causes`: what a question that asks why is given first. Evidence is the sentence that the fact
    was read from."""

    name: str
    retriever: Retriever
    corpus: Corpus
    reader: Reader
    k: int = 20
    causes: Causes | None = None

    def __call__(self, query: Query) -> Answer:
        found = gather(query, {self.name: self.retriever}, self.k)
        support = causes_first(self.causes, query, found.rankings[0], self.k)
        return with_quotations(self.reader(query, support, found.steps, found.flags), self.corpus)
