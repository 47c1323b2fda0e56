"""When two answers say the same: keys, lists, quantities, dates. Rules only; no model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rag1.text.normalize import normalize
from rag1.text.numbers import Quantity, numbers

_NOISE = re.compile(r"(?<![0-9])\.|\.(?![0-9])|[^\w.%+-]|_")
_COPULA = re.compile(r"(?:です|である|でした|であった)$")
_ABSTAINS = re.compile(
    r"(?:(?:[分判解]か?|わか)(?:りません|らない|らず)|知りません|不明|答え?られ(?:ません|ない)|回答(?:できません|不能|なし)"
    r"|(?:情報|記載|記述)(?:が|は)?(?:ありません|ない|なし|不足))(?:です)?"
)
_SAME_UNIT = (
    ("人", "名"),
    ("歳", "才"),
    ("年", "年間"),
    ("日", "日間"),
    ("時間", "時"),
    ("分", "分間"),
    ("秒", "秒間"),
    ("円", "圓"),
    ("銭", "錢"),
    ("回", "度", "遍"),
    ("ヶ月", "か月", "カ月", "ケ月", "箇月"),
    ("%", "％", "パーセント"),
    ("つ", "個"),
    ("匹", "頭"),
)
_UNIT = {unit: group[0] for group in _SAME_UNIT for unit in group}
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
_DATE = re.compile(
    r"(?:(明治|大正|昭和|平成|令和)(元|[0-9]{1,2})|([0-9]{3,4}))[年/.-](?:([0-9]{1,2})[月/.-](?:([0-9]{1,2})日?)?)?"
)

Date = tuple[int, int, int]
"""Year, month, day; 0 where the text does not say."""


@lru_cache(maxsize=65536)
def key(text: str) -> str:
    """`text` as answers are compared: normalised, without punctuation, brackets and a closing 「です」."""
    whole = normalize(text)
    bare = _NOISE.sub("", whole)
    return _COPULA.sub("", bare) or bare or whole


def abstains(text: str) -> bool:
    """True for 「分かりません」 and what says the same; an empty answer abstains too."""
    return not text.strip() or _ABSTAINS.fullmatch(key(text)) is not None


def items(text: str) -> tuple[str, ...]:
    """The keys of the items of a list joined with 、 (or commas outside numbers), each once, in order."""
    parts = re.split(r"[、\n;；]|(?<![0-9０-９])[,，]|[,，](?![0-9０-９])", text)
    return tuple(dict.fromkeys(key(part) for part in parts if part.strip()))


def same(answer: str, gold: str) -> bool:
    """Equal after normalisation, or the same quantity with a unit that does not contradict."""
    if key(answer) == key(gold):
        return True
    ours, theirs = quantity(answer), quantity(gold)
    return ours is not None and theirs is not None and same_quantity(ours, theirs)


def quantity(text: str) -> Quantity | None:
    """The quantity that `text` is, with nothing else around it but 約, 。 or 「です」; None for other text."""
    bare = re.sub(r"^[ 　約]+|(?:です|である)?[ 　。．.]*$", "", text)
    found = numbers(bare)
    return found[0] if len(found) == 1 and (found[0].start, found[0].end) == (0, len(bare)) else None


def same_quantity(a: Quantity, b: Quantity) -> bool:
    """Equal values; units equal, of one meaning (人 and 名), or left out by one side."""
    return a.value == b.value and (not a.unit or not b.unit or _UNIT.get(a.unit, a.unit) == _UNIT.get(b.unit, b.unit))


def contains(answer: str, gold: str) -> bool:
    """The gold's key stands in the answer's, not inside a longer number: 3人 is not in 13人."""
    wanted, text = key(gold), key(answer)
    before = r"(?<![0-9.])" if wanted[:1].isdigit() else ""
    after = r"(?![0-9]|\.[0-9])" if wanted[-1:].isdigit() else ""
    return bool(wanted) and re.search(before + re.escape(wanted) + after, text) is not None


def dates(text: str) -> tuple[Date, ...]:
    """The dates of `text`, Japanese eras as western years: 大正九年三月 is (1920, 3, 0)."""
    found = []
    for match in _DATE.finditer(normalize(text)):
        era, of_era, western, month, day = match.groups()
        year = _ERAS[era] + (1 if of_era == "元" else int(of_era)) if era else int(western)
        found.append((year, int(month or 0), int(day or 0)))
    return tuple(found)


def quantities_agree(answer: str, gold: str) -> bool | None:
    """Do the dates and quantities of the gold stand in the answer, and no other of the same unit?

    None where the gold has neither.
    """
    if wanted := dates(gold):
        return set(wanted) == set(dates(answer))
    needed = numbers(gold)
    if not needed:
        return None
    given = numbers(answer)
    return all(_among(one, given) for one in needed) and all(
        _among(one, needed) for one in given if _rivals(one, needed)
    )


def _among(one: Quantity, others: Sequence[Quantity]) -> bool:
    return any(same_quantity(one, other) for other in others)


def _rivals(one: Quantity, needed: Sequence[Quantity]) -> bool:
    return any(
        not one.unit or not other.unit or _UNIT.get(one.unit, one.unit) == _UNIT.get(other.unit, other.unit)
        for other in needed
    )
