"""Runs retrievers for a question and keeps what each brought, for fusion, trace and report."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from rag1.types import Query, Retrieved, Retriever, Step


@dataclass(frozen=True, slots=True)
class Gathered:
    """`rankings` in the order of the retrievers; an arm that found nothing is flagged, as it may be a dead one."""

    rankings: tuple[tuple[Retrieved, ...], ...]
    steps: tuple[Step, ...]
    flags: tuple[str, ...]


def gather(query: Query, retrievers: Mapping[str, Retriever], k: int) -> Gathered:
    rankings, steps, flags = [], [], []
    for name, retriever in retrievers.items():
        start = time.perf_counter()
        found = tuple(retriever(query, k))
        seconds = time.perf_counter() - start
        rankings.append(found)
        steps.append(Step(f"retrieve {name}", f"{len(found)} of {k}: {' '.join(r.id for r in found)}", seconds))
        if not found:
            flags.append(f"empty:{name}")
    return Gathered(tuple(rankings), tuple(steps), tuple(flags))
