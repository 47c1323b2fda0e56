"""Who made what, where the thing is named a sentence before: 「烏が斧を見た。『権六が打ったものさ』」."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rag1.llm.rules.entity_types import type_of
from rag1.llm.rules.journeys import titled
from rag1.llm.rules.pieces import Piece, groups, is_person, spoken
from rag1.llm.rules.words import Word, content_words, nounlike, words, wordset

MAKING = wordset(
    "作る 造る 創る 拵える こしらえる 打つ 鍛える 織る 編む 彫る 縫う 仕立てる 組む 組み立てる 削る 焼く 塗る 漉く "
    "張る 鋳る 建てる "
    "仕上げる 製作 制作 製造 鋳造 手掛ける 手がける 作り上げる 編み上げる 織り上げる 縫い上げる 彫り上げる "
    "打ち上げる 鍛え上げる 焼き上げる 拵え上げる 染める 刷る 描く"
)
_POINTS = wordset("これ それ あれ 此れ 其れ 彼れ")
_EMPTY = wordset("心 時 時間 月 日 年 手間 暇 腕 名 力 精 丹精 事 こと もの 物 跡 火 目 手")
BACK = 3


@dataclass(frozen=True, slots=True)
class Made:
    """`maker` did `verb` (dictionary form) with `thing`, told in sentence `at`."""

    maker: str
    verb: str
    thing: str
    at: int


def makings(sentences: Sequence[str]) -> list[Made]:
    """What is told to be made, in text order; left-out makers and things are those just talked about."""
    found: list[Made] = []
    seen: Counter[str] = Counter()
    topic = ""
    recent: list[tuple[int, list[str]]] = []
    for at, sentence in enumerate(sentences):
        for part in spoken(sentence):
            near = [told for place, told in recent[: 2 * BACK] if at - place <= BACK]
            for parts, _ in groups(part):
                found += [Made(m, v, t, at) for m, v, t in _made(parts, topic, near, seen) if m and t and m != t]
            topic = _person_topic(part) or topic
            things = list(_things(part))
            seen.update(things)
            recent = [(at, things), *recent] if things else recent
    return [Made(titled(each.maker, "".join(sentences)), each.verb, each.thing, each.at) for each in found]


def _made(
    parts: Sequence[Piece], topic: str, recent: Sequence[list[str]], seen: Counter[str]
) -> Iterator[tuple[str, str, str]]:
    found = [word for piece in parts for word in piece.found]
    for at, word in enumerate(found):
        if word.norm not in MAKING or word.pos[0] != "動詞" or _denied(found, at):
            continue
        maker, given = _marked(found[:at], {"が"}, _is_maker), _object(found, at)
        head = _modified(found, at)
        if re.search("の[はが]", "".join(after.surface for after in found[at + 1 : at + 5])):
            value = _value(found, at)  # 釜を作ったのは…: a cleft tells who
            if value and (given or recent):
                yield value, word.lemma, given if given and given not in _POINTS else _salient(recent, seen)
            continue
        if head and (not maker or given):
            continue  # 壁に塗る漆喰: nobody has done it; 斧を打つ男: not of what he makes
        if not maker:
            maker = _marked(found[:at], {"は", "も"}, _is_maker)
        if not maker and given and not _marked(found[:at], {"は", "が"}, _is_thing):
            maker = topic
        if given in _POINTS or not given:
            given = head or _marked(found[:at], {"は"}, _is_thing) or _salient(recent, seen)
        yield maker, word.lemma, given


def _value(found: Sequence[Word], at: int) -> str:
    """恩田さん of 「縫ったのは、靴屋の恩田さんでした」."""
    end = len(found)
    while end > at and not nounlike(found[end - 1]):
        end -= 1
    name = _run(found, end)
    return name if end > at + 2 and _is_maker(name, found[end - 1]) else ""


def _modified(found: Sequence[Word], at: int) -> str:
    """The noun that the verb's clause stands before: 斧 of 権六が打った斧; "" where there is none (打ったものだ)."""
    after = at + 1
    while after < len(found) and found[after].pos[0] == "助動詞":
        after += 1
    if "連用形" in found[after - 1].pos[5]:
        return ""
    end = after
    while end < len(found) and nounlike(found[end]):
        end += 1
    noun = "".join(word.surface for word in found[after:end])
    return "" if noun in _EMPTY or noun in {"の", "とき", "時", "ところ", "あと", "後", "ため"} else noun


