"""Questions for companions and makers, answered from facts: all who go with somebody, the one who made something."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag1.llm.rules.facts import Fact, means
from rag1.llm.rules.kinship import same_relation
from rag1.llm.rules.makers import MAKING
from rag1.llm.rules.pieces import is_person
from rag1.llm.rules.relations import TOGETHER
from rag1.llm.rules.words import content_words, fold, words

GIVING = re.compile(
    "^(?:譲る|贈る|遣る|やる|くれる|呉れる|与える|授ける|渡す|あげる|上げる|貸す|受け取る|もらう|貰う)$"
)
ASKS_COMPANIONS = re.compile(
    "(?:誰|だれ|どなた|何|なに)と(?:一緒|いっしょ|ともに|共に|連れ|、)|(?:誰|だれ|どなた)(?:を(?:連れ|つれ|伴|お?供)|と[^、。と]*"
    "(?:行|い[っく]|越え|登|のぼ|下り|下[っり]|入|出|来|旅|向か|歩|乗|帰|渡|戻|訪|めざ|目指|急))|一緒に|いっしょに|(?:とも|共)に[^、。]*のは|"
    "同行|同道|連れ(?:だ|立|に|は|の)|お?供(?:を|に|し|は|の|"
    "とし)|おとも|道連れ|"
    "仲間に(?:加|な|入)|なかまに(?:加|な|入|く)|加わった|くわわった|つ(?:い|き従っ)て(?:行|い[っく]|来|き)|"
    "付き(?:添|従)|旅の仲間|一行"
)
"""Questions for those who went along."""
ASKS_MAKER = re.compile(
    "作っ?[たてらり]|つくった|つくり|造っ?[たり]|創った|こしらえ|拵え|製作|制作|製造|作り手|作者|手作り|編んだ|編み|織った|織り|打った|"
    "打ち|鍛え|彫った|彫り|縫った|縫い|仕立て|建てた|鋳た|漉いた|染めた|塗った|"
    "削った|組んだ|焼いた|仕上げ|染め|刷った|描いた|蒸した|煮た|炊いた|練った|漬けた|張った|結った|こさえ|綴じた|刻んだ|"
    "鋳|吹いた"
)
"""Questions for whoever made something."""

Told = tuple[str, list[Fact]]
"""An answer and the facts that tell it."""


def companions_of(facts: Sequence[Fact], question: str) -> Told | None:
    """All who go with the one that the question names, in the order of the facts."""
    together = [fact for fact in facts if same_relation(fact.relation, TOGETHER)]
    asked = sorted(
        {end for f in together for end in (f.head, f.tail) if _named(end, question)},
        key=lambda name: -_weight(name, together),
    )
    if not asked:
        return None
    found: dict[str, Fact] = {}
    for fact in together:
        for one, other in ((fact.head, fact.tail), (fact.tail, fact.head)):
            if (one == asked[0] or means(one, asked[0])) and not _named(other, question):
                found.setdefault(other, fact)
    found = {
        name: fact
        for name, fact in found.items()
        if not any(name != other and means(name, other) and len(name) < len(other) for other in found)
    }
    return ("、".join(found), list(found.values())) if found else None


def _weight(name: str, facts: Sequence[Fact]) -> int:
    return sum(fact.head == name for fact in facts) * 2 + sum(fact.tail == name for fact in facts)


def _named(name: str, question: str) -> bool:
    """Does the question name it, in full or without a part of the name?"""
    if fold(name) in fold(question):
        return True
    words_of = [word.surface for word in content_words(question) if word.pos[0] == "名詞" and len(word.surface) > 1]
    bare = re.sub("(?:さん|君|くん|ちゃん|様|氏)$", "", name)
    return any(means(name, word) or (bare != name and bare.startswith(word)) for word in words_of)


def is_making(relation: str) -> bool:
    return any(word.norm in MAKING for word in words(relation)) or same_relation(relation, "作る")


def maker_of(facts: Sequence[Fact], question: str) -> Told | None:
    """Who made the thing that stands last before the verb; the facts tell who gave it too."""
    asked = ASKS_MAKER.search(question)
    before = fold(question[: asked.start()] if asked else question)
    scored: list[tuple[tuple[bool, int, bool, int], Fact]] = []
    for at, fact in enumerate(facts):
        place = before.rfind(fold(fact.tail))
        if place < 0:
            place = before.rfind(before_suffix(fact.tail, before))
        if is_making(fact.relation) and place >= 0 and fold(fact.tail) and not _named(fact.head, question):
            exact = bool(asked) and _verb(fact.relation) in {w.norm for w in words(question)}
            scored.append(((is_person(fact.head) or len(fact.head) > 1, place, exact, -at), fact))
    if not scored:
        return None
    best = max(scored, key=lambda each: each[0])[1]
    given = [fact for fact in facts if GIVING.match(fact.relation) and means(fact.tail, best.tail)]
    return best.head, [*given[:2], best]


def before_suffix(name: str, text: str) -> str:
    """The end of a compound in the text that is the name (磁針 of 方位磁針), else a string that stands nowhere."""
    short = fold(name)
    return next(
        (
            fold(w.surface)
            for w in words(text)
            if w.pos[0] == "名詞" and len(w.surface) > 1 and (short.endswith(fold(w.surface)))
        ),
        "\0",
    )


def _verb(relation: str) -> str:
    return next((word.norm for word in words(relation) if word.pos[0] == "動詞"), relation)
