"""Neo4j 5.26 LTS and newer, through the official driver."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from rag1.errors import ConfigError, CypherError, GraphDown
from rag1.graph.batch import Loader
from rag1.graph.cypher_store import CypherStore
from rag1.graph.model import Rows, Value
from rag1.graph.names import lucene_any
from rag1.graph.store import Dialect, Hit, NodeKey
from rag1.text.tokenize import BigramTokenizer

MARK = "_Rag1Graph"
"""Label of the one node that says which graph a database holds, so that two recipes never mix in one."""

INDEXES = (
    "CREATE CONSTRAINT rag1_entity IF NOT EXISTS FOR (n:Entity) REQUIRE n._key IS UNIQUE",
    "CREATE CONSTRAINT rag1_chunk IF NOT EXISTS FOR (n:Chunk) REQUIRE n._key IS UNIQUE",
    "CREATE CONSTRAINT rag1_document IF NOT EXISTS FOR (n:Document) REQUIRE n._key IS UNIQUE",
    "CREATE INDEX rag1_entity_lookup IF NOT EXISTS FOR (n:Entity) ON (n._name)",
    # A text index takes names of up to 32 kB, a range index would refuse the write over 8 kB.
    "CREATE TEXT INDEX rag1_entity_name IF NOT EXISTS FOR (n:Entity) ON (n.name)",
    "CREATE INDEX rag1_chunk_id IF NOT EXISTS FOR (n:Chunk) ON (n.id)",
    "CREATE FULLTEXT INDEX rag1_names IF NOT EXISTS FOR (n:Entity) ON EACH [n.name, n.aliases] "
    "OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk'}}",
    "CREATE FULLTEXT INDEX rag1_chunks IF NOT EXISTS FOR (n:Chunk) ON EACH [n.text] "
    "OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk'}}",
)
FULL_TEXT = (
    "CALL db.index.fulltext.queryNodes('rag1_names', $query, {limit: $count}) YIELD node "
    "RETURN node.name, labels(node), node.aliases, node.doc_ids"
)
# Relations first, and few at once: a transaction keeps what it deletes in memory, and a hub has many.
CLEARING = (
    "MATCH (n)-[r]->() WHERE n._key IS NOT NULL CALL (r) { DELETE r } IN TRANSACTIONS OF 5000 ROWS",
    "MATCH (n) WHERE n._key IS NOT NULL CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS",
)
# Quantised vectors would save memory and shift a cosine by some 0.01, enough to change an order.
VECTOR_INDEX = (
    "CREATE VECTOR INDEX rag1_vectors IF NOT EXISTS FOR (n:Chunk) ON (n._embedding) "
    "OPTIONS {{indexConfig: {{`vector.dimensions`: {0:d}, `vector.similarity_function`: 'cosine', "
    "`vector.quantization.enabled`: false}}}}"
)
VECTOR_OPTIONS = "SHOW VECTOR INDEXES YIELD name, options WHERE name = 'rag1_vectors' RETURN options"
VECTORS = (
    "UNWIND $rows AS row MATCH (c:Chunk {_key: row.key}) SET c._embedder = row.embedder "
    "WITH c, row CALL db.create.setNodeVectorProperty(c, '_embedding', row.vector)"
)
# Neo4j's score of a cosine is (1 + cosine) / 2.
NEAREST = "CALL db.index.vector.queryNodes('rag1_vectors', $k, $vector) YIELD node, score RETURN node.id, 2 * score - 1"
NEAREST_IN = (
    "MATCH (c:Chunk) WHERE c.doc_id IN $docs AND c._embedding IS NOT NULL "
    "RETURN c.id, 2 * vector.similarity.cosine(c._embedding, $vector) - 1 AS score ORDER BY score DESC LIMIT $k"
)
CHUNKS_TEXT = (
    "CALL db.index.fulltext.queryNodes('rag1_chunks', $query) YIELD node, score "
    "WHERE size($docs) = 0 OR node.doc_id IN $docs RETURN node.id, score ORDER BY score DESC LIMIT $k"
)


@dataclass(frozen=True)
class Neo4jDatabase:
    """One database of a Neo4j server. Connects at first use; a silent or absent server is GraphDown within 15 s.

    `graph` is the name of the graph in it. A database that holds another one, or nodes that are not ours, is refused,
    unless `replace` says that another graph of ours may be deleted.
    """

    graph: str
    uri: str
    user: str = "neo4j"
    password: str = field(default="", repr=False)
    name: str = "neo4j"
    replace: bool = False
    dialect: Dialect = field(default="neo4j", init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)
    _open: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def _driver(self) -> Any:
        with self._lock:
            if not self._open:
                self._open.append(self._connect())
            return self._open[0]

    def _connect(self) -> Any:
        import neo4j

        if not re.match(r"(bolt|neo4j)(\+s|\+ssc)?://.", self.uri):
            raise ConfigError(f"graph uri {self.uri!r} does not start with bolt:// or neo4j:// (or +s, +ssc)")
        driver = neo4j.GraphDatabase.driver(
            self.uri,
            auth=(self.user, self.password) if self.password else None,
            connection_timeout=5,
            connection_acquisition_timeout=10,
            max_transaction_retry_time=10,
            # Hints about labels that an empty graph does not have yet are noise here.
            notifications_min_severity="OFF",
        )
        try:
            with _errors(self.uri):
                driver.verify_connectivity()
        except Exception:
            driver.close()
            raise
        return driver

    def prepare(self) -> None:
        self._claim()
        for statement in INDEXES:
            self.write(statement, {})
        self.write("CALL db.awaitIndexes(15)", {})

    def _claim(self) -> None:
        if next(self.rows(f"MATCH (n) WHERE n._key IS NULL AND NOT n:{MARK} RETURN count(n)"))[0]:
            raise ConfigError(f"database {self.name!r} holds nodes that are not ours: give an empty one")
        held = [row[0] for row in self.rows(f"MATCH (m:{MARK}) RETURN m.name")]
        if held and held != [self.graph] and not self.replace:
            raise ConfigError(
                f"database {self.name!r} holds graph {held[0]!r}, not {self.graph!r}: "
                "set graph.replace=true to delete it, or name another database"
            )
        if held != [self.graph]:
            self.clear()
        self.write(f"MERGE (:{MARK} {{name: $name}})", {"name": self.graph})

    def write(self, statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        def work(transaction: Any) -> list[tuple[Any, ...]]:
            return [tuple(record.values()) for record in transaction.run(statement, dict(params))]

        with self._session("WRITE") as session:
            rows: list[tuple[Any, ...]] = session.execute_write(work)
            return rows

    def rows(self, statement: str, params: Mapping[str, Any] | None = None) -> Iterator[tuple[Any, ...]]:
        with self._session("READ") as session:
            for record in session.run(statement, dict(params or {})):
                yield tuple(record.values())

    def candidates(self, text: str, count: int) -> Iterator[tuple[Any, ...]]:
        query = lucene_any(text)
        return self.rows(FULL_TEXT, {"query": query, "count": count}) if query else iter(())

    def drop_vectors(self, dimensions: int) -> None:
        options = next(self.rows(VECTOR_OPTIONS), None)
        if options and options[0]["indexConfig"]["vector.dimensions"] != dimensions:
            self.write("DROP INDEX rag1_vectors IF EXISTS", {})
            self.write("MATCH (c:Chunk) SET c._embedding = NULL, c._embedder = NULL", {})

    def write_vectors(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.write(VECTORS, {"rows": list(rows)})

    def index_vectors(self, dimensions: int) -> None:
        """The full-text index is there from `prepare`."""
        self.write(VECTOR_INDEX.format(dimensions), {})
        self.write("CALL db.awaitIndexes(60)", {})

    def nearest(self, vector: list[float], k: int, docs: list[str]) -> Iterator[Hit]:
        statement = NEAREST_IN if docs else NEAREST
        return ((row[0], row[1]) for row in self.rows(statement, {"vector": vector, "k": k, "docs": docs}))

    def chunk_candidates(self, text: str, k: int, docs: list[str]) -> Iterator[Hit]:
        query = lucene_any(text)
        rows = self.rows(CHUNKS_TEXT, {"query": query, "k": k, "docs": docs}) if query else iter(())
        return ((row[0], row[1]) for row in rows)

    def read(self, cypher: str, params: Mapping[str, object], timeout: float, limit: int) -> Rows:
        """Rolled back at its end whatever it did: READ access mode is a promise of the client, not a right."""
        with self._session("READ", fetch_size=min(limit + 1, 1000)) as session:
            transaction = session.begin_transaction(timeout=timeout)
            try:
                result = transaction.run(cypher, dict(params))
                columns = tuple(result.keys())
                rows = [tuple(_value(cell) for cell in record.values()) for record in islice(result, limit + 1)]
            finally:
                transaction.close()
        return Rows(columns, tuple(rows[:limit]), len(rows) > limit)

    def explain(self, cypher: str) -> str:
        with self._session("READ") as session:
            plan = session.run(f"EXPLAIN {cypher}").consume().plan or {}
        return "\n".join(_plan_lines(plan))

    def settle(self) -> None:
        """Nothing to do: the server writes checkpoints by itself."""

    def clear(self) -> None:
        """Deletes what is ours, the mark last: a clearing that was interrupted is finished by the next one."""
        with self._session("WRITE") as session:
            for statement in CLEARING:
                session.run(statement).consume()
            session.run(f"MATCH (m:{MARK}) DELETE m").consume()

    def close(self) -> None:
        with self._lock:
            if self._open:
                self._open.pop().close()

    @contextmanager
    def _session(self, mode: str, **config: Any) -> Iterator[Any]:
        driver = self._driver()
        with _errors(self.uri), driver.session(database=self.name, default_access_mode=mode, **config) as session:
            yield session


@dataclass(frozen=True)
class OpenNeo4j:
    """`OpenGraph` for Neo4j. The password comes from the environment (`password_env`); none means no login."""

    uri: str = "bolt://127.0.0.1:7687"
    user: str = "neo4j"
    password_env: str = "NEO4J_PASSWORD"  # noqa: S105  the name of a variable
    database: str = "neo4j"
    replace: bool = False
    node_key: NodeKey = "name"
    batch_size: int = 1000

    def __call__(self, folder: Path, name: str) -> CypherStore:
        """`folder` is not used: the server keeps its own files."""
        del folder
        password = os.environ.get(self.password_env, "")
        database = Neo4jDatabase(name, self.uri, self.user, password, self.database, self.replace)
        return CypherStore(database, Loader(BigramTokenizer(), self.node_key, self.batch_size, types_in_rows=True))


@contextmanager
def _errors(uri: str) -> Iterator[None]:
    """The driver's errors as ours, each one line."""
    from neo4j import exceptions

    try:
        yield
    except (exceptions.ServiceUnavailable, exceptions.SessionExpired, exceptions.AuthError) as error:
        raise GraphDown(f"Neo4j at {uri} does not serve us: {_plain(error)}") from error
    except exceptions.ConfigurationError as error:
        raise ConfigError(f"graph uri {uri!r}: {_plain(error)}") from error
    except exceptions.Neo4jError as error:
        raise CypherError(_plain(error)) from error
    except (exceptions.DriverError, OSError) as error:
        raise GraphDown(f"Neo4j at {uri} was lost: {_plain(error)}") from error


def _plain(error: Exception) -> str:
    message = getattr(error, "message", None) or str(error)
    return " ".join(str(message).split())[:300]


def _plan_lines(plan: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    yield "  " * depth + str(plan.get("operatorType", ""))
    for child in plan.get("children", ()):
        yield from _plan_lines(child, depth + 1)


def _value(cell: object) -> Value:
    """A cell as plain values. Nodes and relations become maps of their public properties."""
    from neo4j.graph import Node, Path, Relationship

    if isinstance(cell, Node | Relationship):
        return {key: _value(item) for key, item in cell.items() if not key.startswith("_")}
    if isinstance(cell, Path):
        return [_value(item) for item in cell.nodes]
    if isinstance(cell, Mapping):
        return {str(key): _value(item) for key, item in cell.items()}
    if isinstance(cell, list | tuple):
        return [_value(item) for item in cell]
    return cell if isinstance(cell, str | int | float | bool | None) else str(cell)
