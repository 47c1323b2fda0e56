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
    "打ち上げる 鍛え上げる 焼き上げる 拵え上げる 染める 刷る 描く 蒸す 煮る 炊く 練る 漬ける 捏ねる 搗く "
    "挽く 醸す 仕込む "
    "綴じる 貼る 刻む 縫い合わせる 縫い付ける 縫い直す 編み直す 結う 吹く 刺繍 裁つ 継ぐ 設計 発明 考案"
)
_LASTS = re.compile("(?:[てで]い(?:る|た|ます|ました)|あ(?:る|った|ります|りました))。?$")
_KANA_NAME = re.compile(
    "(?:^|[の、])(?P<name>(?!それ|これ|あれ|だれ|みな|みんな|わたし|ぼく|おれ|わし|ほう|もの|こと|"
    "ところ)[ぁ-ん]{2,4}(?:さん)?)が"
)
_POINTS = wordset("これ それ あれ 此れ 其れ 彼れ")
_EMPTY = wordset("心 時 時間 月 日 年 手間 暇 腕 名 力 精 丹精 事 こと もの 物 跡 火 目 手")
BACK = 3
MOST = 4
"""Things spoken of last that may be what was made."""


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
            before = sorted(recent[: 2 * BACK], key=lambda each: each[0] == at)  # last what is told of the speaker
            near = [told for place, told in before if at - place <= BACK]
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
        maker, head = _marked(found[:at], {"が"}, _is_maker) or _in_kana(found[:at]), _modified(found, at)
        given = _named_at_end(found, at) or _object(found, at)
        if re.search("の[はが]", "".join(after.surface for after in found[at + 1 : at + 5])):
            value = _value(found, at)  # 釜を作ったのは…: a cleft tells who
            if value and (given or recent):
                yield value, word.lemma, given if given and given not in _POINTS else _salient(recent, seen)
            continue
        if head and (not maker or given):
            continue  # 壁に塗る漆喰: nobody has done it; 斧を打つ男: not of what he makes
        if not maker and _is_asked_for(found, at):
            maker = _marked(found[:at], {"に"}, _is_maker)
        if not maker:
            maker = _marked(found[:at], {"は", "も"}, _is_maker)
        if not maker and given and not _marked(found[:at], {"は", "が"}, _is_thing):
            maker = topic
        if given in _POINTS or not given:
            given = head or _marked(found[:at], {"は"}, _is_thing)
        for thing in [given] if given else _spoken_of(recent, seen):
            yield maker, word.lemma, thing


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


def _in_kana(found: Sequence[Word]) -> str:
    """おくめ of 「仕立て屋のおくめが」: a name that the dictionary cuts to pieces."""
    match = _KANA_NAME.search("".join(word.surface for word in found))
    return match["name"] if match else ""


def _named_at_end(found: Sequence[Word], at: int) -> str:
    """提灯 of 「与三郎が、油紙を張ってこしらえた、雨にも消えない提灯である」; "" where there is none."""
    after = at + 1
    while after < len(found) and (found[after].pos[0] == "助動詞" or found[after].pos[1] == "非自立可能"):
        after += 1
    end = len(found)
    while end > after and (found[end - 1].pos[0] in {"助動詞", "補助記号", "助詞"} or found[end - 1].norm == "有る"):
        end -= 1
    ends = end < len(found) and found[end].pos[0] == "助動詞" and nounlike(found[end - 1])
    comma = after < len(found) and found[after].surface == "、" and "た" in {w.surface for w in found[at + 1 : after]}
    noun = _run(found, end) if ends and comma else ""
    return "" if noun in _EMPTY else noun


def _is_asked_for(found: Sequence[Word], at: int) -> bool:
    """鍛冶屋に打ってもらった: of whom it was asked."""
    return any(word.norm in {"貰う", "頂く", "頼む"} for word in found[at + 1 : at + 5])


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
    if re.search("(?:さん|君|くん|ちゃん|じい|ばあ)$", noun):
        return True
    return is_person(noun) or last.is_proper_noun or (not common and bool(re.fullmatch("[\u4e00-\u9fff]{2,4}", noun)))


def _is_thing(noun: str, last: Word) -> bool:
    named = is_person(noun) or (last.is_proper_noun and len(noun) > 1) or noun in _EMPTY | _POINTS
    return not named and last.pos[0] == "名詞" and (len(noun) == 1 or type_of(noun) == "Object")


def _run(found: Sequence[Word], end: int) -> str:
    start = end
    while start > 0 and (nounlike(found[start - 1]) or found[start - 1].surface in _POINTS):
        start -= 1
    return "".join(word.surface for word in found[start:end])


def _spoken_of(recent: Sequence[list[str]], seen: Counter[str]) -> list[str]:
    """The things spoken of last, that one first which the text speaks of most."""
    best = _salient(recent, seen)
    return [thing for thing in dict.fromkeys([best, *(recent[0] if recent else [])]) if thing][:MOST]


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
            particle = particle or (word.surface == "が" and (bool(_LASTS.search(part)) or _owned(found, n)))
            ends = word.pos[0] == "助動詞" and word.norm in {"だ", "です"}
            denied = any(after.norm in {"ない", "無い"} for after in found[n + 1 : n + 3])
            if n == 0 or not (particle or ends) or (ends and denied):
                continue
            noun = _run(found, n)
            if noun in {"こと", "話"} and n > 2 and found[n - 2].surface == "の":
                noun = _run(found, n - 2)
            if noun and _is_thing(noun, found[n - 1]) and content_words(noun):
                yield noun
                yield from _owners(found, n, noun)


def _owners(found: Sequence[Word], end: int, noun: str) -> Iterator[str]:
    """綿入れ of 綿入れの襟."""
    start = next((n for n in range(end) if found[n].start == found[end].start - len(noun)), 0)
    if start > 1 and found[start - 1].surface == "の":
        whole = _run(found, start - 1)
        if whole and _is_thing(whole, found[start - 2]) and content_words(whole):
            yield whole


def _owned(found: Sequence[Word], end: int) -> bool:
    """哲夫の鉈 before が."""
    start = end - len([word for word in found[:end] if word.start >= found[end].start - len(_run(found, end))])
    return start > 0 and found[start - 1].surface == "の"


def _person_topic(part: str) -> str:
    for parts, _ in groups(part):
        found = [word for piece in parts for word in piece.found]
        if who := _marked(found, {"は"}, _is_maker):
            return who
    return ""
