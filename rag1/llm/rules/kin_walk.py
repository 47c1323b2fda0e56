"""A chain of kin walked over facts: the person it starts from, each step, then what is told of the last one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rag1.llm.rules.facts import Fact
from rag1.llm.rules.kin_asked import AskedKin, after, asked_kin, next_of
from rag1.llm.rules.kin_end import End, asked_end, asks_deed, best_told, shared_words
from rag1.llm.rules.kin_steps import (
    ADOPTED,
    ALIASES,
    CHILDREN,
    DAUGHTERS,
    FATHERS,
    FEMALE,
    HUSBANDS,
    KIN_LINKS,
    MALE,
    MOTHERS,
    NO_NAME,
    RANKED,
    SONS,
    SPOUSES,
    TITLES,
    WIVES,
    WOMAN,
    Hop,
    Sex,
    chains,
    hops,
)

WIDEST = 6
"""Persons of one step (two daughters) that are followed on."""
DEEPEST = 3
"""Chains within chains: 曾祖父 is 父の祖父, 祖父 is 母の父, 母 is 父の妻."""
_SURELY_M, _SURELY_F = SONS | HUSBANDS, DAUGHTERS | WIVES
Way = tuple[str, tuple[Fact, ...]]
"""Who is reached, and by which facts."""


@dataclass(frozen=True)
class Kin:
    """Facts as a graph of persons."""

    facts: tuple[Fact, ...]
    _steps: dict[tuple[str, str, int], list[Way]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def persons(self) -> tuple[str, ...]:
        """Whoever has kin, in the facts' order."""
        return tuple(
            dict.fromkeys(
                n for f in self.facts if f.relation in KIN_LINKS for n in (f.head, f.tail) if not NO_NAME.search(n)
            )
        )

    @cached_property
    def sexes(self) -> dict[str, Sex]:
        """By the words for whom somebody is: a wife, a son first; a grandfather may be reckoned from a wrong link."""
        found: dict[str, Sex] = {}
        for males, females in ((_SURELY_M, _SURELY_F), (MALE, FEMALE)):
            for fact in self.facts:
                if fact.relation in males | females:
                    found.setdefault(fact.tail, "m" if fact.relation in males else "f")
                if fact.relation in WIVES | HUSBANDS:
                    found.setdefault(fact.head, "m" if fact.relation in WIVES else "f")
        return found

    @cached_property
    def aliases(self) -> dict[str, list[str]]:
        """Person → other names."""
        found = defaultdict[str, list[str]](list)
        for fact in self.facts:
            if fact.relation in ALIASES:
                found[fact.head].append(fact.tail)
        return found

    @cached_property
    def adoptive(self) -> frozenset[tuple[str, str]]:
        """(parent, child) of adoption, where no link calls the child their own."""
        own = {(f.head, f.tail) for f in self.facts if f.relation in CHILDREN - {"息子", "娘"}}
        pairs = {(f.head, f.tail) for f in self.facts if f.relation in ADOPTED}
        pairs |= {(f.tail, f.head) for f in self.facts if f.relation in {"養父", "養母"}}
        return frozenset(pairs - own)

    def starts(self, text: str) -> list[str]:
        """Whom a question's beginning means: a name, another name, the end or beginning of one."""
        plain = TITLES.sub("", text)
        last = re.split("[・=＝]|である|の", plain)[-1]
        for name in dict.fromkeys((text, plain, last)):
            known = [
                p
                for p in {**dict.fromkeys(self.persons), **self.aliases}
                if p == name or name in self.aliases.get(p, ())
            ]
            if known:
                return known
        near = [p for p in self.persons if p.endswith(plain) or (len(p) > 1 and plain.endswith(p))]
        if len(plain) == 1:
            near = near or [p for p in self.persons if plain in p]
            return near if len(near) == 1 else []
        called = [p for p, names in self.aliases.items() if any(each.endswith(plain) for each in names)]
        return near or called or [p for p in self.persons if plain in p]

    def reached(self, name: str, step: str, hint: str = "") -> list[Way]:
        """Who is the `step` of somebody, each by one way; those of whom a hint is told first."""
        ways = self.step(name, step, DEEPEST)[:WIDEST]
        return sorted(ways, key=lambda way: -self._told_of(way[0], hint)) if hint else ways

    def step(self, name: str, step: str, depth: int) -> list[Way]:
        """As told; where nothing tells it, by the first chain that it is made of: presumptions are the last."""
        key = (name, step, depth)
        if key not in self._steps:
            self._steps[key] = _first_of_each(self._told(name, step))
            for chain in chains(step) if depth else ():
                if self._steps[key]:
                    break
                found = self._chained(name, chain, depth - 1)
                self._steps[key] = _first_of_each([way for way in found if way[0] != name])
        return self._steps[key]

    def _told(self, name: str, step: str) -> list[Way]:
        """Of a rank (長男) those of the first link that is told, else of all."""
        tiers = [self._linked(name, hop) for hop in hops(step)]
        return next(filter(None, tiers), []) if step in RANKED else [way for tier in tiers for way in tier]

    def _linked(self, name: str, hop: Hop) -> list[Way]:
        """By one link. Which parent somebody is shows by the name where no word does: the sides stay apart."""
        found: list[Way] = []
        for fact in self._from[name] if hop.forward else self._to[name]:
            there = fact.tail if hop.forward else fact.head
            if fact.relation not in hop.types or there == name or NO_NAME.search(there):
                continue
            sex = self.sexes.get(there, "")
            borne = not self._adopted(name, there) or bool(hop.types & (ADOPTED | {"養父", "養母"}))
            if not sex and (hop.types & FATHERS if hop.forward else hop.types & CHILDREN):
                sex = "f" if WOMAN.search(there) else "m"
            if borne and (not hop.sex or not sex or sex == hop.sex):
                found.append((there, (fact,)))
        return found

    def _adopted(self, one: str, other: str) -> bool:
        return (one, other) in self.adoptive or (other, one) in self.adoptive

    def _chained(self, name: str, chain: Sequence[str], depth: int) -> list[Way]:
        ways: list[Way] = [(name, ())]
        for part in chain:
            ways = [(end, (*used, *more)) for at, used in ways for end, more in self.step(at, part, depth)]
        return ways

    @cached_property
    def _from(self) -> dict[str, list[Fact]]:
        return _by((fact.head, fact) for fact in self.facts)

    @cached_property
    def _to(self) -> dict[str, list[Fact]]:
        return _by((fact.tail, fact) for fact in self.facts)

    def _told_of(self, name: str, hint: str) -> int:
        return sum(shared_words(hint, f"{f.relation} {f.tail}") for f in self.facts if f.head == name)


