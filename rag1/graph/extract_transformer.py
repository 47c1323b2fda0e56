"""LangChain's LLMGraphTransformer as an extractor: its own prompt, nodes and relationships with properties."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rag1.errors import Unavailable
from rag1.graph.extract import ChunkTriples, Memory, Skipped, read_drafts
from rag1.graph.extract_tasks import FAILED, TRIES
from rag1.graph.identity import llm_identity
from rag1.graph.model import Entity
from rag1.llm.client import Client
from rag1.llm.dry import DryRun
from rag1.llm.tasks import TripleDraft
from rag1.types import Chunk, Document, Llm

INSTRUCTIONS = (
    "The text is Japanese. Copy names exactly as they are written in the text. Write node types in English and "
    "relationship types in short Japanese. Keep numbers, dates and distances as properties."
)


@dataclass(frozen=True)
class GraphTransformer:
    """Needs a real model: it brings its own prompt and tool schema. `llm` runs it behind our cache and ledger.

    `allowed_nodes` and `allowed_relationships` are its own settings; empty means any.
    """

    llm: Llm
    allowed_nodes: Sequence[str] = ()
    allowed_relationships: Sequence[str] = ()
    properties: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.llm, DryRun):
            raise Unavailable(
                "graph/extractor=graph_transformer: a dry run cannot count the calls of LangChain's own prompts",
                "graph/extractor",
            )
        if not isinstance(self.llm, Client):
            raise Unavailable(
                "graph/extractor=graph_transformer brings its own prompt and needs a real model, not llm=offline; "
                "choose another llm, or the extractor rules, typed_relations, context_triples or sentence_triples",
                "graph/extractor",
                "llm",
            )

    @property
    def name(self) -> str:
        allowed = f"{sorted(self.allowed_nodes)} {sorted(self.allowed_relationships)}"
        return f"graph_transformer {allowed} {self.properties} {INSTRUCTIONS} {llm_identity(self.llm)} {self._model}"

    @property
    def _model(self) -> str:
        assert isinstance(self.llm, Client)
        return self.llm.model

    @cached_property
    def _transformer(self) -> Any:
        assert isinstance(self.llm, Client)
        from rag1.llm.langchain import RagChatModel

        with warnings.catch_warnings():
            # The package says at import that it is no longer developed; that is the user's choice of extractor.
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                from langchain_experimental.graph_transformers import LLMGraphTransformer
            except ImportError as error:
                raise Unavailable(
                    f"graph_transformer needs the extra experimental (pip install 'rag1[experimental]'): {error}",
                    "graph/extractor",
                ) from error
        return LLMGraphTransformer(
            llm=RagChatModel(client=self.llm, task="extract_triples"),
            allowed_nodes=list(self.allowed_nodes),
            allowed_relationships=list(self.allowed_relationships),
            node_properties=self.properties,
            relationship_properties=self.properties,
            additional_instructions=INSTRUCTIONS,
        )

    def __call__(
        self,
        document: Document,  # noqa: ARG002  the protocol's
        chunks: Sequence[Chunk],
        memory: Memory,
    ) -> Iterator[ChunkTriples]:
        for chunk in chunks:
            if chunk.id not in memory.done:
                yield self._chunk(chunk)

    def _chunk(self, chunk: Chunk) -> ChunkTriples:
        error = ""
        skipped: list[Skipped] = []
        for repeat in range(TRIES):
            try:
                found = self._ask(chunk)
            except FAILED as failure:
                error = f"{type(failure).__name__}: {failure}"
                continue
            skipped += found.skipped
            if found.triples or not found.skipped:
                return replace(found, skipped=tuple(dict.fromkeys(skipped)), tries=repeat + 1)
        return ChunkTriples(chunk.id, skipped=tuple(dict.fromkeys(skipped)), error=error, tries=TRIES)

    def _ask(self, chunk: Chunk) -> ChunkTriples:
        from langchain_core.documents import Document as Page

        graph = self._transformer.process_response(Page(page_content=chunk.text))
        drafts = [
            TripleDraft(
                head=str(edge.source.id),
                head_type=str(edge.source.type or ""),
                relation=str(edge.type or ""),
                tail=str(edge.target.id),
                tail_type=str(edge.target.type or ""),
                properties=_plain(edge.properties),
            )
            for edge in graph.relationships
        ]
        triples, bad = read_drafts(drafts, chunk)
        named = {name for triple in triples for name in (triple.head, triple.tail)}
        entities = [
            Entity(str(node.id), (str(node.type),), _plain(node.properties))
            for node in graph.nodes
            if str(node.id) in named and node.properties
        ]
        return ChunkTriples(chunk.id, triples, bad, tuple(entities))


def _plain(properties: object) -> dict[str, str]:
    """Properties as strings; the transformer gives lists of key and value, or a mapping, by version."""
    if not isinstance(properties, dict):
        return {}
    return {str(k): v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for k, v in properties.items() if v}