def _denied(found: Sequence[Word], at: int) -> bool:
    return any(word.norm in {"ない", "ず", "ぬ"} for word in found[at + 1 : at + 4]) or (
        at > 0 and any(word.norm in {"誰", "だれ"} for word in found[:at])
    )


def _object(found: Sequence[Word], at: int) -> str:
    """The noun whose を the verb itself takes; "" where it has none."""
    for n in range(at - 1, 0, -1):
        if found[n].pos[0] == "動詞" and found[n].norm not in MAKING:
            return ""
        if found[n].surface == "を" and found[n].pos[0] == "助詞":
            noun = _run(found, n)
            return "" if noun in _EMPTY else noun
    return ""


def _marked(found: Sequence[Word], particles: set[str], fits: Callable[[str, Word], bool]) -> str:
    """The last noun before one of the particles that fits."""
    for n in range(len(found) - 1, 0, -1):
        if found[n].pos[0] == "助詞" and found[n].surface in particles:
            noun = _run(found, n)
            if noun and fits(noun, found[n - 1]):
                return noun
    return ""


def _is_maker(noun: str, last: Word) -> bool:
    """Somebody: a name, a role, or what is no known thing (茂助)."""
    common = last.is_a("名詞", "普通名詞") and len(noun) > 1 and len(words(noun)) == 1
    return is_person(noun) or last.is_proper_noun or (not common and bool(re.fullmatch("[\u4e00-\u9fff]{2,4}", noun)))


def _is_thing(noun: str, last: Word) -> bool:
    named = is_person(noun) or (last.is_proper_noun and len(noun) > 1) or noun in _EMPTY | _POINTS
    return not named and last.pos[0] == "名詞" and (len(noun) == 1 or type_of(noun) == "Object")


def _run(found: Sequence[Word], end: int) -> str:
    start = end
    while start > 0 and (nounlike(found[start - 1]) or found[start - 1].surface in _POINTS):
        start -= 1
    return "".join(word.surface for word in found[start:end])


def _salient(recent: Sequence[list[str]], seen: Counter[str]) -> str:
    """Of the things spoken of last, the one that the text speaks of most."""
    things = recent[0] if recent else []
    return max(things, key=lambda thing: (seen[thing] > 1, -things.index(thing)), default="")


def _things(part: str) -> Iterator[str]:
    """What is looked at, spoken of, or said to be something: 斧を, 笛のことを, 磁針は, ランタンだ."""
    for parts, _ in groups(part):
        found = [word for piece in parts for word in piece.found]
        for n, word in enumerate(found):
            particle = word.pos[0] == "助詞" and word.surface in {"を", "は"}
            ends = word.pos[0] == "助動詞" and word.norm in {"だ", "です"}
            denied = any(after.norm in {"ない", "無い"} for after in found[n + 1 : n + 3])
            if n == 0 or not (particle or ends) or (ends and denied):
                continue
            noun = _run(found, n)
            if noun in {"こと", "話"} and n > 2 and found[n - 2].surface == "の":
                noun = _run(found, n - 2)
            if noun and _is_thing(noun, found[n - 1]) and content_words(noun):
                yield noun


def _person_topic(part: str) -> str:
    for parts, _ in groups(part):
        found = [word for piece in parts for word in piece.found]
        if who := _marked(found, {"は"}, _is_maker):
            return who
    return ""
