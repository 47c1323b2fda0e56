"""A family's chronicle read by a learned reader: who is whose, who is buried, born and at work where.

Words of kin (娘, 夫) and verbs (嫁ぐ, 生まれる) are the places where kin is told; at each a linear model chooses who of
those named is meant, a sentence after the other, with what was told before. The likeliest facts that can hold
together are kept (`family_facts`). The weights were fitted on annotated chronicles of our own (`bench/families`,
`bench/fit_family.py`); `docs/decisions/chains.md` says how well it reads prose that it has not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from rag1.llm.rules.family_facts import Told, relations, settled
from rag1.llm.rules.family_features import RELATION, SLOTS, of_slot
from rag1.llm.rules.family_items import SEX, Item, density, items
from rag1.llm.rules.family_names import given_names, in_full, names_of, renamed, spans
from rag1.llm.rules.family_state import Scene, State
from rag1.llm.rules.family_values import CLASSES, Value, values_of
from rag1.llm.rules.family_votes import rules_suffice, votes
from rag1.llm.rules.linear import Linear, load, softmax
from rag1.llm.rules.words import sentences as spans_of
from rag1.llm.rules.words import wordset

WEIGHTS = Path(__file__).with_name("family_weights.json.gz")
DENSE = 18.0
"""Words of kin per 1,000 characters from which a text is read as a family's chronicle."""
SHORTEST = 520
"""Characters that such a text has at least: a sentence or a chunk (512) alone tells too little of who is who."""
TRIED = 4
"""The likeliest fillers of a slot that are tried together with those of the other."""
ALSO, ALSO_LISTED = 0.42, 0.1
"""The probability that a further child or parent needs, alone and in a list with the first."""
NOWHERE = wordset("寺 同寺 墓 墓地 同所 同地 地 所 菩提寺 同じ寺 お寺 墓所")

TOLD = frozenset(CLASSES[1:])
"""Relations of values that a chronicle's reader tells."""
AROUND = 4000
"""Characters before and after a part of a text that are read with it."""

Fact = tuple[str, str, str]


@dataclass
class Reading:
    """`told`: of kin, with probabilities; `values`: of persons; `state`: after the last sentence."""

    state: State = field(default_factory=State)
    told: list[Told] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)


def is_chronicle(text: str) -> bool:
    return len(text) >= SHORTEST and density(text) >= DENSE


def chronicle(before: str, text: str, after: str) -> list[tuple[int, str, Fact]] | None:
    """(number of the sentence in `text`, sentence, fact) of all that a part of a chronicle tells; None of other texts.

    `before`, `after`: the text around the part, with which it is read.
    """
    lead = before[-AROUND:]
    whole = lead + text + after[:AROUND]
    if not is_chronicle(whole):
        return None
    spans = spans_of(whole)
    told = facts_of(tuple(whole[start:end] for start, end in spans))
    if told is None:
        return None
    inside = [at for at, (start, _) in enumerate(spans) if len(lead) <= start < len(lead) + len(text)]
    return [(at - inside[0], whole[slice(*spans[at])], fact) for at in inside for fact in told[at]]


@lru_cache(maxsize=8)
def facts_of(sentences: tuple[str, ...]) -> tuple[tuple[Fact, ...], ...] | None:
    """What each sentence of a chronicle tells: (head, relation, tail). None where the rules of `lineage` suffice."""
    models = load(WEIGHTS)
    full = persons_of(sentences, models)
    if rules_suffice(sentences, len(set(full.values()))):
        return None
    reading = read(sentences, [spans(sentence, full) for sentence in sentences], models)
    state = reading.state
    family = settled([*reading.told, *votes(sentences, full)], {name: state.gender(name) for name in full.values()})
    found: list[dict[Fact, None]] = [{} for _ in sentences]
    for at, *fact in relations(family, state.children):
        found[at].setdefault((fact[0], fact[1], fact[2]))
    for value in _placed(reading.values):
        found[value.at].setdefault((value.owner, value.relation, value.text))
    for at, short, name in _other_names(sentences, full):
        found[at].setdefault((name, "別名", short))
    return tuple(map(tuple, found))


def persons_of(sentences: Sequence[str], models: dict[str, Linear]) -> dict[str, str]:
    """Each form that names somebody → the person's name in full, also of those who go by another name later."""
    full = in_full(names_of(sentences, models["names"], models["names again"]))
    full |= given_names(sentences, full)
    other = renamed(sentences, full)
    return {form: other.get(name, name) for form, name in full.items()}


def read(
    sentences: Sequence[str], named: Sequence[tuple[tuple[int, int, str], ...]], models: dict[str, Linear]
) -> Reading:
    """All that the sentences tell, sentence by sentence; `named`: the persons of each."""
    reading = Reading()
    for sentence, persons in zip(sentences, named, strict=True):
        found = items(sentence, persons)
        told = [
            fact
            for place, item in enumerate(found)
            if item.group in SLOTS
            for fact in _at(found, place, reading.state, models)
        ]
        reading.values += values_of(found, sentence, reading.state, models["value"], models["owner"])
        _remember(reading.state, told)
        reading.told += told
        reading.state.read(found)
    return reading


