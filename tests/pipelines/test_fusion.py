"""RAG Fusion: wordings × retrievers to one list, by hand; depths, weights and documents read are settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from rag1.answer.context import Context
from rag1.answer.reader import Reader
from rag1.corpus.corpus import Corpus
from rag1.errors import ConfigError
from rag1.llm.offline import OfflineLlm
from rag1.pipelines.fusion import Fusion
from rag1.retrieve.expand import Expander
from rag1.types import Answer, Document, Query, Retrieved

TEXTS = {"a": "お雪は灯台守の娘だった。", "b": "猫が一匹いた。", "c": "船は二十日に出た。", "d": "丘に家がある。"}
CORPUS = Corpus(tuple(Document(name, name, text) for name, text in TEXTS.items()))
ASKED = Query("1", "お雪は誰の娘か。")


@dataclass
class Listed:
    """Gives these documents in this order; remembers how deep it was read for which wording."""

    names: str
    asked: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        self.asked.append((query.text, k))
        found = [Retrieved(f"{n}:0-{len(TEXTS[n])}", TEXTS[n], n, (0, len(TEXTS[n])), 1.0, "test") for n in self.names]
        return found[:k]


def fused(one: str, two: str, n: int = 0, **settings: Any) -> tuple[Answer, Listed, Listed]:
    left, right = Listed(one), Listed(two)
    expand = Expander(OfflineLlm(), CORPUS, ("generate",), n)
    pipeline = Fusion(expand, {"left": left, "right": right}, Reader(OfflineLlm(), Context(CORPUS)), **settings)
    return pipeline(ASKED), left, right


def order(answer: Answer) -> str:
    return "".join(item.doc_id for item in answer.support)


def test_two_rankings_by_hand() -> None:
    # 1/61 + 1/62 for a and b (first met first), 1/63 for c and d
    assert order(fused("abc", "bad")[0]) == "abcd"
    assert fused("abc", "bad")[0].text == "灯台守"


def test_a_weight_a_retriever() -> None:
    assert order(fused("ab", "ba", weights={"right": 2.0})[0]) == "ba"
    assert order(fused("ab", "cd", weights={"left": 0.0})[0])[:2] == "cd"


def test_a_depth_a_retriever_and_documents_read() -> None:
    answer, left, right = fused("abcd", "dcba", top_k=[1, 2], max_docs=2)
    assert [k for _, k in left.asked + right.asked] == [1, 2]
    assert order(answer) == "ad"


def test_each_wording_asks_each_retriever_and_the_first_may_count_for_more() -> None:
    answer, left, right = fused("ab", "ba", n=2, original_weight=3.0)
    assert [text for text, _ in left.asked] == [text for text, _ in right.asked]
    assert len(left.asked) == 3
    assert left.asked[0][0] == ASKED.text
    assert [step.name for step in answer.trace[:3]] == ["expand", "retrieve left", "retrieve right"]


def test_an_empty_arm_is_flagged_once() -> None:
    assert fused("ab", "", n=2)[0].flags.count("empty:right") == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"top_k": [1]}, "top_k has 1 numbers for 2 retrievers"),
        ({"top_k": [0, 5]}, "each must be 1 or more"),
        ({"max_docs": 0}, "each must be 1 or more"),
        ({"weights": {"middle": 1.0}}, "no retriever 'middle'; there are left, right"),
        ({"weights": {"left": -1.0}}, "none may be negative"),
        ({"weights": {"right": float("nan")}}, "none may be negative"),
        ({"original_weight": float("nan")}, "none may be negative"),
        ({"k": -1}, "pipeline.k -1"),
        ({"first_rank": 2}, "first_rank 2"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named_before_a_question(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        fused("ab", "ba", **settings)
