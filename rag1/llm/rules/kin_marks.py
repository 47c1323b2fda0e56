"""A sentence of family prose as marked text: ⟨noun⟩ and {verb}, the rest as written, so that patterns can span it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rag1.llm.rules.words import Word, nounlike, quoted, words, wordset

SONS = wordset(
    "長男 次男 二男 三男 四男 五男 嫡男 嫡子 嗣子 息子 一男 一人息子 末の息子 末の男の子 養子 三人目の男の子 倅"
)
DAUGHTERS = wordset("長女 次女 二女 三女 四女 娘 一女 末娘 末の娘 一人娘 養女 息女")
CHILDREN = SONS | DAUGHTERS | wordset("子 末子 末の子 実子 一子 一人っ子 総領")
WIVES = wordset("妻 室 正室 側室 後妻 後室 先妻 継室 女房 嫁 妾 内儀 奥方 正妻 新妻")
HUSBANDS = wordset("夫 婿 入り婿 亭主")
PARENTS = wordset("父 母 実父 実母 養父 養母 生母 父親 母親 継母")
ELDER, YOUNGER = wordset("兄 姉 長兄 長姉 次兄"), wordset("弟 妹 末弟 末妹 実弟 実妹")
OTHERS = wordset("祖父 祖母 伯父 叔父 伯母 叔母 舅 姑 岳父 義父 義母 孫 孫娘 曾孫 甥 姪 従兄弟 いとこ 乳母 許婚")
ROLES = CHILDREN | WIVES | HUSBANDS | PARENTS | ELDER | YOUNGER | OTHERS
GRAVES = wordset("墓所 葬地 墓 墓地 埋葬地 奥津城 墳墓 墓石 お墓")
REMAINS = wordset("遺骸 遺体 亡骸 なきがら 骨 遺骨 遺髪 棺 骸 柩")
_TITLES = wordset("方 局 御方 お方 御前 前")
_NO_TITLE = wordset(
    "東 西 南 北 上 下 左 右 前 後 前後 内 外 山 川 海 町 村 里 奥 父 母 妻 夫 兄 弟 姉 妹 子 娘 男 女 家 寺 人 者 他 "
    "別 城 店 お客 おれ お前 おのれ おまえ 北国 京 国 彼 二人 客"
)
NOUN = "⟨[^⟩]+⟩"
CHAIN = f"{NOUN}(?:の{NOUN})*"
PARTS = re.compile("⟨([^⟩]+)⟩")


@lru_cache(maxsize=4096)
def marked(sentence: str) -> str:
    """「お絹は庄屋の息子に嫁いだ」 → 「⟨お絹⟩は⟨庄屋⟩の⟨息子⟩に{嫁ぐ}だ」.

    Kin before a name is set apart: ⟨長男⟩の⟨宗太郎⟩.
    """
    found = words(sentence)
    inside = {start - 1: end + 1 for start, end in quoted(sentence)}
    out, at = [], 0
    while at < len(found):
        word = found[at]
        if word.start in inside:
            end = inside[word.start]
            out.append(f"⟨{sentence[word.start + 1 : end - 1]}⟩" if end - word.start < 12 else "、")
            at = next((i for i in range(at, len(found)) if found[i].start >= end), len(found))
        elif _named_like_a_verb(found, at):
            out.append(f"⟨{word.surface}⟩")
            at += 1
        elif nounlike(word) or word.pos[0] == "代名詞":
            last = _run(found, at)
            out.append(_noun(found[at:last]))
            at = last
        else:
            verb = word.pos[0] in {"動詞", "形容詞"} and not _auxiliary(found, at)
            out.append(f"{{{word.lemma}}}" if verb else word.surface)
            at += 1
    text = re.sub("⟨末⟩の⟨(娘|子|息子|男の子)⟩", r"⟨末の\1⟩", "".join(out))
    return re.sub("(?<=⟩)の⟨(?:ほう|方)⟩(?=[はがも])|自身(?=⟩)", "", _titled(text))


def _named_like_a_verb(found: Sequence[Word], at: int) -> bool:
    """おきよは, おせんの: no forms of verbs, though a dictionary may have them as such."""
    verb = found[at].pos[0] == "動詞" and re.fullmatch("お[ぁ-ん]{1,3}", found[at].surface)
    follows = found[at + 1].surface if at + 1 < len(found) else ""
    return bool(verb) and follows in {"は", "が", "の", "を", "と", "も", "に"}


def _run(found: Sequence[Word], at: int) -> int:
    last = at + 1
    while last < len(found) and nounlike(found[last]) and not _ends(found[last - 1]):
        last += 1
    return last


def _ends(word: Word) -> bool:
    """A time or a number of people before a name is not a part of it: 「二人宗之」, 「先年浄念寺」."""
    return word.pos[0] == "代名詞" or word.surface in {"先年", "のち", "現在", "生涯", "代々", "晩年"}


def _auxiliary(found: Sequence[Word], at: int) -> bool:
    follows = at > 0 and found[at - 1].surface in {"て", "で"}
    return found[at].is_a("動詞", "非自立可能") and follows


def _noun(run: Sequence[Word]) -> str:
    """Leading kin is set apart from the name behind it; what is done (葬送する) stays a noun."""
    text = "".join(word.surface for word in run)
    if len(run) > 1 and run[0].surface in ROLES and not run[1].is_a("接尾辞"):
        return f"⟨{run[0].surface}⟩の⟨{text[len(run[0].surface) :]}⟩"
    return f"⟨{text}⟩"


def _titled(text: str) -> str:
    """松の方, お藤の方, 茶々の局 are names with a の inside."""

    def joined(match: re.Match[str]) -> str:
        return f"⟨{match[1]}の{match[2]}⟩" if is_titled(match[1], match[2]) else match[0]

    return re.sub(f"⟨([^⟩]{{1,4}})⟩の⟨({'|'.join(sorted(_TITLES))})⟩(?=[はがをもとのにで、。]|$)", joined, text)


def is_titled(lady: str, title: str) -> bool:
    """Is 「松の方」 one name? Not 「東の方」 or 「家の前」."""
    if title not in _TITLES or lady in _NO_TITLE or len(lady) > 4:
        return False
    return len(lady) == 1 or lady.startswith("お") or title == "局"
