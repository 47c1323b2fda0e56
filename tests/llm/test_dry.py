"""What a run would need, counted before a single call."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from rag1.llm.client import Client
from rag1.llm.dry import Count, DryRun
from rag1.llm.tasks import AnswerReply, GenerateQueries, Wordings
from rag1.text.tokens import count_tokens
from rag1.types import ReplyT, Task
from tests.fake_llm import FakeLlm

from .conftest import ask

Make = Callable[..., Client]


class StandIn:
    """Two fixed replies, so that the expected counts can be written down."""

    def __call__(self, task: Task[ReplyT], *, repeat: int = 0) -> ReplyT:
        known = {"answer_from": AnswerReply(answer="翁"), "generate_queries": Wordings(queries=("翁は誰",))}
        return known[task.task_name()]  # type: ignore[return-value]


def test_calls_tokens_and_money_are_counted_and_nothing_is_sent(client_for: Make) -> None:
    with FakeLlm() as fake:
        client = client_for(fake, roles={"queries": "gpt-4.1-nano"}, rpm=30)
        dry = DryRun(client, StandIn())
        assert dry(ask("Q1")).answer == "翁"
        dry(ask("Q2"))
        dry(ask("Q2"))
        dry(GenerateQueries(question="Q1"))
        assert fake.asked() == 0
    answers = dry.counts()["answer_from", "gpt-4.1-mini"]
    prompts = [client.prompts(ask(q)).messages for q in ("Q1", "Q2")]
    tokens = sum(count_tokens(str(m["content"])) for messages in prompts for m in messages)
    reply = count_tokens(AnswerReply(answer="翁").model_dump_json())
    assert answers == Count(calls=3, known=1, prompt=tokens, completion=2 * reply)
    assert dry.usd("gpt-4.1-mini", answers) == pytest.approx((tokens * 0.40 + 2 * reply * 1.60) / 1e6)
    assert dry.counts()["generate_queries", "gpt-4.1-nano"].calls == 1
    assert dry.summary().splitlines()[-1] == "3 calls, about 6 s (30 requests a minute)"


def test_what_is_in_the_cache_costs_nothing_and_is_used(client_for: Make) -> None:
    with FakeLlm() as fake:
        client_for(fake)(ask("Q1"))
        dry = DryRun(client_for(fake), StandIn())
        assert dry(ask("Q1")).answer == "「Q1」の答え"
        assert dry.counts()["answer_from", "gpt-4.1-mini"] == Count(calls=1, known=1)
        assert fake.asked() == 1


def test_an_unpriced_model_makes_the_sum_unknown(client_for: Make) -> None:
    with FakeLlm() as fake:
        dry = DryRun(client_for(fake, roles={"queries": "mystery"}), StandIn())
        dry(ask("Q"))
        dry(GenerateQueries(question="Q"))
    total = next(line for line in dry.summary().splitlines() if line.startswith("total"))
    assert total.split()[-1] == "unknown"


def test_roles_at_other_endpoints_are_counted_too(client_for: Make) -> None:
    with FakeLlm() as fake, FakeLlm() as other:
        dry = DryRun(client_for(fake, roles={"answers": client_for(other, model="gpt-4.1")}), StandIn())
        dry(ask("Q"))
        assert (fake.asked(), other.asked()) == (0, 0)
    assert json.dumps([list(names) for names in dry.counts()]) == '[["answer_from", "gpt-4.1"]]'
