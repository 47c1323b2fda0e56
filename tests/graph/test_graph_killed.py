"""A load that is killed in the middle and started again gives the same graph as one that was not."""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from pathlib import Path

from rag1.graph.falkordb import OpenFalkorDB
from rag1.graph.model import Triple
from rag1.graph.neo4j import OpenNeo4j
from rag1.graph.store import OpenGraph

COUNT = 4_000

WRITER = """
import sys
from pathlib import Path
from rag1.graph.falkordb import OpenFalkorDB
from rag1.graph.neo4j import OpenNeo4j
from tests.graph.test_graph_killed import triples
kind, uri, folder, name = sys.argv[1:]
store = (OpenNeo4j(uri, batch_size=50) if kind == "neo4j" else OpenFalkorDB(batch_size=50))(Path(folder), name)
print("go", flush=True)
store.write_triples(triples())
print("done", flush=True)
"""


def triples() -> list[Triple]:
    return [Triple(f"人{i % 997}", f"関係{i % 2}", f"人{i % 1009}", doc_id="d", span=(i, i + 1)) for i in range(COUNT)]


def test_killing_the_loader_loses_nothing_that_was_written(opener: tuple[OpenGraph, Path], root: Path) -> None:
    open_graph, folder = opener
    name = f"killed-{uuid.uuid4().hex[:8]}"
    store = open_graph(folder, name)
    store.prepare()
    uri = open_graph.uri if isinstance(open_graph, OpenNeo4j) else ""
    kind = "falkordb" if isinstance(open_graph, OpenFalkorDB) else "neo4j"
    command = [sys.executable, "-c", WRITER, kind, uri, str(folder), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == "go\n"
        until = time.monotonic() + 60
        while not next(store.facts(limit=1), None) and time.monotonic() < until:
            time.sleep(0.02)
        writer.kill()
        rest = writer.stdout.read()
    partial = store.counts()["relations"]
    assert rest == ""
    assert 0 < partial < COUNT
    store.write_triples(triples())
    assert store.counts()["relations"] == COUNT
    assert store.counts()["entities"] == 1009
    assert len({fact.id for fact in store.facts()}) == COUNT
    store.clear()
    store.close()
