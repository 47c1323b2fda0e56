"""Import speed: 100,000 triples through a graph store, beside a bare driver loop with the same batches.

    python bench/graph_import.py [falkordb|neo4j …] [--triples N] [--rounds N] [--uri bolt://…]

The bare loop is given the finished statements and rows and only sends them, one batch a transaction. Rounds
alternate between the two on emptied graphs; the best of each is compared, so that load of the machine falls on both.
Neo4j must be up (`scripts/neo4j_local.sh start`), and its database is emptied.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rag1.graph import batch
from rag1.graph.cypher_store import SLAB, CypherStore
from rag1.graph.falkordb import FalkorDatabase, OpenFalkorDB
from rag1.graph.model import Triple
from rag1.graph.neo4j import Neo4jDatabase, OpenNeo4j
from rag1.types import Chunk

TYPES = ("人物", "場所", "組織", "作品", "出来事", "物", "概念", "日付")


def triples(count: int, seed: int = 7) -> Iterator[Triple]:
    """A graph like one read from novels: few hubs and many rare names, 40 relations, evidence of a sentence."""
    dice = random.Random(seed)
    entities = max(10, count // 5)
    for number in range(count):
        head = int(entities * dice.random() ** 2)
        tail = dice.randrange(entities)
        doc = f"doc{number * 50 // count}"
        own = {"日付": f"{1600 + number % 300}年"} if number % 4 == 0 else {}
        evidence = f"これは{number}番目の文で、二人の間柄を述べている。"
        names = (
            f"登場人物{head}号",
            f"関係{dice.randrange(40)}",
            f"登場人物{tail}号",
            TYPES[head % 8],
            TYPES[tail % 8],
        )
        yield Triple(*names, own, doc, f"{doc}:{number // 5}-{number // 5 + 40}", (number, number + 40), evidence)


def bare(store: CypherStore, batches: list[batch.Batch]) -> Callable[[], None]:
    """A loop over the driver itself, nothing of ours in it."""
    database = store.database
    if isinstance(database, FalkorDatabase):
        graph = database._graph()

        def send() -> None:
            for statement, rows in batches:
                graph.query(statement, {"rows": rows})

        return send
    assert isinstance(database, Neo4jDatabase)
    driver = database._driver()

    def send_bolt() -> None:
        with driver.session(database=database.name) as session:
            for statement, rows in batches:
                session.run(statement, {"rows": rows}).consume()

    return send_bolt


def timed(store: CypherStore, data: list[Triple], load: Callable[[], object]) -> float:
    """Seconds of `load` on a graph that holds the documents and chunks already."""
    store.clear()
    store.prepare()
    ids = dict.fromkeys((triple.chunk_id, triple.doc_id) for triple in data)
    store.write_chunks(Chunk(chunk, doc, "本文" * 100, (0, 200)) for chunk, doc in ids)
    start = time.perf_counter()
    load()
    return time.perf_counter() - start


def measure(name: str, store: CypherStore, data: list[Triple], rounds: int) -> None:
    slabs = batch.slices(data, store.loader.size * SLAB)
    batches = [one for slab in slabs for one in store.loader.triples(slab)]
    store.prepare()
    send = bare(store, batches)
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(timed(store, data, send))
        expected = store.counts()
        ours.append(timed(store, data, lambda: store.write_triples(data)))
        assert store.counts() == expected, (store.counts(), expected)
    again = time.perf_counter()
    store.write_triples(data)
    again = time.perf_counter() - again
    assert store.counts() == expected
    speeds = [f"{len(data) / best:,.0f} triples/s" for best in (min(ours), min(theirs), again)]
    print(f"{name}: {len(data):,} triples, {len(batches)} batches, {dict(expected)}")
    print(f"  store {speeds[0]}, bare loop {speeds[1]}, ratio {min(theirs) / min(ours):.2f}, second load {speeds[2]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stores", nargs="*", default=["falkordb", "neo4j"])
    parser.add_argument("--triples", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--uri", default="bolt://127.0.0.1:7687")
    options = parser.parse_args()
    openers: dict[str, Any] = {"falkordb": OpenFalkorDB(), "neo4j": OpenNeo4j(options.uri, replace=True)}
    data = list(triples(options.triples))
    with tempfile.TemporaryDirectory() as folder:
        for name in options.stores:
            store = openers[name](Path(folder), "bench")
            measure(name, store, data, options.rounds)
            store.close()


if __name__ == "__main__":
    main()
