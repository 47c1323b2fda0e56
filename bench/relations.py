"""Which cosine joins two relation names: precision and recall on a labelled list, by embedder.

    python bench/relations.py [--embedder use|e5] [--beta 0.5]

The list (`relation_pairs.csv`, written for this) is cut in two halves by row: the threshold that is best on one half
(F-beta; 0.5 weighs precision over recall, as a wrong name gives a wrong answer) is measured on the other, and the
other way round. `vectors: …` is what both halves together choose, for a type that the graph lacks; `nearly sure` the
least threshold of 95 % precision, for one that it has: `CALIBRATED` in rag1/cypher/relations.py. `table` is the table
of synonyms alone; `table + vectors` is what a statement gets.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rag1.cypher.relations import Relations, comparable
from rag1.embed.e5 import E5Embedder
from rag1.embed.use import UseEmbedder
from rag1.llm.rules.kinship import same_relation


@dataclass(frozen=True)
class Pair:
    a: str
    b: str
    same: bool
    cosine: float


@dataclass(frozen=True)
class Figures:
    precision: float
    recall: float

    def f(self, beta: float) -> float:
        down = beta**2 * self.precision + self.recall
        return (1 + beta**2) * self.precision * self.recall / down if down else 0.0


def read_pairs(relations: Relations) -> list[Pair]:
    with Path(__file__).with_name("relation_pairs.csv").open(encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    relations.cosines("", sorted({name for row in rows for name in (row["a"], row["b"])}))
    return [
        Pair(row["a"], row["b"], row["same"] == "1", float(relations.cosines(row["a"], [row["b"]])[0])) for row in rows
    ]


def measure(pairs: Sequence[Pair], joins: Callable[[Pair], bool]) -> Figures:
    said = [pair for pair in pairs if joins(pair)]
    hits, wanted = sum(pair.same for pair in said), sum(pair.same for pair in pairs)
    return Figures(hits / len(said) if said else 1.0, hits / wanted)


def vectors(least: float) -> Callable[[Pair], bool]:
    return lambda pair: pair.cosine >= least and comparable(pair.a, pair.b)


def table(pair: Pair) -> bool:
    return same_relation(pair.a, pair.b)


def best(pairs: Sequence[Pair], beta: float) -> float:
    """The threshold in the middle of the gap below the best cosine to cut at."""
    steps = sorted({pair.cosine for pair in pairs}, reverse=True)
    middles = [(high + low) / 2 for high, low in pairwise(steps)]
    return max(middles, key=lambda least: measure(pairs, vectors(least)).f(beta))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedder", choices=["use", "e5"], default="use")
    parser.add_argument("--beta", type=float, default=0.5)
    options = parser.parse_args()
    embedder = UseEmbedder() if options.embedder == "use" else E5Embedder()
    pairs = read_pairs(Relations(embedder))
    halves = pairs[::2], pairs[1::2]
    least = best(pairs, options.beta)
    print(f"{embedder.name}: {len(pairs)} pairs, {sum(pair.same for pair in pairs)} of one meaning")
    for fitted, held in (halves, halves[::-1]):
        line(
            f"fitted on one half: {best(fitted, options.beta):.3f}", measure(held, vectors(best(fitted, options.beta)))
        )
    line("cosine alone, no pairs told apart", measure(pairs, lambda pair: pair.cosine >= least))
    line("table of synonyms", measure(pairs, table))
    line(f"vectors: {least:.3f}", measure(pairs, vectors(least)))
    line("table + vectors", measure(pairs, lambda pair: table(pair) or vectors(least)(pair)))
    sure = min(p.cosine for p in pairs if measure(pairs, vectors(p.cosine)).precision >= 0.95)
    line(f"nearly sure: {sure:.3f}", measure(pairs, vectors(sure)))
    line("table + nearly sure", measure(pairs, lambda pair: table(pair) or vectors(sure)(pair)))
    for rival in (0.7, 0.8, 0.9, 0.95):
        line(f"vectors: {rival:.3f}", measure(pairs, vectors(rival)))


def line(name: str, figures: Figures) -> None:
    print(f"  {name:<36} precision {figures.precision:.2f}  recall {figures.recall:.2f}")


if __name__ == "__main__":
    main()
