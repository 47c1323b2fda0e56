"""A small family in both graph stores, and a model that says what it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from rag1.answer.context import Context
from rag1.answer.reader import Reader
from rag1.answer.rows import RowsAnswer
from rag1.corpus.corpus import Corpus
from rag1.cypher.relations import Relations
from rag1.graph.cypher_store import CypherStore
from rag1.graph.model import Entity, Triple
from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import WriteCypher
from rag1.pipelines.cypher import TextToCypher
from rag1.retrieve.cypher import RunCypher
from rag1.retrieve.facts import open_facts
from rag1.retrieve.link import Linker
from rag1.retrieve.schema import SchemaText
from rag1.types import Document, Llm
from tests.stores import falkordb_folder, neo4j_uri, opener, store  # noqa: F401

STORY = Document(
    "ie",
    "家の話",
    "太一の父は源次である。源次の室はお咲である。お咲の父は弥平である。弥平の葬地は松風寺である。\n"
    "源次は弥平の船で働いた。太一は三郎と四郎を育てた。",
)
FACTS = (
    ("太一", "父", "源次", "太一の父は源次である。"),
    ("源次", "室", "お咲", "源次の室はお咲である。"),
    ("お咲", "父", "弥平", "お咲の父は弥平である。"),
    ("弥平", "葬地", "松風寺", "弥平の葬地は松風寺である。"),
    ("太一", "育てる", "三郎", "太一は三郎と四郎を育てた。"),
    ("太一", "育てる", "四郎", "太一は三郎と四郎を育てた。"),
)
CORPUS = Corpus((STORY,))


def triples() -> Iterable[Triple]:
    for head, relation, tail, sentence in FACTS:
        start = STORY.text.index(sentence)
        kind = "Place" if tail.endswith("寺") else "Person"
        span = (start, start + len(sentence))
        yield Triple(head, relation, tail, "Person", kind, doc_id="ie", span=span, evidence=sentence)


@pytest.fixture
def family(store: CypherStore) -> CypherStore:  # noqa: F811
    """The story's six facts; 源次 is also called 源."""
    store.write_triples(triples())
    store.write_entities([Entity("源次", ("Person",), aliases=("源",))])
    return store


@dataclass
class Script:
    """Writes these statements one after another (the last one for ever); other tasks go to the rules."""

    statements: Sequence[str]
    asked: list[WriteCypher] = field(default_factory=list)

    def __call__(self, task: Any, *, repeat: int = 0) -> Any:
        if not isinstance(task, WriteCypher):
            return OfflineLlm()(task, repeat=repeat)
        self.asked.append(task)
        at = min(len(self.asked), len(self.statements)) - 1
        return WriteCypher.reply_type()(cypher=self.statements[at])


Make = Callable[..., TextToCypher]


@pytest.fixture
def cypher_for(family: CypherStore, tmp_path: Path) -> Make:
    """`cypher_for(llm, relations=…, direction=…, repairs=…)`: the pipeline over the family's graph."""

    def make(llm: Llm, **changes: Any) -> TextToCypher:
        relations = Relations() if changes.pop("relations", True) else None
        run = RunCypher(family, relations, changes.pop("direction", True), limit=changes.pop("limit", 200))
        schema = SchemaText(family, Linker(family, open_facts(family, str(tmp_path)), OfflineLlm()))
        reader = Reader(OfflineLlm(), Context(CORPUS))
        return TextToCypher(llm, schema, run, RowsAnswer(reader, CORPUS), **changes)

    return make
