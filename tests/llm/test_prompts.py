"""Each task has a prompt in each language, and a rendered prompt holds all that its task holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from rag1.errors import ConfigError
from rag1.llm import tasks
from rag1.llm.prompts import SLOT, PromptSet
from rag1.llm.schema import json_schema, response_format

PASSAGE = tasks.Passage(id="kaguya:0-9", text="竹取の翁といふものありけり。", label="竹取物語 一")
EXAMPLES: list[tasks.TaskModel] = [  # type: ignore[type-arg]
    tasks.AnswerFrom(question="誰か", context=(PASSAGE,)),
    tasks.AnswerFrom(question="誰か"),
    tasks.AnswerOrRefine(question="誰か", facts=("翁は竹を取る",), asked=("何か",)),
    tasks.Decompose(question="誰の何か"),
    tasks.ChooseTool(
        question="誰か",
        tools=(tasks.ToolSpec(name="search", description="本文を探す", argument="語"),),
        observations=(tasks.Observation(tool="search", argument="翁", result="竹取の翁"),),
        turns_left=3,
    ),
    tasks.ExtractEntities(question="翁は誰か"),
    tasks.GenerateQueries(question="誰か", n=4, about="竹取物語"),
    tasks.WritePassage(question="誰か", about="竹取物語"),
    tasks.ClassifyQuestion(question="いくつか"),
    tasks.RouteTitle(
        question="誰か", documents=(tasks.DocumentCard(id="kaguya", title="竹取物語", names=("翁", "媼")),)
    ),
    tasks.RerankPassages(question="誰か", passages=(PASSAGE,)),
    *(
        tasks.ExtractTriples(text="翁は竹を取る。", style=style, known=("媼",), context="翁の話")
        for style in ("typed_relations", "context_triples", "sentence_triples")
    ),
    tasks.SummariseDocument(title="竹取物語", text="翁は竹を取る。"),
    tasks.SameEntity(a="翁", b="竹取の翁", facts=("翁は竹を取る",)),
    *(
        tasks.WriteCypher(question="誰か", schema_text="(:人)", dialect=dialect, previous="MATCH", error="誤り")
        for dialect in ("neo4j", "falkordb")
    ),
    tasks.ComposeRelation(relation="祖父", known=("父", "母")),
    tasks.SummariseCommunity(facts=("翁は竹を取る",)),
    tasks.AnswerFromCommunity(question="誰か", summary="翁の話"),
    *(
        tasks.JudgeAnswer(
            ground_truth="竹取の翁", answer="翁だ", question="誰か", evidence="竹取の翁といふもの", rules=rules
        )
        for rules in ("rag1", "strict2026", "evidence")
    ),
    tasks.PickAnswer(question="誰か", candidates=("翁", "媼")),
]
BLIND = {"rag1": ("question", "evidence"), "strict2026": ("question", "evidence")}
"""What a judge must not see."""


def texts_of(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for each in value for text in texts_of(each)]
    if isinstance(value, BaseModel):
        return [text for name in type(value).model_fields for text in texts_of(getattr(value, name))]
    return []


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("task", EXAMPLES, ids=lambda task: type(task).__name__)
def test_a_prompt_shows_the_model_all_that_the_task_holds(root: Path, task: tasks.TaskModel, language: str) -> None:  # type: ignore[type-arg]
    shown = "\n".join(str(m["content"]) for m in PromptSet(str(root / "conf/prompt" / language))(task).messages)
    hidden = BLIND.get(str(getattr(task, "rules", "")), ())
    for name in type(task).model_fields:
        if name in ("style", "dialect", "rules", *hidden):
            continue
        if name == "context" and getattr(task, "style", "") == "typed_relations":
            continue
        assert all(text in shown for text in texts_of(getattr(task, name))), name
    for name in hidden:
        assert getattr(task, name) not in shown.replace(task.ground_truth, "")  # type: ignore[attr-defined]
    assert "JSON" in shown
    assert not SLOT.search(shown)


def test_the_examples_cover_every_task_and_every_file_is_used(root: Path) -> None:
    from rag1.llm.prompts import file_name

    used = {file_name(task) for task in EXAMPLES}
    assert {re.split(r"\.", name)[0] for name in used} == {
        each.task_name() for each in vars(tasks).values() if isinstance(each, type) and hasattr(each, "reply")
    }
    for language in ("ja", "en"):
        assert {path.stem for path in (root / "conf/prompt" / language).glob("*.md")} == used


def test_a_paragraph_whose_slots_are_empty_is_left_out(root: Path) -> None:
    prompts = PromptSet(str(root / "conf/prompt/ja"))
    user = str(prompts(tasks.WriteCypher(question="誰か", schema_text="(:人)")).messages[1]["content"])
    assert "前回" not in user
    assert user == "スキーマ:\n(:人)\n\n質問: 誰か"


def test_a_question_with_braces_stays_as_it_is(root: Path) -> None:
    question = "{context} と {question} と {1} は何か"
    prompt = PromptSet(str(root / "conf/prompt/ja"))(tasks.Decompose(question=question))
    assert question in str(prompt.messages[1]["content"])


def test_a_prompt_file_with_an_unknown_slot_or_none_at_all_is_a_person_s_mistake(tmp_path: Path) -> None:
    (tmp_path / "decompose.md").write_text("# user\n\n{questoin}", encoding="utf-8")
    with pytest.raises(ConfigError, match="no slot 'questoin'; it may use question"):
        PromptSet(str(tmp_path))(tasks.Decompose(question="誰か"))
    with pytest.raises(ConfigError, match=r"extract_entities\.md"):
        PromptSet(str(tmp_path))(tasks.ExtractEntities(question="誰か"))


def test_strict_schemas_require_every_property_and_open_mappings_are_not_strict() -> None:
    schema = json_schema(tasks.AnswerReply)
    assert schema["required"] == ["answer", "evidence", "confidence"]
    assert schema["additionalProperties"] is False
    assert "default" not in str(schema)
    strict = {
        name: response_format(name, "json_schema")["json_schema"]["strict"] for name in (tasks.Names, tasks.Triples)
    }  # type: ignore[index]
    assert strict == {tasks.Names: True, tasks.Triples: False}
    assert json_schema(tasks.Text)["properties"] == {"text": {"type": "string"}}


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_wrong_question_can_be_told_from_one_that_the_context_does_not_answer(language: str, root: Path) -> None:
    text = (root / "conf/prompt" / language / "answer_from.md").read_text(encoding="utf-8")
    assert "質問誤り" in text
    assert "分かりません" in text
