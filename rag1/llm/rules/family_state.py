"""What a family's prose has told so far, as the learned reader sees it: who was named when, who is whose."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from rag1.llm.rules.family_items import Item

_WOMAN = re.compile(
    "^[お於こ][ぁ-ん一-龥]|^[ぁ-ん]{2,3}$|^[ァ-ヴ]{2,3}$|(?:子|江|代|美|枝|乃|恵|香|奈|尼|姫|世|緒|院|の方|の局|女)$"
)
_MAN = re.compile(
    "(?:衛門|兵衛|之助|之丞|之進|郎|吉|蔵|平|助|介|作|斎|雄|夫|男|彦|三|造|治|一|二|太|次|信|政|忠|義|重|貞|庵|軒|哉)$"
)
REMEMBERED = 10
"""Persons of earlier sentences that may be meant."""


@dataclass
class State:
    """`topic`: whom the sentences before were about; `couple`: the last wife and husband told; `seen`: persons by
    when they were named last; `last_parents`, `last_children`: of the birth told last; `sentence`: how many were read.
    """

    topic: str = ""
    couple: tuple[str, str] = ("", "")
    seen: list[str] = field(default_factory=list)
    named_in: dict[str, int] = field(default_factory=dict)
    sex: dict[str, str] = field(default_factory=dict)
    spouses: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    parents: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    children: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    last_parents: tuple[str, ...] = ()
    last_children: list[str] = field(default_factory=list)
    sentence: int = 0

    def gender(self, name: str) -> str:
        """m, f or "": as told, else by the look of the name."""
        if name in self.sex:
            return self.sex[name]
        return "f" if _WOMAN.search(name) else "m" if _MAN.search(name) else ""

    def marry(self, wife: str, husband: str) -> None:
        if not wife or not husband or wife == husband:
            return
        for one, other in ((wife, husband), (husband, wife)):
            if other not in self.spouses[one]:
                self.spouses[one].append(other)
        self.sex[wife], self.sex[husband] = "f", "m"
        self.couple = (wife, husband)

    def born(self, parent: str, child: str) -> None:
        if not parent or not child or parent == child:
            return
        self.parents[child].setdefault(self.gender(parent) or "m", parent)
        if child not in self.children[parent]:
            self.children[parent].append(child)
        if child not in self.last_children:
            self.last_children.append(child)

    def kin(self, name: str, other: str) -> str:
        """What somebody is to another, as far as it has been told."""
        if not name or not other:
            return "-"
        if name == other:
            return "self"
        if name in self.spouses.get(other, ()):
            return "spouse"
        mine, theirs = set(self.parents.get(name, {}).values()), set(self.parents.get(other, {}).values())
        if name in theirs:
            return "parent"
        if other in mine:
            return "child"
        if mine & theirs:
            return "sib"
        of_spouse = any(name in self.parents.get(spouse, {}).values() for spouse in self.spouses.get(other, ()))
        return "inlaw" if of_spouse else "none"

    def read(self, found: Sequence[Item]) -> None:
        """A sentence is over: its persons were named last, its topic is what goes on."""
        for item in found:
            if item.kind == "person":
                if item.text in self.seen:
                    self.seen.remove(item.text)
                self.seen.append(item.text)
                self.named_in[item.text] = self.sentence
        self.topic = topic_of(found) or self.topic
        self.sentence += 1


def topic_of(found: Sequence[Item]) -> str:
    """The first person that は, も, が or には marks."""
    for at, item in enumerate(found[:-1]):
        mark = found[at + 1].text
        if item.kind == "person" and (mark in {"は", "も", "が"} or (mark == "に" and _is(found, at + 2, "は"))):
            return item.text
    return ""


def topics(found: Sequence[Item]) -> list[tuple[int, str]]:
    """Persons that は, も, には, とは mark, with their places."""
    return [
        (at, item.text)
        for at, item in enumerate(found[:-1])
        if item.kind == "person"
        and (found[at + 1].text in {"は", "も"} or (found[at + 1].text in {"に", "と"} and _is(found, at + 2, "は")))
    ]


def _is(found: Sequence[Item], at: int, text: str) -> bool:
    return at < len(found) and found[at].text == text


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody who may be meant at a place. `before`, `after`: where the sentence names him next to it, -1 for nowhere;
    `between`: persons named between; `rank`: how many others were named later, of one whom the sentence does not name.
    """

    name: str
    before: int
    after: int
    between_before: int
    between_after: int
    rank: int

    @property
    def here(self) -> bool:
        return self.before >= 0 or self.after >= 0

    @property
    def place(self) -> list[str]:
        """Where he stands, coarsely."""
        if not self.here:
            return [f"D{min(self.rank, 2)}"]
        sides = [f"B{min(self.between_before, 2)}"] if self.before >= 0 else []
        return [*sides, f"A{min(self.between_after, 2)}"] if self.after >= 0 else sides


@dataclass(frozen=True, slots=True)
class Scene:
    """A place (items `first` to `last`) in a sentence, and all who may be meant there."""

    found: Sequence[Item]
    first: int
    last: int
    state: State

    @property
    def persons_before(self) -> list[int]:
        return [at for at, item in enumerate(self.found[: self.first]) if item.kind == "person"]

    @property
    def persons_after(self) -> list[int]:
        return [at for at, item in enumerate(self.found) if at > self.last and item.kind == "person"]

    @property
    def clause_topic(self) -> str:
        return next((name for at, name in reversed(topics(self.found)) if at < self.first), "")

    def key(self, by: int) -> str:
        """The key of an item beside the place: -1 the one before, 1 the one behind."""
        return key_at(self.found, self.first + by if by < 0 else self.last + by)

    def candidates(self) -> list[Candidate]:
        here = list(dict.fromkeys(item.text for item in self.found if item.kind == "person"))
        earlier = [name for name in reversed(self.state.seen) if name not in here][:REMEMBERED]
        return [*map(self._named, here), *(Candidate(name, -1, -1, 0, 0, rank) for rank, name in enumerate(earlier))]

    def _named(self, name: str) -> Candidate:
        before, after = self.persons_before, self.persons_after
        left = next((at for at in reversed(before) if self.found[at].text == name), -1)
        right = next((at for at in after if self.found[at].text == name), -1)
        return Candidate(name, left, right, sum(at > left for at in before), sum(at < right for at in after), 0)


def key_at(found: Sequence[Item], at: int) -> str:
    return found[at].key if 0 <= at < len(found) else "$"
