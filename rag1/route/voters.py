"""The voters: the best chunk of an index, the document's language model, and the names a question mentions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from rag1.index.index import Index
from rag1.route.profiles import Profiles
from rag1.route.question import question_names, question_terms
from rag1.route.votes import Votes, in_scope
from rag1.text.normalize import normalize
from rag1.types import Query


@dataclass(frozen=True)
class BestChunk:
    """A document counts for as much as its best chunk in an index.

    Sums over several chunks were tried and did not hold up (docs/decisions/router.md): they favour long documents.
    """

    index: Index

    def __call__(self, query: Query) -> Votes:
        votes: dict[str, float] = {}
        for chunk, score in self.index.search(query, len(self.index.chunks.items)):
            votes.setdefault(chunk.doc_id, score)
        return votes


@dataclass(frozen=True)
class Likelihood:
    """How likely the question's words are under each whole document's language model, against the corpus's.

    Query likelihood with Dirichlet smoothing (Zhai and Lafferty, "A Study of Smoothing Methods for Language Models
    Applied to Information Retrieval", TOIS 22(2) 2004, eq. 6): the sum over the words of
    log((count + mu p) / (length + mu)) - log(p), with p the word's share of the corpus. Unlike a chunk's score it
    adds up what stands far apart: a name here, a place there. Shifted so that the worst document has 0.
    """

    profiles: Profiles
    mu: float = 1000

    def __call__(self, query: Query) -> Votes:
        documents = in_scope(self.profiles.terms, query)
        known = [term for term in question_terms(query.text) if term in self.profiles.collection]
        if not known or not documents:
            return {}
        sums = {doc_id: sum(self._evidence(doc_id, term) for term in known) for doc_id in documents}
        low = min(sums.values())
        return {doc_id: value - low for doc_id, value in sums.items()}

    def _evidence(self, doc_id: str, term: str) -> float:
        share = self.profiles.collection[term] / self._total
        count, length = self.profiles.terms[doc_id].get(term, 0), self.profiles.lengths[doc_id]
        return math.log((count / share + self.mu) / (length + self.mu))

    @cached_property
    def _total(self) -> int:
        return sum(self.profiles.lengths.values())


@dataclass(frozen=True)
class NamesHeld:
    """Which documents hold the names of the question, in any spelling or as a ruby reading.

    Each name adds log(documents / holders) to its holders: a name that one document alone holds speaks the loudest.
    """

    profiles: Profiles

    def __call__(self, query: Query) -> Votes:
        documents = in_scope(self._keys, query)
        votes: dict[str, float] = {}
        for name in self._names(query.text):
            holders = [doc_id for doc_id in documents if name in self._keys[doc_id] or name in self._readings[doc_id]]
            for doc_id in holders:
                votes[doc_id] = votes.get(doc_id, 0.0) + math.log(len(documents) / len(holders))
        return {doc_id: vote for doc_id, vote in votes.items() if vote > 0}

    def _names(self, question: str) -> list[str]:
        """Normal forms of the names, and of the ruby readings that stand in the question."""
        key = normalize(question)
        read = {reading for readings in self._readings.values() for reading in readings if reading in key}
        names = {normalize(name) for name in question_names(question)}
        return sorted(name for name in names | read if len(name) > 1)

    @cached_property
    def _keys(self) -> Mapping[str, str]:
        return {document.id: normalize(document.text) for document in self.profiles.corpus}

    @cached_property
    def _readings(self) -> Mapping[str, frozenset[str]]:
        """Readings of four kana and more; shorter ones stand inside other words too often."""
        corpus = self.profiles.corpus
        keys = {
            document.id: {normalize(r) for readings in corpus.readings.get(document.id, {}).values() for r in readings}
            for document in corpus
        }
        return {doc_id: frozenset(key for key in found if len(key) >= 4) for doc_id, found in keys.items()}
