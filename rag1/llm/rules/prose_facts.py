"""What a text tells of its persons, as facts with the sentence that tells each: kin first, then what they did."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rag1.llm.rules.prose_names import people_of
from rag1.llm.rules.prose_people import NOBODY, Circle
from rag1.llm.rules.prose_reader import Story, Told, read_story
from rag1.llm.rules.words import sentence_texts

CLAUSE, CASE = "節", "格"
LONGEST_TEXT = 30_000
"""Characters of a text that is read as one; a longer one is read chunk by chunk."""


@dataclass(frozen=True, slots=True)
class ProseFact:
    """`at`: the number of the sentence in the text."""

    head: str
    relation: str
    tail: str
    at: int
    person: bool = True
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prose:
    """`names`: every form of a name → the full one."""

    facts: tuple[ProseFact, ...]
    names: Mapping[str, str]
    persons: frozenset[str]


@lru_cache(maxsize=16)
def prose_of(text: str) -> Prose:
    """Reads a whole text; gives nothing where it tells of no kin."""
    people = people_of(text)
    story = read_story(sentence_texts(text), people)
    if not story.circle.links:
        return Prose((), {}, frozenset())
    _settle(story.circle)
    kin = list(dict.fromkeys(_kin(story.circle)))
    related = {name for fact in kin for name in (fact[0], fact[2])}
    told = list(_told(story, related))
    facts = [ProseFact(*fact) for fact in kin] + told
    facts += list(_short(sentence_texts(text), people.canonical, related))
    names = {form: full for form, full in people.canonical.items() if full in related}
    return Prose(tuple(facts), names, frozenset(related))


def _short(sentences: Sequence[str], forms: Mapping[str, str], related: set[str]) -> Iterator[ProseFact]:
    """Short forms of names as aliases, with the first sentence that has one without the whole."""
    for form, full in forms.items():
        if form != full and full in related:
            at = next((at for at, line in enumerate(sentences) if form in line and full not in line), -1)
            if at >= 0:
                yield ProseFact(full, "別名", form, at)


def _settle(circle: Circle) -> None:
    _elders(circle)
    for link in list(circle.links):
        if link.relation in {"兄", "姉", "弟", "妹"} and not (circle.parents(link.head) and circle.parents(link.tail)):
            for one, other in ((link.head, link.tail), (link.tail, link.head)):
                for parent in circle.parents(one) if not circle.parents(other) else ():
                    circle.child(parent, other, "子", link.at)


def _elders(circle: Circle) -> None:
    """Whose parents somebody's one 祖父 and 祖母 are, where the other side's are told to be others: the father's."""
    for person in dict.fromkeys(circle.find(link.head) for link in circle.links if link.relation in {"祖父", "祖母"}):
        father, mother = circle.parent(person, "m"), circle.parent(person, "f")
        old = [(sex, circle.ends(person, word)) for sex, word in (("m", "祖父"), ("f", "祖母"))]
        single = [(sex, found[0]) for sex, found in old if len(found) == 1]
        for sex, elder in single:
            other = circle.parent(mother, sex) if mother != NOBODY else NOBODY
            if father != NOBODY and circle.parent(father, sex) == NOBODY and other != elder:
                at = next(
                    link.at
                    for link in circle.links
                    if circle.find(link.tail) == elder and link.relation in {"祖父", "祖母"}
                )
                circle.child(elder, father, "子", at)
        if len(single) == 2 and not circle.spouses(single[0][1]) and not circle.spouses(single[1][1]):
            at = max(
                link.at
                for link in circle.links
                if link.relation in {"祖父", "祖母"} and circle.find(link.head) == person
            )
            circle.link(single[0][1], "妻", single[1][1], at)


def _kin(circle: Circle) -> Iterator[tuple[str, str, str, int]]:
    for link in circle.links:
        head, tail = circle.label(link.head), circle.label(link.tail)
        relation = link.relation
        if relation == "親":
            if any(circle.linked(link.head, parent, link.tail) for parent in ("父", "母")):
                continue
            mother = circle.sex(link.tail) == "f" or (
                circle.parent(link.head, "m") not in (NOBODY, circle.find(link.tail))
            )
            relation = "母" if mother else "父"
        if head and tail and head != tail:
            yield head, relation, tail, link.at
            plain = {"m": "息子", "f": "娘"}.get(circle.sex(link.tail), "") if relation == "子" else ""
            if plain:
                yield head, plain, tail, link.at
    yield from _brothers(circle)


def _brothers(circle: Circle) -> Iterator[tuple[str, str, str, int]]:
    """兄, 姉, 弟, 妹 by the order in which a parent's children were told."""
    told = {
        (circle.find(link.head), circle.find(link.tail))
        for link in circle.links
        if link.relation in {"兄", "姉", "弟", "妹"}
    }
    at_of = {
        (circle.find(link.head), circle.find(link.tail)): link.at for link in circle.links if link.relation == "子"
    }
    for parent in dict.fromkeys(circle.find(link.head) for link in circle.links if link.relation == "子"):
        born = circle.ordered(circle.children(parent))
        for place, elder in enumerate(born):
            for younger in born[place + 1 :]:
                if (elder, younger) in told or (younger, elder) in told:
                    continue
                told.add((elder, younger))
                names = circle.label(elder), circle.label(younger)
                at = max(at_of.get((parent, elder), 0), at_of.get((parent, younger), 0))
                if all(names) and (sex := circle.sex(elder)):
                    yield names[1], {"m": "兄", "f": "姉"}[sex], names[0], at
                if all(names) and (sex := circle.sex(younger)):
                    yield names[0], {"m": "弟", "f": "妹"}[sex], names[1], at


def _told(story: Story, related: set[str]) -> Iterator[ProseFact]:
    seen: set[tuple[str, str, str]] = set()
    for told in story.told:
        head = story.circle.label(told.person)
        key = head, told.relation, told.value
        if head in related and key not in seen and head != told.value:
            seen.add(key)
            yield ProseFact(head, told.relation, told.value, told.at, False, _properties(told))


def _properties(told: Told) -> dict[str, str]:
    clause = re.sub(r"[()（）:：,\n]", " ", told.clause).strip()
    found = {CLAUSE: clause} if clause and clause != told.value else {}
    return {**found, CASE: told.case} if told.case and found else found


def facts_of(text: str, sentences: Sequence[str]) -> list[tuple[int, ProseFact]]:
    """The facts of a text by the number of the sentence among `sentences`, which are a part of it, in order."""
    prose = prose_of(text)
    whole = sentence_texts(text)
    if not sentences:
        return []
    first = next((at for at in range(len(whole)) if whole[at : at + len(sentences)] == list(sentences)), -1)
    if first < 0:
        places = {sentence: at for at, sentence in enumerate(sentences)}
        return [(places[whole[fact.at]], fact) for fact in prose.facts if whole[fact.at] in places]
    return [(fact.at - first, fact) for fact in prose.facts if first <= fact.at < first + len(sentences)]
