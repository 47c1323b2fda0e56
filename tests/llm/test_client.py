"""One client: paid once, sent once, booked rightly, and the format that the endpoint really takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from rag1.errors import BudgetSpent, CallFailed, ConfigError
from rag1.llm.client import Client, Sampling
from rag1.llm.http import HttpEndpoint
from rag1.llm.ledger import Budget, ledger_of, question_scope
from rag1.llm.prompts import PromptSet
from rag1.llm.tasks import AnswerFrom, AnswerReply, ExtractEntities, GenerateQueries
from rag1.llm.vectors import EmbeddingsEndpoint, Vectors
from rag1.types import Llm
from tests.fake_llm import FakeLlm, Plan, completion, raw, status

from .conftest import QUICK, ask

Make = Callable[..., Client]


def test_a_client_is_an_llm(client_for: Make) -> None:
    with FakeLlm() as fake:
        client: Llm = client_for(fake)
        assert isinstance(client, Llm)
        assert client(ask("翁は誰か")) == AnswerReply(answer="「翁は誰か」の答え")


# --- cache -----------------------------------------------------------------------------------------------


def test_a_reply_is_paid_for_once_also_by_a_later_client(client_for: Make) -> None:
    with FakeLlm() as fake:
        for _ in range(2):
            client = client_for(fake)
            for _ in range(2):
                client(ask("Q"))
        assert fake.asked("Q") == 1
        assert ledger_of(client).total().requests == 0
        assert ledger_of(client).total().cached == 2


def test_the_key_covers_the_whole_request(client_for: Make, root: Path) -> None:
    with FakeLlm() as fake, FakeLlm() as elsewhere:
        client = client_for(fake)
        others = [
            client_for(fake, model="other"),
            client_for(elsewhere),
            client_for(fake, sampling=Sampling(temperature=0.5)),
            client_for(fake, sampling=Sampling(seed=1)),
            client_for(fake, sampling=Sampling(extra={"reasoning_effort": "low"})),
            client_for(fake, prompts=PromptSet(str(root / "conf/prompt/en"))),
            client_for(fake, structured="text"),
        ]
        keys = {each.key(each.call(ask("Q"), each.model)) for each in [client, *others]}
        keys |= {client.key(client.call(ask("Q"), client.model, repeat=1))}
        keys |= {client.key(client.call(ask("R"), client.model))}
        keys |= {client.key(replace(client.call(ask("Q"), client.model), reply=None))}
        assert len(keys) == 1 + len(others) + 3


@pytest.mark.parametrize(("mode", "asked"), [("on", 1), ("off", 3), ("read", 3), ("refresh", 3), (False, 3), (True, 1)])
def test_cache_modes(client_for: Make, mode: object, asked: int) -> None:
    with FakeLlm() as fake:
        for _ in range(3):
            client_for(fake, mode=mode)(ask("Q"))
        assert fake.asked("Q") == asked


def test_read_uses_what_is_there_and_refresh_replaces_it(client_for: Make) -> None:
    with FakeLlm({"Q": [raw(completion({"content": '{"answer": "古い"}'}))]}) as fake:
        assert client_for(fake)(ask("Q")).answer == "古い"
        assert client_for(fake, mode="read")(ask("Q")).answer == "古い"
        assert client_for(fake, mode="refresh")(ask("Q")).answer == "「Q」の答え"
        assert client_for(fake)(ask("Q")).answer == "「Q」の答え"


def test_an_unknown_cache_mode_is_a_person_s_mistake(client_for: Make) -> None:
    with FakeLlm() as fake, pytest.raises(ConfigError, match="cache=always is not a mode"):
        client_for(fake, mode="always")


def test_repeats_are_samples_of_their_own(client_for: Make) -> None:
    with FakeLlm() as fake:
        client = client_for(fake, sampling=Sampling(temperature=0.7, seed=10))
        for repeat in (0, 1, 2, 1):
            client(ask("Q"), repeat=repeat)
        assert [seen.body["seed"] for seen in fake.log] == [10, 11, 12]


def test_equal_requests_in_flight_are_sent_once(client_for: Make) -> None:
    with FakeLlm(latency=0.3) as fake:
        client = client_for(fake, mode="off")
        with ThreadPoolExecutor(8) as workers:
            answers = set(workers.map(lambda _: client(ask("Q")).answer, range(8)))
        assert answers == {"「Q」の答え"}
        assert fake.asked() == 1
        assert (client.ledger.total().requests, client.ledger.total().cached) == (1, 7)


def test_those_who_wait_for_an_equal_request_share_its_failure(client_for: Make) -> None:
    with FakeLlm({"Q": [status(400, message="too long").forever()]}, latency=0.2) as fake:
        client = client_for(fake)
        with ThreadPoolExecutor(4) as workers:
            errors = [each.exception() for each in [workers.submit(client, ask("Q")) for _ in range(4)]]
        assert {type(error) for error in errors} == {CallFailed}
        assert fake.asked() == 1


# --- response formats ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "tried"),
    [
        (("json_schema", "json_object"), ["json_schema"]),
        (("json_object",), ["json_schema", "json_object"]),
        ((), ["json_schema", "json_object", None]),
    ],
)
def test_the_format_is_probed_once_and_remembered(client_for: Make, known: tuple[str, ...], tried: list[str]) -> None:
    with FakeLlm(formats=known) as fake:
        client_for(fake)(ask("Q"))
        client_for(fake)(ask("R"))
        assert [(seen.body.get("response_format") or {}).get("type") for seen in fake.log] == [*tried, tried[-1]]


def test_a_bad_request_for_another_reason_does_not_lower_the_format(client_for: Make) -> None:
    with FakeLlm({"Q": [status(400, message="maximum context length exceeded")]}) as fake:
        client = client_for(fake)
        with pytest.raises(CallFailed, match="maximum context length"):
            client(ask("Q"))
        client(ask("R"))
        assert [seen.body["response_format"]["type"] for seen in fake.log] == ["json_schema"] * 2


def test_one_task_s_refused_schema_lowers_only_that_task(client_for: Make) -> None:
    def reply(body: dict[str, object]) -> str:
        return '{"answer": "A"}' if "AnswerReply" in str(body) else '{"names": ["翁"]}'

    refused = status(400, message="Invalid schema for response_format 'Names'")
    with FakeLlm({"R": [refused]}, reply=reply) as fake:
        client = client_for(fake)
        client(ask("Q"))
        client(ExtractEntities(question="R"))
        client(ask("S"))
        assert [seen.body["response_format"]["type"] for seen in fake.log] == [
            "json_schema",
            "json_schema",
            "json_object",
            "json_schema",
        ]


@pytest.mark.parametrize(
    "body",
    [
        {"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]},
        {"object": "error", "message": "response_format json_schema is not supported", "code": 400},
        {"error": "json_schema is not supported"},
    ],
)
def test_a_refused_format_is_known_by_any_server_s_words(client_for: Make, body: object) -> None:
    refused = Plan(422, body=json.dumps(body).encode())
    with FakeLlm({"Q": [refused]}) as fake:
        client_for(fake)(ask("Q"))
        assert [seen.body["response_format"]["type"] for seen in fake.log] == ["json_schema", "json_object"]


# --- roles -----------------------------------------------------------------------------------------------


def test_roles_give_tasks_to_other_models_of_one_endpoint(client_for: Make) -> None:
    def reply(body: dict[str, object]) -> str:
        return '{"queries": ["x"], "names": ["y"], "answer": "A"}'

    with FakeLlm(reply=reply) as fake:
        client = client_for(fake, roles={"queries": "gpt-4.1-nano", "extract_entities": "gpt-4.1"})
        client(GenerateQueries(question="Q"))
        client(ExtractEntities(question="Q"))
        client(ask("Q"))
        assert [seen.body["model"] for seen in fake.log] == ["gpt-4.1-nano", "gpt-4.1", "gpt-4.1-mini"]
        assert set(client.ledger.by("role", "model")) == {
            ("queries", "gpt-4.1-nano"),
            ("queries", "gpt-4.1"),
            ("answers", "gpt-4.1-mini"),
        }


def test_a_role_may_be_another_llm_and_its_name_must_exist(client_for: Make) -> None:
    with FakeLlm() as fake, FakeLlm() as strong:
        client = client_for(fake, roles={"answers": client_for(strong)})
        client(ask("Q"))
        assert (fake.asked(), strong.asked()) == (0, 1)
        with pytest.raises(ConfigError, match=r"llm\.roles\.answerer is neither a role nor a task"):
            client_for(fake, roles={"answerer": "m"})


def test_roles_on_one_endpoint_share_one_pool(client_for: Make) -> None:
    with FakeLlm(latency=0.05) as fake:
        one, two = client_for(fake, max_in_flight=3), client_for(fake, model="other", max_in_flight=3)
        with ThreadPoolExecutor(12) as workers:
            list(workers.map(lambda n: (one if n % 2 else two)(ask(f"Q{n}")), range(24)))
        assert fake.peak == 3


def test_embeddings_and_chat_of_one_server_share_its_slots(client_for: Make) -> None:
    def both(text: str) -> None:
        chat(ask(text))
        vectors([text])

    with FakeLlm(latency=0.05) as fake:
        chat = client_for(fake, max_in_flight=3)
        endpoint = EmbeddingsEndpoint(HttpEndpoint(fake.base_url), 3)
        vectors = Vectors(client_for(fake, endpoint=endpoint, max_in_flight=2), 3)
        with ThreadPoolExecutor(12) as workers:
            list(workers.map(both, map(str, range(24))))
        assert fake.asked() == 48
        assert fake.peak <= 3


@pytest.mark.parametrize("model", [4, "", None])
def test_a_role_s_model_must_be_one(client_for: Make, model: object) -> None:
    with FakeLlm() as fake, pytest.raises(ConfigError, match=r"llm\.roles\.judge=.* is no model"):
        client_for(fake, roles={"judge": model})


def test_the_embedder_s_model_is_not_a_role_s(client_for: Make) -> None:
    with FakeLlm() as fake, pytest.raises(ConfigError, match=r"llm\.roles\.embeddings: .* embedder="):
        client_for(fake, roles={"embeddings": "m"})


@pytest.mark.parametrize(
    ("setting", "value"),
    [("max_in_flight", 0), ("max_in_flight", -1), ("rpm", 0), ("rpm", -5), ("tpm", 0), ("tpm", -1)],
)
def test_a_limit_that_lets_no_call_through_is_a_person_s_mistake(client_for: Make, setting: str, value: int) -> None:
    with FakeLlm() as fake, pytest.raises(ConfigError, match=rf"llm\.{setting}={value} "):
        client_for(fake, **{setting: value})


@pytest.mark.parametrize("setting", ["max_retries", "retry_after_cap", "first_backoff", "attempt_seconds", "deadline"])
def test_patience_below_nothing_is_a_person_s_mistake(setting: str) -> None:
    with pytest.raises(ConfigError, match=rf"llm\.patience\.{setting}=-1 "):
        replace(QUICK, **{setting: -1})


# --- ledger and budget -----------------------------------------------------------------------------------


def test_the_ledger_counts_by_question_and_knows_the_price(client_for: Make) -> None:
    usage = {
        "prompt_tokens": 1_000_000,
        "completion_tokens": 500_000,
        "prompt_tokens_details": {"cached_tokens": 400_000},
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    priced = raw(completion({"content": '{"answer": "A"}'}, usage=usage))
    with FakeLlm({"Q": [status(500), priced]}) as fake:
        client = client_for(fake)
        with question_scope("1"):
            client(ask("Q"))
        with question_scope("2"):
            client(ask("Q"))
    one, two = client.ledger.of("1"), client.ledger.of("2")
    # gpt-4.1-mini: 600,000 fresh × 0.40 + 400,000 cached × 0.10 + 500,000 × 1.60 dollars a million
    assert one.usd == pytest.approx(0.24 + 0.04 + 0.80)
    assert (one.requests, one.cached, one.prompt_tokens, one.completion_tokens) == (1, 0, 1_000_000, 500_000)
    assert (two.requests, two.cached, two.prompt_tokens, two.usd) == (0, 1, 0, 0.0)
    total = client.ledger.total()
    assert (total.attempts, total.cached_tokens, total.reasoning_tokens) == (2, 400_000, 7)
    assert "gpt-4.1-mini" in client.ledger.table()


def test_an_unknown_model_costs_unknown_and_a_model_of_one_s_own_costs_nothing(client_for: Make) -> None:
    with FakeLlm() as fake:
        unknown = client_for(fake, model="mystery")
        unknown(ask("Q"))
        assert unknown.ledger.total().usd is None
        assert "unknown" in unknown.ledger.table()
        own = client_for(fake, model="mine", endpoint=HttpEndpoint(fake.base_url, paid=False))
        own(ask("Q"))
        assert own.ledger.total().usd == 0.0


def test_a_budget_of_tokens_stops_before_the_next_call(client_for: Make) -> None:
    with FakeLlm() as fake:
        client = client_for(fake, budget=Budget(tokens=200))
        client(ask("Q"))
        client(ask("R"))
        with pytest.raises(BudgetSpent, match=r"budget\.tokens=200 is used up \(220\)") as spent:
            client(ask("S"))
        assert spent.value.exit_code == 1
        assert client(ask("Q")).answer, "what is in the cache costs nothing"
        assert fake.asked() == 2


def test_a_budget_of_dollars_needs_a_price(client_for: Make) -> None:
    with FakeLlm() as fake:
        client = client_for(fake, budget=Budget(usd=0.00005))
        client(ask("Q"))
        with pytest.raises(BudgetSpent):
            client(ask("R"))
        with pytest.raises(ConfigError, match="'mystery' has no price"):
            client_for(fake, model="mystery", budget=Budget(usd=1))(ask("Q"))
        assert fake.asked() == 1


@pytest.mark.parametrize("limit", [{"usd": -0.01}, {"tokens": -1}])
def test_a_budget_below_nothing_is_a_person_s_mistake(limit: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=r"budget\.\w+=-[\d.]+ is under 0"):
        Budget(**limit)  # type: ignore[arg-type]


# --- endpoints -------------------------------------------------------------------------------------------


def test_a_missing_key_is_named_before_anything_is_asked(client_for: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with FakeLlm() as fake:
        with pytest.raises(ConfigError, match=r"NO_SUCH_KEY is not set.*\.env") as mistake:
            client_for(fake, key_env="NO_SUCH_KEY")
        assert mistake.value.exit_code == 2
        assert fake.asked() == 0


def test_a_key_is_read_from_dotenv(client_for: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("SECRET_OF_FILE=abc123\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with FakeLlm() as fake:
        client_for(fake, key_env="SECRET_OF_FILE")(ask("Q"))
        assert fake.log[0].headers["authorization"] == "Bearer abc123"


def test_azure_has_its_own_path_and_header(client_for: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZ", "k")
    with FakeLlm() as fake:
        root = fake.base_url.removesuffix("/v1")
        endpoint = HttpEndpoint(root, "AZ", "azure", {"X-Team": "rag"}, api_version="2024-10-21")
        client_for(fake, endpoint=endpoint, model="my-deployment")(ask("Q"))
        seen = fake.log[0]
    assert seen.path == "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"
    assert (seen.headers["api-key"], seen.headers["x-team"]) == ("k", "rag")
    assert "authorization" not in seen.headers


def test_lone_surrogates_in_a_question_do_not_break_the_request(client_for: Make) -> None:
    with FakeLlm() as fake:
        assert client_for(fake)(AnswerFrom(question="\ud83d は何か")).answer
        assert fake.asked() == 1


def test_a_deadline_leaves_the_pool_usable(client_for: Make) -> None:
    from rag1.errors import ProviderError
    from rag1.llm.deadline import deadline_scope

    with FakeLlm(latency=0.5) as fake:
        client = client_for(fake, max_in_flight=1, patience=replace(QUICK, attempt_seconds=5))
        with deadline_scope(0.2), pytest.raises(ProviderError):
            client(ask("Q"))
        assert client(ask("R")).answer
