"""Which names of one document mean one entity, by spelling: variants, readings, names cut short, renamings.

Each rule proposes pairs; `rag1.graph.resolve` joins them unless something speaks against it. A rule keeps silent
where two entities could be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from rag1.graph.extract import VALUE_TYPES
from rag1.graph.merge import By
from rag1.graph.model import Triple
from rag1.llm.rules.kinship import KIN
from rag1.llm.rules.words import noun_phrases, words, wordset
from rag1.text.normalize import normalize
from rag1.text.sentences import sentences
from rag1.text.tokenize import morphemes
from rag1.types import Document

ALIAS_RELATIONS = wordset(
    "別名 改名 通称 旧名 幼名 本名 異名 雅号 俗称 略称 またの名 名のる 名乗る 称する ALIAS ALSO_KNOWN_AS alias"
)
LEAST_READING = 3
"""Kana from which equal readings are a sign: shorter ones have too many homophones."""

LEAST_KANA = 4
"""Kana over which a reading is looked for as it is, in a text where kana words run into each other."""

LONGEST_NAME = 24
NO_NAMES = wordset(
    "名 姓 氏 号 名前 氏名 本名 屋号 人 者 男 女 方 子 物 事 所 もの こと ひと これ それ あれ 彼 彼女 私 わたし 自分"
)
_HONORIFIC = re.compile(r"(?:さん|さま|様|くん|君|ちゃん|氏|殿|どの|先生|和尚|翁|嬢|博士|巡査|船長|医師)$")
_KANJI = re.compile(r"[一-鿿々〆ヶ]")
_KANA = re.compile(r"[ぁ-ゖァ-ヺー・]+")
_RENAMED = re.compile(
    r"(?:、|は|「|^)(?:のちに|ただ|名を)*「?(?P<to>[^、。「」は]{1,12}?)」?と(?:名のっ|名乗っ|称し|号し|改め|改名し|呼ばれ|名を改め)"
)
_VU = (("ゔぁ", "ば"), ("ゔぃ", "び"), ("ゔぇ", "べ"), ("ゔぉ", "ぼ"), ("ゔ", "ぶ"))
_PARTS = re.compile(r"[・＝=\s]+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """`a` and `b` may be one. `short`: the one that cannot be the canonical name ("" where either can)."""

    a: str
    b: str
    by: By
    why: str
    short: str = ""
    score: float = 1.0


@dataclass(frozen=True)
class Names:
    """The names of one document: what the rules look at. `readings`: name or part of one → its ruby readings."""

    document: Document
    triples: Sequence[Triple]
    readings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    extra: Sequence[str] = ()

    @cached_property
    def types(self) -> dict[str, set[str]]:
        """Each name's types; clauses and values are no names."""
        found: dict[str, set[str]] = {}
        for t in self.triples:
            for name, kind in ((t.head, t.head_type), (t.tail, t.tail_type)):
                known = kind != "Event" and kind not in VALUE_TYPES and name not in NO_NAMES
                if known and len(name) <= LONGEST_NAME:
                    found.setdefault(name, set()).update({kind} if kind else ())
        for name in (*self.extra, *self._given(found), *self._spellings(found)):
            found.setdefault(name, set())
        return found

    def _spellings(self, found: Mapping[str, set[str]]) -> Iterator[str]:
        """Nouns of the text that no triple has, but that read as a name does: other spellings of it."""
        sounds = {sound for name in found if len(sound := self.reading(name)) > LEAST_READING}
        text = self.document.text
        yield from (sound for sound in sorted(sounds) if len(sound) > LEAST_KANA and sound in text)
        for noun in dict.fromkeys(phrase.text for phrase in noun_phrases(words(text), text)) if sounds else ():
            if 2 <= len(noun) <= LONGEST_NAME and noun not in found and self.reading(noun) in sounds:
                yield noun

    def _given(self, found: Mapping[str, set[str]]) -> Iterator[str]:
        """Given names that the text also uses alone: known parts of full names that no triple has by themselves."""
        for name, kinds in found.items():
            last = morphemes(name)[-1] if "Person" in kinds and len(name) > 2 else None
            ends = {base for base in self.readings if name.endswith(base)} | ({last.surface} if last else set())
            for given in ends if last else ():
                alone = self.document.text.count(given) > self.document.text.count(name)
                if 2 <= len(given) < len(name) and alone and not _is_common(given):
                    yield given

    @cached_property
    def kin(self) -> frozenset[str]:
        """Names that have or are someone's kin."""
        return frozenset(name for t in self.triples if t.relation in KIN for name in (t.head, t.tail))

    @cached_property
    def all(self) -> list[str]:
        return list(self.types)

    def is_person(self, name: str) -> bool:
        return "Person" in self.types.get(name, ())

    @cached_property
    def counts(self) -> dict[str, int]:
        return {name: self.document.text.count(name) for name in self.all}

    @cached_property
    def full_names(self) -> dict[str, tuple[str, ...]]:
        """For each name the longer ones that begin or end with it."""
        longer = sorted(self.all, key=len)
        return {
            name: tuple(o for o in longer if len(o) > len(name) and (o.endswith(name) or o.startswith(name)))
            for name in self.all
        }

    def reading(self, name: str) -> str:
        """In hiragana: rubies of the document first, Sudachi's reading for the rest."""
        rest, parts = name, []
        while rest:
            base = next((b for b in self._bases if rest.startswith(b)), "")
            if base:
                parts.append(self.readings[base][0])
                rest = rest[len(base) :]
                continue
            stop = min((rest.find(b) for b in self._bases if b in rest), default=len(rest))
            parts.append("".join(m.reading if _KANJI.search(m.surface) else m.surface for m in morphemes(rest[:stop])))
            rest = rest[stop:]
        return normalize("".join(parts)).replace("ー", "")

    @cached_property
    def _bases(self) -> list[str]:
        return sorted((base for base, found in self.readings.items() if len(set(found)) == 1), key=len, reverse=True)


