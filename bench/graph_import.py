"""Import speed: 100,000 triples through a graph store, beside a bare driver loop with the same batches.

    python bench/graph_import.py [falkordb|neo4j …] [--triples N] [--rounds N] [--uri bolt://…]

The bare loop is given the finished statements and rows and only sends them, one batch a transaction. Rounds
alternate between the two on emptied graphs and the best of each is compared. On a busy machine the wall clock says
little: the processor seconds of this process and the server together are shown beside it.
Neo4j must be up (`scripts/neo4j_local.sh start`), and its database is emptied.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag1.graph import batch
from rag1.graph.cypher_store import CypherStore
from rag1.graph.falkordb import FalkorDatabase, OpenFalkorDB
from rag1.graph.model import Triple
from rag1.graph.neo4j import Neo4jDatabase, OpenNeo4j
from rag1.types import Chunk

WARM_UP = 10_000
"""Triples that are loaded before anything is measured."""

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


@dataclass(frozen=True)
class Cost:
    """Seconds of the clock, and processor seconds of client and server."""

    wall: float
    client: float
    server: float

    @property
    def cpu(self) -> float:
        return self.client + self.server


def server_seconds(store: CypherStore) -> float:
    """Processor seconds that the server has used since it started."""
    database = store.database
    if isinstance(database, FalkorDatabase):
        state = database._call(lambda graph: graph.client.connection.info("cpu"))
        return float(state["used_cpu_user"] + state["used_cpu_sys"])
    query = (
        "CALL dbms.queryJmx('java.lang:type=OperatingSystem') YIELD attributes RETURN attributes.ProcessCpuTime.value"
    )
    return int(next(database.rows(query))[0]) / 1e9


def costed(store: CypherStore, load: Callable[[], object]) -> Cost:
    start, own, server = time.perf_counter(), time.process_time(), server_seconds(store)
    load()
    return Cost(time.perf_counter() - start, time.process_time() - own, server_seconds(store) - server)


def timed(store: CypherStore, data: list[Triple], load: Callable[[], object]) -> Cost:
    """Cost of `load` on a graph that holds the documents and chunks already."""
    store.clear()
    store.prepare()
    ids = dict.fromkeys((triple.chunk_id, triple.doc_id) for triple in data)
    store.write_chunks(Chunk(chunk, doc, "本文" * 100, (0, 200)) for chunk, doc in ids)
    return costed(store, load)


def measure(name: str, store: CypherStore, data: list[Triple], rounds: int) -> None:
    batches = list(store.loader.triples(data))
    store.prepare()
    send = bare(store, batches)
    ours, theirs = [], []
    # A Java server that has just started compiles itself first; whoever loads first would pay for it.
    timed(store, data[:WARM_UP], lambda: store.write_triples(data[:WARM_UP]))
    for _ in range(rounds):
        theirs.append(timed(store, data, send))
        expected = store.counts()
        ours.append(timed(store, data, lambda: store.write_triples(data)))
        assert store.counts() == expected, (store.counts(), expected)
    again = costed(store, lambda: store.write_triples(data))
    assert store.counts() == expected
    print(f"{name}: {len(data):,} triples, {len(batches)} batches, {dict(expected)}")
    for title, cost in (("store", best(ours)), ("bare loop", best(theirs)), ("second load", again)):
        speed = f"{len(data) / cost.wall:>7,.0f} triples/s"
        print(f"  {title:12}{speed}  client {cost.client:5.1f} s  server {cost.server:5.1f} s of processor")
    by_clock, by_processor = best(theirs).wall / best(ours).wall, best(theirs).cpu / best(ours).cpu
    print(f"  speed beside the bare loop: {by_clock:.2f} by the clock, {by_processor:.2f} by processor seconds")


def best(costs: list[Cost]) -> Cost:
    """The least of each figure over the rounds."""
    return Cost(*(min(getattr(cost, name) for cost in costs) for name in ("wall", "client", "server")))


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
