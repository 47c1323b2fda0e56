"""The model that needs no model: each typed task is answered by rules over Japanese text.

It is a baseline. Its replies depend on the task alone: equal tasks get equal replies, `repeat` changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from rag1.llm.rules import chains, classify, cypher, judging, kinship, names, ranking, reader, tools, triples, wording
from rag1.llm.tasks import (
    AnswerFrom,
    AnswerFromCommunity,
    AnswerOrRefine,
    ChooseTool,
    ClassifyQuestion,
    ComposeRelation,
    Decompose,
    ExtractEntities,
    ExtractTriples,
    GenerateQueries,
    JudgeAnswer,
    PickAnswer,
    RerankPassages,
    RouteTitle,
    SameEntity,
    SummariseCommunity,
    SummariseDocument,
    WriteCypher,
    WritePassage,
)
from rag1.types import ReplyT, Task

RULES: Mapping[type, Callable[[Any], Any]] = {
    AnswerFrom: reader.answer_from,
    AnswerFromCommunity: ranking.answer_from_community,
    AnswerOrRefine: tools.answer_or_refine,
    ChooseTool: tools.choose_tool,
    ClassifyQuestion: classify.classify_question,
    ComposeRelation: kinship.compose_relation,
    Decompose: chains.decompose,
    ExtractEntities: names.extract_entities,
    ExtractTriples: triples.extract_triples,
    GenerateQueries: wording.generate_queries,
    JudgeAnswer: judging.judge_answer,
    PickAnswer: judging.pick_answer,
    RerankPassages: ranking.rerank_passages,
    RouteTitle: names.route_title,
    SameEntity: names.same_entity,
    SummariseCommunity: ranking.summarise_community,
    SummariseDocument: ranking.summarise_document,
    WriteCypher: cypher.write_cypher,
    WritePassage: wording.write_passage,
}


@dataclass(frozen=True)
class OfflineLlm:
    """`abstain_below`: the reader's confidence (0 to 1) under which AnswerFrom says 「分かりません」."""

    abstain_below: float = reader.THRESHOLD

    def __call__(self, task: Task[ReplyT], *, repeat: int = 0) -> ReplyT:
        """Raises TypeError for a task that has no rule."""
        del repeat  # a rule has nothing to sample
        if isinstance(task, AnswerFrom):
            return cast(ReplyT, reader.answer_from(task, self.abstain_below))
        rule = RULES.get(type(task))
        if rule is None:
            raise TypeError(f"the offline model has no rule for the task {type(task).__name__}")
        return cast(ReplyT, rule(task))
