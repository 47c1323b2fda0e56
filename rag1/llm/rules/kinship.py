"""Relation names: which mean the same, and which are made of others (祖父 = 父 · 父 or 母 · 父)."""

from __future__ import annotations

from collections.abc import Iterable

from rag1.llm.rules.words import wordset
from rag1.llm.tasks import ComposeRelation, RelationPath

SAME: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in (
        "父 父親 父上 実父 お父さん father FATHER",
        "母 母親 母上 実母 生母 お母さん mother MOTHER",
        "妻 室 夫人 奥さん 奥方 正室 細君 女房 家内 配偶者 wife WIFE SPOUSE",
        "夫 主人 旦那 亭主 配偶者 husband HUSBAND SPOUSE",
        "子 子供 子ども 実子 child CHILD",
        "息子 男子 令息 子息 倅 子 子供 son SON",
        "娘 女子 令嬢 子 子供 daughter DAUGHTER",
        "長男 嫡男 総領 第一子",
        "兄 兄上 長兄 お兄さん",
        "姉 姉上 お姉さん 長姉",
        "弟 実弟",
        "妹 実妹",
        "墓所 葬地 墓 墓地 菩提寺 埋葬地 埋葬 埋葬先 墓のある寺 葬る 眠る",
        "住居 住所 住まい 居所 家 住む 暮らす 居住地",
        "生地 出生地 生誕地 故郷 郷里 出身地 出身 生まれる 生まれ",
        "作者 著者 書き手 作家 執筆者 書く 著す",
        "製作者 作り手 作った人 制作者 作 作る 造る つくる 拵える こしらえる 仕上げる 仕立てる 製作 手がける 建てる",
        "師匠 師 先生 恩師",
        "弟子 門人 門弟 教え子",
        "仲間 同行者 連れ 供 友 友人 一緒",
        "理由 原因 訳 わけ",
        "職業 仕事 商売 職 生業",
        "名前 名 氏名 本名",
        "年齢 歳 年 とし",
        "持ち主 所有者 主",
    )
)

_COMPOSED: dict[str, tuple[tuple[str, ...], ...]] = {
    "両親": (("父",), ("母",)),
    "親": (("父",), ("母",)),
    "祖父": (("父", "父"), ("母", "父")),
    "祖母": (("父", "母"), ("母", "母")),
    "父方の祖父": (("父", "父"),),
    "父方の祖母": (("父", "母"),),
    "母方の祖父": (("母", "父"),),
    "母方の祖母": (("母", "母"),),
    "曾祖父": (("父", "父", "父"), ("母", "父", "父"), ("父", "祖父")),
    "曾祖母": (("父", "父", "母"), ("母", "母", "母"), ("父", "祖母")),
    "孫": (("子", "子"), ("息子", "息子"), ("息子", "娘"), ("娘", "息子"), ("長男", "長男"), ("長男", "子")),
    "孫娘": (("子", "娘"), ("息子", "娘"), ("娘", "娘")),
    "曾孫": (("子", "子", "子"), ("孫", "子")),
    "伯父": (("父", "兄"), ("母", "兄")),
    "叔父": (("父", "弟"), ("母", "弟")),
    "伯母": (("父", "姉"), ("母", "姉")),
    "叔母": (("父", "妹"), ("母", "妹")),
    "おじ": (("父", "兄"), ("父", "弟"), ("母", "兄"), ("母", "弟")),
    "おば": (("父", "姉"), ("父", "妹"), ("母", "姉"), ("母", "妹")),
    "甥": (("兄", "息子"), ("弟", "息子"), ("姉", "息子"), ("妹", "息子"), ("兄", "子"), ("弟", "子")),
    "姪": (("兄", "娘"), ("弟", "娘"), ("姉", "娘"), ("妹", "娘"), ("兄", "子"), ("弟", "子")),
    "いとこ": (
        ("父", "兄", "子"),
        ("父", "弟", "子"),
        ("母", "兄", "子"),
        ("母", "弟", "子"),
        ("叔父", "子"),
        ("伯父", "子"),
    ),
    "義父": (("妻", "父"), ("夫", "父")),
    "義母": (("妻", "母"), ("夫", "母")),
    "舅": (("夫", "父"), ("妻", "父")),
    "姑": (("夫", "母"), ("妻", "母")),
    "岳父": (("妻", "父"),),
    "婿": (("娘", "夫"), ("長女", "夫")),
    "嫁": (("息子", "妻"), ("長男", "妻")),
    "義兄": (("妻", "兄"), ("夫", "兄"), ("姉", "夫")),
    "義弟": (("妻", "弟"), ("夫", "弟"), ("妹", "夫")),
    "義姉": (("兄", "妻"), ("妻", "姉"), ("夫", "姉")),
    "義妹": (("弟", "妻"), ("妻", "妹"), ("夫", "妹")),
    "いいなずけ": (("婚約者",),),
}

KIN = frozenset(_COMPOSED) | wordset(
    "父 母 夫 妻 室 正室 側室 子 子供 息子 娘 兄 弟 姉 妹 兄弟 姉妹 長男 次男 三男 四男 長女 次女 三女 末子 末弟 末妹 "
    "末娘 一人娘 一人息子 嫡男 養子 養女 養父 養母 継母 継父 女房 婚約者 師匠 弟子 友人 親友 恋人 同僚 乳母"
)
PERSON_RELATIONS = KIN | wordset(
    "師 先生 教え子 友 主人 主 家来 家臣 部下 上司 主君 持ち主 所有者 作者 著者 主人公 監督 社長 店主 創業者 創設者 "
    "設立者 発明者 後継者 先代 前任者 相棒 仲間 妾 女中 下男 番頭 主宰者 作曲者 主演 当主 家元 隊長 船長 村長"
)


def same_relation(a: str, b: str) -> bool:
    return a == b or any(a in group and b in group for group in SAME)


def synonyms(relation: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known relations of the same meaning, the very name first."""
    return tuple(sorted((name for name in known if same_relation(relation, name)), key=lambda name: name != relation))


def compositions(relation: str) -> tuple[tuple[str, ...], ...]:
    """The chains that mean the relation, likeliest first; its own の-chain when it is one (母の父)."""
    found = _COMPOSED.get(relation, ())
    if not found and "の" in relation:
        return (tuple(relation.split("の")),)
    return found


PRESUMED: dict[str, tuple[tuple[str, ...], ...]] = {"母": (("父", "妻"),), "父": (("母", "夫"),)}
"""What usually holds where nothing is stated: a father's wife is the mother."""


def presumed(relation: str) -> tuple[tuple[str, ...], ...]:
    """Chains that are likely to mean the relation; only for where nothing states it."""
    return next((chains for name, chains in PRESUMED.items() if same_relation(name, relation)), ())


def compose_relation(task: ComposeRelation) -> RelationPath:
    """The known relation of the same meaning, or the first composition whose every step is known."""
    for chain in ((task.relation,), *compositions(task.relation)):
        path = tuple(_known(step, task.known) for step in chain)
        if all(path):
            return RelationPath(path=path)
    return RelationPath(path=())


def _known(relation: str, known: tuple[str, ...]) -> str:
    if relation in known:
        return relation
    return next((name for name in known if same_relation(relation, name)), "")
