"""A sentence of family prose as items: persons named, words of kin, verbs, nouns and the small words between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag1.llm.rules.words import Word, nounlike, words, wordset

Span = tuple[int, int, str]
"""Start and end in the sentence, and the name in full."""
Kind = Literal["person", "kin", "verb", "noun", "other"]

_KIN = {
    "spouse": (
        "妻 室 正室 側室 後妻 後室 先妻 前妻 継室 継妻 女房 妾 内儀 奥方 正妻 新妻 夫人 内室 家内 細君 嫁 北の方 妻女 "
        "令室 老妻 奥さん お嫁さん 花嫁",
        "夫 亭主 良人 入り婿 婿 婿養子 娘婿 女婿 入婿",
        "連れ合い つれあい 配偶者 配偶 伴侶 花婿 許婚 許嫁",
    ),
    "parent": ("母 実母 生母 母親 亡母 養母", "父 実父 父親 亡父 養父", "両親"),
    "child": (
        "長女 次女 二女 三女 四女 五女 娘 一人娘 ひとり娘 末娘 息女 愛娘 末女 女子 女児 女の子 養女 姉娘 妹娘",
        "長男 次男 二男 三男 四男 五男 六男 嫡男 嫡子 嗣子 息子 一人息子 ひとり息子 倅 子息 跡取り息子 末男 男子 男児 "
        "男の子 養子",
        "子 子ども 子供 末子 末っ子 一子 実子 一人っ子 総領 惣領 跡取り 長子 次子 忘れ形見 遺児 三子 二子 一男 "
        "二男一女 一男一女 一男二女 一男三女 三男一女 二男二女",
    ),
    "elder": ("姉 長姉 次姉 実姉", "兄 長兄 次兄 実兄 異母兄", ""),
    "younger": ("妹 実妹 末妹 異母妹", "弟 実弟 末弟 次弟 異母弟", ""),
    "other": (
        "祖母 曾祖母 曽祖母 伯母 叔母 大叔母 姪 孫娘 姑 義母 義妹 義姉",
        "祖父 曾祖父 曽祖父 高祖父 伯父 叔父 大叔父 大伯父 甥 舅 岳父 義父 義兄 義弟",
        "孫 曾孫 曽孫 従兄 従弟 従兄弟 いとこ 兄弟 姉妹 兄妹 姉弟 夫妻 二人 両人 母子 父子 親子",
    ),
}
GROUP = {word: group for group, lists in _KIN.items() for listed in lists for word in listed.split()}
SEX = {
    word: sex for lists in _KIN.values() for sex, listed in zip("fm", lists, strict=False) for word in listed.split()
}
_ACTS = {
    "marry": wordset(
        "嫁ぐ 嫁す 嫁する 娶る めとる 結婚 縁づく 縁付く 婚姻 祝言 縁組 結ぶ 結ばれる 連れ添う 輿入れ 嫁入り 婿入り "
        "所帯 世帯 迎える 一緒 いっしょ 一緒になる 添う 婚礼 再婚 入る もらう 貰う 片づく 片付く とつぐ めあわせる "
        "めあわす 娶せる 添わせる 妻わす 妻合わせる 夫婦"
    ),
    "birth": wordset(
        "生まれる 生れる 生む 産む もうける 儲ける 設ける 授かる 恵まれる 恵む 出生 誕生 なす 出来る できる 得る 育つ "
        "残す 育てる 引き取る 挙げる"
    ),
}
_ACT_OF = {lemma: act for act, lemmas in _ACTS.items() for lemma in lemmas}
_ROLE = re.compile("|".join(map(re.escape, sorted(GROUP, key=len, reverse=True))))
GROUP["女"], SEX["女"] = "child", "f"
_DAUGHTER = re.compile("の女")
"""Behind a name it means a daughter; elsewhere 女 is no word of kin."""
_NOT_AFTER = frozenset("方弟兄妹姉子供婦母父親家上様族孫分宅屋達役者心君妻養婿国校")
"""Characters that make another word of a word of kin before them: 父方, 兄弟, 娘婿."""
_NOT_BEHIND_OTHERS = frozenset("子室")
"""Words of kin that end many other words: 障子, 教室."""


@dataclass(frozen=True, slots=True)
class Item:
    """`key`: how the item reads where only its kind counts; `group`: its kind of kin or of act, "" for others."""

    kind: Kind
    text: str
    start: int
    end: int
    key: str
    lemma: str
    group: str = ""


def density(text: str) -> float:
    """Words of kin per 1,000 characters: 20 to 50 in a family's chronicle, under 15 in most novels and tales."""
    return 1000 * sum(1 for _ in _ROLE.finditer(text)) / max(1, len(text))


