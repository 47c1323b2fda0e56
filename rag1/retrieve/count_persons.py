"""Who is named in a document: each person once, under all the forms of the name that the text uses.

A form is taken for a person's where the text treats it as one: a family name with a given name, an honorific, a
naming phrase (…といい, …と名のる), a role or a kinship before it (惣代の…, 長女の…), a definition (…は…の娘である), or
a name of the dictionary that acts more than once. Animals, families and unnamed persons are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rag1.llm.rules.words import words
from rag1.retrieve.count_person_marks import (
    ACTS,
    ANIMAL,
    BEFORE_PERSON,
    CALLED,
    COUNTED,
    DEFINED,
    END,
    FOLDED,
    HEADED,
    HONORED,
    HOUSE_TAIL,
    HUMAN,
    KANA,
    KANJI,
    KIN_BEFORE,
    LAND_TAIL,
    MALE,
    NAMED_AS,
    NOBODY,
    NOT_NAMED,
    RENAMED_AS,
    STATED,
)
from rag1.retrieve.count_person_merge import Named, full_name, merged, places_of
from rag1.text.tokenize import morphemes

_LONG_RUN = re.compile(f"(?<!{KANJI}){KANJI}{{3,7}}(?!{KANJI})|(?<!{KANJI}){KANJI}{{1,4}}[^はがもにのをでァ-ヴ][ぁ-ん]")
_AROUND = 24
_MOST = 400


@lru_cache(maxsize=32)
def persons(text: str) -> Named:
    """Every person whom the text names, with the places, those of short forms and titles among them."""
    seen = _Seen(text)
    forms = [form for form in seen.candidates() if seen.sure(form)]
    forms = [form for form in forms if not _after_a_word(form, forms)]
    forms += [form for form in seen.kinsmen(forms) if form not in forms]
    return places_of(text, merged(text, forms))


class _Seen:
    """A text, and how it treats the forms that may be names."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.marks: Counter[str] = Counter()
        self.bare: Counter[str] = Counter()
        self.function: Counter[str] = Counter()
        self.defined = {match["n"] or match["m"] for match in DEFINED.finditer(text)}
        self.runs = list(self._runs())

    def candidates(self) -> list[str]:
        found = dict.fromkeys(self.runs)
        found.update(dict.fromkeys(run[0] for run in _LONG_RUN.finditer(self.text) if full_name(run[0])))
        found.update(dict.fromkeys(self.defined))
        for pattern in STATED:
            found.update(dict.fromkeys(match["n"] for match in pattern.finditer(self.text)))
        return [form for form in found if _shaped(form)]

    def _runs(self) -> Iterator[str]:
        """Names of the dictionary, alone and side by side: 大村, 益次郎, 大村益次郎."""
        run: list[str] = []
        end = -1
        for word in morphemes(self.text):
            named = word.is_proper_noun and word.pos[2] in ("人名", "地名")
            (self.marks if named else self.bare)[word.surface] += 1
            self.function[word.surface] += not word.is_noun or word.pos[2] == "副詞可能"
            if named and word.start == end:
                run.append(word.surface)
            else:
                yield from _of_run(run)
                run = [word.surface] if named else []
            end = word.end
        yield from _of_run(run)

    def around(self, form: str) -> Iterator[tuple[str, str]]:
        """What stands before and after the form, where it is no part of a longer word in kanji or kana."""
        kana = not re.search(KANJI, form)
        edge = "[^のとはがもやをにへで、。「」（　\n]$" if kana else f"{KANJI}$"
        at, left = self.text.find(form), _MOST
        while at >= 0 and left:
            end = at + len(form)
            before, after = self.text[max(0, at - _AROUND) : at], self.text[end : end + _AROUND]
            if END.match(after) and (not re.search(edge, before) or BEFORE_PERSON.search(before)):
                yield before, after
                left -= 1
            at = self.text.find(form, end)

    def sure(self, form: str) -> bool:
        """Does the text treat the form as a person's name?"""
        seen = list(self.around(form))
        if not seen or _animal(seen):
            return False
        if full_name(form):
            return True
        acts = sum(bool(ACTS.match(after)) for _, after in seen)
        honored = any(
            HONORED.match(after) or CALLED.match(after) for before, after in seen if not NOT_NAMED.search(before)
        )
        called = honored or (acts > 0 and any(_in_office(before) for before, _ in seen))
        if re.fullmatch("[ぁ-ん]+", form):
            return self._kana(form, seen)
        if len(form) == 1 or re.fullmatch(f"お{KANJI}{{1,2}}", form):
            return form in self.defined or (acts > 0 and self._of_kin(form, seen))
        if form in self.defined or (MALE.search(form) and acts > 0):
            return True
        if LAND_TAIL.search(form):
            return called and len(form) == 2 and words(form)[0].is_proper_noun
        if HOUSE_TAIL.search(form):
            return False
        if not self._name_like(form):
            named = any(RENAMED_AS.match(after) or CALLED.match(after) for _, after in seen)
            return not _common(form) and (named or (called and acts > 1 and len(form) < 5))
        return called or acts > 1 or (_family(form) and any(_does(after) for _, after in seen))

    def _of_kin(self, form: str, seen: Sequence[tuple[str, str]]) -> bool:
        """One character, or お and a few: named as such, or (no common word) after a word for kin."""
        if any(RENAMED_AS.match(after) for _, after in seen):
            return True
        plain = len(form) == 1 and not words(form)[0].is_proper_noun
        return not plain and any(KIN_BEFORE.search(b) or CALLED.match(a) for b, a in seen)

    def _kana(self, form: str, seen: Sequence[tuple[str, str]]) -> bool:
        if form[0] != "お" and self.function[form] * 2 > len(seen):
            return False
        if form.removeprefix("お") not in KANA:
            return any(NAMED_AS.match(a) and re.search("名(?:を|は、?)$", b) for b, a in seen) or (
                form[0] == "お" and len(form) > 2 and sum(bool(HONORED.match(a)) for _, a in seen) > 1
            )
        if any(KIN_BEFORE.search(before) and before[-1] in "の、は" for before, _ in seen):
            return True
        return form[0] == "お" and any(_in_office(b) or HONORED.match(a) or CALLED.match(a) for b, a in seen)

    def _name_like(self, form: str) -> bool:
        """A name by the dictionary, and in this text not mostly something else."""
        found = words(form)
        if not any(word.is_proper_noun and word.pos[2] == "人名" for word in found) or COUNTED.match(form):
            return False
        return self.bare[form] <= self.marks[form] and (len(found) == 1 or found[-1].is_proper_noun)

    def kinsmen(self, forms: Sequence[str]) -> list[str]:
        """Names that begin with a family name which two others share: 鵜飼谷重臣 beside 鵜飼谷時綱, 鵜飼谷景治."""
        heads = Counter(
            form[: -len(other)] for form in forms for other in forms if form.endswith(other) and form != other
        )
        found: list[str] = []
        for head in (h for h, n in heads.items() if n > 1 and len(h) > 1):
            found += re.findall(f"{head}(?!家|村|山|川){KANJI}{{1,3}}(?={END.pattern})", self.text)
        return list(dict.fromkeys(found))