def _at(found: Sequence[Item], place: int, state: State, models: dict[str, Linear]) -> list[Told]:
    """The facts that a word of kin or a verb tells; none where one side is nobody."""
    item = found[place]
    relation, scene = RELATION[item.group], Scene(found, place, place, state)
    first, second = (_ranked(scene, slot, models[f"{relation} {slot}"]) for slot in SLOTS[item.group])
    chance, one, other = max((a * b, x, y) for a, x in first[:TRIED] for b, y in second[:TRIED] if x != y or not x)
    if not one or not other:
        return []
    ones, others = [one], [other]
    if relation == "child":
        others += [name for name in enumerated(found, other) if name != one]
        others += [c for p, c in second if c and c not in {one, *others} and _also(p, found, c, other)]
        more = [c for p, c in first if c and c not in {*ones, *others} and _also(p, found, c, one)]
        more += [spouse for spouse in state.spouses[one] if spouse not in {*ones, *others}]
        ones += more[:1]
        state.last_parents = tuple(dict.fromkeys([*ones, *(spouse for name in ones for spouse in state.spouses[name])]))
    return [Told(state.sentence, relation, x, y, item.text, chance) for x in ones for y in others]


def _ranked(scene: Scene, slot: str, model: Linear) -> list[tuple[float, str]]:
    rows = of_slot(scene, slot)
    chances = softmax([model.score(features) for _, features in rows])
    return sorted(((chance, name) for chance, (name, _) in zip(chances, rows, strict=True)), reverse=True)


def _also(chance: float, found: Sequence[Item], name: str, other: str) -> bool:
    return chance > ALSO or (chance > ALSO_LISTED and listed(found, name, other))


def enumerated(found: Sequence[Item], name: str) -> list[str]:
    """The others of a bare list that somebody stands in: 「佐一郎、おかね、留吉の三人」, 「長男A、次男B」."""
    at = next((place for place, item in enumerate(found) if item.kind == "person" and item.text == name), -1)
    others: list[str] = []
    for by in (1, -1) if at >= 0 else ():
        here = at
        while (there := _next_named(found, here, by)) >= 0:
            others.append(found[there].text)
            here = there
    return [other for other in dict.fromkeys(others) if other != name]


def _next_named(found: Sequence[Item], here: int, by: int) -> int:
    """The place of the next person of the list in a direction, -1 where the list ends."""
    there = here + by
    keys: list[str] = []
    while 0 <= there < len(found) and found[there].kind != "person" and len(keys) < 4:
        keys.append(found[there].key)
        there += by
    way = "".join("R" if key in {"R:child", "R:younger"} else key for key in (keys if by > 0 else keys[::-1]))
    named = 0 <= there < len(found) and found[there].kind == "person"
    return there if named and way in {"、", "と", "・", "や", "、R", "、Rの", "とR", "とRの", "・R"} else -1


def listed(found: Sequence[Item], one: str, other: str) -> bool:
    """Are two named in one list: 「AとB」「長男A、次男B」?"""
    places = {
        name: [at for at, item in enumerate(found) if item.text == name and item.kind == "person"]
        for name in (one, other)
    }
    ways = (found[min(a, b) + 1 : max(a, b)] for a in places[one] for b in places[other])
    return any(_is_list(way) for way in ways)


def _is_list(way: Sequence[Item]) -> bool:
    keys = [item.key for item in way]
    if len(keys) > 9:
        return False
    joined = any(key in {"と", "、", "・", "や"} for key in keys)
    if joined and all(key in {"と", "、", "・", "や", "の", "N", "P"} or key.startswith("R:") for key in keys):
        return True
    ranks = any(key in {"R:child", "R:younger"} for key in keys)
    return ranks and not any(key[0] in "Vv" for key in keys if key)


def _remember(state: State, told: Sequence[Told]) -> None:
    """What a sentence told, for those behind it."""
    if any(fact.relation == "child" for fact in told):
        state.last_children = []
    for fact in told:
        if fact.relation == "spouse":
            state.marry(fact.first, fact.second)
        elif fact.relation == "child":
            _sexed(state, fact, fact.second if fact.word in SEX and fact.word not in _PARENTS else fact.first)
            state.born(fact.first, fact.second)
            if len(state.spouses[fact.first]) == 1:
                state.born(state.spouses[fact.first][0], fact.second)
        else:
            _sexed(state, fact, fact.first if fact.word[-1:] in "兄姉" else fact.second)


_PARENTS = wordset("母 実母 生母 母親 亡母 養母 父 実父 父親 亡父 養父")


def _sexed(state: State, fact: Told, name: str) -> None:
    if fact.word in SEX:
        state.sex.setdefault(name, SEX[fact.word])


def _placed(values: Sequence[Value]) -> Iterator[Value]:
    """Values with their places: 「同じ寺」 is the grave told before."""
    place = ""
    for value in values:
        if value.relation != "墓所":
            yield value
            continue
        if value.text not in NOWHERE:
            place = value.text
        if place:
            yield Value(value.at, value.owner, value.relation, place, value.chance)


def _other_names(sentences: Sequence[str], full: dict[str, str]) -> Iterator[tuple[int, str, str]]:
    """(sentence, form, name) of the forms that are no end of the name."""
    for short, name in full.items():
        if short != name and not name.endswith(short):
            at = next((number for number, sentence in enumerate(sentences) if short in sentence), -1)
            if at >= 0:
                yield at, short, name