def script(character: str) -> str:
    """K for kanji, h and k for kana, p for punctuation, d for digits, o for all else."""
    if "一" <= character <= "龥" or character in "々〆ヶ":
        return "K"
    if "ぁ" <= character <= "ん":
        return "h"
    if "ァ" <= character <= "ー":
        return "k"
    if character in "、。「」（）・『』":
        return "p"
    return "d" if character.isdigit() else "o"


def kin_words(sentence: str) -> list[tuple[int, int]]:
    """Where words of kin may stand, whatever stands around them."""
    return [match.span() for match in _ROLE.finditer(sentence)]


@lru_cache(maxsize=4096)
def items(sentence: str, persons: tuple[Span, ...]) -> tuple[Item, ...]:
    """The items of a sentence in order; `persons` are its names."""
    named = {start: (end, name) for start, end, name in persons}
    kin = _kin(sentence, persons)
    starts = {word.start: word for word in words(sentence)}
    found: list[Item] = []
    at = 0
    while at < len(sentence):
        if at in named:
            end, name = named[at]
            found.append(Item("person", name, at, end, "P", name))
        elif at in kin:
            found.append(_kin_item(sentence[at : kin[at]], at, kin[at]))
        else:
            marks = (position for position in range(at + 1, len(sentence)) if position in named or position in kin)
            found.append(_plain(sentence, at, starts, next(marks, len(sentence))))
        at = found[-1].end
    return tuple(found)


def _kin_item(word: str, start: int, end: int) -> Item:
    group = GROUP[word]
    return Item("kin", word, start, end, f"R:{word if group == 'other' else group}", word, group)


def _kin(sentence: str, persons: tuple[Span, ...]) -> dict[int, int]:
    """Start → end of the words of kin, those inside of names and of other words left out."""
    inside = {at for start, end, _ in persons for at in range(start, end)}
    begins = {start for start, _, _ in persons}
    found = {}
    ends = {end for _, end, _ in persons}
    for match in _DAUGHTER.finditer(sentence):
        if match.start() in ends and (
            match.end() in begins or sentence[match.end() : match.end() + 1] in "、でをと。は"
        ):
            found[match.end() - 1] = match.end()
    for start, end in kin_words(sentence):
        if inside.isdisjoint(range(start, end)) and _is_kin(sentence, start, end, inside, begins):
            found[start] = end
    return found


def _is_kin(sentence: str, start: int, end: int, inside: set[int], begins: set[int]) -> bool:
    before, after = sentence[max(0, start - 1) : start], sentence[end : end + 1]
    if after in _NOT_AFTER and after and end not in begins:
        return False
    if sentence[start:end] == "嫁" and after and after in "いぐがごげしすさせ":
        return False
    if end - start > 1:
        return True
    joined = bool(before) and start - 1 not in inside and script(before) == "K"
    if joined and before not in "末孫":
        return False
    if sentence[start] in _NOT_BEHIND_OTHERS and before and script(before) != "h" and start - 1 not in inside:
        return False
    kanji = bool(after) and script(after) == "K" and end not in begins
    return not kanji or bool(re.match("[一-龥]{2}", sentence[end:]))


def _plain(sentence: str, at: int, starts: dict[int, Word], stop: int) -> Item:
    """The word at a place, cut where a name or a word of kin begins."""
    word = starts.get(at)
    if word is None or word.end > stop:
        end = stop if word else min((start for start in starts if start > at), default=len(sentence))
        text = sentence[at : min(end, stop)]
        noun = script(text[0]) in "Kk"
        return Item("noun" if noun else "other", text, at, at + len(text), "N" if noun else text, text)
    act = _ACT_OF.get(word.lemma, "")
    if word.pos[0] in {"動詞", "形容詞"}:
        light = word.pos[0] == "動詞" and word.is_a("動詞", "非自立可能") and not act
        key = f"v:{word.lemma}" if light else f"V:{act}"
        return Item("verb", word.surface, at, word.end, key, word.lemma, act)
    if nounlike(word) or word.pos[0] in {"代名詞", "接頭辞", "接尾辞", "形状詞"}:
        return Item("noun", word.surface, at, word.end, f"N:{act}" if act else "N", word.lemma, act)
    return Item("other", word.surface, at, word.end, word.surface, word.lemma)


def between(found: Sequence[Item], first: int, last: int) -> str:
    """The keys of what stands between two items, nouns in a row as one, the middle of long ways left out."""
    keys: list[str] = []
    for item in found[first + 1 : last]:
        if item.key != "N" or keys[-1:] != ["N"]:
            keys.append(item.key)
    return " ".join([*keys[:3], "~", *keys[-2:]] if len(keys) > 6 else keys)
