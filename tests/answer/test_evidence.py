"""Evidence is what stands in the given context: verbatim, snapped to it, or dropped."""

from __future__ import annotations

from dataclasses import dataclass, field

from rag1.answer.context import Context
from rag1.answer.evidence import check_evidence
from rag1.answer.reader import Reader
from rag1.corpus.corpus import Corpus
from rag1.llm.tasks import AnswerFrom, AnswerReply, Passage
from rag1.types import ABSTENTION, Document, Query, ReplyT, Retrieved, Task

TEXT = "正造は川岸の小屋で、三十五円の時計を研いだ。"
PASSAGES = (Passage(id="a:0-22", text=TEXT),)
CORPUS = Corpus((Document("a", "時計", TEXT),))
SUPPORT = (Retrieved("a:0-22", TEXT, "a", (0, len(TEXT)), 1.0, "bm25"),)


def test_verbatim_evidence_is_kept() -> None:
    assert check_evidence("三十五円の時計", PASSAGES).text == "三十五円の時計"


def test_other_spelling_is_given_back_as_it_stands_in_the_text() -> None:
    checked = check_evidence("35円の時計を研いだ", PASSAGES)
    assert checked.text in TEXT
    assert "三十五円の時計を研いだ" in checked.text


def test_a_near_miss_is_snapped_and_flagged() -> None:
    checked = check_evidence("正造は川辺の小屋で、三十五円の時計を研いだ。", PASSAGES)
    assert (checked.text, checked.flag) == (TEXT, "evidence_snapped")


def test_an_invention_is_dropped_and_flagged() -> None:
    checked = check_evidence("月夜に狐が鳴いていた。", PASSAGES)
    assert (checked.text, checked.flag) == ("なし", "evidence_dropped")


@dataclass(frozen=True)
class Says:
    """A model that always gives one reply, and keeps what it was asked."""

    reply: AnswerReply
    asked: list[Task[AnswerReply]] = field(default_factory=list)

    def __call__(self, task: Task[ReplyT], *, repeat: int = 0) -> ReplyT:
        self.asked.append(task)  # type: ignore[arg-type]
        return self.reply  # type: ignore[return-value]


def test_the_reader_labels_passages_with_their_title() -> None:
    llm = Says(AnswerReply(answer="三十五円", evidence="三十五円の時計"))
    answer = Reader(llm, Context(CORPUS))(Query("1", "いくらか"), SUPPORT)
    assert (answer.text, answer.evidence, answer.stop, answer.support) == (
        "三十五円",
        "三十五円の時計",
        "answered",
        SUPPORT,
    )
    task = llm.asked[0]
    assert isinstance(task, AnswerFrom)
    assert [p.label for p in task.context] == ["『時計』"]


def test_an_abstention_carries_no_evidence() -> None:
    answer = Reader(Says(AnswerReply(answer=ABSTENTION, evidence=TEXT)), Context(CORPUS))(Query("1", "?"), SUPPORT)
    assert (answer.text, answer.evidence, answer.stop) == (ABSTENTION, "なし", "no_evidence")


def test_nothing_retrieved_means_no_call_unless_the_book_is_closed() -> None:
    llm = Says(AnswerReply(answer="東京"))
    assert Reader(llm, Context(CORPUS))(Query("1", "?"), ()).abstained
    assert llm.asked == []
    assert Reader(llm, Context(CORPUS), closed_book=True)(Query("1", "?"), ()).text == "東京"


def test_the_context_ends_at_its_token_limit() -> None:
    context = Context(CORPUS, max_tokens=10)
    passages = context([*SUPPORT, *SUPPORT])
    assert len(passages) == 1
    assert TEXT.startswith(passages[0].text)
    assert len(passages[0].text) < len(TEXT)


def test_a_wrong_question_is_a_verdict_of_its_own_with_the_passage_that_denies_it() -> None:
    llm = Says(AnswerReply(answer="質問誤り", evidence="三十五円の時計を研いだ"))
    answer = Reader(llm, Context(CORPUS))(Query("1", "正造が時計を売ったのはなぜか"), SUPPORT)
    assert (answer.text, answer.stop, answer.abstained) == ("質問誤り", "answered", False)
    assert answer.evidence == "三十五円の時計を研いだ"


def test_an_answer_knows_the_road_of_its_evidence() -> None:
    line = Retrieved("f1", "正造 - 研ぐ -> 時計", "a", None, 1.0, "graph:structured")
    llm = Says(AnswerReply(answer="正造", evidence=line.text))
    assert Reader(llm, Context(CORPUS))(Query("1", "誰か"), (*SUPPORT, line)).signals == {"from_graph": 1.0}
    quoted = Says(AnswerReply(answer="正造", evidence="三十五円の時計"))
    assert Reader(quoted, Context(CORPUS))(Query("1", "誰か"), (*SUPPORT, line)).signals == {}
