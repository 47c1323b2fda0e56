"""Which names of one document mean one entity, by spelling: variants, readings, names cut short, renamings.

Each rule proposes pairs; `rag1.graph.resolve` joins them unless something speaks against it. A rule keeps silent
where two entities could be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from rag1.graph.resolve_names import Names, Proposal
from rag1.graph.resolve_words import (
    HONORIFIC,
    KANA,
    KANJI,
    LEAST_READING,
    NAME_CHARS,
    is_common,
    is_surname,
    is_word,
    loan,
    may_be_a_name,
    proper,
    surname_in,
    two_words,
    whole_word,
)
from rag1.llm.rules.words import wordset
from rag1.text.normalize import normalize
from rag1.text.sentences import sentences
from rag1.text.tokenize import morphemes

ALIAS_RELATIONS = wordset(
    "別名 改名 通称 旧名 幼名 本名 異名 雅号 俗称 略称 またの名 名のる 名乗る 称する 号する 改める 改名する "
    "ALIAS ALSO_KNOWN_AS alias"
)
LEAST_KIN = 2
"""Kin that a name of one character must have to be a person's, and no thing that a rule took for one."""

_RENAMED = re.compile(
    r"(?:、|は|「|^)(?:のちに|ただ|名を)*「?(?P<to>[^、。「」は]{1,12}?)」?と(?:名のっ|名乗っ|称し|号し|改め|改名し|呼ばれ|名を改め)"
)
_PARTS = re.compile(r"[・＝=\s]+")


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
        keys.setdefault(loan(normalize(name)), []).append(name)
        if (word := whole_word(name)) and word.pos[0] != "代名詞":
            keys.setdefault(f"{word.normalized} ({word.pos[0]})", []).append(name)
    for group in keys.values():
        for a, b in combinations(group, 2):
            yield Proposal(a, b, "variant", "the same but for its spelling")
    for name in names.all:
        base = HONORIFIC.sub("", name)
        if base != name and len(base) >= 2 and base in names.types:
            yield Proposal(name, base, "variant", f"{name.removeprefix(base)} is a title", short=name)


def readings(names: Names) -> Iterator[Proposal]:
    """A name written in kana, or partly so, and one in kanji: 露草飴, つゆ草飴, つゆくさあめ."""
    sounds: dict[str, list[str]] = {}
    rubies = [found[0] for found in names.readings.values()]
    for name in names.all:
        sound = names.reading(name)
        # A short reading counts where the text itself gives it, to one word only.
        told = len(sound) > 1 and rubies.count(sound) == 1
        if (len(sound) >= LEAST_READING or told) and KANA.fullmatch(sound):
            sounds.setdefault(sound, []).append(name)
    for sound, group in sounds.items():
        spelt = {name: frozenset(KANJI.findall(name)) for name in group}
        most = max(spelt.values(), key=len)
        if all(kanji <= most for kanji in spelt.values()):
            for a, b in combinations(group, 2):
                if spelt[a] != spelt[b] and not two_words(a, b):
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
    if not rest or HONORIFIC.fullmatch(rest) or not (names.is_person(full) or names.is_person(name)):
        return False
    if is_word(name) and full not in names.readings and not names.is_read_as_a_name(name):
        return False  # 中将 in 片岡中将 is a rank
    if not given:
        return names.is_person(name) and names.is_person(full) and is_surname(name) and _is_given(rest)
    if not NAME_CHARS.fullmatch(rest) or (not KANJI.match(name[0]) and not names.is_person(name)):
        return False
    return _is_family(names, rest, full) or (name in names.readings and names.is_person(name) and not is_common(rest))


def _is_family(names: Names, rest: str, full: str) -> bool:
    """鵜飼谷 before 景治: a surname by the dictionary, a shop's name, a house, or shared by another full name."""
    if is_surname(rest) or rest.endswith("屋") or f"{rest}家" in names.document.text:
        return True
    if names.is_person(full) and (surname_in(full) == rest or all(m.is_proper_noun for m in morphemes(rest))):
        return True  # surnames are often names of places
    shared = [o for o in names.all if o != full and o.startswith(rest) and len(o) - len(rest) >= 2]
    return bool(shared) and not is_common(rest) and names.is_person(full)


def _is_given(text: str) -> bool:
    return len(text) >= 2 and not is_common(text)


def cut_short(names: Names) -> Iterator[Proposal]:
    """One who has kin, called by one character (綱) that ends or begins one other person's name only (時綱)."""
    for name in names.all:
        if len(name) != 1 or names.kin.get(name, 0) < LEAST_KIN or not KANJI.match(name):
            continue
        longer = [o for o in names.full_names[name] if names.is_person(o) and may_be_a_name(o)]
        least = [o for o in longer if not any(o != p and (o.endswith(p) or o.startswith(p)) for p in longer)]
        if len(least) == 1:
            yield Proposal(name, least[0], "short", f"a person, and {least[0]} alone has this character", short=name)


def stated(names: Names) -> Iterator[Proposal]:
    """The text says so: 「時綱は…、綱と名のった」, or a triple 別名."""
    for t in names.triples:
        named = t.relation in ALIAS_RELATIONS and names.is_person(t.head) and names.is_person(t.tail)
        named = named and (proper(t.head) or proper(t.tail))
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
