"""The offline model as a whole: a rule for every task, the same reply every time, from any thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from rag1.llm import tasks
from rag1.llm.offline import RULES, OfflineLlm
from rag1.llm.tasks import AnswerFrom, DocumentCard, Observation, Passage, TaskModel, ToolSpec
from rag1.types import ABSTENTION, Llm

STORY = (
    "宮本健吉は和菓子屋の主人である。健吉の妻はお春だった。明治二十五年の春、健吉は浅草に店を開いた。"
    "店の名は「松月堂」という。長男の正太郎は菓子を作らず、横浜で船大工になった。"
)
PASSAGES = (Passage(id="p1", text=STORY), Passage(id="p2", text="川の水が増えたので、橋が流された。"))

EXAMPLES: tuple[TaskModel[Any], ...] = (
    tasks.AnswerFrom(question="健吉の妻は誰か。", context=PASSAGES),
    tasks.AnswerFromCommunity(question="健吉の妻は誰か。", summary=STORY),
    tasks.AnswerOrRefine(question="健吉の長男の職業は何か。", facts=("健吉 - 長男 -> 正太郎",)),
    tasks.ChooseTool(
        question="健吉の妻は誰か。",
        tools=(ToolSpec(name="search", description="文を探す", argument="語"),),
        observations=(Observation(tool="search", argument="健吉", result=STORY),),
    ),
    tasks.ClassifyQuestion(question="健吉の妻は誰か。"),
    tasks.ComposeRelation(relation="祖父", known=("父", "母")),
    tasks.Decompose(question="健吉の長男の職業は何か。"),
    tasks.ExtractEntities(question="健吉の妻は誰か。"),
    tasks.ExtractTriples(text=STORY),
    tasks.GenerateQueries(question="健吉の妻は誰か。"),
    tasks.JudgeAnswer(ground_truth="お春", answer="お春"),
    tasks.PickAnswer(question="健吉の妻は誰か。", candidates=("お春", "正太郎")),
    tasks.RerankPassages(question="橋はなぜ流されたか。", passages=PASSAGES),
    tasks.RouteTitle(question="健吉の妻は誰か。", documents=(DocumentCard(id="a", title="松月堂", names=("健吉",)),)),
    tasks.SameEntity(a="宮本健吉", b="健吉"),
    tasks.SummariseCommunity(facts=("健吉 - 妻 -> お春", "健吉 - 長男 -> 正太郎")),
    tasks.SummariseDocument(title="松月堂", text=STORY),
    tasks.WriteCypher(question="健吉の妻は誰か。", schema_text="(:Person)-[:妻]->(:Person)"),
    tasks.WritePassage(question="健吉の妻は誰か。"),
)


def test_every_task_of_the_contract_has_a_rule_and_an_example() -> None:
    contract = {kind for kind in vars(tasks).values() if isinstance(kind, type) and "reply" in vars(kind)}
    assert set(RULES) == contract
    assert {type(task) for task in EXAMPLES} == contract


@pytest.mark.parametrize("task", EXAMPLES, ids=lambda task: task.task_name())
def test_a_task_is_answered_with_its_reply_type_and_always_alike(task: TaskModel[Any]) -> None:
    llm = OfflineLlm()
    first = llm(task)
    assert isinstance(first, type(task).reply_type())
    assert llm(task, repeat=1) == first


def test_it_serves_as_an_llm_and_refuses_what_it_has_no_rule_for() -> None:
    llm: Llm = OfflineLlm()
    assert isinstance(llm, Llm)
    with pytest.raises(TypeError, match="no rule for the task Passage"):
        llm(cast(Any, Passage(id="p", text="")))


def test_sixteen_threads_get_the_replies_of_one() -> None:
    llm = OfflineLlm()
    work = [task for task in EXAMPLES for _ in range(8)]
    alone = [llm(task) for task in work]
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(llm, work)) == alone


def test_an_empty_context_is_an_abstention() -> None:
    assert OfflineLlm()(AnswerFrom(question="健吉の妻は誰か。")).answer == ABSTENTION
