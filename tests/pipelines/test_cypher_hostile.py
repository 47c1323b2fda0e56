"""A model that means harm, on both stores: it never writes, reads no file, opens no socket."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from rag1.answer.tools import CypherTool
from rag1.errors import CypherError
from rag1.graph.cypher_store import CypherStore
from rag1.llm.deadline import deadline_scope
from rag1.llm.offline import OfflineLlm
from rag1.retrieve.cypher import RunCypher
from rag1.types import ABSTENTION, Query

from .conftest import Make, Script

ASKED = Query("1", "太一の父は誰か。")

WRITES = [
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) WHERE n.name = '太一' SET n.name = '次郎' RETURN n.name",
    "MERGE (n:Entity {name: '余所者'}) RETURN n.name",
    "CREATE (n:Entity {name: '余所者'}) RETURN n",
    "MATCH (n) REMOVE n.aliases RETURN n.name",
    "MATCH (n) FOREACH (x IN [1] | SET n.seen = x) RETURN n",
    "MATCH (n) CALL { WITH n CREATE (m) RETURN m } RETURN m",
    "MATCH (n) RETURN n.name; MATCH (n) DELETE n",
    "MATCH (n) /* harmless */ DEL/**/ETE n",
    "MATCH (n) ＤＥＬＥＴＥ n",
    "MATCH (n) \\u0044ELETE n",
    "EXPLAIN PROFILE CREATE (n)",
    "CREATE INDEX FOR (n:Entity) ON (n.aliases)",
    "CALL apoc.cypher.doIt('CREATE (n)', {}) YIELD value RETURN value",
    "CALL apoc.periodic.iterate('MATCH (n) RETURN n', 'DELETE n', {})",
]


@dataclass
class Listener:
    """A socket on loopback that remembers whether anybody came."""

    server: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    visits: int = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.getsockname()[1]}/x.csv"

    def listen(self) -> None:
        while True:
            try:
                visitor, _ = self.server.accept()
            except OSError:
                return
            self.visits += 1
            visitor.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    listening = Listener()
    threading.Thread(target=listening.listen, daemon=True).start()
    yield listening
    listening.server.close()


def outside(secret: Path, url: str) -> list[str]:
    """Statements that would read a file or open a socket."""
    return [
        f"LOAD CSV FROM 'file://{secret}' AS line RETURN line",
        f"LOAD CSV FROM '{url}' AS line RETURN line",
        f"LOAD CSV WITH HEADERS FROM '{url}' AS line RETURN line",
        f"CALL apoc.load.json('{url}') YIELD value RETURN value",
        f"CALL apoc.load.csv('{url}') YIELD list RETURN list",
        f"CALL apoc.import.json('{url}')",
        f"RETURN apoc.load.jsonParams('{url}', {{}}, null)",
        "CALL dbms.listConfig() YIELD name RETURN name",
        f"CALL db.createVectorIndex('{url}')",
        "CALL dbms.security.listUsers()",
        f"MATCH (n) CALL {{ LOAD CSV FROM '{url}' AS line RETURN line }} RETURN line",
    ]


def snapshot(store: CypherStore) -> tuple[object, ...]:
    facts = sorted((f.head, f.relation, f.tail, f.evidence) for f in store.facts())
    entities = sorted((e.name, e.aliases) for e in store.entities())
    return dict(store.counts()), facts, entities


@pytest.mark.parametrize("switches", [{}, {"relations": False, "direction": False}], ids=["all", "bare"])
def test_a_hostile_model_changes_nothing_and_gets_nowhere(
    cypher_for: Make, family: CypherStore, listener: Listener, tmp_path: Path, switches: dict[str, bool]
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("合言葉\n", encoding="utf-8")
    before = snapshot(family)
    statements = [*WRITES, *outside(secret, listener.address)]
    model = Script(statements)
    answer = cypher_for(model, max_repairs=len(statements) - 1, **switches)(ASKED)
    assert len(model.asked) == len(statements)
    assert [step.detail.split(":")[0] for step in answer.trace] == ["refused"] * len(statements)
    assert (answer.text, answer.stop) == (ABSTENTION, "error")
    assert "合言葉" not in "".join(step.detail for step in answer.trace)
    assert snapshot(family) == before
    assert listener.visits == 0


def test_the_agents_tool_refuses_the_same(cypher_for: Make, family: CypherStore, listener: Listener) -> None:
    before = snapshot(family)
    tool = CypherTool(OfflineLlm(), cypher_for(OfflineLlm()).schema, RunCypher(family))
    for statement in [f"MATCH (n) {WRITES[0]}", f"CALL apoc.load.json('{listener.address}') YIELD value RETURN value"]:
        with pytest.raises(CypherError, match="refused"):
            tool(statement, ASKED)
    assert snapshot(family) == before
    assert listener.visits == 0


def test_a_statement_that_runs_too_long_is_ended(family: CypherStore) -> None:
    endless = "UNWIND range(1, 100000000) AS a UNWIND range(1, 100000) AS b RETURN count(*) AS n"
    outcome = RunCypher(family, timeout=0.5)(endless)
    assert outcome.ended == "error"
    assert outcome.reason.startswith("no result within 0.5 s")


def test_a_statement_takes_no_more_than_the_question_has_left(family: CypherStore) -> None:
    endless = "UNWIND range(1, 100000000) AS a UNWIND range(1, 100000) AS b RETURN count(*) AS n"
    start = time.monotonic()
    with deadline_scope(0.5):
        assert RunCypher(family, timeout=50)(endless).ended == "error"
    assert time.monotonic() - start < 40
