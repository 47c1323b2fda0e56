"""Answer or refine: a turn answers or asks a simpler question; it ends at an answer, a repeat, or its last turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from rag1.errors import ConfigError
from rag1.graph.cypher_store import CypherStore
from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import AnswerOrRefine, AnswerOrRefineReply
from rag1.pipelines.refine import Refine
from rag1.types import ABSTENTION, NO_EVIDENCE, Query, Retrieved

from .conftest import CORPUS

ASKED = Query("1", "太一の父の妻は誰か。")


@dataclass
class Around:
    """Facts of the store around the one name that a question begins with."""

    store: CypherStore
    asked: list[str] = field(default_factory=list)

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        self.asked.append(query.text)
        name = query.text.split("の")[0]
        facts = self.store.neighbours([name], k, query.scope)
        return [Retrieved(f.id, f.text, f.doc_id, f.span, 1.0, "graph:around") for f in facts]


@dataclass
class Replies:
    replies: Sequence[AnswerOrRefineReply]
    tasks: list[AnswerOrRefine] = field(default_factory=list)

    def __call__(self, task: AnswerOrRefine, *, repeat: int = 0) -> AnswerOrRefineReply:
        self.tasks.append(task)
        return self.replies[min(len(self.tasks), len(self.replies)) - 1]


def nothing(query: Query, k: int) -> list[Retrieved]:
    return []


def test_each_turn_puts_what_the_facts_told_into_the_question(family: CypherStore) -> None:
    facts = Around(family)
    answer = Refine(OfflineLlm(), facts, CORPUS)(Query("1", "太一の父の妻の父の墓所は何という寺か。"))
    assert answer.text == "松風寺"
    assert facts.asked[1:] == [
        "源次の妻の父の墓所は何という寺か。",
        "お咲の父の墓所は何という寺か。",
        "弥平の墓所は何という寺か。",
    ]
    assert answer.evidence.split("｜｜") == [
        "太一の父は源次である。", "源次の室はお咲である。", "お咲の父は弥平である。", "弥平の葬地は松風寺である。",
    ]  # fmt: skip


def test_a_repeated_question_ends_it() -> None:
    again = Replies([AnswerOrRefineReply(question="太一の父は誰か。"), AnswerOrRefineReply(question=ASKED.text)])
    answer = Refine(again, nothing, CORPUS)(ASKED)
    assert (answer.text, answer.stop, len(again.tasks)) == (ABSTENTION, "no_evidence", 2)
    assert answer.trace[-1].detail == f"asked before: {ASKED.text}"
    assert again.tasks[1].asked == (ASKED.text,)


def test_turns_are_bounded() -> None:
    replies = Replies([AnswerOrRefineReply(question=f"{n}は誰か。") for n in range(99)])
    answer = Refine(replies, nothing, CORPUS, max_turns=4)(ASKED)
    assert (answer.stop, answer.error, len(replies.tasks)) == ("max_turns", "4 turns without an answer", 4)
    with pytest.raises(ConfigError, match="max_turns 0"):
        Refine(replies, nothing, CORPUS, max_turns=0)


def test_facts_of_earlier_turns_are_kept(family: CypherStore) -> None:
    replies = Replies([AnswerOrRefineReply(question="源次の室は誰か。"), AnswerOrRefineReply(answer="お咲")])
    Refine(replies, Around(family), CORPUS)(ASKED)
    assert "太一 - 父 -> 源次" in replies.tasks[1].facts


def test_an_abstention_and_evidence_that_stands_nowhere() -> None:
    none = Refine(Replies([AnswerOrRefineReply(answer=ABSTENTION)]), nothing, CORPUS)(ASKED)
    made_up = Refine(Replies([AnswerOrRefineReply(answer="お咲", evidence="お咲は嫁いだ。")]), nothing, CORPUS)(ASKED)
    assert (none.stop, none.evidence) == ("no_evidence", NO_EVIDENCE)
    assert (made_up.text, made_up.evidence) == ("お咲", NO_EVIDENCE)
