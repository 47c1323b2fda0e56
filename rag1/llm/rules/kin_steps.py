"""One step along kin: the links of a graph that tell it, and the chains that it is made of, likeliest first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag1.llm.rules.kinship import compositions
from rag1.llm.rules.words import wordset

Sex = Literal["m", "f", ""]

SONS = wordset("息子 長男 次男 二男 三男 四男 五男 六男 末男 嫡男 嫡子 嗣子 一人息子 男子 倅")
DAUGHTERS = wordset("娘 長女 次女 二女 三女 四女 五女 末娘 末女 一人娘 女子 息女")
ADOPTED = wordset("養子 養女 婿養子 養嗣子")
CHILDREN = SONS | DAUGHTERS | wordset("子 子供 子ども 実子 一子 末子")
WIVES = wordset("妻 室 正室 側室 夫人 後妻 先妻 継室 女房 内室 家内 奥方 細君")
HUSBANDS = wordset("夫 亭主 旦那")
SPOUSES = WIVES | HUSBANDS | {"配偶者"}
FATHERS, MOTHERS = wordset("父 実父 父親"), wordset("母 実母 生母 母親")
ELDER, YOUNGER = wordset("兄 姉 長兄 次兄 長姉 実兄 実姉"), wordset("弟 妹 末弟 末妹 実弟 実妹")
SIBLINGS = ELDER | YOUNGER | wordset("兄弟 姉妹 兄弟姉妹")
UNCLES, AUNTS = wordset("伯父 叔父 おじ"), wordset("伯母 叔母 おば")
ALIASES = wordset("別名 号 俳号 雅号 画号 通称 幼名 本名 旧名 改名 名前")
COUSINS = wordset("いとこ 従兄弟 従姉妹 従兄 従弟 従姉 従妹")
MALE = (
    SONS | HUSBANDS | wordset("兄 弟 長兄 次兄 末弟 実兄 実弟 祖父 曾祖父 曽祖父 養父 養子 婿 舅 甥 従兄 従弟") | UNCLES
)
FEMALE = (
    DAUGHTERS | WIVES | wordset("姉 妹 長姉 末妹 実姉 実妹 祖母 曾祖母 曽祖母 養母 養女 嫁 姑 姪 従姉 従妹") | AUNTS
)

SAME_WORD = {
    plain: wordset(words)
    for plain, words in {
        "妻": "妻女 女房 家内 夫人 奥方 内儀 内室 細君 室 正室 側室 先妻 後妻 前妻 正妻 継室 奥さん",
        "夫": "亭主 旦那 主人",
        "配偶者": "連れ合い つれあい 伴侶",
        "父": "父親",
        "母": "母親",
        "実父": "実の父 実の父親 生父",
        "実母": "生母 実の母 実の母親 産みの母",
        "兄": "次兄 実兄 実の兄",
        "姉": "次姉 実姉 実の姉",
        "弟": "末弟 実弟 実の弟",
        "妹": "末妹 実妹 実の妹",
        "息子": "倅 せがれ 一人息子 男子 子息",
        "娘": "一人娘 息女 女子",
        "子": "子供 子ども 一子 実子",
        "長男": "嫡男 嫡子 長子",
        "次男": "二男",
        "次女": "二女",
        "祖父": "実の祖父 おじいさん お祖父さん",
        "祖母": "実の祖母 おばあさん お祖母さん",
        "曾祖父": "曽祖父 ひいおじいさん",
        "曾祖母": "曽祖母 ひいおばあさん",
        "曾孫": "曽孫 ひ孫",
        "舅": "義父 岳父 義理の父",
        "姑": "義母 岳母 義理の母",
        "婿": "娘婿 女婿 婿養子",
        "いとこ": "従兄弟 従姉妹 従兄 従弟 従姉 従妹",
        "師": "師匠 恩師",
        "弟子": "門人 門弟",
    }.items()
}
"""Words of questions that ask for the same step."""
PLAIN = {word: plain for plain, words in SAME_WORD.items() for word in words}


TITLES = re.compile("(?:さん|さま|様|氏|殿|翁|公|先生|くん|君)$")
WOMAN = re.compile("^お.{1,3}$|(?:^|[一-龥])[ぁ-んァ-ヶー]{2,3}$|[子江枝代乃]$")
"""How women's names look."""
NO_NAME = re.compile("[、。]|.{16}")
"""What is no person's name, though a graph may have it as a node: a clause."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A link of one of these types, along its arrow or against it. `sex`: of whoever is reached, "" for either."""

    types: frozenset[str]
    forward: bool = True
    sex: Sex = ""


