"""Model judges: what they see, what an unreadable verdict becomes, what repeats tell."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir

from rag1.build import Workshop
from rag1.errors import AuthError, UnreadableReply
from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import JudgeAnswer, Verdict
from rag1.score.judge import LlmJudge
from rag1.score.table import score_answers
from rag1.types import Answer, Gold, Query

GOLD = Gold("1", ("灯台守",))
ANSWER = Answer("1", "灯台守", "お雪は灯台守の娘だった。")


@dataclass
class Scripted:
    """Says one thing after another, an exception being raised; remembers what it was asked."""

    replies: list[Any]
    asked: list[tuple[JudgeAnswer, int]] = field(default_factory=list)

    def __call__(self, task: Any, *, repeat: int = 0) -> Any:
        self.asked.append((task, repeat))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return Verdict(label=reply)


@pytest.mark.parametrize("rules", ["rag1", "strict2026"])
def test_the_organisers_judge_sees_the_two_answers_and_nothing_else(rules: Any) -> None:
    llm = Scripted(["Perfect"])
    score = LlmJudge(llm, rules, [Query("1", "お雪は誰の娘か。")])(ANSWER, GOLD)
    assert (score.name, score.value, score.label) == (f"judge_{rules}", 1.0, "Perfect")
    assert llm.asked[0][0] == JudgeAnswer(ground_truth="灯台守", answer="灯台守", rules=rules)


def test_the_evidence_judge_sees_question_and_evidence_too() -> None:
    llm = Scripted(["Acceptable"])
    assert LlmJudge(llm, "evidence", [Query("1", "お雪は誰の娘か。")])(ANSWER, GOLD).value == 0.5
    task = llm.asked[0][0]
    assert (task.question, task.evidence) == ("お雪は誰の娘か。", "お雪は灯台守の娘だった。")


def test_an_unreadable_verdict_is_asked_for_again_as_another_sample() -> None:
    llm = Scripted([UnreadableReply("no label"), UnreadableReply("no label"), "Missing"])
    score = LlmJudge(llm)(ANSWER, GOLD)
    assert (score.value, score.label) == (0.0, "Missing")
    assert [repeat for _, repeat in llm.asked] == [0, 1, 2]


def test_after_three_tries_it_is_unread_and_counted() -> None:
    llm = Scripted([UnreadableReply("no label")] * 3)
    score = LlmJudge(llm)(ANSWER, GOLD)
    assert (score.value, score.note) == (None, "3 unreadable replies: no label")
    table = score_answers([ANSWER], [GOLD], [LlmJudge(Scripted([UnreadableReply("x")] * 3))])
    assert (table.overall["judge_rag1"].n, table.overall["judge_rag1"].unread, table.overall["judge_rag1"].mean) == (
        1,
        1,
        0,
    )


def test_a_judge_that_cannot_be_reached_loses_no_run() -> None:
    llm = Scripted([AuthError("401: no such key")])
    score = LlmJudge(llm)(ANSWER, GOLD)
    assert (score.value, score.note, len(llm.asked)) == (None, "401: no such key", 1)


def test_of_several_golds_the_kindest_verdict_counts() -> None:
    llm = Scripted(["Incorrect", "Perfect"])
    assert LlmJudge(llm)(ANSWER, Gold("1", ("漁師", "灯台守", "番人"))).label == "Perfect"
    assert len(llm.asked) == 2


def test_repeats_give_the_most_frequent_label_and_keep_them_all() -> None:
    llm = Scripted(["Perfect", "Acceptable", "Perfect"])
    score = LlmJudge(llm, repeats=3)(ANSWER, GOLD)
    assert (score.label, score.note) == ("Perfect", "Perfect Acceptable Perfect")
    assert [repeat for _, repeat in llm.asked] == [0, 3, 6]
    tied = LlmJudge(Scripted(["Perfect", "Incorrect"]), repeats=2)(ANSWER, GOLD)
    assert tied.label == "Incorrect"


def test_without_a_model_the_rules_judge() -> None:
    assert LlmJudge(OfflineLlm())(ANSWER, GOLD).label == "Perfect"
    assert LlmJudge(OfflineLlm())(Answer("1", "漁師"), GOLD).label == "Incorrect"


@pytest.mark.parametrize("rules", ["rag1", "strict2026", "evidence"])
def test_the_configs_of_judges_build(rules: str, root: Path) -> None:
    questions = f"questions.path={root}/data/sample/questions.csv"
    with initialize_config_dir(str(root / "conf"), version_base="1.3"):
        config = compose("config", [f"judge={rules}", "llm@judge.judge.llm=offline", questions])
        organisers = compose("config", [f"judge={rules}"])
    judge = Workshop()(config.judge)["judge"]
    assert judge.name == f"judge_{rules}"
    assert judge(ANSWER, GOLD).label == "Perfect"
    llm = organisers.judge.judge.llm
    assert (llm.model, llm.sampling.temperature, llm.sampling.seed) == ("gpt-4o-2024-08-06", 0.0, 0)
