"""Several samples of one answer: the most agreed stands, and how many agree is kept for the confidence."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from rag1.answer.context import Context
from rag1.answer.reader import Reader
from rag1.answer.repeats import most_agreed
from rag1.corpus.corpus import Corpus
from rag1.errors import ConfigError
from rag1.llm.tasks import AnswerFrom, AnswerReply
from rag1.types import Document, Query, Retrieved

TEXT = "猫の名はタマという。犬の名はポチという。"
FOUND = [Retrieved("d:0-20", TEXT, "d", (0, len(TEXT)), 1.0, "bm25")]
CORPUS = Corpus((Document("d", "猫", TEXT, {}),))


@dataclass
class Samples:
    """Another answer for each repeat."""

    answers: tuple[str, ...]
    asked: list[int] = field(default_factory=list)

    def __call__(self, task: AnswerFrom, *, repeat: int = 0) -> AnswerReply:
        self.asked.append(repeat)
        return AnswerReply(answer=self.answers[repeat], evidence="猫の名はタマという。")


def test_the_most_agreed_stands_and_equal_shares_go_to_the_earlier() -> None:
    answers = ["ポチ", "タマ", "「タマ」", "タマ "]
    assert answers[most_agreed(answers)[0]] == "タマ"
    assert most_agreed(answers[:2]) == (0, 0.5)
    assert most_agreed(answers[:1]) == (0, 1.0)


def test_the_reader_asks_as_often_as_told_and_keeps_the_agreement() -> None:
    llm = Samples(("ポチ", "タマ", "タマ"))
    answer = Reader(llm, Context(CORPUS, 1000), repeats=3)(Query("1", "猫の名は何か。", frozenset()), FOUND)
    assert llm.asked == [0, 1, 2]
    assert (answer.text, answer.evidence) == ("タマ", "猫の名はタマという。")
    assert answer.signals["agreement"] == pytest.approx(2 / 3)
    assert answer.trace[-1].detail == "1 passages, 67% of 3 samples agree"


def test_once_is_no_agreement() -> None:
    answer = Reader(Samples(("タマ",)), Context(CORPUS, 1000))(Query("1", "猫の名は何か。", frozenset()), FOUND)
    assert "agreement" not in answer.signals


def test_none_at_all_is_a_person_s_mistake() -> None:
    with pytest.raises(ConfigError, match=r"reader\.repeats=0"):
        Reader(Samples(()), Context(CORPUS, 1000), repeats=0)
