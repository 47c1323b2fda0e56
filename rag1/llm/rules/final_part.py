"""What a question asks of the person its chain ends at, and the fact about that person which tells it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag1.llm.rules.facts import Fact
from rag1.llm.rules.kin_marks import GRAVES
from rag1.llm.rules.kinship import same_relation
from rag1.llm.rules.prose_roles import ROLE_OF
from rag1.llm.rules.question import read_question
from rag1.llm.rules.words import content_words, fine_words, fold, words, wordset

LEAST = 0.65
CLAUSE, CASE = "節", "格"
_GRAVE = re.compile("墓|葬|眠|納め|埋|遺骸|遺体|亡骸|菩提|永眠|弔")
_BIRTH = re.compile("生まれ|生国|出身|生地|故郷|郷里|生誕|どこの(?:土地の)?(?:人|出)|出の人|産まれ|里は")
_BORN_AT = wordset("生まれ 生まれる 出身 生国 生地 出生地 故郷 郷里 出身地 生誕地 本籍 出 産")
_CALLED = re.compile(
    "何という|何と(?:い|呼|名|称)|の名(?:前|称)?[はをが]|名は|題名|書名|屋号|名で|号|名の|題は|何と名|呼び名|名前"
)
_WORK = re.compile(
    "仕事|職業|生業|商売|家業|稼業|何を(?:して|業|営|いとな|商|扱)|何の職|どんな職|役職|どのような(?:役|仕事|職|立場|地位)|どんな(?:仕事|職|立場|階級)|どんな役|何という役|役目|どんな地位|官職|何をしていた"
)
_OCCUPIES = wordset(
    "である なる 働く 務める つとめる 勤める 営む いとなむ 任ずる 就く つく 進む 選ぶ 就任する 任命する 商う "
    "扱う する やる 家業 職業 生業 役 役職 開く 仕える"
)
_ASK = wordset(
    "何 誰 どこ 名 名前 題名 書名 屋号 人 人物 答える 教える 事 物 所 為る 有る 居る 言う 呼ぶ 付ける 方 時 "
    "後 前 中 お 御 どう どんな 成る 知る 良い"
)
_EMPTY = wordset("仕事 とこ ところ もの こと 人 家 うち それ これ 方 者 名 名前")
_TIME = re.compile("いつ|何年|何月|何歳|いくつ|享年")
_OFFICE = re.compile(
    "役|職|奉行|長|頭|番|吏|官|守|司|監|丞|取|議員|校長|教授|師|加番|年寄|家老|庄屋|名主|組頭|戸長|総代|世話|書記|技師|大工|医|商|屋|工"
)
_PLACED = re.compile("どこ|何処|どの(?:町|村|土地|国|地)|何という(?:村|町|土地|国|島|浜|里|所)")
_KINDS = (
    (re.compile("寺|院"), re.compile("(?:寺|院|庵|堂|坊)$")),
    (re.compile("村"), re.compile("村|郷|里|字")),
    (re.compile("町"), re.compile("町|街")),
    (re.compile("社$|神社"), re.compile("社|宮|神宮")),
    (re.compile("学校|塾|藩校"), re.compile("(?:校|塾|舎|館|堂|院|園)$")),
    (re.compile("橋"), re.compile("橋")),
    (re.compile("店|問屋|商店|宿"), re.compile("屋|店|堂|商|軒|楼|館|亭|庵|房")),
    (re.compile("会社"), re.compile("社|会|組|商")),
    (
        re.compile("書物|本|著書|家集|歌集|句集|作品"),
        re.compile("集|記|抄|録|書|考|論|帖|筆|梯|伝|草|譜|誌|本|鑑|説|話"),
    ),
)


@dataclass(frozen=True, slots=True)
class Final:
    """`terms`: normalised content words; `noun`: what is asked for (何という寺: 寺); `case`: its particle."""

    text: str
    terms: tuple[str, ...]
    noun: str
    case: str
    grave: bool
    birth: bool
    called: bool
    work: bool
    time: bool
    place: bool

    def counts(self, facts: Sequence[Fact], name: str) -> int:
        return sum(fact.head == name for fact in facts)


@lru_cache(maxsize=4096)
def final_of(text: str) -> Final:
    body = re.sub("を(?:答え|教え|挙げ|述べ)[^。]*。?$", "", text)
    question = read_question(text)
    terms = tuple(dict.fromkeys(term for _, _, term in fine_words(body) if term not in _ASK))
    case = re.search(
        r"(?:何|誰|どこ|どの[^、。はがをに]*?|どんな[^、。はがを]*?|何という[^、。はがをに]*?)(を|に|で|と|から|へ|の)",
        body,
    )
    noun = question.noun if question.noun not in {"人", "もの", "物", "こと"} else ""
    if not noun and (match := re.search("([一-龥々ァ-ヴー]{1,6})の(?:名前?|題名?|名称)(?:は|を|$)", body)):
        noun = match[1]
    if not noun and (match := re.search("([一-龥々ァ-ヴー]{1,6})(?:は|とは|を)[、]?(?:何|どこ|今日|$)", body)):
        noun = match[1]
    return Final(
        text, terms, noun, case[1] if case else "", bool(_GRAVE.search(body)) and not re.search("墓碑銘|墓を建", body),
        bool(_BIRTH.search(body)), bool(_CALLED.search(text)), bool(_WORK.search(body)),
        bool(_TIME.search(body)), bool(_PLACED.search(body)),
    )  # fmt: skip


def best_told(final: Final, name: str, facts: Sequence[Fact]) -> tuple[str, Fact] | None:
    """The answer among what is told of somebody, and its fact; None where nothing fits well enough."""
    own = [fact for fact in facts if fact.head == name and fact.relation not in ROLE_OF]
    if final.grave and not final.birth:
        grave = next((fact for fact in own if fact.relation in GRAVES), None)
        return (grave.tail, grave) if grave else None
    scored = [(_score(final, fact), -at, fact) for at, fact in enumerate(own)]
    best = max(scored, default=None, key=lambda entry: entry[:2])
    if best is None or best[0] < LEAST:
        return None
    return _shaped(final, best[2], own), best[2]


def _score(final: Final, fact: Fact) -> float:
    """How well a fact fits what is asked: its relation, the words of its clause, the kind of its value."""
    if fact.relation in GRAVES or (fact.relation in {"別名"} and not final.called):
        return 0.0
    clause = fact.properties.get(CLAUSE, "")
    told = _norms(f"{fact.relation} {clause} {fact.tail}")
    shared = sum(_weight(term, told) for term in final.terms)
    share = shared / max(1, len(final.terms))
    score = 1.2 * share + _relation(final, fact) + _kind(final, fact)
    if fold(fact.tail) in fold(final.text):
        score -= 1.5
    return score


def _weight(term: str, told: frozenset[str]) -> float:
    if term in told or any(same_relation(term, other) for other in told):
        return 1.0
    shared = any(set(term) & set(other) & _KANJI for other in told)
    return 0.45 if shared else 0.0


class _Kanji:
    def __rand__(self, letters: set[str]) -> set[str]:
        return {letter for letter in letters if "一" <= letter <= "龥"}


_KANJI = _Kanji()


@lru_cache(maxsize=8192)
def _norms(text: str) -> frozenset[str]:
    return frozenset(term for _, _, term in fine_words(text))


def _relation(final: Final, fact: Fact) -> float:
    relation = next(iter(_norms(fact.relation)), fact.relation)
    score = 0.0
    if relation in final.terms or fact.relation in final.text or (final.noun and fact.relation == final.noun):
        score += 0.6
    elif any(same_relation(relation, term) for term in final.terms):
        score += 0.5
    elif any({*relation} & {*term} & _KANJI for term in final.terms):
        score += 0.25
    if final.birth:
        away = fact.properties.get(CASE) == "から" and fact.relation in {
            "来る",
            "出る",
            "移る",
            "渡る",
            "流れる",
            "上る",
        }
        score += 1.2 if fact.relation in _BORN_AT else 0.9 if away else -0.6
        if fact.relation in _BORN_AT and re.search("[年月日]$|[年歳]の?(?:生まれ)?$", fact.tail):
            score -= 1.5
    if final.work and (fact.relation in _OCCUPIES):
        score += 0.5
    return score


def _kind(final: Final, fact: Fact) -> float:
    """Does the value look like what is asked for?"""
    score, case = 0.0, fact.properties.get(CASE, "")
    if final.case and case:
        score += (
            0.35 if case == final.case or (case in {"へ", "に", "で"} and final.case in {"へ", "に", "で"}) else -0.1
        )
    if final.noun:
        for asked, looks in _KINDS:
            if asked.search(final.noun):
                score += 0.4 if looks.search(fact.tail) else -0.2
                break
    title = fold(fact.tail) in _quoted(fact)
    if final.called and (title or fact.relation == final.noun or case == "と"):
        score += 0.4
    if final.called and not final.place and case in {"に", "で", "へ", "から"} and not title:
        score -= 0.5
    if fact.tail in _EMPTY:
        score -= 1.0
    if final.work and fact.relation == "である":
        score += 0.2
    if final.work and _OFFICE.search(fact.tail):
        score += 0.3
    if final.place and not final.birth:
        score += 0.3 if case in {"に", "で", "へ", "から"} else -0.1
    if not final.time and re.search("[年月日歳]$", fact.tail):
        score -= 0.6
    return score


def _quoted(fact: Fact) -> frozenset[str]:
    return frozenset(fold(text) for text in re.findall("[「『]([^「」『』]+)[」』]", fact.properties.get(CLAUSE, "")))


def _shaped(final: Final, fact: Fact, own: Sequence[Fact]) -> str:
    """The value as the question wants it: the name of a work where its name is asked for, a place out of a phrase."""
    tail = _told_already(final, fact.tail)
    if final.called:
        clause = fact.properties.get(CLAUSE, "")
        named = [
            f
            for f in own
            if f is not fact and f.properties.get(CLAUSE) == clause and clause and fold(f.tail) in _quoted(f)
        ]
        if named and fold(tail) not in _quoted(fact):
            return named[0].tail
        work = next((f for f in own if f.relation == tail or (len(f.relation) > 1 and tail.endswith(f.relation))), None)
        if work is not None and fold(tail) not in _quoted(fact):
            return work.tail
    if (
        final.place or re.search("どこの|何という(?:村|社|町|国|寺)|どの(?:村|町|社|国|寺)", final.text)
    ) and "の" in tail:
        parts = tail.split("の")
        for asked, looks in _KINDS:
            if final.noun and asked.search(final.noun):
                fitting = [part for part in parts if looks.search(part)]
                return fitting[-1] if fitting else tail
        if re.search("どこの", final.text):
            return "の".join(parts[:-1])
    return _without_place(tail) if final.work and not final.place else tail


def _told_already(final: Final, tail: str) -> str:
    """Without what the question itself says: 「何という映画館の支配人」 of 曙館の支配人 is 曙館."""
    asked = re.search(
        "(?:何という|どこの|何の|どの|どんな)[^、。はがをに]*?の(?P<n>[一-龥々ァ-ヴー]+)(?:だっ|で|か|と|を|に|が|の)",
        final.text,
    )
    if asked and tail.endswith("の" + asked["n"]):
        return tail[: -len(asked["n"]) - 1]
    parts = tail.split("の")
    while len(parts) > 1 and len(parts[0]) > 1 and parts[0] in final.text:
        parts = parts[1:]
    return "の".join(parts)


def _without_place(tail: str) -> str:
    """「小松の茶碗山の陶工」 as 陶工: where somebody works is not what he does."""
    parts = tail.split("の")
    while len(parts) > 1 and _is_place(parts[0]):
        parts = parts[1:]
    return "の".join(parts)


def _is_place(text: str) -> bool:
    if re.search("(?:国|県|村|町|城下|山|里|島|浜|郡|市|京|江戸|東京|大坂|大阪|街道|湊|港)$", text):
        return True
    return all(word.is_proper_noun or word.is_a("接尾辞") for word in words(text))


def nouns_asked(final: Final) -> list[str]:
    return [word.surface for word in content_words(final.text) if word.pos[0] == "名詞"]
