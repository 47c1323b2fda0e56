"""The typed tasks: what a pipeline may ask of a model. Each is a small pydantic model in, one out.

`llm(AnswerFrom(question=…, context=…))` returns an `AnswerReply`. How a task is worded for a model is a file of
`conf/prompt/`; how it is answered without one is `rag1.llm.offline`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
)

from rag1.llm.task_base import Reply as Reply
from rag1.llm.task_base import TaskModel as TaskModel
from rag1.llm.triple_reply import TripleDraft as TripleDraft
from rag1.llm.triple_reply import Triples as Triples


class Passage(BaseModel):
    """A piece of context as a task sees it: `label` is shown to the model (title, chapter, kind of source)."""

    model_config = ConfigDict(frozen=True)
    id: str
    text: str
    label: str = ""


# --- answering -------------------------------------------------------------------------------------------


class AnswerReply(Reply):
    """`answer` is 「分かりません」 where the context does not tell; `evidence` is copied from the context."""

    answer: str
    evidence: str = ""
    confidence: float | None = Field(default=None, ge=0, le=1)


class AnswerFrom(TaskModel[AnswerReply]):
    """Answer a question from a context; an empty context asks the model's own knowledge (zero-shot)."""

    reply = AnswerReply
    question: str
    context: tuple[Passage, ...] = ()


class AnswerOrRefineReply(Reply):
    """Either `answer` (with `evidence`), or `question`: a simpler one of the same kind."""

    answer: str | None = None
    evidence: str = ""
    question: str | None = None


class AnswerOrRefine(TaskModel[AnswerOrRefineReply]):
    """Answer from facts, or rewrite the question with what the facts told. `asked` are the questions so far."""

    reply = AnswerOrRefineReply
    question: str
    facts: tuple[str, ...]
    asked: tuple[str, ...] = ()


class SubQuestions(Reply):
    """In order of answering; `{1}`, `{2}` … stand for the answers of earlier ones."""

    questions: tuple[str, ...]


class Decompose(TaskModel[SubQuestions]):
    reply = SubQuestions
    question: str


class ToolSpec(BaseModel):
    model_config = ConfigDict(frozen=True)
    name: str
    description: str
    argument: str


class Observation(BaseModel):
    model_config = ConfigDict(frozen=True)
    tool: str
    argument: str
    result: str


class ToolChoice(Reply):
    """Either a `tool` with its one `argument`, or the final `answer` with its `evidence`."""

    thought: str = ""
    tool: str | None = None
    argument: str = ""
    answer: str | None = None
    evidence: str = ""


class ChooseTool(TaskModel[ToolChoice]):
    reply = ToolChoice
    question: str
    tools: tuple[ToolSpec, ...]
    observations: tuple[Observation, ...] = ()
    turns_left: int = 1


# --- queries ---------------------------------------------------------------------------------------------


class Names(Reply):
    names: tuple[str, ...]


class ExtractEntities(TaskModel[Names]):
    """Names of persons, places, things and titles that the question mentions, as written."""

    reply = Names
    question: str


class Wordings(Reply):
    queries: tuple[str, ...]


class GenerateQueries(TaskModel[Wordings]):
    """`n` other wordings of the question for searching; `about` names its document, where known."""

    reply = Wordings
    question: str
    n: int = Field(default=3, ge=1, le=20)
    about: str = ""


class Text(Reply):
    text: str


class WritePassage(TaskModel[Text]):
    """A passage that could stand in the document and would answer the question (HyDE)."""

    reply = Text
    question: str
    about: str = ""


QuestionKind = Literal[
    "extraction",
    "enumeration",
    "counting",
    "arithmetic",
    "choice",
    "multi_hop",
    "why",
    "yes_no",
    "other",
]


class KindReply(Reply):
    """`count_of`: for counting questions, the word or entity counted and the manner of counting."""

    kind: QuestionKind


class ClassifyQuestion(TaskModel[KindReply]):
    reply = KindReply
    question: str


class TitleReply(Reply):
    """`id` of the document the question asks about, or None when it cannot be told."""

    id: str | None


class DocumentCard(BaseModel):
    model_config = ConfigDict(frozen=True)
    id: str
    title: str
    names: tuple[str, ...] = ()


class RouteTitle(TaskModel[TitleReply]):
    reply = TitleReply
    question: str
    documents: tuple[DocumentCard, ...]


class Ranking(Reply):
    """Passage ids, best first; those left out are irrelevant."""

    ids: tuple[str, ...]


class RerankPassages(TaskModel[Ranking]):
    reply = Ranking
    question: str
    passages: tuple[Passage, ...]


# --- the knowledge graph ---------------------------------------------------------------------------------


class ExtractTriples(TaskModel[Triples]):
    """Relations of one chunk. `known`: entity names met so far; `context`: a summary of the whole document."""

    reply = Triples
    text: str
    style: Literal["typed_relations", "context_triples", "sentence_triples"] = "typed_relations"
    known: tuple[str, ...] = ()
    context: str = ""


class SummariseDocument(TaskModel[Text]):
    reply = Text
    title: str
    text: str


class SameReply(Reply):
    same: bool


class SameEntity(TaskModel[SameReply]):
    """Do two names mean one entity? `facts` are lines about each."""

    reply = SameReply
    a: str
    b: str
    facts: tuple[str, ...] = ()


class CypherReply(Reply):
    cypher: str


class WriteCypher(TaskModel[CypherReply]):
    """`error` and `previous`: what the store or guard said of the last try, and that try."""

    reply = CypherReply
    question: str
    schema_text: str
    dialect: Literal["neo4j", "falkordb"] = "falkordb"
    previous: str = ""
    error: str = ""


class RelationPath(Reply):
    """Relation names one after another that together mean the asked one; empty when none does."""

    path: tuple[str, ...]


class ComposeRelation(TaskModel[RelationPath]):
    reply = RelationPath
    relation: str
    known: tuple[str, ...]


class SummariseCommunity(TaskModel[Text]):
    reply = Text
    facts: tuple[str, ...]


class PartialAnswer(Reply):
    """`score` 0 to 100: how helpful `answer` is for the question."""

    answer: str
    score: int = Field(ge=0, le=100)


class AnswerFromCommunity(TaskModel[PartialAnswer]):
    reply = PartialAnswer
    question: str
    summary: str


# --- judging ---------------------------------------------------------------------------------------------

Label = Literal["Perfect", "Acceptable", "Missing", "Incorrect"]


class Verdict(Reply):
    label: Label
    reason: str = ""


class JudgeAnswer(TaskModel[Verdict]):
    """`question` and `evidence` are given only by judges that show them (`judge=evidence`)."""

    reply = Verdict
    ground_truth: str
    answer: str
    question: str = ""
    evidence: str = ""
    rules: Literal["rag1", "strict2026", "evidence"] = "rag1"


class PickReply(Reply):
    """Index (from 0) of the best candidate."""

    index: int = Field(ge=0)


class PickAnswer(TaskModel[PickReply]):
    reply = PickReply
    question: str
    candidates: tuple[str, ...]
