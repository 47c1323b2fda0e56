"""A cross-encoder is loaded once, however many questions come at the same time."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
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


def tiny_bert(folder: Path) -> Path:
    """A BERT of two layers over characters, untrained, as sentence-transformers loads one from a folder."""
    transformers = pytest.importorskip("transformers", reason="needs the extra rerank")
    torch = pytest.importorskip("torch", reason="needs the extra rerank")
    folder.mkdir()
    letters = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"猫犬鳥と何か。"]
    (folder / "vocab.txt").write_text("\n".join(letters), encoding="utf-8")
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = transformers.BertConfig(vocab_size=len(letters), num_labels=1, **sizes)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    transformers.BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.mark.filterwarnings("ignore")  # of torch and transformers, not ours
def test_a_real_encoder_gives_the_order_of_its_own_scores(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="needs the extra rerank")
    folder = tiny_bert(tmp_path / "bert")
    order = CrossEncoderReranker(str(folder))(Query("1", "何か。"), ITEMS)
    from sentence_transformers import CrossEncoder

    expected = CrossEncoder(str(folder)).predict([("何か。", item.text) for item in ITEMS])
    assert [item.id for item in order] == [ITEMS[n].id for n in sorted(range(3), key=lambda n: -expected[n])]
    assert [item.score for item in order] == pytest.approx(sorted(map(float, expected), reverse=True))


def test_without_the_extra_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(Unavailable, match=r"pip install 'rag1\[rerank\]'"):
        CrossEncoderReranker("m")(Query("1", "何か。"), ITEMS)
