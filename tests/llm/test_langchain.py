"""LangChain's models as ours, and ours as LangChain's, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from rag1.errors import AuthError, BudgetSpent, CallFailed, ConfigError, RateLimited, UnreadableReply
from rag1.llm.client import Client
from rag1.llm.langchain import LangChainEndpoint, RagChatModel, chat_model
from rag1.llm.ledger import Budget, question_scope
from tests.fake_llm import FakeLlm, completion, raw, says, status

from .conftest import QUICK, ask

Make = Callable[..., Client]


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeLlm], ChatOpenAI]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-98765")
    return lambda fake: ChatOpenAI(model="gpt-4.1-mini", base_url=fake.base_url, max_retries=0, temperature=0)


# --- theirs as ours --------------------------------------------------------------------------------------


def test_a_langchain_model_answers_tasks_through_cache_and_ledger(client_for: Make, chat: Any) -> None:
    with FakeLlm() as fake:
        client = client_for(fake, endpoint=LangChainEndpoint(chat(fake)), structured="text")
        with question_scope("1"):
            assert client(ask("Q")).answer == "「Q」の答え"
            assert client(ask("Q")).answer == "「Q」の答え"
        assert fake.asked() == 1
    used = client.ledger.of("1")
    assert (used.requests, used.cached, used.prompt_tokens, used.completion_tokens) == (1, 1, 100, 10)
    assert used.usd == pytest.approx((100 * 0.40 + 10 * 1.60) / 1e6)


def test_their_settings_are_part_of_the_key_and_their_secret_is_not(client_for: Make, chat: Any) -> None:
    with FakeLlm() as fake:
        cold = LangChainEndpoint(chat(fake))
        warm = LangChainEndpoint(chat(fake).model_copy(update={"temperature": 0.9}))
        assert cold.identity != warm.identity
        assert "sk-secret" not in cold.identity


@pytest.mark.parametrize(
    ("fault", "error", "asked"),
    [
        (status(401, message="bad key sk-secret-98765").forever(), AuthError, 1),
        (status(429, "130").forever(), RateLimited, 1),
        (status(500).forever(), CallFailed, 4),
        (says("読めない").forever(), UnreadableReply, 4),
        (says('{"answer": "A"}', finish="length").forever(), UnreadableReply, 1),
        (raw({"choices": None}).forever(), CallFailed, 4),
    ],
)
def test_their_failures_are_ours_with_our_attempts(
    client_for: Make, chat: Any, fault: Any, error: type[Exception], asked: int
) -> None:
    with FakeLlm({"Q": [fault]}) as fake:
        client = client_for(fake, endpoint=LangChainEndpoint(chat(fake)), structured="text")
        with pytest.raises(error) as failure:
            client(ask("Q"))
        assert fake.asked() == asked
        assert "sk-secret" not in str(failure.value)


def test_retries_of_their_own_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-98765")
    with pytest.raises(ConfigError, match=r"max_retries=None of ChatOpenAI: .* set it to 0"):
        LangChainEndpoint(ChatOpenAI(model="m"))


def test_a_key_of_any_shape_is_not_shown(client_for: Make, chat: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "abcdef.987654321")
    with FakeLlm({"Q": [status(401, message="bad: abcdef.987654321")]}) as fake:
        client = client_for(fake, endpoint=LangChainEndpoint(chat(fake)), structured="text")
        with pytest.raises(AuthError, match=r"bad: \[key\]"):
            client(ask("Q"))


def test_their_hang_ends_by_our_deadline(client_for: Make, chat: Any) -> None:
    with FakeLlm(latency=30) as fake:
        endpoint = LangChainEndpoint(chat(fake).model_copy(update={"request_timeout": 2}))
        client = client_for(fake, endpoint=endpoint, patience=replace(QUICK, deadline=0.5), structured="text")
        with pytest.raises(Exception, match=r"0\.5 s|deadline"):
            client(ask("Q"))


# --- ours as theirs --------------------------------------------------------------------------------------


class City(BaseModel):
    """A city."""

    name: str
    people: int


@tool
def population(city: str) -> int:
    """How many people live in a city."""
    return len(city)


def calls_tool(name: str, arguments: object) -> Any:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": text}}
    return says(None, finish="tool_calls", tool_calls=[call])


def test_our_client_is_a_chat_model_with_cache_and_ledger(client_for: Make) -> None:
    with FakeLlm(reply=lambda _: "東京です") as fake:
        client = client_for(fake)
        model = RagChatModel(client=client)
        with question_scope("7"):
            assert model.invoke("首都は？").content == "東京です"
            assert model.invoke([HumanMessage("首都は？")]).content == "東京です"
        assert fake.asked() == 1
        assert (client.ledger.of("7").requests, client.ledger.of("7").cached) == (1, 1)
        assert list(client.ledger.by("task", "role")) == [("langchain", "agents")]


def test_rules_cannot_serve_langchain_and_say_so(client_for: Make) -> None:
    from rag1.llm.offline import OfflineLlm

    with pytest.raises(ConfigError, match="OfflineLlm cannot serve"):
        chat_model(OfflineLlm())
    with FakeLlm() as fake:
        assert chat_model(client_for(fake)).client.model == "gpt-4.1-mini"


def test_structured_output_comes_by_a_tool_call(client_for: Make) -> None:
    with FakeLlm({"首都は？": [calls_tool("City", {"name": "東京", "people": 14})]}) as fake:
        model = RagChatModel(client=client_for(fake))
        assert model.with_structured_output(City).invoke("首都は？") == City(name="東京", people=14)
        sent = fake.log[0].body
    assert sent["tool_choice"] == "required"
    assert sent["tools"][0]["function"]["name"] == "City"


def test_a_forced_tool_call_that_is_missing_or_broken_is_asked_again(client_for: Make) -> None:
    good = calls_tool("City", {"name": "東京", "people": 14})
    with FakeLlm({"Q": [says("東京です"), calls_tool("City", '{"name": "東'), good]}) as fake:
        model = RagChatModel(client=client_for(fake)).with_structured_output(City)
        assert model.invoke("Q") == City(name="東京", people=14)
        assert fake.asked() == 3


@pytest.mark.parametrize(
    "arguments", ['["東京"]', "null", "", '{"name": "東京"}', "[" * 100_000, '{"people": ' + "1" * 5000 + "}"]
)
def test_arguments_that_do_not_serve_the_tool_are_asked_for_again_and_not_cached(
    client_for: Make, arguments: str
) -> None:
    good = calls_tool("City", {"name": "東京", "people": 14})
    with FakeLlm({"Q": [calls_tool("City", arguments), good]}) as fake:
        for _ in range(2):
            model = RagChatModel(client=client_for(fake)).with_structured_output(City)
            assert model.invoke("Q") == City(name="東京", people=14)
        assert fake.asked() == 2


def test_arguments_may_be_an_object_and_hold_surrogates(client_for: Make) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "City", "arguments": {"name": "東", "people": 14}}}
    odd = calls_tool("City", '{"name": "\\ud800東\ud800", "people": 14}')
    with FakeLlm({"Q": [says(None, tool_calls=[call])], "R": [odd]}) as fake:
        model = RagChatModel(client=client_for(fake)).with_structured_output(City)
        assert model.invoke("Q") == City(name="東", people=14)
        assert model.invoke("R") == City(name="\ufffd東\ufffd", people=14)


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", "auto"),
        ("any", "required"),
        (True, "required"),
        (False, None),
        ("City", {"type": "function", "function": {"name": "City"}}),
        ({"type": "function", "function": {"name": "City"}}, {"type": "function", "function": {"name": "City"}}),
    ],
)
def test_tool_choice_in_every_form_of_langchain(client_for: Make, choice: Any, sent: object) -> None:
    with FakeLlm({"Q": [calls_tool("City", {"name": "東京", "people": 14})]}) as fake:
        RagChatModel(client=client_for(fake)).bind_tools([City], tool_choice=choice).invoke("Q")
        assert fake.log[0].body.get("tool_choice") == sent


def test_a_role_gives_langchain_s_calls_to_another_client(client_for: Make) -> None:
    with FakeLlm(reply=lambda _: "弱") as weak, FakeLlm(reply=lambda _: "強") as strong:
        model = RagChatModel(client=client_for(weak, roles={"agents": client_for(strong, model="gpt-4.1")}))
        assert model.invoke("Q").content == "強"
        assert (weak.asked(), strong.log[0].body["model"]) == (0, "gpt-4.1")


def test_an_agent_of_langchain_runs_on_our_client(client_for: Make) -> None:
    from langchain.agents import create_agent

    plan = [calls_tool("population", {"city": "東京"}), says("二人です")]
    with FakeLlm({"東京の人口は？": plan}) as fake:
        client = client_for(fake)
        agent = create_agent(RagChatModel(client=client), [population])
        messages = agent.invoke({"messages": [("user", "東京の人口は？")]})["messages"]
    assert messages[-1].content == "二人です"
    assert [m["role"] for m in fake.log[1].body["messages"]] == ["user", "assistant", "tool"]
    assert fake.log[1].body["messages"][2]["content"] == "2"
    assert client.ledger.total().requests == 2


def test_langchain_parts_keep_the_budget_and_our_failures(client_for: Make) -> None:
    with FakeLlm({"B": [status(500).forever()]}, reply=lambda _: "はい") as fake:
        model = RagChatModel(client=client_for(fake, budget=Budget(tokens=100)))
        with pytest.raises(CallFailed):
            model.invoke("B")
        model.invoke("A")
        with pytest.raises(BudgetSpent):
            model.invoke("C")


def test_a_reply_without_usage_is_counted_as_unstated(client_for: Make) -> None:
    with FakeLlm({"A": [raw(completion({"content": "はい"}, usage={}))]}) as fake:
        client = client_for(fake)
        RagChatModel(client=client).invoke("A")
    assert client.ledger.total().unstated == 1
    assert client.ledger.total().usd is None
