"""Relation names by meaning: a type that the graph lacks, or has under several names, becomes those that mean it.

Three roads, in this order: the vectors of the graph's relationship types, a table of compositions (祖父 → 父 · 父), and
the model (`ComposeRelation`). Vectors are made here, outside of the database: no key and no embedding call gets into
a statement.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rag1.cypher.edit import expand_type, replace_types
from rag1.cypher.parse import relationship_types
from rag1.errors import ConfigError
from rag1.llm.rules.kinship import KIN, PERSON_RELATIONS, compositions, presumed, same_relation
from rag1.llm.tasks import ComposeRelation
from rag1.types import Embedder, Llm

CALIBRATED: Mapping[str, tuple[float, float]] = {
    "use-multilingual-v3": (0.55, 0.78),
    "multilingual-e5-small-q4": (0.905, 0.95),
}
"""Embedder → least cosine for a type that the graph lacks, and for one that it has; by `bench/relations.py`.

A type that is there already means something: it gets others beside it only where that is nearly sure.
"""

MOST = 6
"""Statements that one statement may become."""

LEAST = 2
"""Characters from which a name has a meaning of its own to an embedder; shorter ones go by the table."""

_OPPOSITES = re.findall(
    r"(\w+)/(\w+)",
    "生/没 生/死 誕/没 父/母 男/女 兄/弟 姉/妹 兄/姉 弟/妹 夫/妻 息/娘 長/次 先/後 前/後 前/次 上/下 売/買 師/弟 開/閉 "
    "始/終 入/出 入/退 東/西 南/北 左/右 大/小 正/副 主/従 原/結 祖/孫 始/末 受/渡 勝/敗 着/発 最初/最後 伯/叔",
)


@dataclass(frozen=True, slots=True)
class Related:
    """A statement with its types set right, and a line for each change (empty: as it was given)."""

    query: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Relations:
    """`threshold`: least cosines of two names that mean one relation (see `CALIBRATED`); None: the embedder's own.

    `embedder` None leaves the table alone; `llm` None leaves the model out. `most`: names that one may become.
    """

    embedder: Embedder | None = None
    llm: Llm | None = None
    threshold: Sequence[float] | None = None
    most: int = 4
    _vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def __call__(self, query: str, types: Sequence[str]) -> list[Related]:
        """The statements to try, likeliest first: with the names that mean the same, then with compositions.

        `types`: the graph's relationship types. Raises CypherSyntax for a statement that cannot be read.
        """
        named = list(dict.fromkeys(mention.text for mention in relationship_types(query)))
        like = {name: found for name in named if (found := self.alternatives(name, types))}
        notes = tuple(f"{name} → {'|'.join(found)}" for name, found in like.items() if found != (name,))
        tried = [base := Related(replace_types(query, like).query, notes)]
        for name in named:
            if name not in like:
                tried = [made for one in tried for made in self._composed(name, one, types) or [one]]
        onward = [made for name in named if name in like for made in self._composed(name, base, types)]
        return list({one.query: one for one in (*tried, *onward, base)}.values())[:MOST]

    def alternatives(self, name: str, types: Sequence[str]) -> tuple[str, ...]:
        """The types that mean `name`, itself first, then the nearest; empty where none does."""
        table = [t for t in types if t == name or (same_relation(name, t) and not _broader(name, t, types))]
        scored = [] if self.embedder is None else self._near(name, types)
        found = dict.fromkeys([*sorted(table, key=lambda t: t != name), *scored])
        return tuple(found)[: self.most]

    def _near(self, name: str, types: Sequence[str]) -> list[str]:
        least = self.least[name in types]
        close = [(float(cosine), t) for cosine, t in zip(self.cosines(name, types), types, strict=True)]
        return [t for cosine, t in sorted(close, reverse=True) if cosine >= least and comparable(name, t)]

    @property
    def least(self) -> tuple[float, float]:
        """For a type that the graph lacks, and for one that it has."""
        if self.threshold is not None:
            if len(self.threshold) != 2:
                raise ConfigError(
                    f"relations.threshold {list(self.threshold)}: give two, for a missing and a known type"
                )
            return self.threshold[0], self.threshold[1]
        assert self.embedder is not None
        if self.embedder.name not in CALIBRATED:
            raise ConfigError(
                f"relations.threshold: none is calibrated for the embedder {self.embedder.name!r}; give two cosines "
                "(bench/relations.py measures them)"
            )
        return CALIBRATED[self.embedder.name]

    def cosines(self, name: str, types: Sequence[str]) -> NDArray[np.float32]:
        """Cosine of a name with each type, shape (len(types),)."""
        vectors = self._embed([name, *types])
        return np.asarray(vectors[1:] @ vectors[0], dtype=np.float32)

    def _embed(self, names: Sequence[str]) -> NDArray[np.float32]:
        assert self.embedder is not None
        with self._lock:  # the first questions of a run come at once: one embeds the graph's types, the others wait
            new = [name for name in dict.fromkeys(names) if name not in self._vectors]
            if new:
                found = self.embedder.queries([_spoken(name) for name in new])
                self._vectors.update(zip(new, found, strict=True))
        return np.stack([self._vectors[name] for name in names])

    def _composed(self, name: str, base: Related, types: Sequence[str]) -> list[Related]:
        """The statement with `name` as a path, once for each composition that the graph has."""
        tried = []
        for path in self.paths(name, types):
            marks = [f"§{n}" for n in range(len(path))]
            expanded = expand_type(base.query, name, marks)
            if expanded.changes:
                filled = replace_types(expanded.query, dict(zip(marks, path, strict=True)))
                said = " · ".join("|".join(step) for step in path)
                tried.append(Related(filled.query, (*base.notes, f"{name} → {said}")))
        return tried

    def paths(self, name: str, types: Sequence[str]) -> list[tuple[tuple[str, ...], ...]]:
        """Compositions of `name`, each a hop a step, each step the types that mean it; the model's where the table has
        none. What is only presumed (a father's wife to be the mother) comes last."""
        chains = [chain for chain in (*compositions(name), *presumed(name)) if len(chain) > 1]
        if not chains and self.llm is not None and name not in types:
            chain = self.llm(ComposeRelation(relation=name, known=tuple(types))).path
            chains = [chain] if len(chain) > 1 else []
        steps = [tuple(self.alternatives(step, types) for step in chain) for chain in chains]
        return merged([path for path in steps if all(path)])


def merged(paths: Sequence[tuple[tuple[str, ...], ...]]) -> list[tuple[tuple[str, ...], ...]]:
    """Paths of one length as one, where their steps combine to nothing else: 父·父 and 母·父 give 父|母 · 父."""
    done: list[tuple[tuple[str, ...], ...]] = []
    for length in dict.fromkeys(len(path) for path in paths):
        group = list(dict.fromkeys(path for path in paths if len(path) == length))
        columns = [list(dict.fromkeys(column)) for column in zip(*group, strict=True)]
        if set(product(*columns)) == set(group):
            done.append(tuple(tuple(dict.fromkeys(t for step in column for t in step)) for column in columns))
        else:
            done += group
    return done


def comparable(a: str, b: str) -> bool:
    """Whether cosines may join two names: not two relatives that the table knows apart, nor opposites (生年, 没年)."""
    if a == b or same_relation(a, b):
        return True
    kin = KIN | PERSON_RELATIONS
    if (a in kin and b in kin) or min(len(a), len(b)) < LEAST:
        return False
    return not any(_opposed(a, b, one, other) for one, other in _OPPOSITES)


def _opposed(a: str, b: str, one: str, other: str) -> bool:
    forward = one in a and other in b and one not in b and other not in a
    backward = other in a and one in b and other not in b and one not in a
    return forward or backward


def _broader(name: str, other: str, types: Sequence[str]) -> bool:
    """子 for 娘 says more than was asked: only where the graph has no 娘."""
    return name in types and name in KIN and other in {"子", "子供", "子ども", "child", "CHILD"} and name != other


def _spoken(name: str) -> str:
    """BORN_IN and bornIn as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()
