"""The nouns of rag1 and its one-call protocols. Imports nothing of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

Span = tuple[int, int]
"""Half-open character offsets into `Document.text`."""

Stop = Literal["answered", "no_evidence", "max_turns", "timeout", "budget", "error"]
"""Why a pipeline ended. Those in `FAILED` are failures, counted apart from abstentions."""

FAILED: tuple[Stop, ...] = ("error", "timeout", "budget")

ABSTENTION = "分かりません"
NO_EVIDENCE = "なし"


@dataclass(frozen=True, slots=True)
class Document:
    """One text of the corpus. `text` is what every span counts in; `id` is the file's name without ending."""

    id: str
    title: str
    text: str
    meta: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document: `id == f"{doc_id}:{start}-{end}"` and `text == document.text[start:end]`."""

    id: str
    doc_id: str
    text: str
    span: Span
    meta: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def cut(cls, document: Document, start: int, end: int, meta: Mapping[str, str] | None = None) -> Chunk:
        """The chunk of `document` between two character offsets."""
        return cls(f"{document.id}:{start}-{end}", document.id, document.text[start:end], (start, end), meta or {})


@dataclass(frozen=True, slots=True)
class Query:
    """All that a pipeline may see of a question. An empty `scope` means all documents."""

    id: str
    text: str
    scope: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Gold:
    """What the question's author expects. Never reaches a pipeline."""

    query_id: str
    answers: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    doc_ids: frozenset[str] = frozenset()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A piece of evidence: a chunk, a graph fact, a Cypher row or a count. List order is rank.

    `id` is the chunk's id, or the id of the fact or count; `by` names the road it came by; `span` is the
    place of its evidence in the document where there is one.
    """

    id: str
    text: str
    doc_id: str
    span: Span | None
    score: float
    by: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Model use of one question. Tokens are the provider's counts; `usd` is None where a price is unknown."""

    requests: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Usage(
            self.requests + other.requests,
            self.cached + other.cached,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            usd,
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a question's trace: what was done, what came of it, how long it took (seconds)."""

    name: str
    detail: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A pipeline's answer. `support` is what was retrieved, in rank order; `stop` says why it ended.

    Pipelines leave `usage`, `seconds` and `route` empty: the batch fills them in. `confidence` is in [0, 1], or
    None where the pipeline has no estimate. `flags` name what is worth a look (`empty:bm25`, `evidence_snapped`);
    `signals` are numbers that a pipeline knows and a calibration may use (`agreement` of repeated samples, 0 to 1).
    """

    query_id: str
    text: str
    evidence: str = NO_EVIDENCE
    support: tuple[Retrieved, ...] = ()
    stop: Stop = "answered"
    error: str = ""
    usage: Usage = Usage()
    trace: tuple[Step, ...] = ()
    flags: tuple[str, ...] = ()
    confidence: float | None = None
    seconds: float = 0.0
    route: Route | None = None
    signals: Mapping[str, float] = field(default_factory=dict)

    @property
    def abstained(self) -> bool:
        return self.text == ABSTENTION


@dataclass(frozen=True, slots=True)
class Score:
    """One figure about one answer. `value` None means it could not be read: counted and shown, never dropped."""

    name: str
    value: float | None
    label: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """A router's ranking of documents (best first) and how clearly the first one leads (0: a tie)."""

    ranking: tuple[tuple[str, float], ...]
    margin: float
    reason: str = ""


ReplyT = TypeVar("ReplyT", bound="BaseModel")
ReplyT_co = TypeVar("ReplyT_co", bound="BaseModel", covariant=True)


class Task(Protocol[ReplyT_co]):
    """A typed request to a model: a small pydantic model (see `rag1.llm.tasks`) that names its reply type."""

    @classmethod
    def task_name(cls) -> str: ...
    @classmethod
    def reply_type(cls) -> type[ReplyT_co]: ...


@runtime_checkable
class Llm(Protocol):
    """Answers a typed task. `repeat` asks for another independent sample of the same task."""

    def __call__(self, task: Task[ReplyT], *, repeat: int = 0) -> ReplyT: ...


class Tokenizer(Protocol):
    """Text to index terms, in text order. `name` is part of an index's fingerprint."""

    @property
    def name(self) -> str: ...
    def __call__(self, text: str) -> list[str]: ...


class Embedder(Protocol):
    """Texts to unit vectors: float32, shape (len(texts), dimensions). `name` is part of a fingerprint."""

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]: ...
    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class Chunker(Protocol):
    """A document to its chunks, in text order. `name` is part of a fingerprint."""

    @property
    def name(self) -> str: ...
    def __call__(self, document: Document) -> list[Chunk]: ...


class Retriever(Protocol):
    """The best `k` pieces of evidence for a query, within its scope, best first; empty when nothing matches."""

    def __call__(self, query: Query, k: int) -> list[Retrieved]: ...


class Fuser(Protocol):
    """Several rankings to one, best first."""

    def __call__(self, rankings: Sequence[Sequence[Retrieved]]) -> list[Retrieved]: ...


class Router(Protocol):
    """Which documents a question asks about. Never narrows a scope that the question file gave."""

    def __call__(self, query: Query) -> Route: ...


class Pipeline(Protocol):
    """Answers one question. Called from many threads at once."""

    def __call__(self, query: Query) -> Answer: ...


class Scorer(Protocol):
    def __call__(self, answer: Answer, gold: Gold) -> Score: ...
