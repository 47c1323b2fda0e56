"""Kin and graves as an author tells them: couples and their children, marriages, burials, whose names are cut short.

A sentence is read as marked text (`kin_marks`), part by part, against what was told before (`lineage_state`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rag1.llm.rules.kin_marks import (
    CHAIN,
    CHILDREN,
    ELDER,
    GRAVES,
    HUSBANDS,
    NOUN,
    PARTS,
    REMAINS,
    ROLES,
    WIVES,
    YOUNGER,
    marked,
)  # fmt: skip
from rag1.llm.rules.lineage_state import SELF, Family
from rag1.text.sentences import sentences

BEFORE = 3000
"""Characters before a text that are read for whom it goes on about."""


def _any(names: frozenset[str]) -> str:
    return "⟨(?:" + "|".join(sorted(names, key=len, reverse=True)) + ")⟩"


_LAZY = f"{NOUN}(?:の{NOUN})*?"
_PHRASE = f"(?:{CHAIN}、)?{CHAIN}"
_BETWEEN = "⟨(?:あいだ|間|仲)⟩"
_END = r"(?:である|であった|だった|だ|です|で)?(?:と\{いう\}.*)?[。、]?$"
_SPLIT = re.compile(
    rf"(?<=[^⟩⟨、はもがに])、|(?<=⟩)、(?=(?:その)?{_any(ROLES | GRAVES)}[はが])|(?<=⟩に)、(?={CHAIN}の{_any(GRAVES)}は)"
)
_RELEVANT = re.compile(
    "|".join(sorted({*ROLES, *GRAVES, *REMAINS}, key=len, reverse=True))
    + "|葬|埋め|眠|嫁|娶|めとる|結ばれ|結婚|産|もうけ|生まれ|授か|号し|名の|名乗|呼|称し|あいだ|間"
)
_COUPLE = re.compile(rf"^({_LAZY})と({_LAZY})の{_BETWEEN}(.*)$")
_WITH = re.compile(rf"^(?:({_LAZY})[はが]、?)?(?:.*?、)?({_PHRASE})との{_BETWEEN}(.*)$")
_THEM = re.compile(rf"^⟨(?:二人|ふたり|両人|夫婦|夫妻)⟩の{_BETWEEN}(.*)$")
_BLESSED = re.compile(rf"^({_LAZY})と({_LAZY})(?:は|には)、?(.*(?:恵まれる|授かる|もうける|⟨子⟩).*)$")
_THEIR = re.compile(rf"^({_LAZY})と({_LAZY})の({_any(CHILDREN)})(?:は|が)、?(.*)$")
_LISTED = re.compile(
    rf"({_any(CHILDREN | ELDER | YOUNGER)})[がはを]({CHAIN})(?=、|である|であった|だ|で|と\{{いう|。|$)"
)
_TOPIC = re.compile(rf"^(?:⟨[^⟩]*[日年月春夏秋冬頃]⟩に?、?)?(その)?({_PHRASE})(は|も|には|が)、?(.*)$")
_NAMED = re.compile(rf"⟨名⟩[をは]({NOUN})と")
_MODIFIES = re.compile(r"^\{[^}]*\}[^⟨⟩、]*⟨")
_TIME = re.compile("[年月日時春夏秋冬頃代後前]$|^(?:のち|いま|今|昔|はじめ|末|ころ|その後)$")


class Lineage:
    """Reads sentences in order; `read` gives what each one tells, as (head, relation, tail)."""

    def __init__(self, known: frozenset[str] = frozenset()) -> None:
        self.family = Family(known)
        self.named = ""

    def read(self, sentence: str) -> list[tuple[str, str, str]]:
        if not _RELEVANT.search(sentence):
            self._topic_only(sentence)
            return []
        before, self.named = len(self.family.told), ""
        for part in _SPLIT.split(marked(sentence).rstrip("。")):
            self._part(part)
            self.family.place = next(iter(re.findall("⟨([^⟩]+[寺院庵])⟩", part)[::-1]), self.family.place)
        return self.family.told[before:]

    def _topic_only(self, sentence: str) -> None:
        if (match := _TOPIC.match(marked(sentence))) and match[3] == "は":
            self._subject(match[2])

    def _subject(self, phrase: str) -> None:
        last = PARTS.findall(phrase)[-1]
        parts = PARTS.findall(phrase)
        named = last in SELF or self.family.is_person(last) or (len(parts) > 1 and parts[-2] in ROLES)
        if last not in ROLES | GRAVES | REMAINS and named:
            self.family.subject = self.family.latest = self.family.person(phrase)
        elif not _TIME.search(last):
            self.family.subject = ""

    def _part(self, part: str) -> None:
        for reads in (self._couples, self._their_children, self._list_of_kin, self._possessed):
            if reads(part):
                return
        if match := _TOPIC.match(part):
            before = self.family.subject
            if match[3] in {"は", "には", "も"}:
                self._subject(match[2])
            self._about(self.family.subject, match[4], part)
            if not self.family.subject:
                self.family.subject = before
                self._renamed(before, match[4])
        else:
            self._about(self.named or self.family.subject, part, part)

    def _couples(self, part: str) -> bool:
        """「XとYのあいだに…」「XはYとのあいだに…」「二人の間に…」「XとYは一男一女に恵まれた」."""
        family = self.family
        if match := _THEM.match(part):
            rest = match[1]
        elif match := _COUPLE.match(part):
            family.pair(family.person(match[1]), family.person(match[2]))
            rest = match[3]
        elif match := _WITH.match(part):
            if match[1]:
                self._subject(match[1])
            family.pair(family.subject, family.person(match[2]))
            rest = match[3]
        elif match := _BLESSED.match(part):
            family.pair(family.person(match[1]), family.person(match[2]))
            family.subject = family.couple[0]
            return True
        else:
            return False
        family.children(_born(rest))
        return True

    def _their_children(self, part: str) -> bool:
        """「XとYの娘は小夜という」「XとYの子は、上からA、Bの二人であった」."""
        match = _THEIR.match(part)
        if not match:
            return False
        self.family.pair(self.family.person(match[1]), self.family.person(match[2]))
        self.family.children(_listed(_value(match[4])), match[3].strip("⟨⟩"))
        return True

    def _list_of_kin(self, part: str) -> bool:
        """「長男が宗太郎」「姉をお琴、弟を宗一という」, of the couple last told of."""
        found = _LISTED.findall(part)
        if not found or not part.startswith(found[0][0]) or not self.family.couple[0]:
            return False
        self.family.children(f"{role}の{name}" for role, name in found)
        return True

    def _possessed(self, part: str) -> bool:
        """A topic that is someone's kin or grave: 「宗の室は…美代である」「墓所は光雲寺と定められた」."""
        match = _TOPIC.match(part)
        parts = PARTS.findall(match[2]) if match else []
        if not match or not parts or parts[-1] not in ROLES | GRAVES | REMAINS:
            return False
        if match[3] == "が" and _MODIFIES.match(match[4]):
            return False
        family, last = self.family, parts[-1]
        owner = family.latest if match[1] else family.owner(parts[:-1])
        if not owner:
            return True
        self.family.subject = owner if len(parts) > 1 else self.family.subject
        if last in GRAVES:
            family.add(owner, last, self._place(_value(match[4]), owner))
        elif last in REMAINS:
            self._buried(owner, match[4])
        else:
            self._kin_is(owner, last, match[4])
        return True

    def _kin_is(self, owner: str, role: str, rest: str) -> None:
        """The name of someone's kin, or of an unnamed one whose own parent is told first (母は宗円の娘で、名を…)."""
        family, value = self.family, _value(rest)
        parts = PARTS.findall(value)
        if not parts or not re.search(_END, rest):
            return
        if parts[-1] in ROLES and len(parts) > 1:
            family.pending = (owner, role, (family.owner(parts[:-1]), parts[-1]))
            return
        name = family.person(value)
        if name and name not in GRAVES:
            family.place_kin(owner, role, name)
            family.latest = self.named = name

    def _about(self, subject: str, rest: str, part: str) -> None:
        """What the verbs of a part say of whom the prose is about."""
        family = self.family
        if (named := _NAMED.search(part)) and family.pending:
            owner, role, (parent, own) = family.pending
            name, family.pending = named[1].strip("⟨⟩"), None
            family.place_kin(owner, role, name)
            family.place_kin(parent, own, name)
            family.latest = name
            return
        if not subject:
            return
        for reads in _VERBS:
            reads(self, subject, rest)
        self._buried(subject, part)

    def _marries(self, subject: str, rest: str) -> None:
        family = self.family
        if match := re.search(rf"({_PHRASE})[にへ](?:\{{嫁[ぐすし]|\{{嫁する|⟨輿入れ⟩|⟨嫁入り⟩)", rest):
            family.add(subject, "夫", family.person(match[1]))
        elif match := re.search(rf"^{_any(WIVES | HUSBANDS)}(?:に|として)\{{迎える\}}た.?の?は、?(.*)$", rest):
            family.spouse_of(subject, family.person(_value(match[1])))
        elif match := re.search(rf"({_PHRASE})を({_any(WIVES | HUSBANDS)})(?:に|として|と)", rest):
            family.add(subject, match[2].strip("⟨⟩"), family.person(match[1]))
        elif match := re.search(rf"({_PHRASE})を\{{(?:娶る|めとる)\}}", rest):
            family.add(subject, "妻", family.person(match[1]))
        elif match := re.search(rf"({_PHRASE})と(?:\{{結ぶ\}}れ|⟨結婚⟩|\{{連れ添う\}}|⟨夫婦⟩に|⟨祝言⟩|⟨所帯⟩)", rest):
            family.spouse_of(subject, family.person(match[1]))

    def _is_kin(self, subject: str, rest: str) -> None:
        """「Yの娘である」「Yの妻となり」「YとZの子である」 of whom the prose is about."""
        family = self.family
        became = re.search(rf"({CHAIN})[とに]\{{(?:なる|生まれる)\}}", rest)
        value = became[1] if became else (_listed(_value(rest)) or [""])[-1]
        parts = PARTS.findall(value)
        if len(parts) < 2 or parts[-1] not in ROLES or not (became or re.search(rf"{_any(ROLES)}{_END}", rest)):
            return
        owner = family.owner(parts[:-1])
        other = re.search(rf"({_LAZY})と{re.escape(value)}", rest)
        if other and parts[-1] in CHILDREN:
            family.pair(family.person(other[1]), owner)
            family.children([f"{NOUN[0]}{subject}⟩"], parts[-1])
        elif owner:
            family.place_kin(owner, parts[-1], subject)

    def _bears(self, subject: str, rest: str) -> None:
        family = self.family
        match = re.search(rf"((?:{CHAIN}[、と])*{CHAIN})を\{{(?:産む|生む|もうける|儲ける|授かる|なす)\}}", rest)
        if not match:
            named = re.search(rf"({NOUN})と\{{(?:名づける|名付ける|名づく)\}}", rest)
            if named and subject in family.couple:
                family.children([named[1]])
            return
        spouse = next((t for h, r, t in family.told if h == subject and r in WIVES | HUSBANDS | {"配偶者"}), "")
        spouse = spouse or next((h for h, r, t in family.told if t == subject and r in WIVES | HUSBANDS), "")
        if spouse:
            family.pair(subject, spouse)
            family.children(_listed(match[1]))
            return
        for phrase in _listed(match[1]):
            parts = PARTS.findall(phrase)
            if parts and parts[-1] not in ROLES and family.is_person(parts[-1]):
                family.place_kin(subject, parts[-2] if len(parts) > 1 and parts[-2] in CHILDREN else "子", parts[-1])

    def _has_child(self, subject: str, rest: str) -> None:
        """「Xには、Yという一人娘しかなかった」."""
        if match := re.search(rf"({NOUN})と\{{いう\}}({_any(CHILDREN | ELDER | YOUNGER)})(?:しか|が|も)", rest):
            self.family.place_kin(subject, match[2].strip("⟨⟩"), match[1].strip("⟨⟩"))

    def _renamed(self, subject: str, rest: str) -> None:
        """号 and short names, which later sentences use: 「覚心と号し」「略して宗さんと呼んだ」."""
        match = re.search(rf"({NOUN})と(?:\{{(?:号する|称する|名のる|名乗る|改める)\}}|⟨改名⟩)", rest)
        match = match or re.search(rf"(?:{{略す}}て|{{縮める}}て|{{つづめる}}て)({NOUN})と", rest)
        if match:
            short = re.sub("(?:さん|さま|様|どの|殿|ちゃん|公)$", "", match[1].strip("⟨⟩"))
            if short and short != subject:
                self.family.alias[short] = subject
                self.family.told.append((subject, "別名", short))

    def _buried(self, owner: str, rest: str) -> None:
        match = re.search(rf"({CHAIN})に(?:\{{(?:葬る|埋める|眠る|葬むる)\}}|⟨(?:埋葬|葬送|納骨)⟩)", rest)
        if match:
            about = _TOPIC.match(rest)
            who = self.family.person(about[2]) if about and about[3] in {"は", "も"} else ""
            self.family.add(who or owner, "墓所", self._place(rest[: match.end(1)], who or owner))

    def _place(self, value: str, owner: str) -> str:
        """The last noun of the value; 「父と同じ寺」「同じ寺」「そこ」 is one told before."""
        parts = PARTS.findall(value)
        if not parts:
            return ""
        family, last = self.family, parts[-1]
        same = re.search(rf"({NOUN})と(?:同じ|おなじ){NOUN}$", value)
        if last in {"寺", "そこ", "同寺", "お寺", "墓", "墓地"}:
            kin = family.person(same[1]) if same else ""
            if same and not kin:
                role = same[1].strip("⟨⟩")
                kin = next((t for h, r, t in family.told if h == owner and r == role), "")
            found = [t for h, r, t in family.told if h == kin and r in GRAVES]
            last = found[-1] if found else ("" if same else family.place)
        family.place = last or family.place
        return str(last)


