"""Relations that one clause states: copula, possessive, existence, naming, verbs, companions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rag1.llm.rules.clauses import Argument, Clause
from rag1.llm.rules.entity_types import PLACE, PRONOUNS, is_name, type_of
from rag1.llm.rules.kinship import KIN, PERSON_RELATIONS
from rag1.llm.rules.words import words, wordset

TOGETHER = "一緒"
ALIAS = "別名"
IS = "である"
_TOGETHER = wordset("と一緒に といっしょに と共に とともに と二人で とふたりで")
_GOING_WITH = wordset(
    "連れ立つ 連れだつ つれだつ つれ立つ 連れ立って 同行する 同道する 相乗りする 同伴する 待ち合わせる"
)
_NAMED = wordset("いう 申す 称する 呼ぶ 名づける 名付ける 名のる 名乗る 改名する 号する")
_PLACED = wordset("ある 有る 在る おる いる 居る 建つ 立つ 位置する")
_MARRIED = {"嫁ぐ": "夫", "嫁す": "夫", "娶る": "妻", "めとる": "妻", "結婚する": "配偶者", "連れ添う": "配偶者"}
_BORE = wordset("産む 生む もうける 儲ける")
_BURIED = wordset("葬る 埋葬する 眠る 葬られる")
_DIED = wordset("死ぬ 死する 没する 死去する 亡くなる 逝く")
_ROLE = re.compile(
    "(?:人|者|師|主|屋|医者|先生|和尚|小僧|総代|大工|商人|教師|兵|長|僧|猫|犬|馬|牛|鳥|飼|売り|掘り|焼き|喰|守|娘|男|女)$"
)


@dataclass(frozen=True, slots=True)
class Relation:
    head: str
    relation: str
    tail: str
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """What was read before a clause: the person or thing talked about, names met so far, who is whose 妻 or 父."""

    topic: str = ""
    names: frozenset[str] = frozenset()
    roles: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def is_name(self, text: str) -> bool:
        return is_name(text, self.names)

    @property
    def person(self) -> str:
        """The topic, unless it is a place."""
        return self.topic if type_of(self.topic) in {"Person", "Object"} else ""


def relations(clause: Clause, reading: Reading) -> Iterator[Relation]:
    """What the clause states about named things; nothing where it denies."""
    yield from _appositions(clause, reading)
    if clause.negated:
        return
    if clause.predicate == IS:
        yield from _copula(clause, reading)
    else:
        yield from _companions(clause, reading)
        yield from _special(clause, reading) or _verb(clause, reading)


def entity(argument: Argument, reading: Reading) -> str:
    """The name inside a noun: 馬喰の藤兵衛 → 藤兵衛; おふじの叔母 stays whole; a pronoun gives ""."""
    if argument.head in PRONOUNS:
        return ""
    role = next(
        (kin for kin in KIN if argument.head.startswith(kin) and reading.is_name(argument.head[len(kin) :])), ""
    )
    if role:
        return argument.head[len(role) :]
    named = reading.is_name(argument.head) or (len(argument.head) > 2 and PLACE.search(argument.head))
    if len(argument.parts) > 1 and named:
        return argument.head
    return argument.text.replace("「", "").replace("」", "").strip("『』")


def _subject(clause: Clause, reading: Reading) -> str:
    argument = clause.get("が") or clause.get("は")
    if argument is None:
        return reading.topic
    return entity(argument, reading) or reading.topic


def _possessed(argument: Argument, reading: Reading) -> tuple[str, str] | None:
    """(owner, relation) of a chain: 主膳の墓所 → 主膳, 墓所; its owner a pronoun → the topic."""
    if len(argument.parts) < 2 or (reading.is_name(argument.head) and argument.head not in PERSON_RELATIONS):
        return None
    owner = argument.parts[-2]
    owner = reading.topic if owner in PRONOUNS else owner
    whole = argument.parts[:-1]
    if len(whole) > 1 and not reading.is_name(owner):
        owner = "の".join(whole)
    return (owner, argument.head) if owner else None


def _copula(clause: Clause, reading: Reading) -> Iterator[Relation]:
    value = clause.arguments[-1]
    about = next((a for a in reversed(clause.arguments[:-1]) if a.particle in {"は", "が", "も"}), None)
    if about is None or value.head in PRONOUNS:
        return
    owned = _possessed(about, reading)
    if about.text in KIN and reading.person:
        owned = (reading.person, about.text)
    of_value = _possessed(value, reading)
    if owned and of_value and of_value[1] in KIN:
        if owned in reading.roles:
            yield Relation(of_value[0], of_value[1], reading.roles[owned])
        return
    if owned:
        yield Relation(owned[0], owned[1], entity(value, reading))
        return
    if value.head == "生まれ" and len(value.parts) > 1:
        yield Relation(entity(about, reading) or reading.topic, "生まれ", "の".join(value.parts[:-1]))
    elif of_value and (of_value[1] in PERSON_RELATIONS or reading.is_name(of_value[0])):
        for owner in (*(entity(a, reading) for a in clause.arguments if a.particle == "と"), of_value[0]):
            yield Relation(owner, of_value[1], entity(about, reading) or reading.topic)
    else:
        yield Relation(entity(about, reading) or reading.topic, IS, entity(value, reading))


def _appositions(clause: Clause, reading: Reading) -> Iterator[Relation]:
    """猫の玉虫 → 玉虫 である 猫; 長男の正太郎 → its owner 長男 正太郎; おふじの叔母のおまつ → おふじ 叔母 おまつ."""
    for argument in clause.arguments:
        if len(argument.parts) < 2 or not reading.is_name(argument.head):
            continue
        role = argument.parts[-2]
        if role in KIN:
            owner = argument.parts[-3] if len(argument.parts) > 2 else _owner(clause, argument, reading)
            if owner and owner != argument.head:
                yield Relation(owner, role, argument.head)
        elif not reading.is_name(role) and argument.head not in PERSON_RELATIONS and _ROLE.search(role):
            yield Relation(argument.head, IS, role)


def _owner(clause: Clause, argument: Argument, reading: Reading) -> str:
    """Whose 長男 an argument is: the subject's, or the topic's when it is the subject itself."""
    if argument.particle in {"は", "が", "も", ""}:
        return reading.person
    return _subject(clause, reading)


def _companions(clause: Clause, reading: Reading) -> Iterator[Relation]:
    subject = _subject(clause, reading)
    for argument in clause.arguments:
        other = entity(argument, reading)
        led = clause.predicate in {"連れる", "つれる", "伴う"} and argument.particle in {"を", "と"}
        led |= clause.predicate in _GOING_WITH and argument.particle == "と"
        if (argument.particle in _TOGETHER or led) and subject and other:
            yield Relation(subject, TOGETHER, other, _circumstances(clause))


def _special(clause: Clause, reading: Reading) -> list[Relation]:
    """Clauses whose verb says little by itself: naming, being somewhere, marriage, birth, death."""
    subject_argument = clause.get("は", "が")
    owned = _possessed(subject_argument, reading) if subject_argument else None
    subject = _subject(clause, reading)
    place, name, thing = clause.get("に", "には", "で"), clause.get("と"), clause.get("を")
    if clause.predicate in _NAMED and name and len(name.text) <= 15 and not name.text.endswith("だ"):
        target = thing or subject_argument
        return _named(owned, entity(target, reading) if target else "", name.text)
    if clause.predicate in _PLACED and place and not thing and not place.is_time:
        where = entity(place, reading)
        found = Relation(*owned, where) if owned else Relation(subject, "場所", where, _circumstances(clause))
        return [found] if found.head and where else []
    if clause.predicate in _MARRIED and (partner := clause.get("に", "と", "を")):
        return [Relation(subject, _MARRIED[clause.predicate], entity(partner, reading))] if subject else []
    if (
        clause.predicate in _BORE
        and thing
        and subject
        and reading.is_name(thing.head)
        and not re.search("[一二三四五六七八九]", thing.text)
    ):
        return [Relation(subject, "子", entity(thing, reading))]
    grave = clause.predicate in _BURIED and place and type_of(entity(place, reading)) == "Place"
    if grave and place and subject:
        return [Relation(subject, "墓所", entity(place, reading))]
    became = clause.get("として", "と", "に") if clause.predicate in {"なる", "生まれる", "迎える"} else None
    if became and (kin := _possessed(became, reading)) and kin[1] in KIN and subject:
        return [Relation(kin[0], kin[1], subject)]
    when = next((a for a in clause.arguments if a.is_time and a.particle in {"に", ""}), None)
    if clause.predicate in _DIED and when and subject:
        return [Relation(subject, "死亡", when.text)]
    return []


def _named(owned: tuple[str, str] | None, subject: str, name: str) -> list[Relation]:
    if owned and owned[1] in {"名", "名前", "名称", "本名"}:
        return [Relation(*owned, name)]
    if owned and owned[1] in PERSON_RELATIONS:
        return [Relation(*owned, name)]
    return [Relation(subject, ALIAS, name)] if subject and subject != name else []


def _verb(clause: Clause, reading: Reading) -> Iterator[Relation]:
    """XがYを/に…V: one relation an object; passives turned round; a clause before a noun takes it as its object."""
    properties = _circumstances(clause)
    agent = clause.get("によって", "による") or (clause.get("に") if clause.passive else None)
    hand = clause.get("で")
    if clause.passive and hand and hand.head == "手" and len(hand.parts) > 1:
        agent = Argument(hand.parts[-2], "に", (hand.parts[-2],), hand.start)
    top, subject = clause.get("は", "が", "も"), clause.get("が")
    if clause.passive and agent and top and not agent.is_time:
        yield Relation(entity(agent, reading), clause.predicate, entity(top, reading), properties)
        return
    if clause.predicate.endswith("い") or clause.link == "のは":
        return
    doer = _subject(clause, reading)
    listed = {"と"} if clause.get("を") else set()
    objects = [
        a
        for a in clause.arguments
        if a.particle in {"を", "に", "へ", "から", "には", "へは"} | listed and a.head not in PRONOUNS
    ]
    for argument in objects:
        if doer and not argument.is_time and not argument.is_quantity and entity(argument, reading) != doer:
            yield Relation(doer, clause.predicate, entity(argument, reading), properties)
    if (
        subject
        and not clause.get("を")
        and clause.get("は")
        and entity(subject, reading)
        and (thing := clause.get("は"))
    ):
        yield Relation(entity(subject, reading), clause.predicate, entity(thing, reading), properties)
    elif (
        clause.modifies
        and clause.modifies not in PRONOUNS
        and not clause.get("を")
        and subject
        and entity(subject, reading)
    ):
        yield Relation(entity(subject, reading), clause.predicate, clause.modifies, properties)


def _circumstances(clause: Clause) -> dict[str, str]:
    """Times, amounts and places of the clause, for the relation's properties."""
    found: dict[str, str] = {}
    for argument in clause.arguments:
        if argument.is_time and argument.particle in {"に", "には", "", "は", "で", "の"}:
            found.setdefault("時", argument.text)
        elif argument.is_quantity and argument.particle in {"", "を", "で", "に"}:
            found.setdefault("数量", argument.text)
        elif argument.particle in {"で", "では"} and argument.head not in PRONOUNS:
            found.setdefault("場所・手段", argument.text)
    return found


def _adverbial(argument: Argument) -> bool:
    found = words(argument.head)
    return argument.head in PRONOUNS or (len(found) == 1 and found[0].is_a("名詞", "普通名詞", "副詞可能"))


def cleft(clause: Clause, value: Clause, reading: Reading) -> Iterator[Relation]:
    """「Yを作ったのはXである」 → X 作る Y; 「Xが作ったのはYである」 → X 作る Y."""
    if clause.link not in {"のは", "のが"} or value.predicate != IS or clause.negated or not value.arguments:
        return
    named = entity(value.arguments[-1], reading)
    subject, thing = clause.get("が"), clause.get("を") or clause.get("に")
    if named and thing and not subject:
        yield Relation(named, clause.predicate, entity(thing, reading), _circumstances(clause))
    elif named and subject:
        yield Relation(entity(subject, reading), clause.predicate, named, _circumstances(clause))
