"""A cross-encoder is loaded once, however many questions come at the same time."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest

from rag1.errors import Unavailable
from rag1.retrieve.rerank import CrossEncoderReranker
from rag1.types import Query, Retrieved

ITEMS = [Retrieved(f"d:{n}", text, "d", None, 1.0, "bm25") for n, text in enumerate(["猫", "猫と犬", "犬と猫と鳥"])]


class Encoder:
    """Slow to load; a passage's score is its length."""

    loaded: list[str]

    def __init__(self, name: str) -> None:
        time.sleep(0.05)
        self.loaded.append(name)

    def predict(self, pairs: list[tuple[str, str]]) -> list[float]:
        return [float(len(text)) for _, text in pairs]


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the models that the stand-in for sentence-transformers loaded."""
    module = ModuleType("sentence_transformers")
    module.CrossEncoder = Encoder  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    Encoder.loaded = []
    return Encoder.loaded


def test_many_questions_at_once_load_it_once(loaded: list[str]) -> None:
    rerank = CrossEncoderReranker("m", depth=2)
    together = threading.Barrier(8)

    def ask(number: int) -> list[str]:
        together.wait()
        return [item.id for item in rerank(Query(str(number), "何か。"), ITEMS)]

    with ThreadPoolExecutor(8) as workers:
        orders = list(workers.map(ask, range(8)))
    assert loaded == ["m"]
    assert orders == [["d:1", "d:0", "d:2"]] * 8


def test_without_the_extra_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(Unavailable, match=r"pip install 'rag1\[rerank\]'"):
        CrossEncoderReranker("m")(Query("1", "何か。"), ITEMS)