_STEPS: dict[str, tuple[tuple[Hop, ...], str]] = {
    "父": (
        (Hop(FATHERS, True, "m"), Hop(CHILDREN, False, "m"), Hop(frozenset({"親"}), True, "m")),
        "兄弟姉妹.父 母.夫 養父",
    ),
    "母": (
        (Hop(MOTHERS, True, "f"), Hop(CHILDREN, False, "f"), Hop(frozenset({"親"}), True, "f")),
        "兄弟姉妹.母 父.妻 養母",
    ),
    "実父": ((Hop(frozenset({"実父"})),), "父"),
    "実母": ((Hop(wordset("実母 生母")),), "母"),
    "養父": ((Hop(frozenset({"養父"})), Hop(ADOPTED, False, "m")), "養母.夫"),
    "養母": ((Hop(frozenset({"養母"})), Hop(ADOPTED, False, "f")), "養父.妻"),
    "妻": ((Hop(WIVES | {"配偶者"}, True, "f"), Hop(HUSBANDS | {"配偶者"}, False, "f")), "子.母"),
    "夫": ((Hop(HUSBANDS | {"配偶者"}, True, "m"), Hop(WIVES | {"配偶者"}, False, "m")), "子.父"),
    "配偶者": ((Hop(SPOUSES), Hop(SPOUSES, False)), ""),
    "子": ((Hop(CHILDREN), Hop(FATHERS | MOTHERS | {"親"}, False)), "配偶者.子 養子"),
    "息子": ((Hop(SONS), Hop(CHILDREN, True, "m"), Hop(FATHERS | MOTHERS, False, "m")), "配偶者.息子 養子"),
    "娘": ((Hop(DAUGHTERS), Hop(CHILDREN, True, "f"), Hop(FATHERS | MOTHERS, False, "f")), "配偶者.娘 養女"),
    "養子": ((Hop(ADOPTED), Hop(wordset("養父 養母"), False)), ""),
    "養女": ((Hop(frozenset({"養女"})), Hop(wordset("養父 養母"), False, "f")), ""),
    "兄": ((Hop(ELDER, True, "m"), Hop(YOUNGER, False, "m")), "父.息子 母.息子"),
    "弟": ((Hop(YOUNGER, True, "m"), Hop(ELDER, False, "m")), "父.息子 母.息子"),
    "姉": ((Hop(ELDER, True, "f"), Hop(YOUNGER, False, "f")), "父.娘 母.娘"),
    "妹": ((Hop(YOUNGER, True, "f"), Hop(ELDER, False, "f")), "父.娘 母.娘"),
    "兄弟": ((Hop(SIBLINGS, True, "m"), Hop(SIBLINGS, False, "m")), "父.息子 母.息子"),
    "姉妹": ((Hop(SIBLINGS, True, "f"), Hop(SIBLINGS, False, "f")), "父.娘 母.娘"),
    "兄弟姉妹": ((Hop(SIBLINGS), Hop(SIBLINGS, False)), ""),
    "祖父": ((Hop(frozenset({"祖父"})), Hop(frozenset({"孫"}), False, "m")), "父.父 母.父"),
    "祖母": ((Hop(frozenset({"祖母"})), Hop(frozenset({"孫"}), False, "f")), "父.母 母.母"),
    "曾祖父": ((Hop(wordset("曾祖父 曽祖父")),), "父.祖父 母.祖父"),
    "曾祖母": ((Hop(wordset("曾祖母 曽祖母")),), "父.祖母 母.祖母"),
    "父方の祖父": ((), "父.父 祖父"),
    "父方の祖母": ((), "父.母 祖母"),
    "長兄": ((), "父.長男 母.長男 兄"),
    "長姉": ((), "父.長女 母.長女 姉"),
    "孫": ((Hop(frozenset({"孫"})), Hop(wordset("祖父 祖母"), False)), "子.子"),
    "叔父": ((Hop(frozenset({"叔父"})),), "父.弟 母.弟 おじ"),
    "伯父": ((Hop(frozenset({"伯父"})),), "父.兄 母.兄 おじ"),
    "おじ": ((Hop(UNCLES), Hop(wordset("甥 姪"), False, "m")), "父.兄弟 母.兄弟"),
    "叔母": ((Hop(frozenset({"叔母"})),), "父.妹 母.妹 おば"),
    "伯母": ((Hop(frozenset({"伯母"})),), "父.姉 母.姉 おば"),
    "おば": ((Hop(AUNTS), Hop(wordset("甥 姪"), False, "f")), "父.姉妹 母.姉妹"),
    "甥": ((Hop(frozenset({"甥"})), Hop(UNCLES | AUNTS, False, "m")), "兄弟姉妹.息子"),
    "姪": ((Hop(frozenset({"姪"})), Hop(UNCLES | AUNTS, False, "f")), "兄弟姉妹.娘"),
    "いとこ": ((Hop(COUSINS), Hop(COUSINS, False)), "おじ.子 おば.子"),
    "舅": ((Hop(wordset("舅 義父 岳父")), Hop(wordset("婿 嫁"), False, "m")), "配偶者.父"),
    "姑": ((Hop(wordset("姑 義母 岳母")), Hop(wordset("婿 嫁"), False, "f")), "配偶者.母"),
    "婿": ((Hop(wordset("婿 娘婿 婿養子 女婿")),), "娘.夫"),
    "嫁": ((Hop(frozenset({"嫁"})),), "息子.妻"),
    "師": ((Hop(wordset("師 師匠 恩師 先生")), Hop(wordset("弟子 門人 門弟"), False)), ""),
    "弟子": ((Hop(wordset("弟子 門人 門弟")), Hop(wordset("師 師匠 恩師"), False)), ""),
}
"""step → its links, and the chains of steps that mean it (the last of them presumptions)."""


