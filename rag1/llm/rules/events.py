"""A sentence as events: its clauses by the links between them, each with who or what it happens to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rag1.llm.rules.causes import LEAD, event
from rag1.llm.rules.entity_types import type_of
from rag1.llm.rules.words import Word, nounlike, quoted, words, wordset
from rag1.text.tokenize import morphemes

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
LEAVING = wordset(
    "行く 出る 去る 発つ 旅立つ 逃げる 逃げ出す 出掛ける 離れる 売る 使う 遣る 譲る 戻る 帰る 飛ぶ 飛び去る"
)
_UNDERGONE = wordset("被る 失う 受ける 浴びる 落とす 無くす 忘れる 消す")
_LIGHT = wordset(
    "行く 来る 出る 入る 見る 思う 聞く 持つ 付く 付ける 取る 掛かる 掛ける 居る 立つ 出す 遣る 置く 始める 有る "
    "成る 為る 言う "
    "出来る 無い 仕舞う 呉れる 貰う 下さる 参る 切る 予定 準備 約束 話 返事 用意"
)
_FORMAL = wordset(
    "事 物 時 為 侭 筈 様 後 前 頃 訳 積もり 方 内 上 中 間 度 儘 者 所為 せい 為 ため お陰 御陰 おかげ 人 日 年 朝 "
    "晩 夜 とき はず よう まま こと もの うち 所 通り 風"
)
_PARTICIPANT = frozenset({"が", "は", "も"})
_ANYONE = wordset("者 人 男 女 父 母 兄 弟 姉 妹 娘 息子 子 子ども 子供 妻 夫 僕 私 わたし ぼく おれ 彼")
_WHEN = wordset("年 日 晩 夜 朝 春 夏 秋 冬 時 とき 月 あいだ 間")
_HEARSAY = re.compile("(?:という(?:ことだ|話だ|のだ)?|とのことだ|そうだ|そうです|そうな|らしい|とか)(?=。?$)")
_LASTS = re.compile("[てで]い(?:る|た|ます|ました)(?:の(?:だ|です|である))?。?$")
_KANJI = re.compile("[\u4e00-\u9fff]")


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
            counts = word.pos[2] == "助数詞可能" and (counted or word.norm in _FORMAL)
            if word.pos[2] != "副詞可能" and not counts and word.norm not in _LIGHT:
                named.append(word.norm)
                ends = word.end
        counted = word.is_number
    return frozenset(named)


def alike(noun: str, other: str) -> float:
    """1 for one noun, 0.7 where the one ends or begins the other (船, 貨物船; 酒, 酒屋)."""
    if noun == other:
        return 1.0
    short, long = sorted((noun, other), key=len)
    if not re.fullmatch("[\u4e00-\u9fff]+", short):
        return 0.0
    return 0.7 if long.endswith(short) else 0.4 if long.startswith(short) else 0.0


def spoken(sentence: str) -> list[str]:
    """The sentence without what is said in it, then each sentence that is said."""
    said = [(start, end) for start, end in quoted(sentence) if end - start > 8]
    if not said:
        return [sentence]
    rest = sentence
    for start, end in reversed(said):
        rest = rest[: start - 1] + rest[end + 1 :]
    inside = [part for start, end in said for part in re.split("(?<=[。！？])", sentence[start:end]) if len(part) > 4]
    rest = re.sub("^と、?", "", rest.strip())
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


@dataclass(frozen=True, slots=True)
class Modified:
    """A relative clause at the beginning of a clause: `text` as a clause of its own, `rest` what is left."""

    text: str
    rest: str


_HEARING = wordset("聞く 知る 知らせる 分かる 見る 気付く")


def modifier(piece: Piece) -> Modified | None:
    """「倒れた大杉は斜面を…」 → 大杉が倒れた; 「油の切れた灯台の灯が…」 → 灯台の油が切れた; None if there is none."""
    found = _without_lead(piece.found)
    for at, word in enumerate(found[:-1]):
        if word.surface in {"は", "も", "、"} and word.pos[0] in {"助詞", "補助記号"}:
            return None
        if not _adnominal(word, found[at + 1]):
            continue
        heard = [n for n, each in enumerate(found[:at]) if each.surface == "と" and found[n + 1].norm in _HEARING]
        if heard:  # 味噌がないと聞いた殿さま: what was heard
            rest = "".join(each.surface for each in found[at + 1 :])
            return Modified("".join(each.surface for each in found[: heard[0]]), rest)
        head = _run_after(found, at + 1)
        if (
            not head
            or head in {"そう", "よう"}
            or (head in _FORMAL and head != "所")
            or found[at + 1].norm in _FORMAL - {"所"}
        ):
            return None
        return _modified(found, at, head) if _stands_first(found, at + 1) else None
    return None


def _stands_first(found: Sequence[Word], at: int) -> bool:
    """Is the noun (with its の-chain) what the clause is about, or where or from where it happens?"""
    while at < len(found) and (nounlike(found[at]) or found[at].surface == "の"):
        at += 1
    return at < len(found) and found[at].surface in {"は", "が", "も", "に", "から", "で", "、"}


def _adnominal(word: Word, following: Word) -> bool:
    ends = word.pos[0] in {"動詞", "助動詞", "形容詞"} and re.match("連体形|終止形", word.pos[5])
    happened = word.norm in {"た", "ない", "無い", "ぬ", "ず"} and word.pos[0] in {"助動詞", "形容詞"}
    quality = word.pos[0] == "形容詞" and word.pos[5].startswith("連体形")
    named = nounlike(following) and not following.is_number
    return bool(ends) and (happened or quality) and named and word.surface not in {"な", "の"}


def _without_lead(found: Sequence[Word]) -> Sequence[Word]:
    """Without 「けれども、」「同じ夜の十一時ごろ、」: short pieces before a comma that hold no verb."""
    start = 0
    for at, word in enumerate(found):
        if word.surface == "、":
            start = at + 1
        elif word.pos[0] in {"動詞", "形容詞"} or (word.surface in {"は", "が"} and word.pos[0] == "助詞"):
            break
    start += _lead(found[start:])
    while start < len(found) and found[start].pos[0] in {"接続詞", "連体詞", "補助記号", "感動詞"}:
        start += 1
    return found[start:]


def _lead(found: Sequence[Word]) -> int:
    """Words of それでも, ところで … at the beginning."""
    match = LEAD.match("".join(word.surface for word in found))
    length = taken = 0
    while match and length < len(match[0]):
        length += len(found[taken].surface)
        taken += 1
    return taken


def _run_after(found: Sequence[Word], start: int) -> str:
    end = start
    while end < len(found) and nounlike(found[end]):
        end += 1
    return "".join(word.surface for word in found[start:end])


def _modified(found: Sequence[Word], at: int, head: str) -> Modified:
    before = "".join(word.surface for word in found[: at + 1])
    rest = "".join(word.surface for word in found[at + 1 :])
    own = [n for n, word in enumerate(found[:at]) if word.surface in {"が", "の"} and word.pos[0] == "助詞"]
    direct = next((n for n in reversed(own) if found[n + 1].pos[0] in {"動詞", "形容詞", "副詞"}), None)
    if found[at + 1].norm == "所":
        return Modified(before, rest.split("から、", 1)[-1].split("から", 1)[-1])
    if direct is None:
        return Modified(f"{head}が{before}", rest)
    left = "".join(word.surface for word in found[:direct])
    right = "".join(word.surface for word in found[direct + 1 : at + 1])
    return Modified(f"{head}の{left}が{right}", rest)


def tellings(sentence: str) -> Iterator[list[tuple[list[Piece], str]]]:
    """The groups of the sentence itself, then those of each sentence said in it."""
    for part in spoken(sentence):
        found = groups(_HEARSAY.sub("", part))
        if found:
            yield found
