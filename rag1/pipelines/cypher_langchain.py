"""LangChain's GraphCypherQAChain over the same graph, behind our guard: the baseline beside `pipeline=cypher`.

It brings its own prompts, so it needs a real model. Its chain has no repairs, and keeps the first `top_k` rows.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rag1.cypher.guard import check_read_only
from rag1.errors import CypherError, CypherSyntax, Unavailable, UnsafeCypher
from rag1.graph.model import GraphSchema, PropertyKey
from rag1.graph.store import GraphStore
from rag1.retrieve.cypher import BY
from rag1.types import ABSTENTION, Answer, Llm, Query, Retrieved, Step

if TYPE_CHECKING:
    from rag1.llm.langchain import RagChatModel


@dataclass
class GuardedGraph:
    """A store of ours as LangChain's `GraphStore` protocol knows one; nothing runs that the guard refuses.

    `timeout` (seconds) and `limit` (rows) bound each call; `ran` are the statements so far.
    """

    store: GraphStore
    schema: GraphSchema
    timeout: float = 10.0
    limit: int = 200
    ran: list[str] = field(default_factory=list)
    cut: bool = False

    @property
    def get_structured_schema(self) -> dict[str, Any]:
        """Labels and types with their own properties, and every pattern."""
        return {
            "node_props": _properties(self.schema.entity_keys, self.schema.labels),
            "rel_props": _properties(self.schema.relation_keys, self.schema.relations),
            "relationships": [
                {"start": start, "type": pattern.relation, "end": end}
                for pattern in self.schema.patterns
                for start in pattern.start.split(":")
                for end in pattern.end.split(":")
            ],
        }

    @property
    def get_schema(self) -> str:
        return str(self.get_structured_schema)

    def query(self, query: str, params: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """The rows as maps. Raises UnsafeCypher, CypherError and GraphDown."""
        self.ran.append(query)
        check_read_only(query, self.store.dialect)
        self.store.explain(query)
        rows = self.store.read(query, params, self.timeout, self.limit)
        self.cut = self.cut or rows.cut
        return [dict(zip(rows.columns, row, strict=True)) for row in rows.rows]

    def refresh_schema(self) -> None:
        """The schema is what the run began with."""

    def add_graph_documents(self, graph_documents: object, include_source: bool = False) -> None:
        """Always raises UnsafeCypher: questions do not write."""
        del graph_documents, include_source
        raise UnsafeCypher("refused: a question may not write to the graph")


def _properties(keys: tuple[PropertyKey, ...], owners: Mapping[str, int]) -> dict[str, list[dict[str, str]]]:
    named = {owner: [{"property": "name", "type": "STRING"}] if owner in owners else [] for owner in owners}
    for key in keys:
        named.setdefault(key.owner, []).append({"property": key.key, "type": "STRING"})
    return named


def chain_model(llm: Llm) -> RagChatModel:
    """The model of the chain. Raises Unavailable for rules, which cannot serve its prompts, and without the extra."""
    from rag1.llm.langchain import chat_model

    chat = chat_model(llm, "cypher_langchain")
    if find_spec("langchain_neo4j") is None:
        raise Unavailable("cypher_langchain needs the extra experimental: pip install 'rag1[experimental]'", "pipeline")
    return chat


@dataclass(frozen=True)
class CypherLangchain:
    """`top_k`: rows that the chain keeps; the rest is flagged `rows_cut`. `validate`: its own direction corrector."""

    chat: RagChatModel
    store: GraphStore
    top_k: int = 200
    validate: bool = False
    timeout: float = 10.0

    def __call__(self, query: Query) -> Answer:
        """A refused or failed statement is an answer with `stop="error"`."""
        start = time.perf_counter()
        graph = GuardedGraph(self.store, self._schema, self.timeout, self.top_k)
        chain = self._chain(graph)
        try:
            said = chain.invoke({"query": query.text})
        except (UnsafeCypher, CypherError, CypherSyntax) as fault:
            steps = (Step("cypher", "\n".join([str(fault), *graph.ran]), time.perf_counter() - start),)
            return Answer(query.id, ABSTENTION, stop="error", error=str(fault), trace=steps, flags=("cypher_failed",))
        return self._answer(query, said, graph, time.perf_counter() - start)

    @cached_property
    def _schema(self) -> GraphSchema:
        return self.store.schema()

    def _chain(self, graph: GuardedGraph) -> Any:
        from langchain_neo4j import GraphCypherQAChain

        return GraphCypherQAChain.from_llm(
            self.chat,
            graph=graph,
            top_k=self.top_k,
            validate_cypher=self.validate,
            return_intermediate_steps=True,
            # Its own question before it may be made at all; every statement passes our guard.
            allow_dangerous_requests=True,
        )

    def _answer(self, query: Query, said: Mapping[str, Any], graph: GuardedGraph, seconds: float) -> Answer:
        rows: list[Any] = next((step["context"] for step in said["intermediate_steps"] if "context" in step), [])
        support = tuple(Retrieved(f"row:{at}", str(row), "", None, 1.0, BY) for at, row in enumerate(rows))
        steps = (Step("cypher", "\n".join([f"{len(rows)} rows", *graph.ran]), seconds),)
        text = str(said["result"]).strip()
        flags = ("rows_cut",) if graph.cut else ()
        if not rows or not text:
            return Answer(query.id, text or ABSTENTION, stop="no_evidence", trace=steps, flags=("cypher_empty",))
        return Answer(query.id, text, support=support, trace=steps, flags=flags)
