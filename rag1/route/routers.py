"""The routers: one voter, several fused with the titles, and a model's choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rag1.corpus.corpus import Corpus
from rag1.llm.tasks import DocumentCard, RouteTitle
from rag1.route.profiles import Profiles
from rag1.route.titles import Titles
from rag1.route.votes import Voter, Votes, in_scope, ranked, reciprocal_ranks, scaled
from rag1.types import Llm, Query, Route


@dataclass(frozen=True)
class VoteRouter:
    """Ranks documents by one voter: `router=bm25`, `router=dense`."""

    corpus: Corpus
    voter: Voter
    name: str

    def __call__(self, query: Query) -> Route:
        return ranked(self.voter(query), in_scope(self.corpus.by_id, query), self.name)


@dataclass(frozen=True)
class FusedRouter:
    """A title named in the question decides; else all voters have one vote each: `router=fused`.

    `fusion`: "scores" averages the voters' min-max scores; "ranks" is RRF (Cormack et al. 2009) over the documents.
    """

    titles: Titles
    voters: Mapping[str, Voter]
    fusion: Literal["scores", "ranks"] = "scores"

    def __call__(self, query: Query) -> Route:
        documents = in_scope(self.titles.corpus.by_id, query)
        named = self.titles(query)
        if named:
            return ranked(dict.fromkeys(named, 1.0), documents, "title: " + " ".join(sorted(named)))
        votes = {name: voter(query) for name, voter in self.voters.items()}
        return ranked(self._fused(votes, documents), documents, _reason(votes))

    def _fused(self, votes: Mapping[str, Votes], documents: list[str]) -> Votes:
        parts = [
            scaled(found, documents) if self.fusion == "scores" else reciprocal_ranks(found) for found in votes.values()
        ]
        return {d: sum(part.get(d, 0.0) for part in parts) / len(parts) for d in documents} if parts else {}


@dataclass(frozen=True)
class LlmRouter:
    """The model picks from cards of title and telling names: `router=llm`. No pick leaves all documents tied at 0."""

    llm: Llm
    profiles: Profiles
    names: int = 20

    def __call__(self, query: Query) -> Route:
        documents = in_scope(self._cards, query)
        cards = tuple(self._cards[doc_id] for doc_id in documents)
        picked = self.llm(RouteTitle(question=query.text, documents=cards)).id
        if picked not in documents:
            return ranked({}, documents, f"llm: {'no choice' if picked is None else 'no such document'}")
        return ranked({picked: 1.0}, documents, f"llm: {picked}")

    @cached_property
    def _cards(self) -> Mapping[str, DocumentCard]:
        return {
            document.id: DocumentCard(
                id=document.id, title=document.title, names=self.profiles.telling_names(document.id, self.names)
            )
            for document in self.profiles.corpus
        }


def _reason(votes: Mapping[str, Votes]) -> str:
    """Each voter's first choice: `bm25: 5, names: none`."""
    return ", ".join(
        f"{name}: {max(found, key=found.__getitem__) if found else 'none'}" for name, found in votes.items()
    )