_VERBS: Sequence[Callable[[Lineage, str, str], None]] = (
    Lineage._marries, Lineage._is_kin, Lineage._bears, Lineage._has_child, Lineage._renamed,
)  # fmt: skip


def _value(rest: str) -> str:
    """The noun phrase that a part ends with, without what modifies it: 「町長をつとめた堀江正膳の娘の美代である」."""
    body = re.sub(
        r"(?:と\{(?:いう|伝わる|定める|する|伝える|決める|呼ぶ|申す|聞く)\}|に\{(?:ある|営む|設ける)\})[^⟨⟩]*$",
        "",
        rest,
    )
    match = re.search(
        rf"((?:{CHAIN}[、と])*{CHAIN})(?:の⟨(?:二人|三人|四人|五人)⟩)?(?:である|であった|だった|だ|です|で|に)?[、。]?$",
        body,
    )
    return str(match[1]) if match else ""


def _listed(value: str) -> list[str]:
    return [match[0] for match in re.finditer(CHAIN, value)]


def _born(rest: str) -> list[str]:
    """The phrases of those who were born: 「に生まれたのが忠明である」「には、長女の雪、次女の花があった」."""
    if match := re.search(r"\{(?:生まれる|できる|授かる|もうける)\}た(?:の|⟨子⟩)[がは]、?(.*)$", rest):
        value = _value(match[1])
        return _listed(value)
    body = re.sub("^(?:に|には|にも|から)、?", "", rest)
    match = re.search(
        rf"((?:{CHAIN}[、と])*{CHAIN})[がを]\{{(?:生まれる|ある|いる|できる|もうける|儲ける|授かる|なす|産む)\}}", body
    )
    return _listed(match[1]) if match else []


Fact = tuple[str, str, str]


def lineage_of(text: Sequence[str], before: str, known: frozenset[str]) -> tuple[list[list[Fact]], list[Fact]]:
    """What each sentence of a text tells of kin and graves, and the siblings that follow from all of it.

    `before`: the text before it, for whom it goes on about; what follows from that alone is left out.
    """
    reader = Lineage(known)
    start = max(0, len(before) - BEFORE)
    for first, last in sentences(before[start:]):
        reader.read(before[start:][first:last].strip())
    earlier = set(reader.family.siblings())
    told = [reader.read(sentence) for sentence in text]
    return told, [fact for fact in dict.fromkeys(reader.family.siblings()) if fact not in earlier]
