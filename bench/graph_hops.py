"""Hop recall on JEMHopQA: are all facts that a question needs among the 20 that graph retrieval brings?

The derivation triples of all questions are one graph, without chunks or text; each retriever gives 20 lines a
question; a question counts when every triple of its derivation is among them. Offline: no model, local vectors.

    python -m bench.graph_hops [--limit N] [--graph falkordb|neo4j] [--data ../shared/data/jemhopqa/train_ver1.2.json]

Ishii, Inoue and Sekine 2023, JEMHopQA (CC BY-SA 4.0), read where it is. Neo4j is the server of `NEO4J_URI`, emptied.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag1.embed.use import UseEmbedder
from rag1.graph.falkordb import OpenFalkorDB
from rag1.graph.model import Triple
from rag1.graph.neo4j import OpenNeo4j
from rag1.graph.store import GraphStore
from rag1.llm.offline import OfflineLlm
from rag1.retrieve.facts import open_facts
from rag1.retrieve.link import Linker
from rag1.retrieve.nodes import open_nodes
from rag1.retrieve.structured import Structured
from rag1.retrieve.subgraph import Subgraph
from rag1.retrieve.triples import Triples
from rag1.retrieve.walk import Walk
from rag1.types import Query, Retriever

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "jemhopqa" / "train_ver1.2.json"
LINES = 20


@dataclass(frozen=True)
class Question:
    """`ids`: the facts that its derivation is made of."""

    query: Query
    kind: str
    ids: frozenset[str]


def read_jemhopqa(path: Path, limit: int | None = None) -> tuple[list[Question], list[Triple]]:
    """Questions, and the triples of all derivations, each once; a value of several is a triple of its own."""
    questions, triples = [], {}
    for record in json.loads(path.read_text(encoding="utf-8"))[:limit]:
        own = [
            Triple(head, relation, tail) for head, relation, tails in record["derivations"] for tail in tails if tail
        ]
        triples.update({triple.identity(): triple for triple in own})
        ids = frozenset(triple.identity() for triple in own)
        questions.append(Question(Query(record["qid"], record["question"]), record["type"], ids))
    return questions, list(triples.values())


def retrievers(store: GraphStore, artifacts: str) -> dict[str, Retriever]:
    """The four graph retrievers with their settings in conf/retriever, over a filled store."""
    embedder, llm = UseEmbedder(), OfflineLlm()
    table = open_facts(store, artifacts, embedder)
    walk, linker = Walk(store, table), Linker(store, table, llm)
    return {
        "structured": Structured(linker, walk),
        "nodes": open_nodes(walk, embedder, llm, artifacts),
        "triples": Triples(walk),
        "subgraph": Subgraph(linker, table, passages=0),
    }


def missed(retriever: Retriever, questions: Sequence[Question], k: int = LINES) -> list[Question]:
    """The questions that lack a fact of their derivation among the `k` retrieved."""
    return [q for q in questions if not q.ids <= {found.id for found in retriever(q.query, k)}]


def hop_recall(retriever: Retriever, questions: Sequence[Question], k: int = LINES) -> float:
    return 1 - len(missed(retriever, questions, k)) / len(questions)


def table(found: Mapping[str, Retriever], questions: Sequence[Question]) -> list[dict[str, Any]]:
    rows = []
    for name, retriever in found.items():
        start = time.process_time()
        lost = {q.query.id for q in missed(retriever, questions)}
        row: dict[str, Any] = {"retriever": name, "all": 1 - len(lost) / len(questions)}
        for kind in sorted({q.kind for q in questions}):
            own = [q for q in questions if q.kind == kind]
            row[kind] = sum(q.query.id not in lost for q in own) / len(own)
        rows.append({**row, "cpu ms a question": 1000 * (time.process_time() - start) / len(questions)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--graph", choices=["falkordb", "neo4j"], default="falkordb")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--artifacts", default="outputs/artifacts")
    given = parser.parse_args()
    questions, triples = read_jemhopqa(given.data, given.limit)
    opener = OpenFalkorDB() if given.graph == "falkordb" else OpenNeo4j(os.environ["NEO4J_URI"], replace=True)
    with tempfile.TemporaryDirectory() as folder:
        store = opener(Path(folder), "graph-hops")
        try:
            store.prepare()
            store.write_triples(triples)
            rows = table(retrievers(store, given.artifacts), questions)
        finally:
            store.clear()
            store.close()
    print(f"{len(questions)} questions, {len(triples)} triples, hop recall at {LINES} lines, {given.graph}")
    for row in rows:
        print("  ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{v:12}" for k, v in row.items()))


if __name__ == "__main__":
    main()
