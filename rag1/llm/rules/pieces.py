"""A sentence as its clauses, by the links between them, each with who or what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag1.llm.rules.entity_types import type_of
from rag1.llm.rules.words import Word, nounlike, quoted, words, wordset

REASONS = wordset("ので から ため せい おかげ")

SEQUENCE = wordset("て 連用")
ADVERSE = wordset(
    "枯れる 立ち枯れる 切れる 止まる 消える 消す 失う 壊れる 倒れる 焼ける 燃える 崩れる 塞がる 減る 死ぬ 病む 休む "
    "遅れる 折れる 割れる "
    "破れる 沈む 腐る 錆びる 凍る 途絶える 絶える 止む 閉まる 潰れる 傷む 忘れる 被る 奪う 盗む 無くなる 亡くなる "
    "なくなる "
    "不作 不漁 凶作 中断 中止 延期 停止 故障 座礁 遭難 乗り上げる 詰まる 滞る 尽きる 濁る 狂う 曲がる 欠ける 溢れる "
    "逃げる 怪我 病気 "
    "侭 無し 御休み おやすみ 空 休み 丸焼け 全焼 焼失 火事 取り消し 取りやめ 遅刻 寝坊 断る 断つ 絶つ 断れる 足りる "
    "涸れる 干上がる 萎れる 散る 落ちる 外れる 逸れる 迷う"
)
"""Verbs and nouns that tell of loss, damage or delay, in normal form."""
_UNDERGONE = wordset("被る 失う 受ける 浴びる 落とす 無くす 忘れる 消す")
_PARTICIPANT = frozenset({"が", "は", "も"})
_ANYONE = wordset("者 人 男 女 父 母 兄 弟 姉 妹 娘 息子 子 子ども 子供 妻 夫 僕 私 わたし ぼく おれ 彼")
_WHEN = wordset("年 日 晩 夜 朝 春 夏 秋 冬 時 とき 月 あいだ 間")
_HEARSAY = re.compile("(?:という(?:ことだ|話だ|のだ)?|とのことだ|そうだ|そうです|そうな|らしい|とか)(?=。?$)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A clause: `link` tells how it leads to the next (ので, て, 連用, ず, ば, と, が …; "" at the end)."""

    found: tuple[Word, ...]
    text: str
    link: str

    @property
    def subject(self) -> str:
        """The noun before が, は or も that is no time: 水 of 一筋の水も流れてこない."""
        for at, word in enumerate(self.found[1:], start=1):
            noun = self.found[at - 1]
            follows = self.found[at + 1].surface if at + 1 < len(self.found) else ""
            if word.pos[0] != "助詞" or word.surface not in _PARTICIPANT or not nounlike(noun):
                continue
            counted = noun.pos[2] in {"副詞可能", "助数詞可能"} or noun.is_number
            if not (counted and (word.surface != "が" or follows == "、")):
                return _run_before(self.found, at)
        return ""

    @property
    def negated(self) -> bool:
        """Is something lacking or not done? 自分の名ではない denies no happening."""
        denied = any(
            word.norm in {"ない", "無い", "ず", "ぬ", "まい"} or (word.surface == "ん" and word.pos[0] == "助動詞")
            for word in _predicate(self.found)
        ) or bool(re.search("なくな[っりる]", self.text[-8:]))
        return denied and not re.search("(?:では|じゃ)な[いくかけ]", self.text[-8:])

    @property
    def past(self) -> bool:
        return any(word.norm == "た" and word.pos[0] == "助動詞" for word in _predicate(self.found))

    @property
    def acts(self) -> bool:
        """Does somebody do something to something: を with an active verb, or a person without harm or denial?"""
        tail = _predicate(self.found)
        if self.negated or any(word.norm in {"れる", "られる"} for word in tail):
            return False
        verbs = {word.norm for word in tail if word.pos[0] == "動詞"}
        if objects := [at for at, word in enumerate(self.found) if word.surface == "を"]:
            verb = next((word.norm for word in self.found[objects[-1] :] if word.pos[0] == "動詞"), "")
            return verb not in _UNDERGONE
        return is_person(self.subject) and not verbs & ADVERSE


def is_person(name: str) -> bool:
    """A single character is rarely a name: 泉 and 栗 are family names too."""
    if name in _ANYONE or len(name) < 2:
        return name in _ANYONE
    return type_of(name) == "Person" and not (
        words(name)[0].is_proper_noun and words(name)[-1].is_a("名詞", "普通名詞")
    )


def _run_before(found: Sequence[Word], end: int) -> str:
    start = end
    while start > 0 and nounlike(found[start - 1]):
        start -= 1
    return "".join(word.surface for word in found[start:end])


def _predicate(found: Sequence[Word]) -> Sequence[Word]:
    """The last verb, adjective or noun with what follows it."""
    at = len(found)
    while at > 0 and (found[at - 1].pos[0] in {"助動詞", "補助記号", "助詞"} or found[at - 1].pos[1] == "非自立可能"):
        at -= 1
    return found[max(0, at - 1) :]


