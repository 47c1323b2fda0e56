"""What a run would need, before a single call: calls, tokens, money, time. Nothing is sent, so no key is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from omegaconf import DictConfig, OmegaConf
from tqdm import tqdm

from rag1.app.plan import Plan, make_plan
from rag1.build import Workshop
from rag1.chunk.chunks import Chunks
from rag1.embed.openai import EndpointEmbedder
from rag1.embed.use import UseEmbedder
from rag1.errors import ConfigError
from rag1.graph.cypher_store import CypherStore
from rag1.llm.client import Client
from rag1.llm.dry import DryRun, Unsent
from rag1.llm.ledger import money
from rag1.llm.offline import OfflineLlm
from rag1.llm.wire import Tokens
from rag1.text.tokens import count_tokens
from rag1.types import Answer, Llm

CLIENT = "rag1.llm.client.Client"
UNASKED = ("bm25", "dense", "profiles", "graph")
"""Kinds of artifacts that no model is asked for; `graph` where its extraction asks none."""


def dry_run(config: DictConfig, name: str) -> int:
    """Runs the pipeline with a counting stand-in for each model, and prints what the run would need."""
    stand_ins = StandIns(Workshop({}))
    stood_in, workshop = stand_ins.config(config), stand_ins.workshop
    with TemporaryDirectory(prefix="rag1-dry-", ignore_cleanup_errors=True) as folder:
        if stand_ins.dry is not None:
            stood_in.artifacts = set_apart(stood_in, Path(folder))
        try:
            plan = make_plan(stood_in, workshop)
            questions = tqdm(plan.inputs.queries, desc=f"{name} (dry)", unit="question")
            judge(stood_in, plan, [plan.pipeline(query) for query in questions])
        finally:
            for store in workshop.made(CypherStore):
                store.close()
    print(f"{name}, {len(plan.inputs.queries)} questions, nothing was sent:")
    print(stand_ins.dry.summary() if stand_ins.dry else f"llm={type(plan.llm).__name__}: 0 calls, $0")
    if stand_ins.embedder is not None:
        print(embedding_line(stand_ins.embedder, plan, workshop(stood_in.chunks)))
    return 0


def judge(config: DictConfig, plan: Plan, answers: list[Answer]) -> None:
    """The judge's calls are part of a run; it sees the stand-in's answers."""
    golds = {gold.query_id: gold for gold in plan.inputs.golds}
    verdict = plan.workshop(config.judge)["judge"]
    for answer in answers if verdict else ():
        if answer.query_id in golds:
            verdict(answer, golds[answer.query_id])


def set_apart(config: DictConfig, folder: Path) -> str:
    """A folder of artifacts with all that no model is asked for in its usual place: what the stand-in makes of
    documents must neither be taken for a model's, nor be found by the next dry run instead of being counted."""
    asked = any("_given_" in json.dumps(_plain(config[name])) for name in ("extractor", "resolver"))
    for kind in UNASKED[:-1] if asked else UNASKED:
        usual = Path(config.artifacts).absolute() / kind
        usual.mkdir(parents=True, exist_ok=True)
        (folder / kind).symlink_to(usual, target_is_directory=True)
    return str(folder)


@dataclass
class StandIns:
    """What stands in for each model of a config. `dry` counts for all of them; `embedder` is the one not asked."""

    workshop: Workshop
    dry: DryRun | None = None
    embedder: EndpointEmbedder | None = None
    given: dict[str, object] = field(init=False)

    def __post_init__(self) -> None:
        self.workshop.given = self.given = {}

    def config(self, config: DictConfig) -> DictConfig:
        """The config with every model and endpoint embedder replaced."""
        stood_in = config.copy()
        embedder = self.workshop(self._unsent(_plain(config.embedder)))
        if isinstance(embedder, EndpointEmbedder):
            self.embedder = embedder
            self._put(stood_in, "embedder", UseEmbedder())
        for name in list(_clients(stood_in)):
            model = self.workshop(self._unsent(_plain(OmegaConf.select(config, name))))
            self._put(stood_in, name, self._counted(model))
        return stood_in

    def _put(self, config: DictConfig, name: str, value: object) -> None:
        self.given[name] = value
        OmegaConf.update(config, name, {"_given_": name}, merge=False, force_add=True)

    def _counted(self, model: Client) -> Llm:
        if self.dry is None:
            self.dry = DryRun(model, OfflineLlm())
            return self.dry
        return self.dry.other(model)

    def _unsent(self, node: Any) -> Any:
        """A plain node with each endpoint of a client replaced by one that is never asked and needs no key."""
        if isinstance(node, list):
            return [self._unsent(one) for one in node]
        if not isinstance(node, dict):
            return node
        made = {key: self._unsent(value) for key, value in node.items()}
        if node.get("_target_") == CLIENT:
            name = json.dumps(node["endpoint"], sort_keys=True)
            if name not in self.given:
                self.given[name] = self._quiet(node["endpoint"])
            made["endpoint"] = {"_given_": name}
        return made

    def _quiet(self, node: Any) -> Unsent:
        """Under the real endpoint's name, so that the cache is found; a foreign class may want its key to be made."""
        try:
            endpoint = self.workshop(node)
        except ConfigError:
            return Unsent(json.dumps(node, sort_keys=True))
        return Unsent(endpoint.identity, endpoint.paid)


def _plain(node: Any) -> Any:
    return OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node


def _clients(node: DictConfig, above: str = "") -> Iterator[str]:
    """The paths of all models that a config describes; references to them are left as they are."""
    for key in map(str, node):
        if OmegaConf.is_interpolation(node, key) or OmegaConf.is_missing(node, key):
            continue
        value, path = node[key], f"{above}{key}"
        if isinstance(value, DictConfig):
            if value.get("_target_") == CLIENT:
                yield path
            else:
                yield from _clients(value, f"{path}.")


def embedding_line(embedder: EndpointEmbedder, plan: Plan, chunks: Chunks) -> str:
    """Tokens and price of the vectors of all chunks and questions, an index that is there already included."""
    texts = [*(chunk.text for chunk in chunks.items), *(query.text for query in plan.inputs.queries)]
    tokens = sum(map(count_tokens, texts))
    client = embedder.vectors.client
    price = client.ledger.price_list.of(client.model)
    usd = price.usd(Tokens(tokens, 0)) if price else None
    return f"embeddings: {len(texts)} texts, {tokens:,} tokens, usd {money(usd)} (vectors came from a local stand-in)"
