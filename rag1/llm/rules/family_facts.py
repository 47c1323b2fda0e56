"""Which of the facts that were read can hold together: the likeliest first, each against those before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rag1.llm.rules.family_items import GROUP, SEX

SECOND_MARRIAGE, SAID_TO_BE_SECOND = 0.4, 0.15
"""The probability that a second husband or wife needs, and where the text says that it is one."""
_SECOND = frozenset({"再婚", "後妻", "後室", "後添い", "再縁", "継室", "継妻", "先妻", "前妻"})
PLAIN = {
    word: plain
    for plain, words in {
        "妻": "室 正室 側室 後妻 後室 先妻 前妻 継室 継妻 女房 妾 内儀 奥方 正妻 新妻 夫人 内室 家内 細君 嫁 北の方 "
        "妻女 令室 老妻 "
        "奥さん お嫁さん 花嫁 配偶 連れ合い つれあい 配偶者 伴侶",
        "次男": "二男 次子",
        "次女": "二女",
        "長男": "長子 総領 惣領",
        "嫡男": "嫡子 嗣子",
        "息子": "一人息子 ひとり息子 倅 子息 跡取り息子 末男 男子 男児 男の子",
        "娘": "一人娘 ひとり娘 末娘 息女 愛娘 末女 女子 女児 女の子 姉娘 妹娘",
    }.items()
    for word in words.split()
}
"""Words of rank and politeness → the relation that questions ask for."""


@dataclass(frozen=True, slots=True)
class Told:
    """`relation`: spouse (wife, husband), child (parent, child) or sib (elder, younger); `word`: the text's."""

    at: int
    relation: str
    first: str
    second: str
    word: str
    chance: float


@dataclass
class Family:
    """What holds so far. `accept` takes a fact or refuses it."""

    look: Mapping[str, str]
    sex: dict[str, str] = field(default_factory=dict)
    spouses: dict[str, dict[str, Told]] = field(default_factory=lambda: defaultdict(dict))
    parents: dict[str, dict[str, Told]] = field(default_factory=lambda: defaultdict(dict))
    siblings: dict[tuple[str, str], Told] = field(default_factory=dict)

    def gender(self, name: str) -> str:
        return self.sex.get(name) or self.look.get(name, "")

    def accept(self, told: Told) -> None:
        if told.first != told.second and told.first and told.second:
            {"spouse": self._marry, "child": self._born, "sib": self._sibling}[told.relation](told)

    def _marry(self, told: Told) -> None:
        wife, husband = told.first, told.second
        if self.sex.get(wife) == "m" and self.sex.get(husband) == "f":
            wife, husband = husband, wife
        if self.sex.get(wife) == "m" or self.sex.get(husband) == "f" or self._near(wife, husband):
            return
        taken = (self.spouses[wife] or self.spouses[husband]) and husband not in self.spouses[wife]
        if taken and told.chance < (SAID_TO_BE_SECOND if told.word in _SECOND else SECOND_MARRIAGE):
            return
        self.sex[wife], self.sex[husband] = "f", "m"
        self.spouses[wife].setdefault(husband, told)
        self.spouses[husband].setdefault(wife, told)

    def _near(self, one: str, other: str) -> bool:
        """Parent and child, or brother and sister."""
        kin = one in self.parents[other] or other in self.parents[one]
        return kin or (one, other) in self.siblings or (other, one) in self.siblings

    def _born(self, told: Told) -> None:
        parent, child = told.first, told.second
        if child in self.spouses[parent] or self._near(parent, child) or self._above(child, parent):
            return
        others = [name for name in self.parents[child] if name != parent]
        sexes = {self.gender(name) for name in others}
        if len(others) > 1 or (others and self.gender(parent) and self.gender(parent) in sexes and parent in self.sex):
            return
        if others and self.gender(parent) and sexes == {self.gender(parent)}:
            return
        self.parents[child].setdefault(parent, told)
        if GROUP.get(told.word) == "child" and told.word in SEX:
            self.sex.setdefault(child, SEX[told.word])

    def _above(self, name: str, other: str, depth: int = 0) -> bool:
        """Is somebody an ancestor of another?"""
        return depth < 12 and any(
            parent == name or self._above(name, parent, depth + 1) for parent in self.parents[other]
        )

    def _sibling(self, told: Told) -> None:
        if not self._near(told.first, told.second) and told.second not in self.spouses[told.first]:
            self.siblings[told.first, told.second] = told

    def complete(self) -> None:
        """Parents of siblings, and the other parent of a child whose one parent has one spouse."""
        for _ in range(2):
            for (elder, younger), told in self.siblings.items():
                for one, other in ((elder, younger), (younger, elder)):
                    if not self.parents[one]:
                        for parent, born in list(self.parents[other].items()):
                            self.parents[one][parent] = Told(
                                told.at, "child", parent, one, "", min(told.chance, born.chance)
                            )
            for child, parents in list(self.parents.items()):
                if len(parents) == 1:
                    parent, born = next(iter(parents.items()))
                    if len(self.spouses[parent]) == 1:
                        spouse = next(iter(self.spouses[parent]))
                        self.parents[child][spouse] = Told(born.at, "child", spouse, child, born.word, born.chance)


def settled(told: Iterable[Told], look: Mapping[str, str]) -> Family:
    """The family that the likeliest facts make. `look`: names → the sex that they look like, "" for unsure."""
    best: dict[tuple[str, str, str], Told] = {}
    for fact in told:
        key = (fact.relation, fact.first, fact.second)
        if key not in best or fact.chance > best[key].chance:
            best[key] = fact
    family = Family(look)
    for fact in sorted(best.values(), key=lambda fact: (-fact.chance, fact.at)):
        family.accept(fact)
    family.complete()
    return family


def relations(family: Family, born_in_order: Mapping[str, Sequence[str]]) -> Iterator[tuple[int, str, str, str]]:
    """(sentence, head, relation, tail) of all that holds, both ways."""
    for wife, husbands in list(family.spouses.items()):
        for husband, told in husbands.items() if family.sex.get(wife) == "f" else ():
            yield told.at, husband, "妻", wife
            yield told.at, wife, "夫", husband
    for child, parents in list(family.parents.items()):
        for parent, told in parents.items():
            yield told.at, parent, _child_word(told.word, family.gender(child)), child
            yield told.at, child, "母" if _is_mother(family, child, parent) else "父", parent
    for (elder, younger), at in _siblings(family, born_in_order).items():
        yield at, younger, "姉" if family.gender(elder) == "f" else "兄", elder
        yield at, elder, "妹" if family.gender(younger) == "f" else "弟", younger


def _is_mother(family: Family, child: str, parent: str) -> bool:
    other = next((name for name in family.parents[child] if name != parent), "")
    return family.gender(parent) == "f" or (not family.gender(parent) and bool(other) and family.gender(other) == "m")


def _child_word(word: str, sex: str) -> str:
    if GROUP.get(word) == "child" and word not in {"子", "子ども", "子供", "男子", "女子"} and len(word) < 4:
        return PLAIN.get(word, word)
    return {"m": "息子", "f": "娘"}.get(sex, "子")


def _siblings(family: Family, born_in_order: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], int]:
    """As told, and of children of one parent by the order in which they were told."""
    found = {pair: told.at for pair, told in family.siblings.items()}
    for parent, children in born_in_order.items():
        own = [child for child in children if parent in family.parents[child]]
        for at, elder in enumerate(own):
            for younger in own[at + 1 :]:
                if (younger, elder) not in found and elder != younger:
                    found.setdefault((elder, younger), family.parents[younger][parent].at)
    return found