@lru_cache(maxsize=4096)
def pieces(sentence: str) -> tuple[Piece, ...]:
    """The clauses of a sentence in order."""
    found = words(sentence)
    cut: list[Piece] = []
    start = at = 0
    while at < len(found):
        link, after = _link(found, at)
        if link and any(word.pos[0] in {"動詞", "形容詞", "助動詞"} for word in found[start : at + 1]):
            part = found[start:at] if link in REASONS | {"時"} else found[start : at + 1]
            cut.append(Piece(tuple(part), sentence[part[0].start : part[-1].end], link))
            start = at = after
        else:
            at += 1
    if start < len(found):
        cut.append(Piece(tuple(found[start:]), sentence[found[start].start :], ""))
    return tuple(cut)


def _link(found: Sequence[Word], at: int) -> tuple[str, int]:
    """The link that begins or ends at a word, and the place of what comes after it; "" where there is none."""
    word, following = found[at], [each.surface for each in found[at + 1 : at + 3]]
    after = at + 1 + (following[:1] == ["、"])
    before = found[at - 1] if at else None
    if before is not None and before.pos[0] in {"動詞", "形容詞", "助動詞"}:
        if (
            word.surface == "の"
            and following[:1] == ["で"]
            and following[1:] not in (["ある"], ["は"], ["も"], ["あっ"])
        ):
            return "ので", at + 2 + (following[1:] == ["、"])
        if word.surface in {"ので", "もんで", "んで"}:
            return "ので", after
        if (
            word.surface in {"もん", "もの"}
            and following[:1] == ["で"]
            and following[1:] not in (["は"], ["も"], ["ある"])
        ):
            return "ので", at + 2 + (following[1:] == ["、"])
        if following[:1] == ["、"] and word.surface in _WHEN and before.norm in {"た", "ない", "無い"}:
            return "時", after
        if (
            word.norm in {"為", "ため", "所為", "せい", "御陰", "お陰", "おかげ"}
            and word.pos[0] == "名詞"
            and following[:1] in (["に"], ["で"], ["、"])
        ):
            purpose = word.norm in {"為", "ため"} and before.pos[0] == "動詞"
            skip = at + 2 + (following[1:] == ["、"])
            return ("目的" if purpose else "ため"), skip if following[0] != "、" else after
    if word.is_a("助詞", "接続助詞"):
        if word.surface in {"て", "で"}:
            if following[:1] == ["は"]:
                return "ば", at + 2 + (following[1:] == ["、"])
            return ("て", after) if following[:1] == ["、"] else ("", after)
        if word.surface == "から" and following[:1] in (
            ["だ"],
            ["です"],
            ["で"],
            ["だっ"],
            ["でし"],
            ["ね"],
            ["な"],
            ["。"],
            [],
        ):
            return "", after
        if word.surface in {"から", "ば", "と", "が", "けれど", "けれども", "し", "のに", "けど"}:
            return word.surface, after
        return "", after
    if word.pos[0] == "助動詞" and "仮定形" in word.pos[5] and word.norm in {"だ", "た"}:
        return ("ば" if word.norm == "だ" else "と"), after
    ends = word.pos[0] in {"動詞", "形容詞", "助動詞"} and "連用形" in word.pos[5] and following[:1] == ["、"]
    if ends and word.norm not in {"だ", "です"}:
        return ("ず" if word.norm in {"ず", "無い", "ない"} else "連用"), after
    return "", after


def apart(sentence: str, least: int) -> tuple[str, list[str]]:
    """The sentence without what is said in it, and what is said; quotations of `least` characters or fewer stay."""
    said = [(start, end) for start, end in quoted(sentence) if end - start > least]
    rest = sentence
    for start, end in reversed(said):
        rest = rest[: start - 1] + rest[end + 1 :]
    return re.sub("^と、?", "", rest.strip()) if said else rest, [sentence[start:end] for start, end in said]


def spoken(sentence: str) -> list[str]:
    """The sentence without what is said in it, then each sentence that is said."""
    rest, said = apart(sentence, 8)
    if not said:
        return [sentence]
    inside = [part for speech in said for part in re.split("(?<=[。！？])", speech) if len(part) > 4]
    return [*([rest] if len(rest) > 4 else []), *inside]


def groups(sentence: str) -> list[tuple[list[Piece], str]]:
    """Clauses of one subject together, each with the link to the next group."""
    found: list[tuple[list[Piece], str]] = []
    for piece in pieces(sentence):
        if found and not piece.subject and found[-1][1] in SEQUENCE | {"と", "目的"}:
            found[-1] = ([*found[-1][0], piece], piece.link)
        else:
            found.append(([piece], piece.link))
    return found


def tellings(sentence: str) -> Iterator[list[tuple[list[Piece], str]]]:
    """The groups of the sentence itself, then those of each sentence said in it."""
    for part in spoken(sentence):
        found = groups(_HEARSAY.sub("", part))
        if found:
            yield found
