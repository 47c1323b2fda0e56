"""Communities, summarised and asked: one reply that cannot be read costs its community, not the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rag1.answer.context import Context
from rag1.answer.reader import Reader
from rag1.corpus.corpus import Corpus
from rag1.errors import CallFailed, UnreadableReply
from rag1.graph.communities import Leiden, Summary, open_summaries
from rag1.graph.model import Fact
from rag1.llm.tasks import AnswerFrom, AnswerFromCommunity, AnswerReply, PartialAnswer, SummariseCommunity, Text
from rag1.pipelines.graph_global import GraphGlobal, Options
from rag1.types import Document, Query
from tests.graph.building import Scripted

LINES = (("庄屋", "娘", "お春"), ("お春", "飼う", "馬"), ("庄屋", "持つ", "馬"))
SEA = (("船頭", "漕ぐ", "船"), ("船", "運ぶ", "塩"), ("船頭", "売る", "塩"))
CORPUS = Corpus((Document("d", "話", "庄屋の娘お春は馬を飼う。船頭は船を漕ぐ。"),))
TEXT_OF = {"庄屋": "庄屋の家の話", "船頭": "船頭の話"}


def facts() -> list[Fact]:
    return [Fact(f"f{n}", h, r, t, {}, "d", "", None, f"{h}は{t}を{r}。") for n, (h, r, t) in enumerate(LINES + SEA)]


def subject(text: str) -> str:
    return next(name for name in TEXT_OF if name in text)


def says(unread: str, failure: Exception) -> Scripted:
    """A model that cannot put the community of `unread` into words."""

    def answer(task: Any, repeat: int) -> Any:
        if isinstance(task, SummariseCommunity):
            own = subject("".join(task.facts))
            return failure if own == unread else Text(text=TEXT_OF[own])
        if isinstance(task, AnswerFromCommunity):
            return failure if unread in task.summary else PartialAnswer(answer=task.summary, score=50)
        assert isinstance(task, AnswerFrom)
        return AnswerReply(answer="馬", evidence="お春は馬を飼う。")

    return Scripted(answer)


def summaries(llm: Scripted, folder: Path) -> tuple[Summary, ...]:
    return open_summaries(facts(), Leiden(), llm, str(folder))


def test_facts_stand_for_a_summary_that_cannot_be_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    texts = {s.text for s in summaries(says("船頭", UnreadableReply("cut")), tmp_path)}
    assert "庄屋の家の話" in texts
    (lines,) = texts - {"庄屋の家の話"}
    assert lines.count("\n") == 2
    assert "漕ぐ" in lines
    assert "1 of 2 community summaries could not be read" in caplog.text


def test_a_failed_call_still_stops_the_summaries(tmp_path: Path) -> None:
    with pytest.raises(CallFailed):
        summaries(says("船頭", CallFailed("lost")), tmp_path)


def test_a_partial_answer_that_cannot_be_read_is_passed_over_and_flagged(tmp_path: Path) -> None:
    made = summaries(says("", CallFailed("never")), tmp_path)
    llm = says("船頭", UnreadableReply("cut"))
    reader = Reader(llm, Context(CORPUS))
    answer = GraphGlobal(made, llm, CORPUS, reader, Options())(Query("1", "お春は何を飼っていますか。"))
    assert answer.text == "馬"
    assert "communities_unread" in answer.flags
    assert [r.text for r in answer.support if r.id.startswith("community")] == ["庄屋の家の話"]
