"""Judging, picking, ranking, summaries, kinship and the steps of an agent by rule."""

from __future__ import annotations

import pytest

from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import (
    AnswerOrRefine,
    ChooseTool,
    ComposeRelation,
    JudgeAnswer,
    Observation,
    Passage,
    PickAnswer,
    RerankPassages,
    SummariseDocument,
    ToolChoice,
    ToolSpec,
)
from rag1.types import ABSTENTION

llm = OfflineLlm()


@pytest.mark.parametrize(
    ("gold", "answer", "label"),
    [
        ("桑原喜平", "桑原喜平", "Perfect"),
        ("「桑原喜平」", "桑原喜平です。", "Perfect"),
        ("干物、味噌", "味噌、干物", "Perfect"),
        ("十八", "18メートル", "Perfect"),
        ("桑原喜平", "時計商の桑原喜平", "Acceptable"),
        ("桑原喜平", ABSTENTION, "Missing"),
        ("桑原喜平", "", "Missing"),
        ("桑原喜平", "松次", "Incorrect"),
        ("三十四年", "三十五年", "Incorrect"),
        ("十八メートル", "十九メートル", "Incorrect"),
    ],
)
def test_labels(gold: str, answer: str, label: str) -> None:
    assert llm(JudgeAnswer(ground_truth=gold, answer=answer)).label == label


def test_the_strict_judge_refuses_a_part_of_the_answer() -> None:
    task = JudgeAnswer(ground_truth="時計商の桑原喜平", answer="桑原喜平")
    assert llm(task).label == "Acceptable"
    assert llm(task.model_copy(update={"rules": "strict2026"})).label == "Incorrect"


def test_the_commonest_answer_wins_and_an_abstention_never_over_an_answer() -> None:
    assert llm(PickAnswer(question="誰か。", candidates=(ABSTENTION, "松次", "喜平", "喜平。"))).index == 2
    assert llm(PickAnswer(question="誰か。", candidates=(ABSTENTION, ABSTENTION))).index == 0


def test_passages_by_shared_words_and_strangers_left_out() -> None:
    passages = (
        Passage(id="far", text="今日は静かな日であった。"),
        Passage(id="near", text="桑原喜平が時計台を建てた。"),
        Passage(id="half", text="時計台の番人は眠っていた。"),
    )
    assert llm(RerankPassages(question="時計台を建てたのは誰か。", passages=passages)).ids == ("near", "half")


def test_a_summary_opens_with_the_lead_and_quotes_the_text() -> None:
    text = "町に時計台が建った。喜平の寄付である。時計台の鐘が町に鳴った。犬が走った。鐘は町の時計台の誇りである。"
    summary = llm(SummariseDocument(title="町", text=text)).text
    assert summary.startswith("町に時計台が建った。喜平の寄付である。")
    assert all(sentence + "。" in text for sentence in summary.split("。") if sentence)


@pytest.mark.parametrize(
    ("relation", "known", "path"),
    [
        ("墓所", ("葬地", "父"), ("葬地",)),
        ("祖父", ("父", "母"), ("父", "父")),
        ("母方の祖父", ("父", "母"), ("母", "父")),
        ("叔父", ("母", "弟"), ("母", "弟")),
        ("妻の父", ("室", "父"), ("室", "父")),
        ("船長", ("父",), ()),
    ],
)
def test_relations_are_named_otherwise_or_composed(
    relation: str, known: tuple[str, ...], path: tuple[str, ...]
) -> None:
    assert llm(ComposeRelation(relation=relation, known=known)).path == path


def test_refining_shortens_the_question_by_what_the_facts_told() -> None:
    first = llm(AnswerOrRefine(question="桑原喜平の妻の父は誰か。", facts=("桑原喜平 - 妻 -> お菊",)))
    assert (first.answer, first.question) == (None, "お菊の父は誰か。")
    second = llm(AnswerOrRefine(question="お菊の父は誰か。", facts=("お菊 - 父 -> 岡田伝蔵",)))
    assert second.answer == "岡田伝蔵"


def test_nothing_told_twice_ends_in_an_abstention() -> None:
    asked = AnswerOrRefine(question="菊 父", facts=(), asked=("お菊の父は誰か。",))
    assert llm(asked).answer == ABSTENTION


TOOLS = (
    ToolSpec(name="search", description="本文を探す", argument="語"),
    ToolSpec(name="neighbours", description="名前の関係を見る", argument="名前"),
)


def choose(question: str, *observed: tuple[str, str, str], turns: int = 5) -> ToolChoice:
    seen = tuple(Observation(tool=tool, argument=argument, result=result) for tool, argument, result in observed)
    return llm(ChooseTool(question=question, tools=TOOLS, observations=seen, turns_left=turns))


def test_an_agent_asks_on_with_what_a_tool_returned() -> None:
    question = "桑原喜平の妻の父は誰か。"
    first = choose(question)
    assert (first.tool, first.argument) == ("neighbours", "桑原喜平")
    for wife in ("お菊", "お梅"):
        second = choose(question, ("neighbours", "桑原喜平", f"桑原喜平 - 妻 -> {wife}"))
        assert (second.tool, second.argument) == ("neighbours", wife)
    last = choose(
        question,
        ("neighbours", "桑原喜平", "桑原喜平 - 妻 -> お菊"),
        ("neighbours", "お菊", "お菊 - 父 -> 岡田伝蔵"),
    )
    assert last.answer == "岡田伝蔵"


def test_the_last_turn_answers_and_no_call_is_made_twice() -> None:
    question = "灯台の番人は誰か。"
    assert choose(question, turns=1).answer == ABSTENTION
    calls: set[tuple[str, str]] = set()
    observed: list[tuple[str, str, str]] = []
    for _ in range(10):
        step = choose(question, *observed)
        if step.tool is None:
            break
        call = (step.tool or "", step.argument)
        assert call not in calls
        calls.add(call)
        observed.append((*call, ""))
    else:
        pytest.fail("the agent never stopped calling")
