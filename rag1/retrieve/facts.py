"""A graph's facts as a table: read once from the store, each with its terms and its vector, scored by a question.

Vectors are an artifact under the fingerprint of their texts and embedder; the table itself is read anew by each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag1.artifacts import fingerprint, get_or_build
from rag1.embed.resumable import check_vectors, embed_documents
from rag1.graph.model import Entity, Fact
from rag1.graph.store import GraphStore
from rag1.retrieve.asked import asked_relations
from rag1.text.tokenize import SudachiTokenizer
from rag1.types import Embedder, Retrieved, Tokenizer

Key = tuple[str, str, str]
"""Id, head and tail of a fact: where a name has a node a type, one id may be several relations."""

SHARE = 0.5
"""Weight of the terms in a relevance; the rest is the vectors'."""


def key_of(fact: Fact) -> Key:
    return fact.id, fact.head, fact.tail


def retrieved_fact(fact: Fact, score: float, by: str) -> Retrieved:
    """A fact's line as evidence; the place is that of the sentence it was read from."""
    return Retrieved(fact.id, fact.text, fact.doc_id, fact.span, score, by)


def lines(scored: Sequence[tuple[Fact, float]], k: int, by: str) -> list[Retrieved]:
    """The `k` best of facts in rank order; what two places of one document say alike is one line."""
    first: dict[tuple[str, str], Retrieved] = {}
    for fact, score in scored:
        if len(first) == k:
            break
        first.setdefault((fact.doc_id, fact.text), retrieved_fact(fact, score, by))
    return list(first.values())


def sentence(fact: Fact) -> str:
    """A triple as a sentence for an embedder: 無名塾の主宰者は仲代達矢."""
    properties = "、".join(f"{key}は{value}" for key, value in fact.properties.items())
    return f"{fact.head}の{fact.relation}は{fact.tail}" + (f"（{properties}）" if properties else "")


def open_vectors(texts: Sequence[str], embedder: Embedder, artifacts: str, kind: str) -> NDArray[np.float32]:
    """Unit vectors of `texts`, shape (len(texts), dimensions); equal texts are embedded once."""
    unique = list(dict.fromkeys(texts))
    key = fingerprint(kind, 1, unique, embedder.name, embedder.dimensions)

    def build(folder: Path) -> None:
        parts = Path(artifacts) / kind / f".{key}.parts"
        np.save(folder / "vectors.npy", embed_documents(embedder, unique, parts), allow_pickle=False)

    folder = get_or_build(Path(artifacts), kind, key, build)
    vectors = np.load(folder / "vectors.npy", allow_pickle=False)
    check_vectors(vectors, len(unique), embedder.dimensions, kind)
    place = {text: n for n, text in enumerate(unique)}
    rows = np.fromiter((place[text] for text in texts), dtype=np.int64, count=len(texts))
    return np.asarray(vectors[rows], dtype=np.float32)


def open_facts(store: GraphStore, artifacts: str, embedder: Embedder | None = None) -> FactTable:
    """The table of a filled store. Without an embedder relevance goes by terms alone."""
    facts = tuple(sorted(store.facts(), key=key_of))
    entities = tuple(sorted(store.entities(), key=lambda e: (e.name, e.labels)))
    vectors = open_vectors([sentence(f) for f in facts], embedder, artifacts, "facts") if embedder else None
    return FactTable(facts, entities, tuple(store.mentions()), embedder, vectors)


