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
from rag1.llm.rules.lineage_patterns import (
    BLESSED,
    CLEFT,
    COUPLE,
    END,
    HAD,
    HIS,
    LAZY,
    LISTED,
    MARRIED_TO,
    MODIFIES,
    NAMED,
    PHRASE,
    RELEVANT,
    SPLIT,
    TAKEN,
    THEIR,
    THEM,
    TIME,
    TOLD_OF,
    TOPIC,
    WITH,
    YOUNGEST,
    any_of,
)
from rag1.llm.rules.lineage_phrases import born, last_phrase, listed
from rag1.llm.rules.lineage_state import SELF, Family
from rag1.text.sentences import sentences

BEFORE = 3000
"""Characters before a text that are read for whom it goes on about."""


class Lineage:
    """Reads sentences in order; `read` gives what each one tells, as (head, relation, tail)."""

    def __init__(self, known: frozenset[str] = frozenset()) -> None:
        self.family = Family(known)
        self.named = ""

    def read(self, sentence: str) -> list[tuple[str, str, str]]:
        if not RELEVANT.search(sentence):
            self._topic_only(sentence)
            return []
        before, self.named = len(self.family.told), ""
        self.family.awaiting = max(0, self.family.awaiting - 1)
        said = ""
        for part in SPLIT.split(marked(sentence).rstrip("。")):
            part, said = self._his(part, said), said + part
            self._part(part)
            self.family.place = next(iter(re.findall("⟨([^⟩]+[寺院庵])⟩", part)[::-1]), self.family.place)
        return self.family.told[before:]

    def _his(self, part: str, said: str) -> str:
        """その before kin or a grave, as whose it is: the person named last; a child is the couple's."""
        match = HIS.search(part)
        if not match:
            return part
        names = [name for name in PARTS.findall(said + part[: match.start()]) if self.family.is_person(name)]
        name = self.family.full(names[-1]) if names else self.family.latest
        child = PARTS.findall(part[match.end() :])[0] in CHILDREN and all(self.family.couple)
        whose = "二人" if child and name in self.family.couple else name
        return f"{part[: match.start()]}⟨{whose}⟩の{part[match.end() :]}" if whose else part

    def _topic_only(self, sentence: str) -> None:
        if (match := TOPIC.match(marked(sentence))) and match[3] == "は":
            self._subject(match[2])

    def _subject(self, phrase: str) -> None:
        last = PARTS.findall(phrase)[-1]
        parts = PARTS.findall(phrase)
        named = last in SELF or self.family.is_person(last) or (len(parts) > 1 and parts[-2] in ROLES)
        if last not in ROLES | GRAVES | REMAINS and named:
            self.family.subject = self.family.latest = self.family.person(phrase)
        elif not TIME.search(last):
            self.family.subject = ""

    def _part(self, part: str) -> None:
        for reads in (self._couples, self._their_children, self._list_of_kin, self._possessed):
            if reads(part):
                return
        if match := MARRIED_TO.match(part):
            self._subject(match[1])
            self.family.add(self.family.subject, "夫", self.family.person(last_phrase(match[2])))
            return
        if not TOPIC.match(part) and (match := TOLD_OF.match(part)):
            part = f"{match[1]}{match[2]}、{match[3]}"
        if match := TOPIC.match(part):
            before = self.family.subject
            if match[3] == "が":
                self._cleft(part)
            if match[3] in {"は", "には", "も"}:
                self._subject(match[2])
            self._about(self.family.subject, match[4], part)
            if not self.family.subject:
                self.family.subject = before
                self._renamed(before, match[4])
        else:
            self._cleft(part)
            self._about(self.named or self.family.subject, part, part)

    def _cleft(self, part: str) -> None:
        """「最初に名が残るのは吾平で」「吾平が亡くなったのは…で」 go on about him."""
        match = CLEFT.search(part)
        for phrase in (match[1], last_phrase(match[2])) if match else ():
            last = PARTS.findall(phrase or "")[-1:]
            if last and last[0] not in ROLES | GRAVES and self.family.is_person(last[0]):
                self.family.subject = self.family.latest = self.family.full(last[0])

    def _couples(self, part: str) -> bool:
        """「XとYのあいだに…」「XはYとのあいだに…」「二人の間に…」「XとYは一男一女に恵まれた」."""
        family = self.family
        if match := THEM.match(part):
            rest = match[1]
        elif match := COUPLE.match(part):
            family.pair(family.person(match[1]), family.person(match[2]))
            rest = match[3]
        elif match := WITH.match(part):
            if match[1]:
                self._subject(match[1])
            family.pair(family.subject, family.person(match[2]))
            rest = match[3]
        elif match := BLESSED.match(part):
            family.pair(family.person(match[1]), family.person(match[2]))
            family.subject, family.awaiting = family.couple[0], 3
            return True
        elif (match := HAD.match(part)) and (parent := family.person(match[1] or match[2])):
            family.subject, family.couple, family.awaiting = parent, family.couple_of(parent), 3
            return True
        else:
            return False
        family.subject = family.couple[0] or family.couple[1] or family.subject
        family.children(born(rest))
        return True

    def _their_children(self, part: str) -> bool:
        """「XとYの娘は小夜という」「XとYの子は、上からA、Bの二人であった」."""
        match = THEIR.match(part)
        if not match:
            return False
        self.family.pair(self.family.person(match[1]), self.family.person(match[2]))
        self.family.children(listed(last_phrase(match[4])), match[3].strip("⟨⟩"))
        return True

    def _list_of_kin(self, part: str) -> bool:
        """「長男が宗太郎」「姉をお琴、弟を宗一という」, of the couple last told of."""
        if youngest := YOUNGEST.match(part):
            self.family.children([f"{youngest[2]}の{youngest[1]}"])
            return True
        found = LISTED.findall(part)
        if not found or not part.startswith(found[0][0]):
            return False
        if not any(self.family.couple):
            self.family.couple = self.family.couple_of(self.family.subject)
        self.family.children(f"{role}の{name}" for role, name in found)
        return True

    def _possessed(self, part: str) -> bool:
        """A topic that is someone's kin or grave: 「宗の室は…美代である」「墓所は光雲寺と定められた」."""
        match = TOPIC.match(part)
        parts = PARTS.findall(match[2]) if match else []
        if not match or not parts or parts[-1] not in ROLES | GRAVES | REMAINS:
            return False
        if match[3] == "が" and MODIFIES.match(match[4]):
            return False
        family, last = self.family, parts[-1]
        owner = family.latest if match[1] else family.owner(parts[:-1])
        if not owner:
            return True
        self.family.subject = owner if len(parts) > 1 else self.family.subject
        if last in GRAVES:
            family.add(owner, last, self._place(last_phrase(match[4]), owner))
        elif last in REMAINS:
            self._buried(owner, match[4])
        else:
            self._kin_is(owner, last, match[4])
        return True

    def _kin_is(self, owner: str, role: str, rest: str) -> None:
        """The name of someone's kin, or of an unnamed one whose own parent is told first (母は宗円の娘で、名を…)."""
        family, ending = self.family, last_phrase(rest)
        parts = PARTS.findall(ending)
        if not parts or not re.search(END, rest):
            return
        if parts[-1] in ROLES and len(parts) > 1:
            family.pending = (owner, role, (family.owner(parts[:-1]), parts[-1]))
            return
        name = family.person(ending)
        if name and name not in GRAVES:
            family.place_kin(owner, role, name)
            family.latest = self.named = name

    def _about(self, subject: str, rest: str, part: str) -> None:
        """What the verbs of a part say of whom the prose is about."""
        family = self.family
        if (named := NAMED.search(part)) and family.pending:
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
        if match := re.search(rf"({PHRASE})[にへ](?:\{{嫁[ぐすし]|\{{嫁する|⟨輿入れ⟩|⟨嫁入り⟩|⟨嫁⟩に\{{)", rest):
            family.add(subject, "夫", family.person(match[1]))
        elif match := re.search(rf"^{any_of(WIVES | HUSBANDS)}(?:に|として)\{{迎える\}}た.?の?は、?(.*)$", rest):
            family.spouse_of(subject, family.person(last_phrase(match[1])))
        elif match := re.search(rf"({PHRASE})を({any_of(WIVES | HUSBANDS)})(?:に|として|と)", rest):
            family.add(subject, match[2].strip("⟨⟩"), family.person(match[1]))
        elif match := re.search(rf"({PHRASE})を\{{(?:娶る|めとる)\}}", rest) or TAKEN.search(rest):
            family.add(subject, "妻", family.person(match[1]))
        elif match := re.search(
            rf"({PHRASE})と(?:\{{結ぶ\}}れ|⟨結婚⟩|\{{連れ添う\}}|⟨夫婦⟩に|⟨祝言⟩|⟨所帯⟩|⟨一緒⟩に\{{なる\}})", rest
        ):
            family.spouse_of(subject, family.person(match[1]))

    def _is_kin(self, subject: str, rest: str) -> None:
        """「Yの娘である」「Yの妻となり」「YとZの子である」 of whom the prose is about."""
        family = self.family
        became = re.search(rf"({CHAIN})[とに]\{{(?:なる|生まれる)\}}", rest)
        owned = became[1] if became else (listed(last_phrase(rest)) or [""])[-1]
        parts = PARTS.findall(owned)
        if len(parts) < 2 or parts[-1] not in ROLES or not (became or re.search(rf"{any_of(ROLES)}{END}", rest)):
            return
        owner = family.owner(parts[:-1])
        other = re.search(rf"({LAZY})と{re.escape(owned)}", rest)
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
            family.children(listed(match[1]))
            return
        for phrase in listed(match[1]):
            parts = PARTS.findall(phrase)
            if parts and parts[-1] not in ROLES and family.is_person(parts[-1]):
                family.place_kin(subject, parts[-2] if len(parts) > 1 and parts[-2] in CHILDREN else "子", parts[-1])

    def _has_child(self, subject: str, rest: str) -> None:
        """「Xには、Yという一人娘しかなかった」."""
        if match := re.search(rf"({NOUN})と\{{いう\}}({any_of(CHILDREN | ELDER | YOUNGER)})(?:しか|が|も)", rest):
            self.family.place_kin(subject, match[2].strip("⟨⟩"), match[1].strip("⟨⟩"))

    def _renamed(self, subject: str, rest: str) -> None:
        """号 and short names, which later sentences use: 「覚心と号し」「略して宗さんと呼んだ」."""
        match = re.search(rf"({NOUN})と(?:\{{(?:号する|称する|名のる|名乗る|改める)\}}|⟨改名⟩)", rest)
        match = match or re.search(rf"⟨名⟩を({NOUN})[とに]\{{(?:改める|変える|替える)\}}", rest)
        match = match or re.search(rf"(?:{{略す}}て|{{縮める}}て|{{つづめる}}て)({NOUN})と", rest)
        if match:
            short = re.sub("(?:さん|さま|様|どの|殿|ちゃん|公)$", "", match[1].strip("⟨⟩"))
            if short and short != subject:
                self.family.alias[short] = subject
                self.family.told.append((subject, "別名", short))

    def _buried(self, owner: str, rest: str) -> None:
        match = re.search(rf"({CHAIN})に(?:\{{(?:葬る|埋める|眠る|葬むる|納める)\}}|⟨(?:埋葬|葬送|納骨)⟩)", rest)
        if match:
            about = TOPIC.match(rest)
            timed = about and TIME.search(PARTS.findall(about[2])[-1])
            who = self.family.person(about[2]) if about and not timed and about[3] in {"は", "も"} else ""
            self.family.add(who or owner, "墓所", self._place(rest[: match.end(1)], who or owner))

    def _place(self, value: str, owner: str) -> str:
        """The last noun of the value; 「父と同じ寺」「同じ寺」「そこ」 is one told before."""
        parts = PARTS.findall(value)
        if not parts:
            return ""
        family, last = self.family, parts[-1]
        same = re.search(rf"({NOUN})と(?:同じ|おなじ){NOUN}$", value)
        if last in {"寺", "そこ", "ところ", "所", "場所", "地", "同寺", "お寺", "墓", "墓地"}:
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