def proposals(names: Names) -> Iterator[Proposal]:
    """Those of all rules, surest first."""
    yield from stated(names)
    yield from variants(names)
    yield from readings(names)
    yield from parts(names)
    yield from cut_short(names)


def variants(names: Names) -> Iterator[Proposal]:
    """つゆくさ and ツユクサ, 邊 and 辺; おふじさん and おふじ."""
    keys: dict[str, list[str]] = {}
    for name in names.all:
        keys.setdefault(_loan(normalize(name)), []).append(name)
    for group in keys.values():
        for a, b in combinations(group, 2):
            yield Proposal(a, b, "variant", "the same but for its spelling")
    for name in names.all:
        base = _HONORIFIC.sub("", name)
        if base != name and len(base) >= 2 and base in names.types:
            yield Proposal(name, base, "variant", f"{name.removeprefix(base)} is a title", short=name)


def _loan(key: str) -> str:
    """One spelling of a loan word: ゔぁいおりん and ばいおりん, こんぴゅーたー and こんぴゅーた."""
    for sound, plain in _VU:
        key = key.replace(sound, plain)
    return key.rstrip("ー") if len(key) > LEAST_READING else key


def readings(names: Names) -> Iterator[Proposal]:
    """A name written in kana, or partly so, and one in kanji: 露草飴, つゆ草飴, つゆくさあめ."""
    sounds: dict[str, list[str]] = {}
    rubies = [found[0] for found in names.readings.values()]
    for name in names.all:
        sound = names.reading(name)
        # A short reading counts where the text itself gives it, to one word only.
        told = len(sound) > 1 and rubies.count(sound) == 1
        if (len(sound) >= LEAST_READING or told) and _KANA.fullmatch(sound):
            sounds.setdefault(sound, []).append(name)
    for sound, group in sounds.items():
        spelt = {name: frozenset(_KANJI.findall(name)) for name in group}
        most = max(spelt.values(), key=len)
        if all(kanji <= most for kanji in spelt.values()):
            for a, b in combinations(group, 2):
                if spelt[a] != spelt[b]:
                    yield Proposal(a, b, "reading", f"both are read {sound}")


def parts(names: Names) -> Iterator[Proposal]:
    """A given name or a family name alone, where one full name only has it: 景治 and 鵜飼谷景治."""
    for name in names.all:
        if len(name) < 2:
            continue
        full = [o for o in names.full_names[name] if _is_full(names, name, o)]
        if len(full) == 1:
            yield Proposal(name, full[0], "short", f"only {full[0]} has this name", short=name)


