"""Words for kin and what they mean: which link, of which sex, of which rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rag1.llm.rules.words import wordset

Link = Literal["spouse", "parent", "child", "elder", "younger", "inlaw", "raw"]
Sex = Literal["m", "f", ""]


@dataclass(frozen=True, slots=True)
class Role:
    """`rank`: 1 for 長男, 2 for 次男, -1 for the youngest, 0 where the word tells none."""

    word: str
    link: Link
    sex: Sex = ""
    rank: int = 0

    @property
    def relation(self) -> str:
        """The relation that questions ask for."""
        return PLAIN.get(self.word, self.word)


_WORDS: dict[tuple[Link, Sex], str] = {
    (
        "spouse",
        "f",
    ): (
        "妻 室 正室 側室 後妻 後室 先妻 前妻 継室 継妻 女房 妾 内儀 奥方 正妻 新妻 夫人 内室 家内 細君 奥さん "
        "嫁 嫁御 愛妻 北の方 かみさん おかみさん 妻女 令室 令夫人 老妻"
    ),
    ("spouse", "m"): "夫 亭主 良人 入り婿 旦那 ご主人 亡夫 前夫",
    ("spouse", ""): "連れ合い つれあい 連合い 配偶者 伴侶",
    ("parent", "m"): "父 実父 父親 亡父 父上 お父さん 父さん おやじ 親父 生父",
    ("parent", "f"): "母 実母 生母 母親 亡母 母上 お母さん 母さん おふくろ 産みの母",
    (
        "child",
        "m",
    ): (
        "長男 次男 二男 三男 四男 五男 六男 七男 嫡男 嫡子 嗣子 息子 一人息子 ひとり息子 倅 せがれ 嫡嗣 "
        "惣領息子 跡取り息子 庶子 遺児 末男 男の子 男児 令息 子息 長子 次子"
    ),
    (
        "child",
        "f",
    ): (
        "長女 次女 二女 三女 四女 五女 六女 娘 一人娘 ひとり娘 末娘 息女 愛娘 令嬢 末女 女の子 女児 むすめ "
        "箱入り娘 女 女子"
    ),
    ("child", ""): "子 子ども 子供 末子 末っ子 一子 実子 一人っ子 ひとり子 総領 惣領 跡取り 忘れ形見",
    ("elder", "m"): "兄 長兄 次兄 実兄 お兄さん 兄さん 異母兄 異父兄 亡兄 義理の兄",
    ("elder", "f"): "姉 長姉 次姉 実姉 お姉さん 姉さん 異母姉 異父姉",
    ("younger", "m"): "弟 実弟 末弟 次弟 舎弟 異母弟 異父弟 すぐ下の弟",
    ("younger", "f"): "妹 実妹 末妹 異母妹 異父妹",
    ("inlaw", "m"): "舅 岳父 義父 しゅうと",
    ("inlaw", "f"): "姑 岳母 義母 しゅうとめ",
    (
        "raw",
        "m",
    ): (
        "祖父 お祖父さん おじいさん 爺さん 曾祖父 曽祖父 高祖父 伯父 叔父 おじ おじさん 大叔父 大伯父 甥 婿 "
        "娘婿 女婿 婿養子 養子 養父 義兄 義弟 継父 おじいちゃん じいさん 父方の祖父 母方の祖父 父方の曾祖父 "
        "母方の曾祖父"
    ),
    (
        "raw",
        "f",
    ): (
        "祖母 お祖母さん おばあさん 婆さん 曾祖母 曽祖母 高祖母 伯母 叔母 おば おばさん 大叔母 大伯母 姪 孫娘 "
        "養女 養母 義姉 義妹 継母 乳母 おばあちゃん ばあさん 父方の祖母 母方の祖母"
    ),
    (
        "raw",
        "",
    ): (
        "孫 曾孫 曽孫 従兄弟 いとこ 従兄 従弟 従姉 従妹 従姉妹 又従兄弟 許婚 許嫁 婚約者 師 師匠 恩師 弟子 "
        "門人 門弟 愛弟子 高弟 内弟子 主君 家臣 親方 主人 後見人"
    ),
}

PLAIN = {
    word: plain
    for plain, ranks in {
        "妻": (
            "女房 正妻 新妻 夫人 内室 家内 細君 奥さん 嫁 嫁御 愛妻 北の方 かみさん おかみさん 妻女 令室 "
            "令夫人 老妻 奥方 内儀 先妻 前妻 後妻 継妻"
        ),
        "室": "後室 継室",
        "夫": "亭主 良人 入り婿 旦那 ご主人 亡夫 前夫",
        "配偶者": "連れ合い つれあい 連合い 伴侶",
        "父": "実父 父親 亡父 父上 お父さん 父さん おやじ 親父 生父",
        "母": "実母 生母 母親 亡母 母上 お母さん 母さん おふくろ 産みの母",
        "息子": "一人息子 ひとり息子 倅 せがれ 惣領息子 跡取り息子 庶子 令息 子息 末男 男の子 男児",
        "嫡男": "嫡子 嗣子 嫡嗣",
        "長男": "長子",
        "次男": "二男 次子",
        "次女": "二女",
        "娘": "女 女子 一人娘 ひとり娘 末娘 息女 愛娘 令嬢 末女 女の子 女児 むすめ 箱入り娘",
        "子": "子ども 子供 末っ子 一子 実子 一人っ子 ひとり子 総領 惣領 跡取り 忘れ形見 遺児",
        "兄": "長兄 次兄 実兄 お兄さん 兄さん 異母兄 異父兄 亡兄 義理の兄",
        "姉": "長姉 次姉 実姉 お姉さん 姉さん 異母姉 異父姉",
        "弟": "実弟 末弟 次弟 舎弟 異母弟 異父弟 すぐ下の弟",
        "妹": "実妹 末妹 異母妹 異父妹",
        "舅": "しゅうと",
        "姑": "しゅうとめ 岳母",
        "祖父": "お祖父さん おじいさん 爺さん おじいちゃん じいさん",
        "祖母": "お祖母さん おばあさん 婆さん おばあちゃん ばあさん",
        "曾祖父": "曽祖父",
        "曾祖母": "曽祖母",
        "曾孫": "曽孫",
        "おじ": "おじさん",
        "おば": "おばさん",
        "婿": "娘婿 女婿",
        "師": "師匠 恩師 親方",
        "弟子": "門人 門弟 愛弟子 高弟 内弟子",
        "いとこ": "従兄弟 従姉妹",
    }.items()
    for word in ranks.split()
}

_RANKS = {"長": 1, "次": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "末": -1, "嫡": 1}
RANKED = frozenset(
    word for (link, _), words in _WORDS.items() if link == "child" for word in words.split() if word[0] in _RANKS
)

ROLE_OF: dict[str, Role] = {
    word: Role(word, link, sex, _RANKS.get(word[0], 0) if word in RANKED else 0)
    for (link, sex), words in _WORDS.items()
    for word in words.split()
}
ROLE_WORDS = tuple(sorted(ROLE_OF, key=len, reverse=True))
HALF = wordset("異母兄 異母姉 異母弟 異母妹 異父兄 異父姉 異父弟 異父妹")
"""Siblings who share one parent only."""
NOT_AFTER = frozenset("方弟兄妹姉子供婦母父親家上様族孫分宅屋達役者心君")
"""Characters that make another word of a role before them: 父方, 兄弟, 夫婦, 娘婿, 主人公."""