def _of_run(run: Sequence[str]) -> Iterator[str]:
    yield from run
    if len(run) > 1:
        yield "".join(run)


def _shaped(form: str) -> bool:
    """Kanji, long katakana, kana, or お and one of them; no word that stands for anybody, no bare title."""
    if form in NOBODY or FOLDED.search(form) or HEADED.search(form):
        return False
    shape = f"お?{KANJI}{{1,7}}|{KANJI}{{1,4}}[ぁ-ん]{{2,3}}|お?[ぁ-ん]{{2,4}}|[ァ-ヴー]{{3,}}(?:[・＝][ァ-ヴー]+)*"
    return re.fullmatch(shape, form) is not None and (not re.search("[一-龥][ぁ-ん]+$", form) or full_name(form))


def _after_a_word(form: str, forms: Sequence[str]) -> bool:
    """突然仁右衛門: another name after a word for a time or a manner."""
    heads = (form[: -len(other)] for other in forms if other != form and form.endswith(other.removeprefix("お")))
    last = [words(head)[-1] for head in heads if head]
    return any(word.is_a("副詞") or word.pos[2] == "副詞可能" for word in last)


def _in_office(before: str) -> bool:
    """惣代の小室太一郎, 妻お乃登: a role right before the name."""
    role = re.sub("(?:の|、|である|は、)$", "", before)
    return not NOT_NAMED.search(before) and BEFORE_PERSON.search(role) is not None


def _does(after: str) -> bool:
    """Is it the subject of something that people do?"""
    told = re.match("(?:は|が|も)、?([^、。「」\n]*)", after)
    return bool(told and HUMAN.search(told[1]))


@lru_cache(maxsize=4096)
def _family(form: str) -> bool:
    found = words(form)
    return len(found) == 1 and found[0].pos[2:4] == ("人名", "姓") and len(form) > 1


@lru_cache(maxsize=4096)
def _common(form: str) -> bool:
    """A word of the dictionary, or words in a row."""
    found = words(form)
    return any(len(word.surface) > 1 and not word.is_proper_noun for word in found) or found[0].is_number


def _animal(seen: Sequence[tuple[str, str]]) -> bool:
    return any(
        re.match(f"」?という[^。、「」]{{0,12}}{ANIMAL}(?:が|は|も|で|を|の)", after)
        or re.search(f"{ANIMAL}の名前?は、?「?$", before)
        for before, after in seen
    )
