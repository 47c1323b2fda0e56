"""Forms of names → persons: a full name with its family name, its given name, its nickname and a new name taken."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from rag1.llm.rules.words import words
from rag1.retrieve.count_person_marks import COUNTED, END, HOUSE_TAIL, KANA, KANJI, LAND_TAIL, NOBODY, RENAMED
from rag1.types import Span

Named = Mapping[str, Sequence[Span]]
"""The places of each thing by its fullest name, in text order."""


@lru_cache(maxsize=4096)
def full_name(form: str) -> bool:
    """A family name and a given name, by the dictionary."""
    found = words(form)
    first = found[0]
    if first.surface in "東西南北":
        return False
    if len(form) < 3 or not first.is_proper_noun or first.pos[2] != "人名":
        return False
    if len(found) == 1:
        return first.pos[3] == "一般" and len(form) > 3 and re.fullmatch(f"{KANJI}+", form) is not None
    rest = form[len(first.surface) :]
    if first.pos[3] != "姓" or rest in KANA:
        return first.pos[3] == "姓" and len(first.surface) > 1 and not COUNTED.match(form)
    known = [word.pos[2] == "人名" for word in found[1:]]
    plain = all(name or len(word.surface) == 1 for name, word in zip(known, found[1:], strict=True))
    if LAND_TAIL.search(form) and not all(known):
        return False
    kanji = re.fullmatch(f"{KANJI}{{1,4}}", rest) is not None
    return kanji and not HOUSE_TAIL.search(form) and len(form) > 3 - known[0] and (plain or known[0])


def merged(text: str, forms: Sequence[str]) -> dict[str, str]:
    """Each form → the fullest form of the same name. A family name that several share is nobody's alone."""
    fulls = [f for f in forms if full_name(f) or (len(f) > 2 and any(_extends(f, other) for other in forms))]
    owner = {full: full for full in fulls}
    short = dict.fromkeys(forms)
    short.update(dict.fromkeys(part for full in fulls for part in _parts(full, fulls)))
    heads = {full[: -len(form)] for full in fulls for form in forms if len(form) > 1 and full.endswith(form)}
    heads = {head for head in heads if len(head) > 1}
    short.update(dict.fromkeys(full[len(h) :] for full in fulls for h in heads if full.startswith(h) and full != h))
    for form in (f for f in short if f not in owner and f not in NOBODY):
        mine = [full for full in fulls if full != form and (full.endswith(form) or _begins(full, form))]
        given = [full for full in mine if full.endswith(form)]
        if (form in forms and not mine) or len(mine) == 1 or given:
            owner[form] = (given or mine or [form])[0]
    for form in [f for f in owner if f.startswith("お") and owner.get(f[1:]) == f[1:]]:
        owner[form[1:]] = owner[form]
    _rename(text, owner)
    return owner


def _extends(full: str, part: str) -> bool:
    """志津屋宗七 over 宗七, 常磐正文 over 常磐."""
    return full != part and len(part) > 1 and len(full) > 3 and (full.endswith(part) or full.startswith(part))


def _parts(full: str, fulls: Sequence[str]) -> Iterator[str]:
    """The family and the given name; a family name alone where nobody else of the text has it."""
    family = words(full)[0].surface if full_name(full) and len(words(full)) > 1 else ""
    if family:
        yield full[len(family) :]
    if len(family) > 1 and sum(other.startswith(family) for other in fulls) == 1:
        yield family


def _begins(full: str, form: str) -> bool:
    """The family name, or a given name cut short (小次 for 市原小次郎)."""
    family = words(full)[0].surface
    return full.startswith(form) or (len(form) > 1 and full[len(family) :].startswith(form))


def _rename(text: str, owner: dict[str, str]) -> None:
    for match in RENAMED.finditer(text):
        old = next((form for form in sorted(owner, key=len, reverse=True) if match["old"].endswith(form)), "")
        if old and match["new"] != owner[old] and match["new"] in owner:
            owner[match["new"]] = owner[old]


def places_of(text: str, owner: Mapping[str, str]) -> Named:
    """The places of each person, a longer form before a shorter one."""
    if not owner:
        return {}
    pattern = re.compile("|".join(map(_bounded, sorted(owner, key=len, reverse=True))))
    found: dict[str, list[Span]] = {}
    for match in pattern.finditer(text):
        found.setdefault(owner[match.group()], []).append(match.span())
    return found


def _bounded(form: str) -> str:
    name = re.escape(form)
    if re.fullmatch("[ぁ-ん]+", form):
        return f"(?<![ぁ-んー])(?:){name}(?:{END.pattern})|(?<=[のとはがやも、]){name}(?:{END.pattern})".replace(
            f"(?:{END.pattern})", f"(?={END.pattern})"
        )
    if len(form) < 3:
        return f"(?<!{KANJI}){name}(?={END.pattern})|(?<=[妻女男長手主補役]){name}(?={END.pattern})"
    return f"{name}(?!{KANJI}*(?:寺|村|町|屋|座|駅|農場)(?!{KANJI}))"