@lru_cache(maxsize=512)
def hops(step: str) -> tuple[Hop, ...]:
    """The links that tell a step, the very word first."""
    known = _STEPS.get(step) or _STEPS.get("息子" if step in SONS else "娘" if step in DAUGHTERS else "", ((), ""))
    words = frozenset({step, *SAME_WORD.get(step, ())})
    sex = known[0][0].sex if known[0] else ""
    return (Hop(words, True, sex), *known[0])


@lru_cache(maxsize=512)
def chains(step: str) -> tuple[tuple[str, ...], ...]:
    """The chains of steps that mean a step."""
    if step in _STEPS:
        return tuple(tuple(chain.split(".")) for chain in _STEPS[step][1].split())
    if step in SONS | DAUGHTERS:
        return (("配偶者", step),)
    return compositions(step)


RANKED = (SONS | DAUGHTERS) - {"息子", "娘"}
"""Words for one child among others: who is a son is not yet the eldest."""
STEPS = frozenset(_STEPS) | SONS | DAUGHTERS | frozenset(PLAIN) | wordset("義兄 義弟 義姉 義妹 孫娘 曾孫 両親 親")
KIN_LINKS = frozenset().union(
    *(hop.types for links, _ in _STEPS.values() for hop in links),
    wordset("孫娘 曾孫 義兄 義弟 義姉 義妹 親 許婚 婚約者 乳母"),
)
