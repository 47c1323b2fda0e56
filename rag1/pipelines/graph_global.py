"""Summaries of the graph's communities, asked one by one, the partial answers read together: `pipeline=graph_global`.

Edge et al. 2024, "From Local to Global: A Graph RAG Approach to Query-Focused Summarization", section 3.1.6: map each
community's summary to a partial answer with a score of 0 to 100, drop those with 0, reduce the rest by falling score.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass

from rag1.answer.quote import with_quotations
from rag1.answer.reader import Reader
from rag1.corpus.corpus import Corpus
from rag1.errors import UnreadableReply
from rag1.graph.communities import Leiden, Summary, open_summaries
from rag1.llm.tasks import AnswerFromCommunity, PartialAnswer
from rag1.retrieve.facts import FactTable, retrieved_fact
from rag1.types import Answer, Llm, Query, Retrieved, Step


@dataclass(frozen=True, slots=True)
class Options:
    """`most`: communities asked a question, those with the most facts first; `keep`: partial answers read; `facts`:
    facts of their communities that are read behind them, as evidence; `workers`: calls at once."""

    most: int = 100
    keep: int = 12
    facts: int = 40
    workers: int = 8


@dataclass(frozen=True)
class GraphGlobal:
    summaries: tuple[Summary, ...]
    llm: Llm
    corpus: Corpus
    reader: Reader
    options: Options

    def __call__(self, query: Query) -> Answer:
        start = time.perf_counter()
        there = [s for s in self.summaries if not query.scope or s.community.doc_id in query.scope]
        asked = sorted(there, key=lambda s: (-len(s.community.facts), s.community.id))[: self.options.most]
        partial, unread = self._map(query, asked)
        steps = [Step("map", f"{len(partial)} of {len(asked)} communities help", time.perf_counter() - start)]
        flags = ["communities_cut"] if len(asked) < len(there) else []
        if unread:
            flags.append("communities_unread")
        if not partial:
            flags.append("empty:communities")
        return with_quotations(self.reader(query, self._support(partial), steps, flags), self.corpus)

    def _map(self, query: Query, asked: Sequence[Summary]) -> tuple[list[tuple[Summary, str, int]], int]:
        """Partial answers that help, best first, and how many replies could not be read.

        Calls run at once, each in the question's own context.
        """
        tasks = [AnswerFromCommunity(question=query.text, summary=summary.text) for summary in asked]
        contexts = [copy_context() for _ in tasks]
        with ThreadPoolExecutor(self.options.workers) as pool:
            replies = list(pool.map(lambda context, task: context.run(self._ask, task), contexts, tasks))
        read = [(s, reply) for s, reply in zip(asked, replies, strict=True) if reply]
        found = [(s, reply.answer, reply.score) for s, reply in read if reply.score > 0 and reply.answer]
        return sorted(found, key=lambda each: -each[2])[: self.options.keep], len(replies) - len(read)

    def _ask(self, task: AnswerFromCommunity) -> PartialAnswer | None:
        try:
            return self.llm(task)
        except UnreadableReply:
            return None

    def _support(self, partial: Sequence[tuple[Summary, str, int]]) -> list[Retrieved]:
        """Partial answers, then the facts that stand behind them, those that an answer quotes first."""
        answers = [
            Retrieved(s.community.id, text, s.community.doc_id, None, score / 100, "graph:global")
            for s, text, score in partial
        ]
        facts = [(f, score / 100, f.text not in text) for s, text, score in partial for f in s.community.facts]
        behind = sorted(facts, key=lambda each: (each[2], -each[1]))[: self.options.facts]
        return [*answers, *(retrieved_fact(fact, score, "graph:global") for fact, score, _ in behind)]


def open_global(
    table: FactTable,
    leiden: Leiden,
    llm: Llm,
    corpus: Corpus,
    reader: Reader,
    artifacts: str,
    options: Options,
) -> GraphGlobal:
    """The pipeline with its summaries, which are made where they are not there yet."""
    summaries = open_summaries(table.facts, leiden, llm, artifacts, options.workers)
    return GraphGlobal(summaries, llm, corpus, reader, options)
