"""Small corpora, a scripted model, and a client of ours at the fake endpoint, for the tests of building."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag1.chunk.chunkers import Sentences
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.corpus.load import folder
from rag1.corpus.notation import Aozora
from rag1.graph.extract import ChunkTriples
from rag1.llm.cache import Cache
from rag1.llm.client import Client
from rag1.llm.exchange import Patience
from rag1.llm.http import HttpEndpoint
from rag1.llm.ledger import Budget, Ledger
from rag1.llm.prompts import PromptSet
from rag1.types import Document, Task

ROOT = Path(__file__).resolve().parents[2]


def corpus_of(**texts: str) -> Corpus:
    return Corpus(tuple(Document(name, name, text) for name, text in texts.items()))


def one_sentence_chunks(**texts: str) -> Chunks:
    return Chunks(corpus_of(**texts), Sentences(window=1, stride=1))


def sample() -> Corpus:
    return folder(str(ROOT / "data/sample/stories"), Aozora())


@dataclass
class Memory:
    """What an extraction remembers, in this process only."""

    done: dict[str, ChunkTriples] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def note(self, key: str, make: Callable[[], str]) -> str:
        if key not in self.notes:
            self.notes[key] = make()
        return self.notes[key]


@dataclass
class Scripted:
    """A model that answers by a function and keeps what it was asked. `name` stands in fingerprints."""

    answer: Callable[[Any, int], Any]
    name: str = "scripted"
    asked: list[tuple[Any, int]] = field(default_factory=list)

    def __call__(self, task: Task[Any], *, repeat: int = 0) -> Any:
        self.asked.append((task, repeat))
        reply = self.answer(task, repeat)
        if isinstance(reply, Exception):
            raise reply
        return reply


def draft(head: str, relation: str, tail: str, **more: object) -> dict[str, object]:
    return {"head": head, "head_type": "Person", "relation": relation, "tail": tail, "tail_type": "Person", **more}


def text_asked(body: dict[str, Any]) -> str:
    """The chunk's text in a request for triples."""
    user = next(str(m["content"]) for m in body["messages"] if m["role"] == "user")
    return user.rsplit("本文:\n", 1)[-1].strip()


def parents(body: dict[str, Any]) -> str:
    """The reply of an endpoint that reads 「AはBの子である」."""
    found = re.findall(r"(\w+?)は(\w+?)の子である", text_asked(body))
    return json.dumps({"triples": [draft(b, "子", a) for a, b in found]}, ensure_ascii=False)


def client(url: str, folder: Path, usd: float | None = None, cache: str = "off") -> Client:
    return Client(
        HttpEndpoint(url),
        "gpt-4.1-mini",
        PromptSet(str(ROOT / "conf/prompt/ja")),
        Cache(str(folder / "cache"), cache),
        Ledger(str(ROOT / "conf/prices.yaml"), Budget(usd)),
        patience=Patience(max_retries=1, attempt_seconds=5.0, deadline=10.0),
    )


def said(triples: Sequence[Any]) -> set[tuple[str, str, str]]:
    return {(t.head, t.relation, t.tail) for t in triples}