def _by(pairs: Iterable[tuple[str, Fact]]) -> dict[str, list[Fact]]:
    found = defaultdict[str, list[Fact]](list)
    for name, fact in pairs:
        found[name].append(fact)
    return found


def _first_of_each(ways: Iterable[Way]) -> list[Way]:
    first: dict[str, tuple[Fact, ...]] = {}
    for name, used in ways:
        first.setdefault(name, used)
    return list(first.items())


@dataclass(frozen=True, slots=True)
class Solved:
    """`names`: the start and the persons after it, as far as the facts lead; `answer` "" where they do not tell it."""

    asked: AskedKin
    names: tuple[str, ...]
    used: tuple[Fact, ...]
    answer: str = ""
    told: Fact | None = None

    @property
    def ends(self) -> bool:
        """Was the last person reached?"""
        return len(self.names) == len(self.asked.steps) + 1

    @property
    def settled(self) -> bool:
        """Is it known which relations would tell it, so that others must not?"""
        return bool(self.asked.steps) and (self.asked.sided or bool(asked_end(self.asked.final).relations))

    @property
    def lines(self) -> list[str]:
        """The facts of every step, the answer's own last."""
        return list(dict.fromkeys(fact.line for fact in (*self.used, *((self.told,) if self.told else ()))))

    @property
    def rest(self) -> str:
        """What is still to be asked, of the last person that was reached."""
        return after(self.asked, self.names[-1], len(self.names) - 1)

    @property
    def next(self) -> str:
        """The next step of it alone."""
        return next_of(self.asked, self.names[-1], len(self.names) - 1)

    def around(self, facts: Sequence[Fact]) -> list[str]:
        """The nearest relatives of the person reached last: who may lead on where nothing does of that person."""
        near = FATHERS | MOTHERS | SPOUSES
        return [fact.tail for fact in facts if fact.head == self.names[-1] and fact.relation in near]


def solve(question: str, facts: Sequence[Fact]) -> Solved | None:
    """None where the question is no chain of kin, or the facts do not know whom it starts from."""
    kin = Kin(tuple(facts))
    asked = asked_kin(question) or _of_one(question, kin)
    if asked is None:
        return None
    found: list[Solved] = []
    for start in kin.starts(asked.start)[:3]:
        for solved in _from(asked, start, kin):
            found.append(solved)
            if solved.answer:
                return solved
    return max(found, key=lambda each: len(each.names), default=None)


def _of_one(question: str, kin: Kin) -> AskedKin | None:
    """「与吉の号は何か」: what is asked of somebody who has kin."""
    name = max((name for name in kin.persons if question.startswith(name)), key=len, default="")
    rest = question[len(name) :]
    return AskedKin(name, (), rest) if name and (asked_end(rest).relations or asks_deed(rest)) else None


def _from(asked: AskedKin, start: str, kin: Kin) -> Iterator[Solved]:
    end = asked_end(asked.final)
    for names, used in _ways((start,), (), asked, kin):
        whole = len(names) == len(asked.steps) + 1
        yield _ended(Solved(asked, names, used), end, kin) if whole else Solved(asked, names, used)


def _ways(
    names: tuple[str, ...], used: tuple[Fact, ...], asked: AskedKin, kin: Kin
) -> Iterator[tuple[tuple[str, ...], tuple[Fact, ...]]]:
    """Every way along the steps, the likeliest first; one that ends early where no way leads on."""
    at = len(names) - 1
    if at == len(asked.steps):
        yield names, used
        return
    onward = kin.reached(names[-1], asked.steps[at], dict(asked.hints).get(at + 1, ""))
    if not onward:
        yield names, used
    for name, more in onward:
        yield from _ways((*names, name), (*used, *more), asked, kin)


def _ended(solved: Solved, end: End, kin: Kin) -> Solved:
    name = solved.names[-1]
    if solved.asked.who:
        return Solved(solved.asked, solved.names, solved.used, name) if solved.asked.steps else solved
    told = best_told(end, name, kin.facts, frozenset(kin.persons))
    return Solved(solved.asked, solved.names, solved.used, *told) if told else solved