def _is_full(names: Names, name: str, full: str) -> bool:
    if name in _PARTS.split(full) and len(_PARTS.split(full)) > 1:
        return True
    given = full.endswith(name)
    rest = full.removesuffix(name) if given else full.removeprefix(name)
    if not rest or _HONORIFIC.fullmatch(rest) or not (names.is_person(full) or names.is_person(name)):
        return False
    if not given:
        return names.is_person(name) and names.is_person(full) and _is_surname(name) and _is_given(rest)
    if "の" in rest or (not _KANJI.match(name[0]) and not names.is_person(name)):
        return False
    return _is_family(names, rest, full) or (name in names.readings and names.is_person(name) and not _is_common(rest))


def _is_family(names: Names, rest: str, full: str) -> bool:
    """鵜飼谷 before 景治: a surname by the dictionary, a shop's name, a house, or shared by another full name."""
    if _is_surname(rest) or rest.endswith("屋") or f"{rest}家" in names.document.text:
        return True
    if names.is_person(full) and (_surname_in(full) == rest or all(m.is_proper_noun for m in morphemes(rest))):
        return True  # surnames are often names of places
    shared = [o for o in names.all if o != full and o.startswith(rest) and len(o) - len(rest) >= 2]
    return bool(shared) and not _is_common(rest) and names.is_person(full)


def _is_surname(text: str) -> bool:
    return all(m.pos[:4] == ("名詞", "固有名詞", "人名", "姓") for m in morphemes(text))


def _surname_in(full: str) -> str:
    """The surname that the dictionary sees in a full name: 高瀬 in 高瀬宗玄, though 高瀬 alone is a common word."""
    found = morphemes(full)
    return found[0].surface if found[0].pos[3:4] == ("姓",) else ""


def _is_given(text: str) -> bool:
    return len(text) >= 2 and not _is_common(text)


def _is_common(text: str) -> bool:
    """Made of common words only: 和尚, 隊長, 町."""
    return all(m.pos[:2] != ("名詞", "固有名詞") and m.pos[0] != "記号" for m in morphemes(text))


def cut_short(names: Names) -> Iterator[Proposal]:
    """One who has kin, called by one character (綱) that ends or begins one other person's name only (時綱)."""
    for name in names.all:
        if len(name) != 1 or name not in names.kin or not names.is_person(name) or not _KANJI.match(name):
            continue
        longer = [o for o in names.full_names[name] if names.is_person(o) and _may_be_a_name(o)]
        least = [o for o in longer if not any(o != p and (o.endswith(p) or o.startswith(p)) for p in longer)]
        if len(least) == 1:
            yield Proposal(name, least[0], "short", f"a person, and {least[0]} alone has this character", short=name)


def proper(text: str) -> bool:
    """A name and no description: not 白砂駅の駅長, not 老婦人."""
    return "の" not in text and not _is_common(text)


def _may_be_a_name(text: str) -> bool:
    """False for a common word (老人) and a count of persons (七人)."""
    found = morphemes(text)
    return (len(found) > 1 or not _is_common(text)) and not any(m.pos[1] == "数詞" for m in found)


def stated(names: Names) -> Iterator[Proposal]:
    """The text says so: 「時綱は…、綱と名のった」, or a triple 別名."""
    for t in names.triples:
        named = t.relation in ALIAS_RELATIONS and names.is_person(t.head) and names.is_person(t.tail)
        if named and not _names_a_family(names, t.head, t.tail):
            yield Proposal(t.tail, t.head, "statement", t.evidence[:60], short=_cut(t.tail, t.head))
    text = names.document.text
    by_length = sorted(names.all, key=len, reverse=True)
    for start, end in sentences(text):
        sentence = text[start:end].strip()
        renamed = _RENAMED.search(sentence)
        if not renamed or renamed["to"] not in names.types:
            continue
        who = next((n for n in by_length if sentence.startswith(f"{n}は")), "")
        if who and who != renamed["to"] and not _names_a_family(names, who, renamed["to"]):
            to = renamed["to"]
            yield Proposal(to, who, "statement", sentence[:60], short=_cut(to, who))


def _cut(to: str, who: str) -> str:
    """The new name cannot be the canonical one where it is a part of the old."""
    return to if to in who else ""


def _names_a_family(names: Names, who: str, to: str) -> bool:
    """He took a family's name: 「重臣は、鵜飼谷と名のった」."""
    if who.endswith(to):
        return False
    return f"{to}家" in names.document.text or any(
        o not in (who, to) and o.startswith(to) and len(o) > len(to) for o in names.all
    )
