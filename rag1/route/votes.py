"""What a router counts: a score for each document, and how scores become a ranking with a margin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from rag1.types import Query, Route

Votes = Mapping[str, float]
"""Document id → score, the higher the better. A document without an entry has nothing that speaks for it."""


class Voter(Protocol):
    """Scores documents for a query, within its scope; empty when nothing speaks for any."""

    def __call__(self, query: Query) -> Votes: ...


def ranked(votes: Votes, documents: Iterable[str], reason: str) -> Route:
    """All documents, best first; equal scores keep the corpus's order.

    The margin is 1 - second / first, in [0, 1], with negative scores taken as 0: 1 when nothing speaks for a second
    document, 0 for a tie, and 0 when nothing speaks for any.
    """
    scores = {doc_id: max(0.0, votes.get(doc_id, 0.0)) for doc_id in documents}
    order = sorted(scores, key=lambda doc_id: -scores[doc_id])
    first = scores[order[0]] if order else 0.0
    second = scores[order[1]] if len(order) > 1 else 0.0
    return Route(tuple((doc_id, scores[doc_id]) for doc_id in order), 1 - second / first if first else 0.0, reason)


def scaled(votes: Votes, documents: Iterable[str]) -> dict[str, float]:
    """The votes of one voter moved to [0, 1] (min-max), a document without an entry standing at 0 before that.

    Voters differ in scale, not in what the distances between their scores mean; ranks would throw those away.
    """
    given = {doc_id: votes.get(doc_id, 0.0) for doc_id in documents}
    low, high = min(given.values(), default=0.0), max(given.values(), default=0.0)
    if high == low:
        return dict.fromkeys(given, 0.0)
    return {doc_id: (score - low) / (high - low) for doc_id, score in given.items()}


def reciprocal_ranks(votes: Votes, k: float = 60) -> dict[str, float]:
    """1 / (k + rank) of each document with an entry (Cormack et al. 2009, eq. 1); equal scores share a rank."""
    return {doc_id: 1 / (k + 1 + sum(other > score for other in votes.values())) for doc_id, score in votes.items()}


def in_scope(documents: Iterable[str], query: Query) -> list[str]:
    return [doc_id for doc_id in documents if not query.scope or doc_id in query.scope]
