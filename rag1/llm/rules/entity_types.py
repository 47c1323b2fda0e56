"""What a name stands for: Person, Place, Organization, Time, Quantity, Event or Object."""

from __future__ import annotations

import re

from rag1.llm.rules.clauses import Argument
from rag1.llm.rules.kinship import PERSON_RELATIONS
from rag1.llm.rules.words import words, wordset

PLACE = re.compile(
    "(?:国|県|州|市|町|村|郡|島|山|川|湖|港|駅|城|寺|院|神社|館|宿|橋|谷|里|峠|浜|岬|墓地|本堂|屋敷|小屋|家)$"
)
_SURELY_PLACE = re.compile("(?:寺|院|神社|墓地|駅|峠)$")
_ORGANIZATION = re.compile("(?:会社|社|店|問屋|銀行|学校|大学|役所|組|団|党|隊|省|庁|協会|劇団)$")
_ROLE = re.compile(
    "(?:人|者|師|主|医者|先生|和尚|小僧|将軍|王|大工|職人|商人|教師|博士|兵|長|僧|婆|爺|ばあさん|じいさん)$"
)
_NAME = re.compile("お[ぁ-ん一-龥]{1,3}|[ァ-ヴー・]{3,}")
PRONOUNS = wordset(
    "彼 彼女 それ これ あれ こちら そちら そこ ここ わたし 私 僕 俺 自分 二人 みな "
    "もの こと ところ の ん うち はず 何 誰 どこ だれ"
)


def is_name(text: str, known: frozenset[str] = frozenset()) -> bool:
    """Is it known as a name, or does it look like one: a proper noun, お with a short name, or katakana?"""
    if text in known:
        return True
    found = words(text)
    if any(word.is_proper_noun for word in found):
        return True
    return bool(_NAME.fullmatch(text))


def type_of(text: str, relation: str = "") -> str:
    """The type by the name itself, else by the relation that leads to it."""
    argument = Argument(text, "", (text,), 0)
    if argument.is_time:
        return "Time"
    if argument.is_quantity:
        return "Quantity"
    if relation in PERSON_RELATIONS or re.fullmatch("お[ぁ-ん一-龥]{1,3}", text) or _ROLE.search(text):
        return "Person"
    found = words(text)
    if len(text) > 2 and _SURELY_PLACE.search(text):
        return "Place"
    if found and found[-1].is_a("名詞", "固有名詞", "人名"):
        return "Person"
    if PLACE.search(text):
        return "Place"
    if _ORGANIZATION.search(text):
        return "Organization"
    if any(word.is_a("名詞", "固有名詞", "人名") for word in found):
        return "Person"
    return "Place" if any(word.is_a("名詞", "固有名詞", "地名") for word in found) else "Object"
