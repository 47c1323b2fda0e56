"""Tales as a walk from effect to cause: first causes, the main event of a sentence, who goes along, who made what."""

from __future__ import annotations

import numpy as np
import pytest

from rag1.llm.rules.causal_chain import first_cause
from rag1.llm.rules.causes import as_happening, negated, without_time
from rag1.llm.rules.facts import Fact
from rag1.llm.rules.journeys import joinings
from rag1.llm.rules.makers import makings
from rag1.llm.rules.plot import Tale
from rag1.llm.rules.plot_links import main_event, plot_links

TALE = [
    "ある年の秋、樽屋の喜助が、井戸のふたを閉め忘れてしまった。",
    "夜のうちに、枯れ葉が井戸いっぱいに積もった。",
    "水はにごって、豆腐屋は豆腐を作れなくなった。",
    "祭りの膳に、豆腐は一丁も出なかった。",
]


def test_the_first_cause_of_all_stands_behind_each_effect() -> None:
    last = [link for link in plot_links(TALE, [0]) if link.of == 3]
    assert last
    assert all("喜助" in link.first and "閉め忘れ" in link.first for link in last)


def test_the_walk_is_a_distribution_and_its_steps_have_no_ring() -> None:
    tale = Tale.of(TALE, [0])
    assert np.allclose(tale.walk.sum(axis=1), 1.0)
    steps = tale.causes()
    for start in steps:
        seen = [start]
        while seen[-1] in steps:
            seen.append(steps[seen[-1]])
            assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("sentences", [[], ["雨だった。"], ["「」", "、、。", "…"]])
def test_nothing_to_read_gives_no_links(sentences: list[str]) -> None:
    assert plot_links(sentences) == []


def test_the_clauses_at_the_end_that_lead_to_each_other_are_one_event() -> None:
    assert main_event("空は晴れていたが、縄が切れて、舟が沖へ流された。") == "縄が切れて、舟が沖へ流される"


def test_most_links_of_a_chain_name_its_first_cause() -> None:
    def fact(head: str, tail: str, first: str) -> Fact:
        return Fact(head, "原因", tail, f"{head} - 原因 -> {tail}", {"大もと": first})

    assert first_cause([fact("丁", "丙", "雨"), fact("丙", "乙", "風"), fact("乙", "甲", "風")]) == "風"
    assert first_cause([]) == ""


def test_an_event_as_an_answer() -> None:
    assert without_time("ある秋の夜、猿が柿を落とす") == "猿が柿を落とす"
    assert negated("金がある(ない)") == "金がない"
    assert as_happening("大雨") == "大雨"
    assert as_happening("この日が休み") == "この日が休みであること"


@pytest.mark.parametrize(
    ("told", "companions"),
    [
        (["庄吉は弟の三太と、隣のおくめを連れて、湊へ魚を買いに出かけた。"], {"三太", "おくめ"}),
        (["庄吉は湊へ出かけた。", "供をしたのは桶屋の源助と、娘のおくめである。"], {"源助", "おくめ"}),
        (["真っ先に山へ登ったのは、猟師の庄吉である。", "弟の三太と、隣のおくめがついてきた。"], {"三太", "おくめ"}),
        (["庄吉は荷を馬二頭に積み、湊へ向かった。", "三太は家に残った。"], set()),
    ],
)
def test_all_who_go_along(told: list[str], companions: set[str]) -> None:
    assert {joining.tail for joining in joinings(told) if joining.head == "庄吉"} == companions


@pytest.mark.parametrize(
    "told",
    [
        ["庄吉は青い頭巾をかぶっていた。", "仕立て屋の千代が、夜なべで縫ってくれたものだ。"],
        ["庄吉の頭巾が、風にはためいた。", "「千代さんに縫ってもらったんだ」と庄吉は笑った。"],
        ["頼りは頭巾だけだった。", "仕立て屋の千代が、綿を入れて縫った、雪にも風にも強い頭巾である。"],
    ],
)
def test_a_maker_of_what_the_sentence_before_tells_of(told: list[str]) -> None:
    assert any(made.maker.startswith("千代") and made.thing == "頭巾" for made in makings(told))
