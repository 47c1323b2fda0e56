"""What a run would need, before a single call: calls, tokens, money, time."""

from __future__ import annotations

from omegaconf import DictConfig, OmegaConf
from tqdm import tqdm

from rag1.app.plan import Plan, make_plan
from rag1.build import Workshop
from rag1.chunk.chunks import Chunks
from rag1.embed.openai import EndpointEmbedder
from rag1.embed.use import UseEmbedder
from rag1.llm.client import Client
from rag1.llm.dry import DryRun
from rag1.llm.ledger import money
from rag1.llm.offline import OfflineLlm
from rag1.llm.wire import Tokens
from rag1.text.tokens import count_tokens


def dry_run(config: DictConfig, name: str) -> int:
    """Runs the pipeline with a counting stand-in for the model, and prints what the run would need. Sends nothing."""
    workshop = Workshop()
    client, embedder = workshop(config.llm), workshop(config.embedder)
    given: dict[str, object] = {}
    stood_in = config.copy()
    if isinstance(client, Client):
        given["llm"] = DryRun(client, OfflineLlm())
        OmegaConf.update(stood_in, "llm", {"_given_": "llm"}, merge=False, force_add=True)
    if isinstance(embedder, EndpointEmbedder):
        given["embedder"] = UseEmbedder()
        OmegaConf.update(stood_in, "embedder", {"_given_": "embedder"}, merge=False, force_add=True)
    plan = make_plan(stood_in, given)
    for query in tqdm(plan.inputs.queries, desc=f"{name} (dry)", unit="question"):
        plan.pipeline(query)
    print(f"{name}, {len(plan.inputs.queries)} questions, nothing was sent:")
    counting = given.get("llm")
    print(counting.summary() if isinstance(counting, DryRun) else f"llm={type(client).__name__}: 0 calls, $0")
    if isinstance(embedder, EndpointEmbedder):
        print(embedding_line(embedder, plan, workshop(config.chunks)))
    return 0


def embedding_line(embedder: EndpointEmbedder, plan: Plan, chunks: Chunks) -> str:
    """Tokens and price of the vectors of all chunks and questions, an index that is there already included."""
    texts = [*(chunk.text for chunk in chunks.items), *(query.text for query in plan.inputs.queries)]
    tokens = sum(map(count_tokens, texts))
    client = embedder.vectors.client
    price = client.ledger.price_list.of(client.model)
    usd = price.usd(Tokens(tokens, 0)) if price else None
    return f"embeddings: {len(texts)} texts, {tokens:,} tokens, usd {money(usd)} (vectors came from a local stand-in)"
