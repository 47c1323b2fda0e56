"""The persons of a text and how they are related: who is whose, under which names, told in which sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag1.llm.rules.prose_roles import HALF, ROLE_OF, Sex

_WOMAN = re.compile("^[お於][^客前]|(?:姫|の方|の局|子|尼|御前|院尼|代|乃|江|枝|美)$")
_MAN = re.compile("(?:左衛門|右衛門|兵衛|之助|之丞|之進|太郎|次郎|三郎|郎|吉|蔵|作|平|介|斎|雄|夫|男|彦)$")
_KANA = re.compile("[ぁ-ん]{2,4}|[ァ-ヴー]{2,4}")
NOBODY = -1


@dataclass(slots=True)
class Link:
    """`head` has `tail` as its `relation`; `at`: the sentence that tells it."""

    head: int
    relation: str
    tail: int
    at: int


@dataclass(slots=True)
class Person:
    """`rank`: place among siblings of one sex, 1 for the eldest; `order`: when the text named this person first."""

    name: str = ""
    sex: Sex = ""
    rank: int = 0
    about: str = ""


@dataclass
class Circle:
    """All persons of a text. Numbers stand for persons; two numbers may turn out to be one (`same`)."""

    persons: list[Person] = field(default_factory=list)
    same: list[int] = field(default_factory=list)
    by_name: dict[str, int] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    titles: dict[str, int] = field(default_factory=dict)

    def find(self, person: int) -> int:
        while person >= 0 and self.same[person] != person:
            person = self.same[person]
        return person

    def named(self, name: str) -> int:
        if name not in self.by_name:
            self.by_name[name] = self._new(name)
        return self.find(self.by_name[name])

    def _new(self, name: str = "", sex: Sex = "", about: str = "") -> int:
        self.persons.append(Person(name, sex, about=about))
        self.same.append(len(self.persons) - 1)
        return len(self.persons) - 1

    def name(self, person: int) -> str:
        return self.persons[self.find(person)].name

    def label(self, person: int) -> str:
        """The name, or whose kin somebody without one is."""
        person = self.find(person)
        found = self.persons[person]
        if found.name or found.about:
            return found.name or found.about
        child = next(
            (self.name(link.tail) for link in self._of(person) if link.relation == "子" and self.name(link.tail)), ""
        )
        return f"{child}の{'母' if found.sex == 'f' else '父'}" if child else ""

    def sex(self, person: int) -> Sex:
        found = self.persons[self.find(person)]
        if found.sex or not found.name:
            return found.sex
        if _WOMAN.search(found.name) or _KANA.fullmatch(found.name):
            return "f"
        return "m" if _MAN.search(found.name) else ""

    def told_sex(self, person: int) -> Sex:
        return self.persons[self.find(person)].sex

    def is_sex(self, person: int, sex: Sex) -> None:
        found = self.persons[self.find(person)]
        found.sex = found.sex or sex

    def merge(self, person: int, other: int) -> int:
        """Two numbers for one person; two different names are two persons, and stay so."""
        person, other = self.find(person), self.find(other)
        a, b = self.persons[person], self.persons[other]
        if person == other or NOBODY in (person, other) or (a.name and b.name) or (a.sex and b.sex and a.sex != b.sex):
            return other
        keep, gone = (other, person) if b.name else (person, other)
        kept, lost = self.persons[keep], self.persons[gone]
        kept.sex, kept.rank = kept.sex or lost.sex, kept.rank or lost.rank
        kept.about = kept.about or lost.about
        self.same[gone] = keep
        return keep

    def add(self, head: int, relation: str, tail: int, at: int) -> None:
        head, tail = self.find(head), self.find(tail)
        if NOBODY in (head, tail) or head == tail or self.linked(head, relation, tail):
            return
        self.links.append(Link(head, relation, tail, at))

    def linked(self, head: int, relation: str, tail: int) -> bool:
        return any(link.relation == relation and self.find(link.tail) == tail for link in self._of(head))

    def _of(self, head: int) -> Iterator[Link]:
        head = self.find(head)
        return (link for link in self.links if self.find(link.head) == head)

    def ends(self, head: int, *relations: str) -> list[int]:
        return list(dict.fromkeys(self.find(link.tail) for link in self._of(head) if link.relation in relations))

    def spouses(self, person: int) -> list[int]:
        return self.ends(person, "妻", "室", "正室", "側室", "妾", "夫", "配偶者")

    def parent(self, person: int, sex: Sex) -> int:
        found = self.ends(person, "父" if sex == "m" else "母")
        return found[0] if found else NOBODY

    def parents(self, person: int) -> list[int]:
        return self.ends(person, "父", "母")

    def children(self, person: int) -> list[int]:
        return self.ends(person, "子")

    def kin(self, owner: int, word: str, at: int, create: bool = True) -> int:
        """Who is the `word` (妻, 長男 …) of somebody; somebody new where nobody is known to be, if `create`."""
        owner = self.find(owner)
        if owner == NOBODY:
            return NOBODY
        found = self._known(owner, word)
        if found != NOBODY or not create:
            return found
        role = ROLE_OF[word]
        person = self._new("", role.sex, f"{self.label(owner)}の{role.relation}" if self.label(owner) else "")
        self.link(owner, word, person, at)
        return person

    def _known(self, owner: int, word: str) -> int:
        role = ROLE_OF[word]
        match role.link:
            case "spouse":
                found = [p for p in self.spouses(owner) if not role.sex or self.sex(p) in {role.sex, ""}]
                exact = [p for p in self.ends(owner, word) if p in found]
                if word in {"側室", "妾"}:
                    return exact[-1] if exact else NOBODY
                return (exact or found or [NOBODY])[-1]
            case "parent":
                return self.parent(owner, role.sex)
            case "child":
                return self._child(owner, word)
            case "elder" | "younger":
                return self._sibling(owner, word)
            case "inlaw":
                return next((p for s in self.spouses(owner) if (p := self.parent(s, role.sex)) != NOBODY), NOBODY)
        return self._raw(owner, word)

    def _child(self, owner: int, word: str) -> int:
        role = ROLE_OF[word]
        exact = self.ends(owner, word)
        if exact:
            return exact[-1]
        fitting = [p for p in self.children(owner) if not role.sex or self.sex(p) == role.sex]
        if role.rank:
            ranked = [p for p in fitting if self.persons[p].rank == role.rank]
            return ranked[0] if ranked else NOBODY
        return fitting[0] if len(fitting) == 1 else NOBODY

    def _sibling(self, owner: int, word: str) -> int:
        role = ROLE_OF[word]
        exact = self.ends(owner, role.relation)
        if exact:
            return exact[-1]
        order = self._born(owner)
        if owner not in order:
            return NOBODY
        at = order.index(owner)
        near = order[:at][::-1] if role.link == "elder" else order[at + 1 :]
        fitting = [p for p in near if self.sex(p) == role.sex]
        return fitting[0] if len(fitting) == 1 else NOBODY

    def _born(self, person: int) -> list[int]:
        """The children of somebody's parents in the order in which they were told."""
        for sex in ("m", "f"):
            parent = self.parent(person, sex)
            if parent != NOBODY:
                return self.ordered(self.children(parent))
        return []

    def ordered(self, children: list[int]) -> list[int]:
        """As told; where the words give ranks (長男, 次男), those of one sex by rank."""
        for sex in ("m", "f"):
            places = [at for at, child in enumerate(children) if self.sex(child) == sex]
            ranks = {child: self.persons[self.find(child)].rank for child in children}
            if all(ranks[children[at]] for at in places):
                ranked = sorted((children[at] for at in places), key=lambda c: (ranks[c] < 0, ranks[c]))
                for at, child in zip(places, ranked, strict=True):
                    children[at] = child
        return children

    def _raw(self, owner: int, word: str) -> int:
        exact = self.ends(owner, ROLE_OF[word].relation)
        if exact:
            return exact[-1]
        paths = {
            "父方の祖父": "mm", "母方の祖父": "fm", "父方の祖母": "mf", "母方の祖母": "ff", "父方の曾祖父": "mmm",
        }.get(word)  # fmt: skip
        person = owner
        for sex in paths or ():
            person = self.parent(person, "m" if sex == "m" else "f") if person != NOBODY else NOBODY
        return person if paths else NOBODY

    def link(self, owner: int, word: str, person: int, at: int) -> None:
        """`person` is the `word` of `owner`, with what follows at once (a parent of a child, a spouse of a spouse)."""
        role = ROLE_OF[word]
        owner, person = self.find(owner), self.find(person)
        if NOBODY in (owner, person) or owner == person:
            return
        if role.sex:
            self.is_sex(person, role.sex)
        known = self._known(owner, word) if self.name(person) else NOBODY
        if known not in (NOBODY, person) and not self.name(known):
            person = self.merge(known, person)
        match role.link:
            case "spouse":
                self._marry(owner, person, word, at)
            case "parent":
                self.child(person, owner, "子", at)
            case "child":
                self.child(owner, person, word, at)
            case "elder" | "younger":
                self._siblings(owner, person, word, at)
            case "inlaw":
                self._in_law(owner, person, word, at)
            case _:
                self.add(owner, role.relation, person, at)

    def _marry(self, owner: int, person: int, word: str, at: int) -> None:
        role = ROLE_OF[word]
        wife = (
            role.sex == "f" or (not role.sex and self.sex(person) == "f") or (not role.sex and self.sex(owner) == "m")
        )
        if not role.sex and not self.sex(person) and not self.sex(owner):
            self.add(owner, "配偶者", person, at)
            self.add(person, "配偶者", owner, at)
            return
        husband, bride = (owner, person) if wife else (person, owner)
        self.is_sex(husband, "m")
        self.is_sex(bride, "f")
        if word in {"正室", "側室", "妾", "室"}:
            self.add(husband, word, bride, at)
        self.add(husband, "妻", bride, at)
        self.add(bride, "夫", husband, at)

    def child(self, parent: int, child: int, word: str, at: int) -> None:
        role = ROLE_OF[word]
        parent, child = self.find(parent), self.find(child)
        if NOBODY in (parent, child) or parent == child:
            return
        known = self.parent(child, self.sex(parent)) if self.sex(parent) else NOBODY
        if known not in (NOBODY, parent) and not self.name(known) and self.name(parent):
            parent = self.merge(known, parent)
        found = self.persons[child]
        found.rank = found.rank or role.rank
        if word != "子":
            self.add(parent, role.relation, child, at)
        self.add(parent, "子", child, at)
        known = self.sex(parent)
        self.add(child, {"m": "父", "f": "母"}.get(known, "親"), parent, at)
        husbands = self.spouses(parent) if known == "f" else []
        if len(husbands) == 1 and self.parent(child, "m") == NOBODY:
            self.child(husbands[0], child, word, at)

    def _siblings(self, owner: int, person: int, word: str, at: int) -> None:
        role = ROLE_OF[word]
        self.add(owner, role.relation, person, at)
        back = {"elder": {"m": "弟", "f": "妹"}, "younger": {"m": "兄", "f": "姉"}}[role.link]
        if self.sex(owner):
            self.add(person, back[self.sex(owner)], owner, at)
        parents, other = self.parents(owner), self.parents(person)
        if word in HALF:
            parents = [p for p in parents if self.sex(p) == ("m" if "異母" in word else "f")]
        for parent in parents if not other else ():
            self.child(parent, person, "子", at)
        for parent in other if not parents and word not in HALF else ():
            self.child(parent, owner, "子", at)

    def _in_law(self, owner: int, person: int, word: str, at: int) -> None:
        self.add(owner, ROLE_OF[word].relation, person, at)
        spouses = self.spouses(owner)
        if len(spouses) == 1:
            if self.parent(spouses[0], ROLE_OF[word].sex) == NOBODY:
                self.child(person, spouses[0], "子", at)
        elif not spouses:
            word = "夫" if self.sex(owner) == "f" else "妻"
            self.child(person, self.kin(owner, word, at), "子", at)
