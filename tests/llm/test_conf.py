"""Every file of conf/llm composes, builds, and is what it says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf

from rag1.app.cli import register_resolvers
from rag1.build import Workshop
from rag1.llm.client import Client
from rag1.llm.prices import in_project, read_prices

CONF = Path(__file__).resolve().parents[2] / "conf"
NAMES = sorted(path.stem for path in (CONF / "llm").glob("*.yaml"))
ROOT_CONFIG = "\n".join(
    [
        "defaults: [{prompt: ja}, {llm: offline}, _self_]",
        f"hydra: {{searchpath: ['file://{CONF}']}}",
        "cache: 'on'",
        "budget: {usd: null, tokens: null}",
        "cache_dir: %s",
    ]
)


def composed(tmp_path: Path, *overrides: str) -> DictConfig:
    (tmp_path / "conf").mkdir(exist_ok=True)
    (tmp_path / "conf" / "config.yaml").write_text(ROOT_CONFIG % (tmp_path / "cache"), encoding="utf-8")
    with initialize_config_dir(str(tmp_path / "conf"), version_base="1.3"):
        return compose("config", overrides=list(overrides))


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.setenv(name, "sk-a-secret-of-the-environment")


def built(tmp_path: Path, *overrides: str) -> Any:
    return Workshop()(composed(tmp_path, *overrides).llm)


@pytest.mark.parametrize("name", NAMES)
def test_each_composes_builds_and_holds_no_secret(tmp_path: Path, name: str) -> None:
    if name == "local" and importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("the extra local is not installed")
    config = composed(tmp_path, f"llm={name}")
    assert not OmegaConf.missing_keys(config)
    assert callable(Workshop()(config.llm))
    assert "sk-a-secret" not in OmegaConf.to_yaml(config, resolve=True)


def test_the_command_line_reaches_what_a_person_sets(tmp_path: Path) -> None:
    client = built(
        tmp_path,
        "llm=custom",
        "llm.endpoint.base_url=http://127.0.0.1:9/v1",
        "llm.model=m",
        "llm.max_in_flight=3",
        "llm.rpm=100",
        "+llm.roles.judge=strong",
        "budget.tokens=1000",
        "cache=off",
        "llm.sampling.temperature=0.5",
    )
    assert isinstance(client, Client)
    assert (client.max_in_flight, client.rpm, client.roles) == (3, 100, {"judge": "strong"})
    assert client.ledger.budget.tokens == 1000
    assert client.cache.mode == "off"
    assert client.sampling.temperature == 0.5


def test_one_config_used_twice_is_one_client_with_one_ledger(tmp_path: Path) -> None:
    workshop, config = Workshop(), composed(tmp_path, "llm=openai")
    assert workshop(config.llm) is workshop(config.llm)
    assert workshop(config.llm.ledger) is workshop(config.llm).ledger


def test_every_model_of_ours_that_costs_money_has_a_price(tmp_path: Path) -> None:
    for name in ("openai", "azure", "langchain"):
        client = built(tmp_path, f"llm={name}")
        assert client.ledger.price_list.of(client.model) is not None, name


def test_a_dated_model_has_the_price_of_the_undated(root: Path) -> None:
    prices = read_prices(str(in_project("conf/prices.yaml")))
    assert prices.of("gpt-4.1-mini-2025-04-14") == prices.of("gpt-4.1-mini")
    assert prices.of("gpt-4.1-mini-turbo") is None


def test_a_price_file_with_a_fault_is_named(tmp_path: Path) -> None:
    from rag1.errors import ConfigError

    (tmp_path / "p.yaml").write_text("as_of: '2026-01-01'\nmodels: {m: {prompt: -1}}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"p\.yaml: models\.m\.prompt: .*got -1"):
        read_prices(str(tmp_path / "p.yaml"))
    with pytest.raises(ConfigError, match=r"llm\.ledger\.prices"):
        read_prices(str(tmp_path / "none.yaml"))


@pytest.mark.parametrize(
    ("llm", "workers", "deadline"), [("offline", 16, 300), ("openai", 16, 300), ("local", 1, 1800)]
)
def test_a_model_that_answers_one_call_at_a_time_gets_one_question_at_a_time(
    llm: str, workers: int, deadline: int
) -> None:
    register_resolvers()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        executor = compose("config", overrides=[f"llm={llm}"]).executor
    assert (executor.workers, executor.deadline) == (workers, deadline)
