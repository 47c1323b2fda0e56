"""Names whose vectors are near, confirmed by the model one pair at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rag1.errors import ConfigError
from rag1.graph.resolve_names import Names, Proposal
from rag1.llm.tasks import SameEntity
from rag1.text.normalize import normalize
from rag1.text.tokenize import morphemes
from rag1.types import Embedder, Llm

FACTS = 4
"""Facts about each of the two names that the model is shown."""

LEAST_NAME = 2
"""Characters of a name that is asked about."""

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Neighbours:
    """Pairs of names with a cosine of at least `near` (calibrate it per embedder: e5's crowd high), at most `pairs` a
    document, the nearest first; each is asked of the model."""

    embedder: Embedder
    llm: Llm
    near: float = 0.8
    pairs: int = 60

    def __post_init__(self) -> None:
        if not 0 < self.near <= 1:
            raise ConfigError(f"resolver.neighbours.near={self.near} is no cosine; set it between 0 and 1")

    @property
    def name(self) -> str:
        from rag1.graph.identity import llm_identity

        return f"near {self.embedder.name} {self.near} {self.pairs} {llm_identity(self.llm, SameEntity)}"

    def __call__(self, names: Names, joined: Sequence[frozenset[str]]) -> Iterator[Proposal]:
        """Confirmed pairs. `joined`: groups of names that are known to be one and need no asking."""
        group = {name: at for at, members in enumerate(joined) for name in members}
        for a, b, cosine in self._candidates(names):
            if group.get(a, a) == group.get(b, b) or not plausible(names, a, b):
                continue
            facts = (*_facts(names, a), *_facts(names, b))
            if self.llm(SameEntity(a=a, b=b, facts=facts)).same:
                yield Proposal(a, b, "model", f"cosine {cosine:.2f}, confirmed", score=cosine)

    def _candidates(self, names: Names) -> list[tuple[str, str, float]]:
        found = names.all
        if len(found) < 2:
            return []
        vectors = self.embedder.documents(found)
        cosines = np.triu(vectors @ vectors.T, 1)
        rows, columns = np.nonzero(cosines >= self.near)
        best = sorted(zip(-cosines[rows, columns], rows, columns, strict=True))[: self.pairs]
        return [(found[r], found[c], float(-minus)) for minus, r, c in best]


def plausible(names: Names, a: str, b: str) -> bool:
    """False for pairs that look alike but name two things: numbers that differ, namesakes, homophones in kanji, a
    thing and its part. One character says too little: embedders give rare ones all the same vector.
    """
    if min(len(a), len(b)) < LEAST_NAME or a in b.split("の") or b in a.split("の"):
        return False
    if _DIGITS.findall(normalize(a)) != _DIGITS.findall(normalize(b)):
        return False
    if _same_family(a, b):
        return False
    different = set(a) ^ set(b)
    kanji = [char for char in different if "一" <= char <= "鿿"]
    homophones = names.reading(a) == names.reading(b) and any(c in a for c in kanji) and any(c in b for c in kanji)
    return not homophones


def _same_family(a: str, b: str) -> bool:
    """鵜飼谷景治 and 鵜飼谷景明, 景治 and 景友: the same beginning, other endings of characters that make names."""
    shared = 0
    while shared < min(len(a), len(b)) and a[shared] == b[shared]:
        shared += 1
    ends = a[shared:], b[shared:]
    if not shared or not all(ends):
        return False
    return all("一" <= char <= "鿿" for end in ends for char in end) and len(morphemes(a)) <= 3


def _facts(names: Names, name: str) -> tuple[str, ...]:
    lines = (f"{t.head} - {t.relation} -> {t.tail}" for t in names.triples if name in (t.head, t.tail))
    return tuple(dict.fromkeys(lines))[:FACTS]
