"""What a question asks of the person its chain ends at, and the fact about that person which tells it."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from rag1.llm.rules.facts import Fact
from rag1.llm.rules.kin_steps import KIN_LINKS
from rag1.llm.rules.words import content_words, wordset

GRAVE = wordset("墓所 葬地 墓 墓地 埋葬地 埋葬 埋葬先 菩提寺 奥津城 葬る 眠る 納骨 遺髪 分骨")
BIRTH = wordset("生まれ 生地 出身 出身地 生国 出生地 生誕地 故郷 郷里 生まれる 出")
HOME = wordset("住居 住所 住まい 居所 居住地 住む 暮らす 居城 屋敷")
DEATH = wordset("没地 死没地 死地 死に場所 終焉の地")
DIED, BORN = wordset("没年 没年月日 死没 死去 忌日 没"), wordset("生年 生年月日 誕生日 誕生")
TRADE = wordset("職業 家業 生業 仕事 商売 職 稼業 営む 商う")
OFFICE = wordset("役職 役 官職 役目 職務 地位 任ずる 務める 就任する なる")
PEN, OTHER = wordset("号 俳号 雅号 画号 筆名"), wordset("別名 通称 幼名 あだ名 異名 本名 旧名 旧姓 諱 法名 戒名")
SHOP, WORK = wordset("店 屋号 商号 店名 会社 塾"), wordset("作品 著書 著作 代表作 作る 書く 著す 建てる 彫る 描く")

_WHEN, _WHERE = re.compile("いつ|何年|何月|年は"), re.compile("どこ|何処|どの|何という|場所|所は|地は|先は")
_DYING = re.compile("亡くな|没|死(?!後)|果て|息を引|最期|倒れ|世を去|他界|身まか|歿")
_ASKED: tuple[tuple[str, tuple[frozenset[str], ...]], ...] = (
    ("墓|葬|眠|埋|納め|遺髪|遺骨|亡骸|菩提", (GRAVE,)),
    ("生まれ|出身|生地|生国|出生|故郷|郷里|生誕|どこの(?:人|出)|産まれ", (BIRTH,)),
    ("住|暮らし|居を|どこに(?:居|い)た", (HOME,)),
    ("幼名|別名|通称|あだ名|異名|別の名|本名|旧姓|法名|戒名|何と呼ば", (OTHER, PEN)),
    ("屋号|店", (SHOP, OTHER)),
    ("号", (PEN, OTHER)),
    ("作品|著書|著作|代表作|何を(?:著|書|作|描|彫|造|建て)", (WORK,)),
    ("職業|家業|生業|仕事|稼業|商売|職人|何屋|何を(?:業|し|営|商|扱|売)|(?:何の|どんな)(?:職|商)", (TRADE, OFFICE)),
    ("役|官職|地位|身分|任[ぜじ]|取り?立て|登用|抜擢|推され|選ばれ|昇|のぼ|出世", (OFFICE, TRADE)),
    ("何に(?:な|就|つ)|何を(?:務|つとめ)", (OFFICE, TRADE)),
    ("何(?:であった|だった|者)", (TRADE, OFFICE)),
)  # fmt: skip
_SHAPES = (
    (re.compile("寺"), re.compile("(?:寺|院|庵|坊|堂)$"), re.compile("寺|院|庵|坊|堂")),
    (re.compile("何という(?:神社|社)"), re.compile("社$"), re.compile("社|宮")),
    (re.compile("何という(?:村|里)"), re.compile("[村郷里]$"), re.compile("[村郷里]")),
)
_POINTS = re.compile("^(?:この|その|同じ|同[一-龥]$)|と同じ|と並")
"""A value that only points to another."""
_DEED = re.compile("(?:何という|どこの|どの|何|どこ)(?P<kind>[一-龥]+)?(?P<case>[をにへで])(?P<verb>[一-龥]+)")
_THIS = re.compile("^(?:この|その|同じ?)([一-龥])$")


@dataclass(frozen=True, slots=True)
class End:
    """`relations`: the relations that may tell it, the likeliest set first; none where the question's words must do."""

    text: str
    relations: tuple[frozenset[str], ...]


@lru_cache(maxsize=4096)
def asked_end(final: str) -> End:
    """What the rest of a question asks for."""
    if _WHEN.search(final):
        return End(final, (DIED,) if _DYING.search(final) else (BORN,) if "生まれ" in final else ())
    found = next((kinds for pattern, kinds in _ASKED if re.search(pattern, final)), ())
    if not found and _DYING.search(final) and _WHERE.search(final):
        found = (DEATH,)
    return End(final, found)


def best_told(end: End, name: str, facts: Sequence[Fact], persons: Set[str]) -> tuple[str, Fact] | None:
    """The answer among what is told of somebody, and its fact; None where nothing is what is asked for."""
    own = [f for f in facts if f.head == name and f.relation not in KIN_LINKS and f.tail not in persons]
    own = [f for f in own if f.tail not in end.text]
    for kinds in end.relations:
        told = [_pointed(f, own) for f in own if f.relation in kinds]
        fitting = _shaped(end, [fact for fact in told if not _POINTS.search(fact.tail)])
        if fitting:
            best = max(fitting, key=lambda fact: shared_words(end.text, f"{fact.relation} {fact.tail}"))
            return _cut(best.tail, end.text), best
    return None


def _pointed(fact: Fact, own: Sequence[Fact]) -> Fact:
    """「この庵」 is the 慈雲庵 that is told of the same person."""
    kind = _THIS.match(fact.tail)
    meant = next((f for f in own if kind and f.tail.endswith(kind[1]) and not _POINTS.search(f.tail)), None)
    return replace(fact, tail=meant.tail, line=f"{meant.line}\n{fact.line}") if meant else fact


def _cut(value: str, asked: str) -> str:
    """「薬を商う」 to 「何を商って」 is 薬."""
    verb = re.search("何([をにで][^ぁ-ん])", asked)
    return value.split(verb[1])[0] or value if verb else value


def asks_deed(final: str) -> bool:
    """Is what somebody did asked for, which no relation tells?"""
    return final.startswith("は") and not asked_end(final).relations and bool(_DEED.search(final))


def told_deed(final: str, sentences: Sequence[str]) -> tuple[str, str] | None:
    """「何を開いたか」 of sentences about somebody: what stands before を開, and the sentence."""
    asked = _DEED.search(final) if asks_deed(final) else None
    if asked is None:
        return None
    value = re.compile(f"([^、。はがをにへでとも「」]*{asked['kind'] or ''}){asked['case']}{asked['verb']}")
    found = ((match[1], sentence) for sentence in sentences if (match := value.search(sentence)) and match[1])
    return next(found, None)


def _shaped(end: End, facts: list[Fact]) -> list[Fact]:
    """Of facts, those whose value is of the kind that the question names; all where it names none."""
    for asked, whole, part in _SHAPES:
        if asked.search(end.text):
            return [f for f in facts if whole.search(f.tail)] or [f for f in facts if part.search(f.tail)]
    return facts


def shared_words(asked: str, told: str) -> int:
    """How many content words of a question a fact tells."""
    return len({word.norm for word in content_words(asked)} & {word.norm for word in content_words(told)})
