"""LangChain's own chain and agent on our client, our guard and our tools: real HTTP, both stores."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag1.answer.tools import NeighboursTool
from rag1.errors import Unavailable
from rag1.graph.cypher_store import CypherStore
from rag1.llm.cache import Cache
from rag1.llm.client import Client
from rag1.llm.dry import DryRun
from rag1.llm.http import HttpEndpoint
from rag1.llm.langchain import chat_model
from rag1.llm.ledger import Budget, Ledger
from rag1.llm.offline import OfflineLlm
from rag1.llm.prompts import PromptSet
from rag1.pipelines.agent_langchain import AgentLangchain
from rag1.pipelines.cypher_langchain import CypherLangchain, GuardedGraph, chain_model
from rag1.types import ABSTENTION, Llm, Query
from tests.fake_llm import EVERY, FakeLlm, Plan, says

from .conftest import CORPUS

ASKED = Query("1", "太一の父は誰か。")
RIGHT = "MATCH (n:Person {name: '太一'})-[:`父`]->(x) RETURN x.name AS name"


@pytest.fixture
def client_for(tmp_path: Path, root: Path) -> Callable[[FakeLlm], Client]:
    def make(fake: FakeLlm) -> Client:
        return Client(
            endpoint=HttpEndpoint(fake.base_url, key_env=""),
            model="gpt-4.1-mini",
            prompts=PromptSet(str(root / "conf/prompt/ja")),
            cache=Cache(str(tmp_path / "cache"), "on"),
            ledger=Ledger(str(root / "conf/prices.yaml"), Budget()),
        )

    return make


def calls(name: str, **arguments: str) -> Plan:
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return says("", "tool_calls", tool_calls=[{"id": "c1", "type": "function", "function": function}])


def test_their_chain_answers_from_our_store(family: CypherStore, client_for: Any) -> None:
    with FakeLlm({EVERY: [says(f"```cypher\n{RIGHT}\n```"), says("源次です")]}) as fake:
        answer = CypherLangchain(chain_model(client_for(fake)), family)(ASKED)
        prompts = [seen.body["messages"][0]["content"] for seen in fake.log]
    assert (answer.text, answer.stop) == ("源次です", "answered")
    assert [item.text for item in answer.support] == ["{'name': '源次'}"]
    assert "父" in prompts[0]  # our schema
    assert "源次" in prompts[1]  # the rows


@pytest.mark.parametrize(
    "statement",
    ["MATCH (n) DETACH DELETE n", "LOAD CSV FROM 'http://127.0.0.1:9/x' AS l RETURN l", "MATCH (n RETURN n"],
)
def test_their_chain_stands_behind_our_guard(family: CypherStore, client_for: Any, statement: str) -> None:
    before = dict(family.counts())
    with FakeLlm({EVERY: [says(statement)]}) as fake:
        answer = CypherLangchain(chain_model(client_for(fake)), family)(ASKED)
    assert (answer.text, answer.stop, answer.flags) == (ABSTENTION, "error", ("cypher_failed",))
    assert answer.error.startswith("refused")
    assert dict(family.counts()) == before


def test_the_rows_that_their_chain_drops_are_said(family: CypherStore, client_for: Any) -> None:
    with FakeLlm({EVERY: [says("MATCH (n:Person) RETURN n.name AS name"), says("多い")]}) as fake:
        answer = CypherLangchain(chain_model(client_for(fake)), family, top_k=2)(ASKED)
    assert (len(answer.support), answer.flags) == (2, ("rows_cut",))


def test_a_guarded_graph_refuses_documents(family: CypherStore) -> None:
    with pytest.raises(Exception, match="may not write"):
        GuardedGraph(family, family.schema()).add_graph_documents([])


def test_their_agent_calls_our_tools(family: CypherStore, client_for: Any) -> None:
    plan = [calls("neighbours", argument="太一"), calls("neighbours", argument="誰か"), says("源次")]
    with FakeLlm({ASKED.text: plan}) as fake:
        agent = AgentLangchain(chat_model(client_for(fake)), {"neighbours": NeighboursTool(family)}, CORPUS)
        answer = agent(ASKED)
        told = [m["content"] for m in fake.log[-1].body["messages"] if m["role"] == "tool"]
    assert answer.text == "源次"
    assert "太一 - 父 -> 源次" in told[0]
    assert told[1].startswith("error: 「誰か」という名前はグラフにありません")
    assert [step.name for step in answer.trace] == ["tool", "tool", "answer"]
    assert any(item.text == "太一 - 父 -> 源次" for item in answer.support)


def test_their_agents_turns_are_bounded(family: CypherStore, client_for: Any) -> None:
    plan = [calls("neighbours", argument=f"名{n}") for n in range(20)]
    with FakeLlm({ASKED.text: plan}) as fake:
        agent = AgentLangchain(
            chat_model(client_for(fake)), {"neighbours": NeighboursTool(family)}, CORPUS, max_turns=3
        )
        answer = agent(ASKED)
        assert fake.asked() <= 4
    assert (answer.text, answer.stop) == (ABSTENTION, "max_turns")


@pytest.mark.parametrize("make", [chat_model, chain_model])
def test_rules_cannot_drive_them(make: Callable[[Llm], object]) -> None:
    with pytest.raises(Unavailable, match="choose a real model") as caught:
        make(OfflineLlm())
    assert caught.value.roles == ("pipeline", "llm")


@pytest.mark.parametrize("make", [chat_model, chain_model])
def test_a_dry_run_says_that_it_cannot_count_them(client_for: Any, make: Callable[[Llm], object]) -> None:
    with FakeLlm() as fake, pytest.raises(Unavailable, match="a dry run cannot count"):
        make(DryRun(client_for(fake), OfflineLlm()))
