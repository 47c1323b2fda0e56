"""FalkorDB: embedded in a folder, or a server by URL."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import methodcaller
from pathlib import Path
from typing import Any, TypeVar

from rag1.errors import ConfigError, CypherError, GraphDown
from rag1.graph.batch import Loader
from rag1.graph.cypher_store import CypherStore
from rag1.graph.falkordb_launch import STARTUP
from rag1.graph.falkordb_server import EmbeddedServer
from rag1.graph.model import Rows, Value
from rag1.graph.names import redisearch_any
from rag1.graph.store import Dialect, Hit, NodeKey
from rag1.text.tokenize import BigramTokenizer
from rag1.types import Tokenizer

T = TypeVar("T")

SILENCE = 60.0
"""Seconds a running server may take for one statement; `timeout` of `read` must stay below."""

INDEXES = (
    ("Entity", "_key"),
    ("Entity", "_name"),
    ("Entity", "name"),
    ("Chunk", "_key"),
    ("Chunk", "id"),
    ("Document", "_key"),
)
# Without these options, RediSearch drops its English stop words and stems what it takes for English.
NAMES_INDEX = "CALL db.idx.fulltext.createNodeIndex({label: 'Entity', stopwords: []}, {field: '_tokens', nostem: true})"
CHUNKS_INDEX = "CALL db.idx.fulltext.createNodeIndex({label: 'Chunk', stopwords: []}, {field: '_tokens', nostem: true})"
# efRuntime is how many neighbours a search keeps in view; the default of 10 misses some of the nearest.
VECTOR_INDEX = (
    "CREATE VECTOR INDEX FOR (n:Chunk) ON (n._embedding) "
    "OPTIONS {{dimension: {0:d}, similarityFunction: 'cosine', efRuntime: 200}}"
)
VECTOR_OPTIONS = "CALL db.indexes() YIELD label, properties, options WHERE label = 'Chunk' RETURN properties, options"
INDEX_STATUS = "CALL db.indexes() YIELD label, status WHERE label = 'Chunk' RETURN status"
VECTORS = (
    "UNWIND $rows AS row MATCH (c:Chunk {_key: row.key}) "
    "SET c._embedding = vecf32(row.vector), c._embedder = row.embedder, c._tokens = row.tokens"
)
NEAREST = (
    "CALL db.idx.vector.queryNodes('Chunk', '_embedding', $k, vecf32($vector)) YIELD node, score "
    "RETURN node.id, 1 - score"
)
NEAREST_IN = (
    "MATCH (c:Chunk) WHERE c.doc_id IN $docs AND c._embedding IS NOT NULL "
    "RETURN c.id, 1 - vec.cosineDistance(c._embedding, vecf32($vector)) AS score ORDER BY score DESC LIMIT $k"
)
CHUNKS_TEXT = (
    "CALL db.idx.fulltext.queryNodes('Chunk', $query) YIELD node, score WHERE size($docs) = 0 OR node.doc_id IN $docs "
    "RETURN node.id, score ORDER BY score DESC LIMIT $k"
)
UNIQUE = (("Entity", "_key"), ("Chunk", "_key"), ("Document", "_key"))
LISTED = "CALL db.indexes() YIELD label, properties RETURN label, properties"
FULL_TEXT = (
    "CALL db.idx.fulltext.queryNodes('Entity', $query) YIELD node, score "
    "WITH node, score ORDER BY score DESC LIMIT $count RETURN node.name, labels(node), node.aliases, node.doc_ids"
)


@dataclass(frozen=True)
class FalkorDatabase:
    """A graph of a FalkorDB server. Connects at first use; a silent or absent server is GraphDown within 15 s."""

    graph: str
    server: EmbeddedServer | None = None
    url: str = field(default="", repr=False)
    tokenizer: Tokenizer = field(default_factory=BigramTokenizer)
    dialect: Dialect = field(default="falkordb", init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)
    _open: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def _graph(self) -> Any:
        with self._lock:
            if not self._open:
                client = _connect(self.url, self.server)
                self._open.extend([client.select_graph(self.graph), client])
            return self._open[0]

    def prepare(self) -> None:
        """Asks what is there first: a statement that changes nothing would still grow the append-only file."""
        graph_is_new = self.graph not in self._call(lambda graph: graph.client.list_graphs())
        there = set() if graph_is_new else {(row[0], key) for row in self.rows(LISTED) for key in row[1]}
        for label, key in INDEXES:
            if (label, key) not in there:
                self._call(methodcaller("query", f"CREATE INDEX FOR (n:{label}) ON (n.{key})"))
        if ("Entity", "_tokens") not in there:
            self._call(methodcaller("query", NAMES_INDEX))
        unique = {(c["label"], *c["properties"]) for c in self._call(methodcaller("list_constraints"))}
        for label, key in UNIQUE:
            if (label, key) not in unique:
                self._call(methodcaller("create_node_unique_constraint", label, key))
        self._await_constraints()

    def _await_constraints(self) -> None:
        """FalkorDB builds constraints in the background; one that fails means the data breaks it."""
        until = time.monotonic() + STARTUP
        while time.monotonic() < until:
            states = {c["label"]: c["status"] for c in self._call(methodcaller("list_constraints"))}
            if "FAILED" in states.values():
                raise CypherError(f"nodes of graph {self.graph!r} are not unique ({states}): load it into an empty one")
            if set(states.values()) <= {"OPERATIONAL"}:
                return
            time.sleep(0.02)
        raise GraphDown(f"FalkorDB did not build its constraints within {STARTUP:.0f} s")

    def write(self, statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return self._rows(self._call(lambda graph: graph.query(statement, dict(params))))

    def rows(self, statement: str, params: Mapping[str, Any] | None = None) -> Iterator[tuple[Any, ...]]:
        yield from self._rows(self._call(lambda graph: graph.ro_query(statement, dict(params or {}))))

    def _rows(self, result: Any) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in result.result_set]

    def candidates(self, text: str, count: int) -> Iterator[tuple[Any, ...]]:
        query = redisearch_any(self.tokenizer(text))
        return self.rows(FULL_TEXT, {"query": query, "count": count}) if query else iter(())

    def drop_vectors(self, dimensions: int) -> None:
        """The index always goes: each vector that is written again would leave its old entry among the nearest."""
        keys, options = self._chunk_index()
        if "_embedding" not in keys:
            return
        self.write("DROP VECTOR INDEX FOR (n:Chunk) ON (n._embedding)", {})
        if options["_embedding"]["dimension"] != dimensions:
            self.write("MATCH (c:Chunk) SET c._embedding = NULL, c._embedder = NULL", {})

    def index_vectors(self, dimensions: int) -> None:
        keys, _ = self._chunk_index()
        if "_tokens" not in keys:
            self.write(CHUNKS_INDEX, {})
        if "_embedding" not in keys:
            self.write(VECTOR_INDEX.format(dimensions), {})
        until = time.monotonic() + SILENCE
        while next(self.rows(INDEX_STATUS))[0] != "OPERATIONAL":
            if time.monotonic() > until:
                raise GraphDown(f"FalkorDB did not build its index of vectors within {SILENCE:.0f} s")
            time.sleep(0.02)

    def _chunk_index(self) -> tuple[list[str], Mapping[str, Any]]:
        keys, options = next(self.rows(VECTOR_OPTIONS), ([], {}))
        return keys, options

    def write_vectors(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.write(VECTORS, {"rows": list(rows)})

    def nearest(self, vector: list[float], k: int, docs: list[str]) -> Iterator[Hit]:
        statement = NEAREST_IN if docs else NEAREST
        return ((row[0], row[1]) for row in self.rows(statement, {"vector": vector, "k": k, "docs": docs}))

    def chunk_candidates(self, text: str, k: int, docs: list[str]) -> Iterator[Hit]:
        query = redisearch_any(self.tokenizer(text))
        rows = self.rows(CHUNKS_TEXT, {"query": query, "k": k, "docs": docs}) if query else iter(())
        return ((row[0], row[1]) for row in rows)

    def read(self, cypher: str, params: Mapping[str, object], timeout: float, limit: int) -> Rows:
        if timeout >= SILENCE:
            raise ConfigError(f"timeout of {timeout:g} s is too long for FalkorDB: give less than {SILENCE:g}")
        milliseconds = max(1, round(timeout * 1000))
        result = self._call(lambda graph: graph.ro_query(cypher, dict(params), timeout=milliseconds))
        rows = tuple(tuple(_value(cell) for cell in row) for row in result.result_set[:limit])
        return Rows(tuple(name for _, name in result.header), rows, len(result.result_set) > limit)

    def explain(self, cypher: str) -> str:
        return str(self._call(lambda graph: graph.explain(cypher)))

    def settle(self) -> None:
        """A server by URL keeps its files as its owner wants."""
        if self.server:
            self.server.settle()

    def clear(self) -> None:
        try:
            self._call(lambda graph: graph.delete())
        except CypherError as error:
            if "not there" not in str(error):
                raise

    def close(self) -> None:
        with self._lock:
            if self._open:
                self._open[1].close()
                self._open.clear()
            if self.server:
                self.server.close()

    def _call(self, use: Callable[[Any], T]) -> T:
        import redis
        from falkordb.exceptions import SchemaVersionMismatchException

        graph = self._graph()
        try:
            try:
                return use(graph)
            except SchemaVersionMismatchException:
                # The client's list of labels was older than the graph; it has just read the new one.
                return use(graph)
        except redis.exceptions.ResponseError as error:
            if "empty key" in str(error):
                raise CypherError(f"graph {self.graph!r} is not there: build it first") from error
            raise CypherError(_plain(error)) from error
        except (redis.exceptions.RedisError, OSError) as error:
            raise GraphDown(f"FalkorDB was lost: {_plain(error)}") from error


@dataclass(frozen=True)
class OpenFalkorDB:
    """`OpenGraph` for FalkorDB: a server by `url` (falkor://, falkors://, unix://), or embedded where that is empty."""

    url: str = field(default="", repr=False)
    node_key: NodeKey = "name"
    batch_size: int = 1000

    def __call__(self, folder: Path, name: str) -> CypherStore:
        server = None if self.url else EmbeddedServer(Path(folder))
        tokenizer = BigramTokenizer()
        database = FalkorDatabase(name, server, self.url, tokenizer)
        return CypherStore(database, Loader(tokenizer, self.node_key, self.batch_size))


def _connect(url: str, server: EmbeddedServer | None) -> Any:
    """A FalkorDB client. Asks for a sign of life first: the client's own constructor would wait far longer."""
    import redis
    from falkordb import FalkorDB
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    address = f"unix://{server.start()}" if server else url
    if not re.match(r"(falkors?|rediss?|unix)://", address):
        raise ConfigError(f"graph url {_safe(address)!r} is none of falkor://, falkors://, unix://")
    once = {"retry": Retry(NoBackoff(), 0), "socket_connect_timeout": 4.0}
    try:
        probe = redis.from_url(re.sub(r"^falkor", "redis", address), socket_timeout=3.0, **once)
        with probe:
            probe.ping()
        return FalkorDB.from_url(address, socket_timeout=SILENCE, **once)
    except (redis.exceptions.RedisError, OSError) as error:
        raise GraphDown(f"FalkorDB at {_safe(address)} does not answer: {_plain(error)}") from error


def _safe(url: str) -> str:
    return re.sub(r"//[^@/]*@", "//***@", url)


def _plain(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _value(cell: object) -> Value:
    """A cell as plain values. Nodes and relations become maps of their public properties."""
    from falkordb import Edge, Node, Path

    if isinstance(cell, Node | Edge):
        return {key: _value(item) for key, item in cell.properties.items() if not key.startswith("_")}
    if isinstance(cell, Path):
        return [_value(item) for item in cell.nodes()]
    if isinstance(cell, Mapping):
        return {str(key): _value(item) for key, item in cell.items()}
    if isinstance(cell, list | tuple):
        return [_value(item) for item in cell]
    return cell if isinstance(cell, str | int | float | bool | None) else str(cell)
