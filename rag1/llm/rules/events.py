"""What a clause tells as an event: its nouns and verbs, and whether it lacks, harms, acts or lasts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rag1.llm.rules.causes import LEAD, event
from rag1.llm.rules.pieces import ADVERSE, Piece, is_person, pieces
from rag1.llm.rules.words import Word, words, wordset
from rag1.text.tokenize import morphemes

LEAVING = wordset(
    "行く 出る 去る 発つ 旅立つ 逃げる 逃げ出す 出掛ける 離れる 売る 使う 遣る 譲る 戻る 帰る 飛ぶ 飛び去る"
)

_LIGHT = wordset(
    "行く 来る 出る 入る 見る 思う 聞く 持つ 付く 付ける 取る 掛かる 掛ける 居る 立つ 出す 遣る 置く 始める 有る "
    "成る 為る 言う "
    "出来る 無い 仕舞う 呉れる 貰う 下さる 参る 切る 予定 準備 約束 話 返事 用意"
)
FORMAL = wordset(
    "事 物 時 為 侭 筈 様 後 前 頃 訳 積もり 方 内 上 中 間 度 儘 者 所為 せい 為 ため お陰 御陰 おかげ 人 日 年 朝 "
    "晩 夜 とき はず よう まま こと もの うち 所 通り 風"
)
_LASTS = re.compile("[てで]い(?:る|た|ます|ました)(?:の(?:だ|です|である))?。?$")
_KANJI = re.compile("[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Event:
    """What happens in one clause, or in several of one subject. `text`: plain form; `at`: number of the sentence.

    `resumes`: a relative clause that takes up what was told before. `told`: in the past, or as a lack.
    `explains`: given as the reason of what was told before it, so that its own reason is likely to follow.
    """

    text: str
    at: int
    about: frozenset[str]
    nouns: frozenset[str]
    verbs: frozenset[str]
    lacks: bool
    harms: bool
    acts: bool
    leaves: bool
    lasts: bool
    told: bool
    person: bool
    resumes: bool = False
    explains: bool = False

    @property
    def kanji(self) -> frozenset[str]:
        """Characters of its verbs and verbal nouns: 塞 of 塞ぐ and of 塞がる."""
        return frozenset(char for verb in self.verbs for char in _KANJI.findall(verb))


def event_at(text: str, at: int, piece: Piece | None = None, resumes: bool = False) -> Event:
    """`text` as it stands in the sentence; `piece` the clause that ends it, else it is read anew."""
    last = piece or pieces(text)[-1]
    text = LEAD.sub("", text) or text
    cut = [Word._make(m) for m in morphemes(text, "A")]
    content = [word for word in cut if word.is_content]
    nouns = _nouns(cut)
    verbs = {w.norm for w in content if w.pos[0] in {"動詞", "形容詞"} and w.norm not in _LIGHT}
    verbs |= {w.norm for w in content if w.is_a("名詞", "普通名詞", "サ変可能") and w.norm not in _LIGHT}
    verbs |= {noun for noun in nouns if re.fullmatch("[\u4e00-\u9fff]+[きしちにみりいえけせてねめれ]", noun)}
    verbs |= {a.norm for a, b in pairwise(cut) if a.norm in nouns - _LIGHT and b.norm in {"為る", "だ", "です"}}
    parts = [p for p in pieces(text) if p.subject]
    subject = parts[0].subject if parts else ""
    own = _nouns([Word._make(m) for m in morphemes(subject, "A")])
    loses = any(word.surface == "を" for word in last.found)
    harmed = {w.norm for w in words(text)}
    return Event(
        text=event(text),
        at=at,
        about=own if own and not loses else nouns,
        nouns=nouns,
        verbs=frozenset(verbs),
        lacks=last.negated,
        harms=bool(harmed & ADVERSE) or any(noun[0] in "不無未" for noun in nouns),
        acts=last.acts or loses,
        leaves=any(w.norm in LEAVING for w in content),
        lasts=bool(_LASTS.search(last.text)),
        told=last.past or last.negated,
        person=is_person(subject),
        resumes=resumes,
    )


def _nouns(found: Sequence[Word]) -> frozenset[str]:
    """Nouns in normal form, with their endings (貨物船), without numbers, times and what counts."""
    named: list[str] = []
    ends, counted = -1, False
    for word in found:
        if word.is_a("接尾辞", "名詞的") and word.start == ends:
            named[-1] += word.norm
            ends = word.end
        elif word.pos[0] == "名詞" and word.is_content and not word.is_number:
            counts = word.pos[2] == "助数詞可能" and (counted or word.norm in FORMAL)
            if word.pos[2] != "副詞可能" and not counts and word.norm not in _LIGHT:
                named.append(word.norm)
                ends = word.end
        counted = word.is_number
    return frozenset(named)


@lru_cache(maxsize=65536)
def alike(noun: str, other: str) -> float:
    """1 for one noun, 0.7 where the one ends or begins the other (船, 貨物船; 酒, 酒屋)."""
    if noun == other:
        return 1.0
    short, long = sorted((noun, other), key=len)
    if not re.fullmatch("[\u4e00-\u9fff]+", short):
        return 0.0
    return 0.7 if long.endswith(short) else 0.4 if long.startswith(short) else 0.0
