"""What other wordings of a question bring: how often one finds gold evidence that the asked wording did not.

    python bench/expansion.py [corpus=folder corpus.path=… questions.path=…] [expander@pipeline.expand=all]

Prints, for the retrievers of pipeline=fusion and for its fusion against the single wording, evidence recall at 8.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from rag1.app.plan import read_inputs
from rag1.build import Workshop
from rag1.fuse.rrf import reciprocal_rank_fusion
from rag1.pipelines.fusion import Fusion
from rag1.score.ranking import passages_found
from rag1.score.table import interval
from rag1.types import Document, Gold, Query, Retrieved

K = 8


def found(items: Sequence[Retrieved], gold: Gold, documents: Sequence[Document]) -> set[int]:
    """Which of the gold's passages are among the first K items."""
    return {n for n, here in enumerate(passages_found(items[:K], gold, documents)) if here}


def main() -> int:
    register_resolvers()
    config = composed(CONF, ["pipeline=fusion", "tracker=none", *sys.argv[1:]])
    workshop = Workshop()
    inputs = read_inputs(config, workshop)
    fusion = workshop(config.pipeline)
    assert isinstance(fusion, Fusion)
    documents = list(inputs.corpus)
    golds = {gold.query_id: gold for gold in inputs.golds if gold.evidence}
    adds = {name: [0, 0] for name in fusion.retrievers}
    single, fused = [], []
    for query in (q for q in inputs.queries if q.id in golds):
        gold, wordings = golds[query.id], fusion.expand(query)
        rankings = {name: _rankings(fusion, name, query, wordings) for name in fusion.retrievers}
        for name, ranks in rankings.items():
            first = found(ranks[0], gold, documents)
            adds[name][0] += bool(set().union(*(found(r, gold, documents) for r in ranks[1:])) - first)
            adds[name][1] += len(first) < len(gold.evidence)
        one = reciprocal_rank_fusion([ranks[0] for ranks in rankings.values()])
        all_of_them = reciprocal_rank_fusion(
            [r for n in range(len(wordings)) for r in (ranks[n] for ranks in rankings.values())]
        )
        single.append(len(found(one, gold, documents)) / len(gold.evidence))
        fused.append(len(found(all_of_them, gold, documents)) / len(gold.evidence))
    for name, (added, open_) in adds.items():
        print(f"{name}: another wording adds gold evidence for {added} of the {open_} questions where some was missing")
    low, high = interval(np.array(fused) - np.array(single))
    print(
        f"recall at {K} over {len(single)} questions: hybrid {np.mean(single):.3f}, fusion {np.mean(fused):.3f}, "
        f"difference {np.mean(fused) - np.mean(single):+.3f} [{low:+.3f}, {high:+.3f}]"
    )
    return 0


def _rankings(fusion: Fusion, name: str, query: Query, wordings: Sequence[str]) -> list[list[Retrieved]]:
    return [fusion.retrievers[name](replace(query, text=wording), 50) for wording in wordings]


if __name__ == "__main__":
    sys.exit(main())
