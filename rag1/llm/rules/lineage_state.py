"""What a family's prose has told so far: who is talked about, which couple, whose children in which order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rag1.llm.rules.entity_types import is_name
from rag1.llm.rules.kin_marks import (
    CHILDREN,
    DAUGHTERS,
    ELDER,
    GRAVES,
    HUSBANDS,
    PARTS,
    ROLES,
    SONS,
    WIVES,
    YOUNGER,
)  # fmt: skip
from rag1.llm.rules.words import words, wordset

_WOMAN = re.compile("^お[^客前]|(?:姫|の方|の局|子|尼|御前|院尼)$")
_MEN = SONS | HUSBANDS | wordset("父 実父 養父 祖父 兄 弟 伯父 叔父 舅 岳父 義父 甥 長兄 次兄 末弟")
_WOMEN = DAUGHTERS | WIVES | wordset("母 実母 養母 祖母 姉 妹 伯母 叔母 姑 義母 姪 孫娘 長姉 末妹 継母 生母")
PLAIN = {
    word: plain
    for plain, ranks in {
        "末娘": "末の娘",
        "末子": "末の子",
        "息子": "末の息子 末の男の子 一男 倅",
        "娘": "一女 息女",
        "子": "一子",
        "妻": "嫁 新妻 後妻 先妻 正妻 内儀 奥方",
        "室": "継室 後室",
        "夫": "婿 入り婿 亭主",
        "長男": "総領",
        "嫡男": "嫡子 嗣子",
    }.items()
    for word in ranks.split()
}
"""Words of rank and politeness → the relation that questions ask for."""
_PEOPLE = wordset("二人 両人 ふたり 夫婦 夫妻")
SELF = wordset("彼 彼女 こちら こなた この人 同人 自分 当人 本人")
_TRADE = re.compile(
    "(?:屋|師|工|家|主|人|者|長|商|士|僧|守|奉行|大工|村|町|国|城|寺|院|川|山|藩|代|目|衆|方|男|女|中|頃)$"
)
_NO_PERSON = re.compile("(?:家|村|町|寺|院|国|城|後|家族|一家)$")
_COUNTED = re.compile(
    "(?:[一二三四五六七八九十数幾]+(?:人|子|男|女|児|名)|[男女]の子|男子|女子|男児|女児|姉妹|兄弟|兄妹|姉弟|きょうだい|ら|たち|あいだ|間)$"
)


@dataclass
class Family:
    """`subject`: whom the prose is about; `latest`: who was named last; `place`: the last burial place.

    `awaiting`: sentences in which children that were announced (一男一女の母となった) may still be named.
    """

    known: frozenset[str] = frozenset()
    subject: str = ""
    latest: str = ""
    place: str = ""
    couple: tuple[str, str] = ("", "")
    awaiting: int = 0
    pending: tuple[str, str, tuple[str, str]] | None = None
    told: list[tuple[str, str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    alias: dict[str, str] = field(default_factory=dict)
    born: dict[str, list[str]] = field(default_factory=dict)

    def add(self, head: str, relation: str, tail: str) -> None:
        relation = PLAIN.get(relation, relation)
        if head and tail and head != tail and (head, relation, tail) not in self.told:
            self.told.append((head, relation, tail))
            self.names |= {head} if relation in GRAVES else {head, tail}
            if relation in WIVES | HUSBANDS:
                self.couple = (head, tail) if relation in WIVES else (tail, head)

    def full(self, name: str) -> str:
        """The name as it was first told: 覚心 → 忠綱, 玄庵 → 片倉玄庵."""
        name = self.alias.get(name, name)
        least = 1 if "\u4e00" <= name[:1] <= "\u9fff" else 2
        longer = {other for other in self.names if len(name) >= least and other != name and other.endswith(name)}
        return longer.pop() if len(longer) == 1 and name not in self.names else name

    def is_person(self, text: str) -> bool:
        """A name: known, or not a word that a dictionary has as a common one."""
        if text in self.names or text in self.known or text in self.alias:
            return True
        if _NO_PERSON.search(text):
            return False
        return is_name(text) or any(name.endswith(text) and len(text) > 1 for name in self.names) or _unlisted(text)

    def gender(self, name: str) -> str:
        for head, relation, tail in self.told:
            if name == tail and relation in _MEN | _WOMEN:
                return "m" if relation in _MEN else "f"
            if name == head and relation in WIVES | HUSBANDS:
                return "m" if relation in WIVES else "f"
        return "f" if _WOMAN.search(name) else ""

    def person(self, phrase: str) -> str:
        """The person of a noun phrase; adds what the phrase says of kin (片倉玄庵の長女のお律)."""
        parts = _parts(phrase)
        return self._of(parts) if parts else ""

    def _of(self, parts: list[str]) -> str:
        last = parts[-1]
        if last in SELF:
            return self.latest if last in {"こちら", "こなた"} else self.subject
        if last in ROLES:
            owner = self.owner(parts[:-1])
            return next((t for h, r, t in self.told if h == owner and r == last), "")
        if last in GRAVES or last in _PEOPLE or _COUNTED.search(last):
            return ""
        name = self.full(last)
        if len(parts) > 2 and parts[-2] in CHILDREN and parts[-3] in _PEOPLE:
            self.children([f"⟨{parts[-2]}⟩の⟨{name}⟩"])
        elif (
            len(parts) == 2 and self.awaiting and parts[0] in CHILDREN | ELDER | YOUNGER and not self._has_parents(name)
        ):
            self.children([f"⟨{parts[0]}⟩の⟨{name}⟩"])
        elif len(parts) > 1 and parts[-2] in ROLES and self._is_news(name, parts[-2], len(parts)):
            self.place_kin(self.owner(parts[:-2]), parts[-2], name)
        return name

    def _is_news(self, name: str, role: str, parts: int) -> bool:
        """「弟の忠綱」 of one whose parents are told says nothing new, and of whom is unsure."""
        if parts > 2:
            return True
        if role in CHILDREN | ELDER | YOUNGER:
            return not self._has_parents(name)
        return not any(name == tail and relation in ROLES for _, relation, tail in self.told)

    def _is_awaited(self, name: str, role: str) -> bool:
        return self.awaiting > 0 and role in CHILDREN | ELDER | YOUNGER and not self._has_parents(name)

    def _has_parents(self, name: str) -> bool:
        return any(head == name and relation in {"父", "母"} for head, relation, _ in self.told)

    def owner(self, parts: list[str]) -> str:
        """Whose kin: the name before it, whom the prose is about where there is none, "" for a trade (船大工の娘)."""
        if not parts:
            return self.subject
        if parts[-1] in ROLES:
            return self._of(parts)
        return self._of(parts) if self.is_person(parts[-1]) or parts[-1] in SELF else ""

    def place_kin(self, owner: str, role: str, name: str) -> None:
        self.add(owner, role, name)
        if owner and role in CHILDREN:
            self.add(name, "母" if self.gender(owner) == "f" else "父", owner)
            self._note_birth(owner, name)

    def _note_birth(self, parent: str, name: str) -> None:
        siblings = self.born.setdefault(parent, [])
        if name not in siblings:
            siblings.append(name)

    def pair(self, first: str, second: str) -> None:
        """A couple, husband first."""
        if not first or not second:
            return
        if self.gender(first) == "f" or (self.gender(second) == "m" and not self.gender(first)):
            first, second = second, first
        if not any({h, t} == {first, second} and r in WIVES | HUSBANDS for h, r, t in self.told):
            self.add(first, "妻", second)
        self.couple = (first, second)

    def couple_of(self, name: str) -> tuple[str, str]:
        """Someone and the spouse that is told, husband first."""
        for head, relation, tail in self.told:
            if relation in WIVES | HUSBANDS and name in {head, tail}:
                return (head, tail) if relation in WIVES else (tail, head)
        return ("", name) if self.gender(name) == "f" else (name, "")

    def spouse_of(self, name: str, spouse: str) -> None:
        """Two who married; which is the wife by what is told of them, else by the look of a name."""
        if self.gender(name) == "m" or (self.gender(spouse) == "f" and self.gender(name) != "f"):
            self.add(name, "妻", spouse)
        elif self.gender(name) == "f" or self.gender(spouse) == "m":
            self.add(name, "夫", spouse)
        else:
            self.add(name, "配偶者", spouse)

    def children(self, phrases: Iterable[str], role: str = "子") -> list[str]:
        """The named ones of a list, as children of the couple; 「姉をお琴、弟を宗一と」 gives their gender too."""
        father, mother = self.couple
        born = []
        for phrase in phrases:
            parts = [part for part in _parts(phrase) if not _COUNTED.search(part)]
            if not parts or parts[-1] in ROLES | _PEOPLE | GRAVES:
                continue
            name = self.full(parts[-1])
            own = parts[-2] if len(parts) > 1 and parts[-2] in CHILDREN | ELDER | YOUNGER else role
            own = {"姉": "娘", "妹": "娘", "兄": "息子", "弟": "息子"}.get(own, own)
            for parent, kind in ((father, "父"), (mother, "母")):
                self.add(parent, own, name)
                self.add(name, kind, parent)
                if parent:
                    self._note_birth(parent, name)
            born.append(name)
        self.latest = born[-1] if born else self.latest
        return born

    def siblings(self) -> Iterator[tuple[str, str, str]]:
        """兄, 姉, 弟, 妹 by the order in which a parent's children are told."""
        for born in self.born.values():
            for at, elder in enumerate(born):
                for younger in born[at + 1 :]:
                    if kind := {"m": "兄", "f": "姉"}.get(self.gender(elder)):
                        yield younger, kind, elder
                    if kind := {"m": "弟", "f": "妹"}.get(self.gender(younger)):
                        yield elder, kind, younger


def _parts(phrase: str) -> list[str]:
    """Parts of the last chain; kin before a comma belongs to the name behind it: 朝比奈主膳の娘、松の方."""
    chains = [PARTS.findall(chain) for chain in re.split("(?<=⟩)[、と](?=⟨)", phrase)]
    chains = [[part for part in chain if part not in {"もと", "ところ", "許"}] for chain in chains if chain]
    if len(chains) > 1 and chains[-2] and chains[-2][-1] in ROLES and len(chains[-1]) == 1:
        return [*chains[-2], *chains[-1]]
    return chains[-1] if chains else []


def _unlisted(text: str) -> bool:
    """No word of the dictionary and no trade: 角屋宗円, but not 船大工, 商家, 町の者."""
    found = words(text)
    return (
        len(found) > 1 and len(text) > 2 and not _TRADE.search(text) and not all(w.is_a("名詞", "数詞") for w in found)
    )
