"""Questions along kin: how they are read, walked over facts, written as statements, and what is never answered."""

from __future__ import annotations

import pytest

from rag1.cypher.guard import check_read_only
from rag1.llm.rules.facts import Fact, read_facts
from rag1.llm.rules.kin_asked import asked_kin, parts_of
from rag1.llm.rules.kin_cypher import kin_statements
from rag1.llm.rules.kin_walk import solve
from rag1.llm.rules.reader import answer_from
from rag1.llm.tasks import AnswerFrom, Passage
from rag1.types import ABSTENTION


@pytest.mark.parametrize(
    ("question", "start", "steps", "final"),
    [
        ("新太の母方の祖父の墓所は何という寺か。", "新太", "母 父", "の墓所は何という寺か。"),
        ("四代社長・研の父方の叔母の夫は誰か。", "四代社長・研", "父 妹 夫", "は誰か。"),
        ("きみさんの妻の父方の祖父はどこに葬られたか。", "きみさん", "妻 父 父", "はどこに葬られたか。"),
        ("半蔵を養子に迎えた人物の弟の号は何か。", "半蔵", "養父 弟", "の号は何か。"),
        ("ふゆが嫁いだ相手の父は何を商っていたか。", "ふゆ", "夫 父", "は何を商っていたか。"),
        ("半蔵を産んだ女性の生まれはどこか。", "半蔵", "母", "の生まれはどこか。"),
        ("半蔵の祖父にあたる人はいつ亡くなったか。", "半蔵", "祖父", "はいつ亡くなったか。"),
        ("半蔵の父方の曽祖父は誰か。", "半蔵", "父 父方の祖父", "は誰か。"),
        ("ふゆの舅の女房の名は何か。", "ふゆ", "舅 妻", "の名は何か。"),
    ],
)
def test_a_chain_is_read(question: str, start: str, steps: str, final: str) -> None:
    asked = asked_kin(question)
    assert asked is not None
    assert (asked.start, " ".join(asked.steps), asked.final) == (start, steps, final)


@pytest.mark.parametrize("question", ["蔵の味噌の味はどうか。", "半蔵はどこで生まれたか。", "子供たちは何を見たか。"])
def test_other_questions_are_no_chains_of_kin(question: str) -> None:
    assert asked_kin(question) is None


def test_a_chain_in_parts() -> None:
    asked = asked_kin("新太の兄で江戸へ出た人の妻の墓所はどこか。")
    assert asked is not None
    assert parts_of(asked) == ["新太の兄で江戸へ出た人は誰か", "{1}の妻は誰か", "{2}の墓所はどこか。"]


def facts(*lines: str) -> list[Fact]:
    return read_facts([Passage(id="1", text="\n".join(lines))])


FAMILY = (
    "岡部市蔵 - 妻 -> おるい",
    "岡部市蔵 - 長男 -> 新太",
    "おるい - 長男 -> 新太",
    "岡部市蔵 - 次男 -> 研吉",
    "滝口彦兵衛 - 三女 -> おるい",
    "滝口彦兵衛 - 役職 -> 庄屋",
    "滝口彦兵衛 - 墓所 -> 屋敷裏の丘",
    "滝口彦兵衛 - 墓所 -> 桂林寺",
    "おるい - 兄 -> 滝口玄庵",
    "滝口玄庵 - 職業 -> 町医者",
    "滝口玄庵 - 号 -> 竹斎",
    "研吉 - 兄 -> 新太",
    "新太 - 別名 -> 二代市蔵",
    "おはつ - 養子 -> 研吉",
    "岡部市蔵 - 生まれ -> 出羽",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("新太の母方の祖父の墓所は何という寺か。", "桂林寺"),
        ("二代市蔵の母の父は何という役に就いたか。", "庄屋"),
        ("新太の母方の祖父の職業は何か。", "庄屋"),
        ("新太の母の兄は何を業としていたか。", "町医者"),
        ("研吉の母の兄の号は何か。", "竹斎"),
        ("研吉の養母は誰か。", "おはつ"),
        ("新太の弟の父の出身地はどこか。", "出羽"),
        ("滝口玄庵の妹の夫は誰か。", "岡部市蔵"),
        ("滝口彦兵衛の孫は誰か。", "新太"),
        ("新太の父方の祖父の墓所は何という寺か。", ""),
        ("新太の母の兄の墓所は何という寺か。", ""),
        ("新太の母の姉は誰か。", ""),
    ],
)
def test_a_chain_is_walked(question: str, answer: str) -> None:
    solved = solve(question, facts(*FAMILY))
    assert solved is not None
    assert solved.answer == answer


def test_every_step_is_shown() -> None:
    solved = solve("新太の母方の祖父の墓所は何という寺か。", facts(*FAMILY))
    assert solved is not None
    assert solved.lines == ["おるい - 長男 -> 新太", "滝口彦兵衛 - 三女 -> おるい", "滝口彦兵衛 - 墓所 -> 桂林寺"]


def test_a_parent_by_adoption_comes_after_the_own_one() -> None:
    told = facts("柏木 - 父 -> 養い", "養い - 養子 -> 柏木", "実の親 - 三男 -> 柏木", "実の親 - 妻 -> とせ")
    assert [solve(f"柏木の{step}は誰か。", told).answer for step in ("父", "実父", "養父")] == [  # type: ignore[union-attr]
        "実の親", "実の親", "養い",
    ]  # fmt: skip


def test_the_side_that_is_asked_is_not_left() -> None:
    context = (Passage(id="1", text="\n".join(FAMILY)),)
    told = answer_from(AnswerFrom(question="新太の父方の祖父の墓所は何という寺か。", context=context))
    assert told.answer == ABSTENTION


def test_what_no_fact_tells_is_read_from_the_sentences_about_the_last_person() -> None:
    text = "滝口玄庵は京で学び、城下に薬園を開いた。岡部市蔵は蔵を開いた。"
    context = (Passage(id="1", text="\n".join(FAMILY)), Passage(id="2", text=text))
    told = answer_from(AnswerFrom(question="新太の母の兄は何を開いたか。", context=context))
    assert told.answer == "薬園"


TYPES = ("父", "母", "妻", "夫", "兄", "弟", "長男", "養子", "墓所", "役職", "職業", "別名")


def test_a_statement_goes_along_the_types_there_are() -> None:
    first, *rest = kin_statements("新太の母方の祖父の墓所は何という寺か。", TYPES, {"新太": "岡部新太"})
    assert first.startswith("MATCH (n0)-[:`母`]->(n1)-[:`父`]->(n2)-[r:`墓所`]->(x) WHERE (n0.name = '岡部新太'")
    assert "NOT (n1)-[:`養子`]->(n0)" in first
    assert any("(s)<-[:`別名`]-(n0)" in statement for statement in rest)
    assert "r.evidence" in rest[-1]
    for statement in (first, *rest):
        check_read_only(statement, "neo4j")
        check_read_only(statement, "falkordb")


def test_a_sister_is_no_brother() -> None:
    first = kin_statements("新太の父の妹は誰か。", TYPES, {})[0]
    assert "`弟`" not in first


def test_other_questions_have_no_statement_along_kin() -> None:
    assert kin_statements("蔵の味噌の味はどうか。", TYPES, {}) == []
