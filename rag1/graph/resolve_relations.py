"""Relation names that mean one relation: by a table of synonyms, and by one dictionary form (つくる, 作る)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rag1.graph.merge import Merge
from rag1.graph.model import Triple
from rag1.text.tokenize import morphemes

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    name: tuple(others.split())
    for name, others in {
        "父": "父親 父上 実父 お父さん 親父 father FATHER",
        "母": "母親 母上 実母 生母 お母さん mother MOTHER",
        "妻": "室 正室 夫人 奥方 奥さん 細君 女房 家内 wife WIFE",
        "夫": "亭主 husband HUSBAND",
        "子": "子供 子ども 実子 child CHILD",
        "息子": "倅 せがれ 令息 son SON",
        "娘": "令嬢 息女 daughter DAUGHTER",
        "兄": "兄上 お兄さん",
        "姉": "姉上 お姉さん",
        "弟": "実弟",
        "妹": "実妹",
        "墓所": "葬地 墓 墓地 埋葬地 埋葬先 埋葬場所",
        "住居": "住所 住まい 居所 居住地",
        "出生地": "生地 生誕地 生まれた場所 出身地 郷里 故郷",
        "師匠": "師 恩師",
        "弟子": "門人 門弟 教え子",
        "作者": "著者 書き手 執筆者",
        "作る": "造る 創る 拵える こしらえる 製作する 制作する 製造する",
        "一緒": "同行 同行する 同行者 連れ 道連れ",
        "原因": "理由 わけ",
        "別名": "通称 異名 またの名 別称",
        "職業": "仕事 生業",
        "持ち主": "所有者",
    }.items()
}
_CANONICAL = {other: name for name, others in SYNONYMS.items() for other in others}


def relation_merges(triples: Sequence[Triple]) -> Iterator[Merge]:
    """Merges of the relation names of a graph. Of one dictionary form the most frequent spelling stays."""
    counts: dict[str, int] = {}
    for triple in triples:
        counts[triple.relation] = counts.get(triple.relation, 0) + 1
    forms: dict[str, list[str]] = {}
    for relation in counts:
        if relation in _CANONICAL:
            yield Merge("relation", "", relation, _CANONICAL[relation], "table", "synonyms")
        else:
            forms.setdefault(_form(relation), []).append(relation)
    for form, group in forms.items():
        if len(group) > 1:
            best = max(group, key=lambda name: (name in SYNONYMS, counts[name], name))
            for other in group:
                if other != best:
                    yield Merge("relation", "", other, best, "variant", f"both are {form}")


def _form(relation: str) -> str:
    """The dictionary's one spelling of a relation that is one word; others as they are."""
    found = morphemes(relation)
    return f"{found[0].normalized} ({found[0].pos[0]})" if len(found) == 1 else relation
