"""Precision and recall of name resolution on labelled pairs: `python bench/resolve.py [--wrong]`.

`resolve_pairs.csv` has pairs of names with their document: of the sample's stories, on which the rules were made,
and of the short texts in `resolve_texts/`, written to test them. A pair counts as merged when both names end as one.
Triples come from the offline rules; a model's confirmation is not used.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rag1.chunk.chunkers import Recursive
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.corpus.load import folder
from rag1.corpus.notation import Aozora
from rag1.graph.build import unique
from rag1.graph.extract import ChunkTriples
from rag1.graph.extract_rules import Rules
from rag1.graph.resolve import Resolver
from rag1.graph.resolve_names import Names

ROOT = Path(__file__).resolve().parent.parent
SETS = {"sample": ROOT / "data/sample/stories", "texts": ROOT / "bench/resolve_texts"}


@dataclass(frozen=True, slots=True)
class Pair:
    document: str
    a: str
    b: str
    same: bool
    trap: bool
    note: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of pairs; precision and recall of merging."""

    right: int
    wrong: int
    missed: int
    traps: int
    trapped: int

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.3f} ({self.right}/{self.right + self.wrong})  "
            f"recall {self.recall:.3f} ({self.right}/{self.right + self.missed})  "
            f"traps held {self.traps - self.trapped}/{self.traps}"
        )


class Nothing:
    """A memory without anything in it: the texts are read anew."""

    done: Mapping[str, ChunkTriples] = {}

    def note(self, key: str, make: object) -> str:
        raise NotImplementedError


def read_pairs() -> list[Pair]:
    with (ROOT / "bench/resolve_pairs.csv").open(encoding="utf-8", newline="") as handle:
        return [
            Pair(row["document"], row["a"], row["b"], row["same"] == "1", row["trap"] == "1", row["note"])
            for row in csv.DictReader(handle)
        ]


def judged(corpus: Corpus, pairs: list[Pair]) -> Iterator[tuple[Pair, bool]]:
    """Each pair with what the resolver makes of it."""
    chunks, rules, resolver = Chunks(corpus, Recursive()), Rules(), Resolver()
    for document in corpus:
        own = [pair for pair in pairs if pair.document == document.id]
        if not own:
            continue
        triples = unique(list(rules(document, chunks.of_document[document.id], Nothing())))
        extra = sorted({name for pair in own for name in (pair.a, pair.b)})
        names = Names(document, triples, corpus.readings.get(document.id, {}), extra)
        canonical = {merge.alias: merge.canonical for merge in resolver.of_document(names)}
        for pair in own:
            yield pair, canonical.get(pair.a, pair.a) == canonical.get(pair.b, pair.b)


def figures(results: list[tuple[Pair, bool]]) -> Figures:
    return Figures(
        right=sum(pair.same and merged for pair, merged in results),
        wrong=sum(not pair.same and merged for pair, merged in results),
        missed=sum(pair.same and not merged for pair, merged in results),
        traps=sum(pair.trap for pair, _ in results),
        trapped=sum(pair.trap and merged for pair, merged in results),
    )


def measured() -> dict[str, list[tuple[Pair, bool]]]:
    pairs = read_pairs()
    return {name: list(judged(folder(str(path), Aozora()), pairs)) for name, path in SETS.items()}


def main() -> None:
    results = measured()
    whole = [each for found in results.values() for each in found]
    for name, found in {**results, "all": whole}.items():
        print(f"{name:8}{len(found):4} pairs  {figures(found)}")
    if "--wrong" in sys.argv:
        for pair, merged in whole:
            if merged != pair.same:
                print(f"{'merged' if merged else 'missed'}: {pair.document} {pair.a} / {pair.b} ({pair.note})")


if __name__ == "__main__":
    main()
