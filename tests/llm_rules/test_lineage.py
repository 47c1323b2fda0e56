"""Kin and graves in prose: one turn of speech a case, written for this test."""

from __future__ import annotations

import pytest

from rag1.llm.rules.lineage import lineage_of

Fact = tuple[str, str, str]


def told(*sentences: str, before: str = "") -> set[Fact]:
    facts, siblings = lineage_of(sentences, before, frozenset())
    return {fact for each in facts for fact in each} | set(siblings)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (("五平とお竹のあいだに生まれたのが、のちに画家となる戸川春山である。",), ("戸川春山", "母", "お竹")),
        (("桑名五平の妻はお竹である。", "二人の間に生まれたのが清吉である。"), ("清吉", "父", "桑名五平")),
        (("桑名五平はお竹を妻に迎えた。", "五平の墓所は安楽寺と伝わる。"), ("桑名五平", "墓所", "安楽寺")),
        (("お竹は、川向こうの庄屋の息子、桑名五平のもとへ嫁いだ。",), ("お竹", "夫", "桑名五平")),
        (("桑名五平の母は豪商の戸川宗円の娘で、名をお里といった。",), ("戸川宗円", "娘", "お里")),
        (("桑名五平は旅先で死に、遺骸は近江の安楽寺に埋葬された。",), ("桑名五平", "墓所", "安楽寺")),
        (("桑名五平は安楽寺に葬られた。", "妻のお竹も同じ寺に眠る。"), ("お竹", "墓所", "安楽寺")),
        (("桑名五平には、お竹という一人娘しかなかった。",), ("お竹", "父", "桑名五平")),
        (("桑名五平とお竹は一男一女に恵まれた。", "姉をお里、弟を清吉という。"), ("清吉", "姉", "お里")),
    ],
)
def test_a_turn_of_speech_gives_its_fact(text: tuple[str, ...], fact: Fact) -> None:
    assert fact in told(*text)


def test_a_short_name_stands_for_the_whole_one() -> None:
    facts = told("戸川宗一は三代目で、町の者は略して「宗さん」と呼んだ。", "宗の妻はお竹である。")
    assert ("戸川宗一", "妻", "お竹") in facts


def test_what_stands_before_a_text_says_whom_it_goes_on_about() -> None:
    before = "桑名五平とお竹のあいだには、三人の子が生まれた。"
    assert ("清吉", "父", "桑名五平") in told("長男が清吉である。", before=before)


def test_a_direction_is_no_lady() -> None:
    assert told("東の方に寺の墓地がある。") == set()
