"""Links that follow from others: inverse ones (長男 → 父) and composed ones (祖父 = 父の父), marked as derived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from rag1.artifacts import fingerprint
from rag1.graph.model import Triple
from rag1.llm.rules.kinship import KIN
from rag1.llm.rules.words import wordset

FROM = "由来"
"""Property of a derived fact: the chain of relations that it follows from."""

SONS = wordset("息子 長男 次男 二男 三男 四男 五男 末男 嫡男 一人息子 養子")
DAUGHTERS = wordset("娘 長女 次女 二女 三女 四女 五女 末娘 一人娘 養女")
WIVES = wordset("妻 室 正室 側室 後妻")
CHILDREN = SONS | DAUGHTERS | {"子", "末子"}
MALE = SONS | wordset("父 夫 兄 弟 祖父 曾祖父 伯父 叔父 おじ 甥 婿 舅 義父 義兄 義弟")
FEMALE = DAUGHTERS | wordset("母 妻 姉 妹 祖母 曾祖母 伯母 叔母 おば 姪 嫁 姑 義母 義姉 義妹 側室 妾")
SYMMETRIC = wordset("いとこ 従兄弟 友人 友 親友 兄弟 姉妹 一緒 配偶者 婚約者 仲間")
ELDER, YOUNGER = {"male": "兄", "female": "姉"}, {"male": "弟", "female": "妹"}

NO_ONE = KIN | wordset("者 人 男 女 者たち 人々 子供たち 子どもたち ふたり 二人 三人")
"""Words that stand for someone, in each place for someone else: no chain goes through them."""

CHAINS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "祖父": (("父", "父"), ("母", "父")),
    "祖母": (("父", "母"), ("母", "母")),
    "曾祖父": (("父", "父", "父"), ("父", "母", "父"), ("母", "父", "父"), ("母", "母", "父")),
    "曾祖母": (("父", "父", "母"), ("父", "母", "母"), ("母", "父", "母"), ("母", "母", "母")),
    "孫": (("子", "子"),),
    "曾孫": (("子", "子", "子"),),
    "伯父": (("父", "兄"), ("母", "兄")),
    "叔父": (("父", "弟"), ("母", "弟")),
    "伯母": (("父", "姉"), ("母", "姉")),
    "叔母": (("父", "妹"), ("母", "妹")),
    "甥": (("兄弟姉妹", "息子"),),
    "姪": (("兄弟姉妹", "娘"),),
    "義父": (("妻", "父"), ("夫", "父")),
    "義母": (("妻", "母"), ("夫", "母")),
    "婿": (("娘", "夫"),),
    "嫁": (("息子", "妻"),),
}
"""relation → chains of relations that mean it."""

STEPS: Mapping[str, frozenset[str]] = {
    "子": CHILDREN,
    "息子": SONS,
    "娘": DAUGHTERS,
    "兄弟姉妹": wordset("兄 弟 姉 妹"),
}
"""Steps of a chain that several relations can make; any other step is the relation of that name."""


@dataclass(frozen=True)
class Composer:
    """`inverse`: parents of children, spouses, siblings. `compose`: grandparents, uncles … `symmetric`: companions.

    Everything stays within a document: one link's end is another's beginning only where both are told together.
    """

    inverse: bool = True
    compose: bool = True
    symmetric: bool = False
    chains: Mapping[str, Sequence[Sequence[str]]] | None = None

    @property
    def name(self) -> str:
        return fingerprint(self.inverse, self.compose, self.symmetric, self.chains or CHAINS, 3)

    def __call__(self, triples: Sequence[Triple]) -> tuple[Triple, ...]:
        """The derived links alone, none that is stated already."""
        by_document: dict[str, list[Triple]] = {}
        for triple in triples:
            by_document.setdefault(triple.doc_id, []).append(triple)
        return tuple(chain.from_iterable(self._of_document(found) for found in by_document.values()))

    def _of_document(self, triples: list[Triple]) -> list[Triple]:
        known = {(t.head, t.relation, t.tail): t for t in triples if not {t.head, t.tail} & NO_ONE}
        derived: list[Triple] = []

        def add(found: Iterable[Triple]) -> None:
            for t in list(found):
                if t.head != t.tail and known.setdefault((t.head, t.relation, t.tail), t) is t:
                    derived.append(t)

        if self.inverse:
            add(inverses([*known.values()]))
        if self.symmetric:
            add(_turned(t, t.relation) for t in [*known.values()] if t.relation in SYMMETRIC)
        if self.inverse:
            add(presumed([*known.values()]))
        if self.compose:
            for relation, paths in (self.chains or CHAINS).items():
                add(found for path in paths for found in composed([*known.values()], relation, path))
        return derived


def inverses(triples: Sequence[Triple]) -> Iterator[Triple]:
    """What a link says of its other end. Where the gender is not told, a parent is 親."""
    genders = genders_of(triples)
    children = {(t.head, t.tail) for t in triples if t.relation in CHILDREN}
    told = {(t.head, t.relation, t.tail) for t in triples}
    for t in triples:
        gender = genders.get(t.head, "")
        if (general := _general(t.relation)) and (t.head, general, t.tail) not in told:
            yield replace(t, relation=general, properties={FROM: t.relation}, derived=True)
        if t.relation in CHILDREN:
            yield _turned(t, {"male": "父", "female": "母"}.get(gender, "親"))
        elif t.relation in {"父", "母"} and (t.tail, t.head) not in children:
            yield _turned(t, "子")
        elif t.relation in {"妻", "夫"}:
            yield _turned(t, "夫" if t.relation == "妻" else "妻")
        elif t.relation in {"兄", "姉"} and gender:
            yield _turned(t, YOUNGER[gender])
        elif t.relation in {"弟", "妹"} and gender:
            yield _turned(t, ELDER[gender])


def presumed(triples: Sequence[Triple]) -> Iterator[Triple]:
    """The one wife of someone's father, where no mother is told: likely the mother; so of a mother's one husband."""
    for parent, other, spouse in (("父", "母", WIVES), ("母", "父", frozenset({"夫"}))):
        told = {t.head for t in triples if t.relation == other}
        spouses: dict[str, list[Triple]] = {}
        for t in triples:
            if t.relation in spouse:
                spouses.setdefault(t.head, []).append(t)
        for t in triples:
            found = spouses.get(t.tail, []) if t.relation == parent and t.head not in told else []
            if len({each.tail for each in found}) == 1:
                yield _joined([t, found[0]], other)


def _general(relation: str) -> str:
    """長女 is a 娘: what questions ask for goes by the general word."""
    if relation in DAUGHTERS - {"娘"}:
        return "娘"
    return "息子" if relation in SONS - {"息子"} else ""


def genders_of(triples: Sequence[Triple]) -> dict[str, str]:
    """male or female of those whose relations tell it: who has a wife, who is a mother, the other parent of a child."""
    genders: dict[str, str] = {}
    for t in triples:
        if t.relation in MALE:
            genders[t.tail] = "male"
        elif t.relation in FEMALE:
            genders[t.tail] = "female"
        if t.relation == "妻":
            genders[t.head] = "male"
        elif t.relation == "夫":
            genders[t.head] = "female"
    mothers = {t.head: t.tail for t in triples if t.relation == "母"}
    fathers = {t.head: t.tail for t in triples if t.relation == "父"}
    for t in triples:
        if t.relation in CHILDREN and t.head not in genders:
            if mothers.get(t.tail, t.head) != t.head:
                genders[t.head] = "male"
            elif fathers.get(t.tail, t.head) != t.head:
                genders[t.head] = "female"
    return genders


def composed(triples: Sequence[Triple], relation: str, path: Sequence[str]) -> Iterator[Triple]:
    """Links called `relation` from the beginning to the end of each chain of `path`."""
    steps: list[dict[str, list[Triple]]] = []
    for step in path:
        wanted = STEPS.get(step, frozenset((step,)))
        starts: dict[str, list[Triple]] = {}
        for t in triples:
            if t.relation in wanted:
                starts.setdefault(t.head, []).append(t)
        steps.append(starts)
    walks = [[t] for found in steps[0].values() for t in found]
    for starts in steps[1:]:
        walks = [[*walk, t] for walk in walks for t in starts.get(walk[-1].tail, ()) if t.tail != walk[0].head]
    for walk in walks:
        yield _joined(walk, relation)


def _joined(walk: Sequence[Triple], relation: str) -> Triple:
    first, last = walk[0], walk[-1]
    evidence = "｜｜".join(dict.fromkeys(t.evidence for t in walk))
    path = "の".join(t.relation for t in walk)
    return replace(
        first,
        relation=relation,
        tail=last.tail,
        tail_type=last.tail_type,
        properties={FROM: path},
        evidence=evidence,
        derived=True,
    )


def _turned(t: Triple, relation: str) -> Triple:
    return replace(
        t,
        head=t.tail,
        head_type=t.tail_type,
        relation=relation,
        tail=t.head,
        tail_type=t.head_type,
        properties={FROM: f"{t.relation}の逆"},
        derived=True,
    )
