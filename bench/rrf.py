"""Reciprocal rank fusion beside the usual way of doing it with LangChain: serialised documents as keys.

`python bench/rrf.py` fuses 10,000 queries × 4 lists of 100 (the peer a sample of them, its time scaled up) and prints
CPU seconds of this process. `--queries` and `--sample` change the sizes.
"""

from __future__ import annotations

import argparse
import random
import time
import warnings
from collections.abc import Callable, Sequence

from langchain_core.documents import Document
from langchain_core.load import dumps, loads

from rag1.fuse.rrf import reciprocal_rank_fusion
from rag1.types import Retrieved

LISTS, LONG, POOL, KEPT = 4, 100, 1000, 8
TEXT = "その日の夕方、船は港へ戻って来た。" * 30


def by_serialised_documents(lists: Sequence[Sequence[Document]], k: int = 60) -> list[tuple[Document, float]]:
    """The peer: each document's JSON is its key, and is read back into a document at the end."""
    votes: dict[str, float] = {}
    for ranking in lists:
        for rank, document in enumerate(ranking):
            key = dumps(document)
            votes[key] = votes.get(key, 0.0) + 1 / (rank + k)
    ranked = sorted(votes.items(), key=lambda pair: pair[1], reverse=True)
    return [(loads(key), score) for key, score in ranked]


def draws(queries: int) -> list[list[list[int]]]:
    source = random.Random(0)
    return [[source.sample(range(POOL), LONG) for _ in range(LISTS)] for _ in range(queries)]


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--sample", type=int, default=50, help="queries that the peer is timed on")
    sizes = parser.parse_args()
    warnings.simplefilter("ignore")  # loads() says that its interface is in beta
    places = draws(sizes.queries)
    chunks = [Retrieved(f"doc:{n}-{n + 512}", TEXT[:512], "doc", (n, n + 512), 1.0, "bm25") for n in range(POOL)]
    documents = [Document(page_content=c.text, metadata={"document": c.doc_id, "span": c.id}) for c in chunks]
    ours = [[[chunks[n] for n in one] for one in lists] for lists in places]
    theirs = [[[documents[n] for n in one] for one in lists] for lists in places[: sizes.sample]]
    peer = seconds(lambda: [by_serialised_documents(lists) for lists in theirs]) * sizes.queries / len(theirs)
    print(f"{sizes.queries} queries, {LISTS} lists of {LONG}; CPU seconds")
    print(f"{'serialised documents as keys':32s} {peer:9.1f}   (from {len(theirs)} queries)")
    for label, limit in ((f"rag1, the {KEPT} best", KEPT), ("rag1, every item", None)):
        took = seconds(lambda limit=limit: [reciprocal_rank_fusion(lists, limit=limit) for lists in ours])  # type: ignore[misc]
        print(f"{label:32s} {took:9.1f}   {peer / took:6.0f} x")


if __name__ == "__main__":
    main()
