"""A config becomes objects: equal nodes share one, foreign targets and wrong settings are refused in one line."""

from __future__ import annotations

import pytest
from omegaconf import OmegaConf

from rag1.build import Workshop
from rag1.chunk.chunkers import Recursive, Sentences
from rag1.errors import ConfigError
from rag1.llm.ledger import Ledger
from rag1.pipelines.single import Single

CHUNKER = {"_target_": "rag1.chunk.chunkers.Recursive", "size": 99, "overlap": 9}
AOZORA = {"_target_": "rag1.corpus.notation.Aozora"}
LEDGER = {"_target_": "rag1.llm.ledger.Ledger", "prices": "conf/prices.yaml"}


def test_a_node_becomes_its_object() -> None:
    assert Workshop()(OmegaConf.create(CHUNKER)) == Recursive(99, 9)


def test_equal_nodes_share_one_object() -> None:
    config = OmegaConf.create({"chunker": CHUNKER, "a": "${chunker}", "b": ["${chunker}", {"c": "${chunker}"}]})
    built = Workshop()(config)
    assert built["a"] is built["b"][0] is built["b"][1]["c"]


def test_different_nodes_do_not() -> None:
    built = Workshop()([CHUNKER, {**CHUNKER, "size": 100}])
    assert built == [Recursive(99, 9), Recursive(100, 9)]


def test_a_given_object_takes_the_place_of_a_node() -> None:
    llm = object()
    single = Workshop({"llm": llm})(
        {"_target_": "rag1.pipelines.single.Single", "name": "x", "retriever": None, "reader": {"_given_": "llm"}}
    )
    assert isinstance(single, Single)
    assert single.reader is llm


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"_target_": "os.system", "command": "true"}, "outside the allowed packages"),
        ({"_target_": "langchainx.ChatX"}, "outside the allowed packages: .*, langchain_…"),
        ({"_target_": "langchain_vendor.ChatVendor"}, "'langchain_vendor.ChatVendor' cannot be loaded"),
        ({"_target_": "rag1.chunk.chunkers.Missing"}, "cannot be loaded"),
        ({"_target_": "rag1.chunk.chunkers.JAPANESE_SEPARATORS"}, "not callable"),
        ({**CHUNKER, "sise": 3}, "unexpected keyword argument 'sise'; it takes size, overlap"),
    ],
)
def test_a_bad_node_is_one_line(node: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Workshop()(node)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({**CHUNKER, "size": "abc"}, "size='abc' of rag1.chunk.chunkers.Recursive must be a whole number"),
        ({**CHUNKER, "size": 1.5}, "size=1.5 .* must be a whole number"),
        ({**CHUNKER, "size": True}, "size=True .* must be a whole number"),
        ({**CHUNKER, "size": None}, "size=None .* must be a whole number"),
        ({**AOZORA, "ruby": "dorp"}, "ruby='dorp' .* must be 'drop' or 'paren' or 'only'"),
        ({"_target_": "rag1.llm.ledger.Budget", "usd": "much"}, "usd='much' .* must be a number or null"),
        ({"_target_": "rag1.llm.ledger.Budget", "usd": float("nan")}, "usd=nan .* must be a number or null"),
    ],
)
def test_a_value_of_another_type_is_named_with_what_it_must_be(node: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Workshop()(node)


def test_a_number_may_stand_for_a_whole_number_of_dollars_and_for_its_own_text() -> None:
    assert Workshop()({"_target_": "rag1.llm.ledger.Budget", "usd": 3}).usd == 3
    assert Workshop()({"_target_": "rag1.llm.prompts.PromptSet", "folder": 2024}).folder == "2024"


def test_a_missing_value_is_named() -> None:
    with pytest.raises(ConfigError, match="window"):
        Workshop()(OmegaConf.create({"_target_": "rag1.chunk.chunkers.Sentences", "window": "???"}))


def test_defaults_stay_the_targets_own() -> None:
    assert Workshop()({"_target_": "rag1.chunk.chunkers.Sentences"}) == Sentences()


def test_runs_share_what_is_the_same_in_each_but_never_what_counts_a_runs_spending() -> None:
    shared: dict[str, object] = {}
    first, second = Workshop(shared=shared), Workshop(shared=shared)
    assert first(CHUNKER) is second(CHUNKER)
    assert first(LEDGER) is first(LEDGER)
    assert first(LEDGER) is not second(LEDGER)
    assert (first.made(Ledger), second.made(Recursive)) == ([first(LEDGER)], [])


def test_what_holds_an_object_of_one_run_belongs_to_that_run_too() -> None:
    held = {"_target_": "rag1.pipelines.single.Single", "name": "x", "retriever": CHUNKER, "reader": [{"a": LEDGER}]}
    given = {**held, "reader": {"_given_": "llm"}}
    shared: dict[str, object] = {}
    first, second = (Workshop({"llm": object()}, shared=shared) for _ in range(2))
    assert first(held) is not second(held)
    assert first(given) is not second(given)
    assert first(held).retriever is second(held).retriever


def test_a_foreign_class_that_cannot_be_made_is_one_line_without_its_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=r"langchain_openai\.ChatOpenAI cannot be made: .*OPENAI_API_KEY"):
        Workshop()({"_target_": "langchain_openai.ChatOpenAI", "model": "m"})
    with pytest.raises(ConfigError) as caught:
        Workshop()({"_target_": "langchain_openai.ChatOpenAI", "api_key": "plain-secret", "temperature": "hot"})
    assert "\n" not in str(caught.value)
    assert "plain-secret" not in str(caught.value)
