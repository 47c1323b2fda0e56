"""A router before a pipeline: the pipeline sees only the documents that the question asks about."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from rag1.errors import ConfigError
from rag1.types import Answer, Pipeline, Query, Route, Router, Step


@dataclass(frozen=True)
class RoutedPipeline:
    """Narrows `Query.scope` to one document when the router is sure of it, else to its first `top`.

    `margin`: how clearly the first must lead (`Route.margin`, 0 to 1) to be taken alone. A scope that the question
    file gave is never touched, and a route that nothing speaks for leaves all documents in.
    """

    pipeline: Pipeline
    router: Router
    top: int = 1
    margin: float = 0.0

    def __post_init__(self) -> None:
        if self.top < 1:
            raise ConfigError(f"router.top is {self.top}; it is the number of documents kept, at least 1")
        if not 0 <= self.margin <= 1:
            raise ConfigError(f"router.margin is {self.margin}; it must lie between 0 and 1")

    def __call__(self, query: Query) -> Answer:
        if query.scope:
            return self.pipeline(query)
        start = time.perf_counter()
        route = self.router(query)
        scope = kept(route, self.top, self.margin)
        detail = f"{' '.join(sorted(scope)) or 'all documents'} (margin {route.margin:.2f}; {route.reason})"
        step = Step("route", detail, time.perf_counter() - start)
        answer = self.pipeline(replace(query, scope=scope))
        return replace(answer, route=route, trace=(step, *answer.trace))


def kept(route: Route, top: int, margin: float) -> frozenset[str]:
    """Ids of the documents to look in; empty (all of them) when nothing speaks for the first."""
    if not route.ranking or route.ranking[0][1] <= 0:
        return frozenset()
    count = 1 if route.margin >= margin else top
    return frozenset(doc_id for doc_id, score in route.ranking[:count] if score > 0)