@dataclass(frozen=True)
class FactTable:
    """`facts` in the order of their keys; `vectors` (facts, dimensions) or None; `mentions` (chunk id, name)."""

    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    mentions: tuple[tuple[str, str], ...] = ()
    embedder: Embedder | None = None
    vectors: NDArray[np.float32] | None = None
    tokenizer: Tokenizer = field(default_factory=lambda: SudachiTokenizer(mode="A"))
    _queries: dict[str, NDArray[np.float32]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def row_of(self) -> Mapping[Key, int]:
        return {key_of(fact): row for row, fact in enumerate(self.facts)}

    @cached_property
    def documents_of(self) -> Mapping[str, frozenset[str]]:
        """Entity name → ids of the documents whose facts name it."""
        found: dict[str, set[str]] = {}
        for fact in self.facts:
            for name in (fact.head, fact.tail):
                found.setdefault(name, set()).add(fact.doc_id)
        return {name: frozenset(ids) for name, ids in found.items()}

    def around(self, names: Iterable[str], limit: int, scope: frozenset[str] = frozenset()) -> list[Fact]:
        """What `GraphStore.neighbours` tells, without asking the store: at most `limit` facts, by key."""
        rows = {row for name in names for row in self._rows_of.get(name, ())}
        inside = (self.facts[row] for row in sorted(rows))
        return list(islice((fact for fact in inside if not scope or fact.doc_id in scope), limit))

    @cached_property
    def _rows_of(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for row, fact in enumerate(self.facts):
            for name in {fact.head, fact.tail}:
                found.setdefault(name, []).append(row)
        return found

    def in_scope(self, scope: frozenset[str]) -> NDArray[np.bool_]:
        """A mask over the rows; all rows for an empty scope."""
        if not scope:
            return np.ones(len(self.facts), dtype=bool)
        return np.fromiter((f.doc_id in scope for f in self.facts), dtype=bool, count=len(self.facts))

    def relevance(self, question: str, known: Iterable[str] = ()) -> NDArray[np.float32]:
        """How near each fact is to the question, in [0, 1], shape (facts,): shared terms and cosine, mixed.

        `known`: names whose terms do not count, as all facts of an entity that was asked about have them.
        """
        terms = self._terms.relevance(question, known)
        if self.vectors is None:
            return terms
        return SHARE * terms + (1 - SHARE) * self.cosines(question)

    def cosines(self, question: str) -> NDArray[np.float32]:
        """Cosine of each fact's sentence with the question, negatives as 0."""
        if self.vectors is None or self.embedder is None:
            return np.zeros(len(self.facts), dtype=np.float32)
        return np.asarray(np.clip(self.vectors @ self.vector(question), 0, 1), dtype=np.float32)

    def vector(self, text: str) -> NDArray[np.float32]:
        """The query vector of `text`; remembered, as several retrievers ask for the same question."""
        assert self.embedder is not None
        if text not in self._queries:
            self._queries[text] = self.embedder.queries([text])[0]
        return self._queries[text]

    @cached_property
    def _terms(self) -> _Terms:
        return _Terms.of(self.facts, self.tokenizer)


@dataclass(frozen=True)
class _Terms:
    """TF-IDF cosine (binary counts) of fact lines and of their relations alone."""

    tokenizer: Tokenizer
    column_of: Mapping[str, int]
    idf: NDArray[np.float32]
    lines: Any
    relations: Any

    @classmethod
    def of(cls, facts: Sequence[Fact], tokenizer: Tokenizer) -> _Terms:
        known: dict[str, frozenset[str]] = {}

        def terms(text: str) -> frozenset[str]:
            if text not in known:
                known[text] = frozenset(tokenizer(text))
            return known[text]

        whole = [terms(f.head) | terms(f.relation) | terms(f.tail) | terms(" ".join(f.properties)) for f in facts]
        asked = [terms(f.relation) | terms(" ".join(f.properties)) for f in facts]
        counts: dict[str, int] = {}
        for row in whole:
            for term in row:
                counts[term] = counts.get(term, 0) + 1
        column_of = {term: n for n, term in enumerate(sorted(counts))}
        idf = np.array([np.log(1 + len(facts) / counts[term]) for term in column_of], dtype=np.float32)
        return cls(tokenizer, column_of, idf, _matrix(whole, column_of, idf), _matrix(asked, column_of, idf))

    def relevance(self, question: str, known: Iterable[str] = ()) -> NDArray[np.float32]:
        """Half from the whole line, half from the relation; a relation that the question asks for by another word
        (なぜ for 原因) counts as said."""
        given = set(self.tokenizer(question)) - {term for name in known for term in self.tokenizer(name)}
        hinted = {term for name in asked_relations(question) for term in self.tokenizer(name)}
        line = self.lines @ self._weights(given | hinted)
        relation = self.relations @ self._weights(given | hinted, unit=False)
        return np.asarray(np.clip(0.5 * line + 0.5 * relation, 0, 1), dtype=np.float32)

    def _weights(self, terms: set[str], unit: bool = True) -> NDArray[np.float32]:
        """The question as a column. `unit=False`: the product is the norm of the row's share that is asked for."""
        columns = [self.column_of[term] for term in terms if term in self.column_of]
        weights = np.zeros(len(self.column_of), dtype=np.float32)
        weights[columns] = self.idf[columns]
        if not unit:
            return np.asarray((weights > 0).astype(np.float32) * self.idf / max(1e-9, float(self.idf.max(initial=0))))
        norm = float(np.linalg.norm(weights))
        return weights / norm if norm else weights


def _matrix(rows: Sequence[frozenset[str]], column_of: Mapping[str, int], idf: NDArray[np.float32]) -> Any:
    """Sparse (rows, terms), rows of unit length."""
    from scipy.sparse import csr_array  # type: ignore[import-untyped]

    columns = [column_of[term] for row in rows for term in sorted(row)]
    ends = np.cumsum([0, *(len(row) for row in rows)])
    data = idf[columns] if columns else np.zeros(0, dtype=np.float32)
    sums = np.add.reduceat(np.append(data**2, 0), ends[:-1]) if len(rows) else np.zeros(0)
    norms = np.sqrt(np.where(np.diff(ends) > 0, sums, 1))
    data = data / np.repeat(norms, np.diff(ends))
    return csr_array((data.astype(np.float32), columns, ends), shape=(len(rows), len(column_of)))
