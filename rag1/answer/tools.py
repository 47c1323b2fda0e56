"""Retrievers and the like as tools of an agent: a name, what it is for, one argument in, text and evidence out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from rag1.answer.arithmetic import evaluate
from rag1.answer.rows import column, said
from rag1.corpus.corpus import Corpus
from rag1.errors import CypherError, InputError
from rag1.graph.model import Fact
from rag1.graph.store import GraphStore
from rag1.llm.tasks import ToolSpec, WriteCypher
from rag1.retrieve.cypher import RunCypher, row_lines
from rag1.retrieve.facts import lines
from rag1.retrieve.schema import SchemaText
from rag1.retrieve.structured import alias_line
from rag1.text.count import Counter
from rag1.text.sentences import sentences
from rag1.types import Document, Llm, Query, Retrieved, Retriever

NOTHING = "(何も見つかりません)"
_STATEMENT = ("MATCH", "OPTIONAL", "CALL", "UNWIND", "WITH", "RETURN")


@dataclass(frozen=True, slots=True)
class Result:
    """`text` is what the model sees, `support` the evidence in it. `notes` are for the trace."""

    text: str
    support: tuple[Retrieved, ...] = ()
    notes: tuple[str, ...] = ()


class Tool(Protocol):
    """What an agent may call. Raises InputError or an error of the statement for an argument that it cannot use."""

    @property
    def spec(self) -> ToolSpec: ...
    def __call__(self, argument: str, query: Query) -> Result: ...


def shown(support: Sequence[Retrieved], notes: Sequence[str] = ()) -> Result:
    return Result("\n".join(item.text for item in support) or NOTHING, tuple(support), tuple(notes))


@dataclass(frozen=True)
class SearchTool:
    """Passages by a retriever. `k`: passages a call."""

    retriever: Retriever
    k: int = 5
    spec: ToolSpec = field(
        default=ToolSpec(
            name="search", description="文書の本文から、言葉に近い一節を探す", argument="探す言葉、または質問"
        )
    )

    def __call__(self, argument: str, query: Query) -> Result:
        return shown(self.retriever(replace(query, text=_given(argument)), self.k))


@dataclass(frozen=True)
class NeighboursTool:
    """The facts around one entity, in true direction. `most`: facts shown; those that were derived come last."""

    store: GraphStore
    most: int = 40
    spec: ToolSpec = field(
        default=ToolSpec(
            name="neighbours", description="知識グラフで、ある名前のまわりの関係をすべて見る", argument="名前を一つ"
        )
    )

    def __call__(self, argument: str, query: Query) -> Result:
        name = _given(argument)
        matches = self.store.match_names(name, 5, query.scope)
        exact = [m.name for m in matches if name in (m.name, *m.aliases)]
        found = exact or [m.name for m in matches if name in m.matched or m.matched in name][:2]
        if not found:
            near = "、".join(m.name for m in matches) or "なし"
            raise InputError(f"「{name}」という名前はグラフにありません。近い名前: {near}")
        facts = sorted(self.store.neighbours(found, 500, query.scope), key=lambda fact: _rank(fact, found))
        also = [alias_line(m.name, name, "graph:neighbours") for m in matches if m.name != name and name in m.aliases]
        return shown([*also, *lines([(fact, 1.0) for fact in facts], self.most, "graph:neighbours")])


def _rank(fact: Fact, names: Sequence[str]) -> tuple[bool, bool, float, str]:
    """Stated facts first; of those that say one thing, the one whose sentence names both ends."""
    named = sum(_share_told(name, fact.evidence) for name in (fact.head, fact.tail))
    return fact.derived, fact.head not in names, -named, fact.id


def _share_told(name: str, sentence: str) -> float:
    """How much of the end of a name stands in a sentence: 綱 for 時綱 is half."""
    return next((1 - at / len(name) for at in range(len(name)) if name[at:] in sentence), 0.0)


@dataclass(frozen=True)
class CypherTool:
    """A statement as it is, or a question that the model turns into one.

    The facts behind the rows, then the rows; a column of values at which those facts end is not said again.
    """

    llm: Llm
    schema: SchemaText
    run: RunCypher
    spec: ToolSpec = field(
        default=ToolSpec(
            name="cypher",
            description="知識グラフを Cypher で読む。日本語の質問を渡せば Cypher に直して実行する",
            argument="質問、または読むだけの Cypher 文",
        )
    )

    def __call__(self, argument: str, query: Query) -> Result:
        asked = _given(argument)
        statement = asked if asked.upper().startswith(_STATEMENT) else self._written(replace(query, text=asked))
        outcome = self.run(statement, query.scope)
        notes = (outcome.statement, *outcome.notes)
        if outcome.ended in ("refused", "error"):
            raise CypherError(f"{outcome.ended}: {outcome.reason} ({statement})")
        if outcome.ended == "empty":
            return Result(f"{NOTHING} {statement}", (), notes)
        cut = ["(これより先の行は切られています)"] if outcome.cut else []
        told = all(any(said(fact, value) for fact in outcome.facts) for value in column(outcome) or [""])
        found = shown([*outcome.facts, *([] if told else row_lines(outcome))], notes)
        return replace(found, text="\n".join([found.text, *cut]))

    def _written(self, query: Query) -> str:
        task = WriteCypher(question=query.text, schema_text=self.schema(query), dialect=self.run.store.dialect)
        return self.llm(task).cypher


@dataclass(frozen=True)
class CountTool:
    """How often a word stands in each document, exactly, with the first sentence it stands in."""

    corpus: Corpus
    counter: Counter = field(default_factory=Counter)
    spec: ToolSpec = field(
        default=ToolSpec(name="count", description="ある言葉が本文に何回出るかを正確に数える", argument="数える言葉")
    )

    def __call__(self, argument: str, query: Query) -> Result:
        word = _given(argument).strip("「」『』")
        documents = [d for d in self.corpus if not query.scope or d.id in query.scope]
        found = [made for document in documents if (made := self._count(document, word))]
        return shown(found) if found else Result("0回")

    def _count(self, document: Document, word: str) -> Retrieved | None:
        places = self.counter.word(document.text, word)
        if not places:
            return None
        first = places[0].start
        span = next(((a, b) for a, b in sentences(document.text) if a <= first < b), (first, places[0].end))
        text = f"『{document.title}』の「{word}」: {len(places)}回"
        return Retrieved(f"count:{document.id}:{word}", text, document.id, span, float(len(places)), "count:word")


@dataclass(frozen=True)
class ArithmeticTool:
    """The value of an expression."""

    spec: ToolSpec = field(
        default=ToolSpec(name="arithmetic", description="数の計算をする", argument="式。例: (1903 - 1868) * 2")
    )

    def __call__(self, argument: str, query: Query) -> Result:
        del query
        value = evaluate(_given(argument))
        return Result(f"{argument.strip()} = {value}")


def _given(argument: str) -> str:
    if not argument.strip():
        raise InputError("the argument is empty: give one")
    return argument.strip()
