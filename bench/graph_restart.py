"""How soon an embedded FalkorDB is back after kill -9, and whether all is there.

    python bench/graph_restart.py [--triples N] [--relations N] [--unfolded]

A graph like one that the rules read from novels: a relation type for every six triples, properties, chunks with
vectors and full text. `--unfolded`: without folding the append-only file, as for a server killed in the middle of a
load. Seconds of the clock, and processor seconds of the server that starts.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rag1.graph.cypher_store import CypherStore
from rag1.graph.falkordb import FalkorDatabase, OpenFalkorDB
from rag1.graph.falkordb_server import EmbeddedServer
from rag1.graph.model import Triple
from rag1.types import Chunk

DIMENSIONS = 384


def triples(count: int, relations: int) -> Iterator[Triple]:
    """Few hubs and many rare names; half of the relation types are met once."""
    dice = random.Random(7)
    entities = count * 7 // 10
    for n in range(count):
        head, tail = int(entities * dice.random() ** 2), dice.randrange(entities)
        relation = n if n < relations else int(relations * dice.random() ** 3)
        own = {"日付": f"{1600 + n % 300}年"} if n % 4 == 0 else {}
        kind, doc = ("Place" if tail % 3 else "Event"), f"doc{n * 7 // count}"
        names = (f"登場人物{head}号", f"関係{relation}", f"登場人物{tail}号", "Person", kind)
        yield Triple(
            *names, own, doc, f"{doc}:{n // 12}", (n, n + 40), f"これは{n}番目の文で、二人の間柄を述べている。"
        )


def load(store: CypherStore, count: int, relations: int) -> None:
    all_triples = list(triples(count, relations))
    places = list(dict.fromkeys((t.doc_id, t.chunk_id) for t in all_triples))
    store.prepare()
    store.write_chunks(
        Chunk(c, d, f"章の文 {n} 番目の文章である。", (n, n + 40), {}) for n, (d, c) in enumerate(places)
    )
    store.write_triples(all_triples)
    vectors = np.random.default_rng(0).normal(size=(len(places), DIMENSIONS)).astype(np.float32)
    store.index_chunks("random", [c for _, c in places], vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def state(store: CypherStore) -> dict[str, object]:
    indexes = "CALL db.indexes() YIELD label, properties, status RETURN label, properties, status"
    vector = np.ones(DIMENSIONS, dtype=np.float32) / DIMENSIONS**0.5
    return {
        **store.counts(),
        "indexes": sorted(map(str, store.database.rows(indexes))),
        "names": [match.name for match in store.match_names("登場人物777号", 3)],
        "near": store.nearest_chunks(vector, 5),
        "text": store.match_chunks("七十番目の文章", 5),
    }


def process(server: EmbeddedServer) -> tuple[int, float]:
    """Its id and the processor seconds it has used."""
    import redis

    with redis.Redis(unix_socket_path=str(server.socket)) as client:
        pid, cpu = int(client.info("server")["process_id"]), client.info("cpu")
    return pid, float(cpu["used_cpu_user"] + cpu["used_cpu_sys"])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--triples", type=int, default=30_000)
    options.add_argument("--relations", type=int, default=5_000)
    options.add_argument("--unfolded", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        store = OpenFalkorDB()(Path(place), "novels")
        assert isinstance(store.database, FalkorDatabase)
        server = store.database.server
        assert server
        if given.unfolded:
            server.settle = lambda: None  # type: ignore[method-assign]
        start = time.monotonic()
        load(store, given.triples, given.relations)
        loaded = time.monotonic() - start
        before = state(store)
        pid, cpu = process(server)
        print(f"{given.triples} triples loaded in {loaded:.1f} s (server: {cpu:.1f} processor seconds)", flush=True)
        os.kill(pid, signal.SIGKILL)
        store.close()
        start = time.monotonic()
        again = OpenFalkorDB()(Path(place), "novels")
        again.counts()
        ready = time.monotonic() - start
        assert isinstance(again.database, FalkorDatabase)
        assert again.database.server
        _, cpu = process(again.database.server)
        same = state(again) == before
        print(f"back in {ready:.1f} s (server: {cpu:.1f} processor seconds), all there: {same}; {dict(again.counts())}")
        again.close()


if __name__ == "__main__":
    main()
