"""Family prose: one turn of speech a case, written for this test; what each tells is derived by hand."""

from __future__ import annotations

import pytest

from rag1.llm.rules.asked_kin import asked_kin, parts_of
from rag1.llm.rules.facts import Fact
from rag1.llm.rules.prose_facts import prose_of
from rag1.llm.rules.reader import answer_from
from rag1.llm.rules.solve import solve
from rag1.llm.tasks import AnswerFrom, Passage
from rag1.types import ABSTENTION

Told = tuple[str, str, str]


def told(text: str) -> set[Told]:
    return {(fact.head, fact.relation, fact.tail) for fact in prose_of(text).facts}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("戸川善兵衛の妻は、杜氏をしていた黒田権六の娘で、名をおたけといった。", ("おたけ", "父", "黒田権六")),
        ("第2代藩主・戸川忠房の夫人は、国老・黒田正勝の次女である千草姫である。", ("千草姫", "父", "黒田正勝")),
        ("戸川善兵衛は、黒田権六の娘おたけを妻に迎えた。", ("戸川善兵衛", "妻", "おたけ")),
        ("戸川善兵衛は黒田権六の女を娶り、善太と善次の2子を得た。", ("善次", "父", "戸川善兵衛")),
        ("戸川善兵衛の妻はおたけ。二人の間に生まれた善太郎は、父の店を継いだ。", ("善太郎", "母", "おたけ")),
        ("戸川善兵衛とおたけには二男一女があった。店を継いだのは長男の善太郎である。", ("善太郎", "父", "戸川善兵衛")),
        ("戸川善兵衛とおたけの子は二人。兄と妹である。兄を善太郎という。妹を千代という。", ("千代", "兄", "善太郎")),
        ("戸川善兵衛とおたけには二人の子がいた。善太郎と千代である。", ("千代", "母", "おたけ")),
        (
            "戸川善兵衛は二男一女をもうけた。末の娘の千代は、町医者の黒田玄碩のもとへ嫁いだ。",
            ("千代", "夫", "黒田玄碩"),
        ),
        ("戸川善兵衛の妹の千代は、番頭だった黒田権六と知り合い、三年後に結婚した。", ("千代", "夫", "黒田権六")),
        ("【戸川善兵衛】塗師。妻はおたけ。墓所は寺町の本光寺。", ("戸川善兵衛", "墓所", "本光寺")),
        ("戸川善兵衛（墓は寺町の本光寺）は、おたけを妻とした。", ("戸川善兵衛", "墓所", "本光寺")),
        ("戸川善兵衛は本光寺に葬られた。妻のおたけも夫と同じ寺に眠る。", ("おたけ", "墓所", "本光寺")),
        ("戸川善兵衛の妻はおたけ。おたけの墓は、父の黒田権六の眠る西方寺にある。", ("黒田権六", "墓所", "西方寺")),
        ("戸川善兵衛の妻はおたけ。善兵衛は号を竹斎という。", ("戸川善兵衛", "号", "竹斎")),
        (
            "戸川善兵衛の妻はおたけ。善兵衛は用水路を開いた。この水路は「善兵衛堀」の名で呼ばれる。",
            ("戸川善兵衛", "用水路", "善兵衛堀"),
        ),
        ("戸川善兵衛の妻はおたけ。善兵衛は町に塾「松風舎」を開いた。", ("戸川善兵衛", "塾", "松風舎")),
        ("戸川善兵衛の妻はおたけ。善兵衛は「北風」という雑誌をおこした。", ("戸川善兵衛", "雑誌", "北風")),
        ("戸川善兵衛の妻はおたけ。生まれは能登の輪島である。", ("おたけ", "生まれ", "能登の輪島")),
    ],
)
def test_a_turn_of_speech_gives_its_fact(text: str, fact: Told) -> None:
    assert fact in told(text)


def test_who_tells_the_story_has_the_kin_that_are_named_without_an_owner() -> None:
    text = (
        "私は夏に里へ帰った。祖母のハツが庭にいた。父の誠一は、私の荷物を持った。"
        "母の美智子は港町の人で、夫は誠一である。"
    )
    assert {("語り手", "父", "誠一"), ("語り手", "母", "美智子"), ("語り手", "祖母", "ハツ")} <= told(text)


def test_a_denied_child_is_none() -> None:
    assert not any(
        relation in {"子", "息子", "嫡男"} for _, relation, _ in told("戸川善兵衛の妻はおたけ。嗣子はなかった。")
    )


@pytest.mark.parametrize(
    ("question", "start", "steps"),
    [
        ("善太の母方の祖父が開いた店の名は何か。", "善太", ("母", "父")),
        ("千草から見て父方の祖父にあたる人物の号は何か。", "千草", ("父", "父")),
        ("善太の父の妹が嫁いだ相手は誰か。", "善太", ("父", "妹", "配偶者")),
        ("善太の祖父には弟がいたが、その人は何という役に就いたか。", "善太", ("祖父", "弟")),
        ("善太の父の妹は結婚しているが、その夫の出身地はどこか。", "善太", ("父", "妹", "夫")),
        ("善太を産んだ女性の父は誰か。", "善太", ("母", "父")),
        ("塾「松風舎」を開いた人の妻の父は誰か。", "塾「松風舎」を開いた人", ("妻", "父")),
    ],
)
def test_a_question_along_kin_is_read(question: str, start: str, steps: tuple[str, ...]) -> None:
    asked = asked_kin(question)
    assert asked is not None
    assert (asked.start, asked.steps) == (start, steps)


def test_a_question_along_kin_in_parts() -> None:
    asked = asked_kin("善太の母の父が開いた店の名は何か。")
    assert asked is not None
    assert parts_of(asked) == ["善太の母は誰か", "{1}の父は誰か", "{2}が開いた店の名は何か。"]


MOTHERS_SIDE = (
    "戸川善太 - 父 -> 戸川善兵衛",
    "戸川善太 - 母 -> おたけ",
    "おたけ - 父 -> 黒田権六",
    "戸川善太 - 祖父 -> 黒田権六",
    "黒田権六 - 墓所 -> 西方寺",
)


def test_a_side_that_is_not_told_is_not_answered_with_the_other() -> None:
    def ask(question: str) -> str:
        context = (Passage(id="1", text="\n".join(MOTHERS_SIDE)),)
        return answer_from(AnswerFrom(question=question, context=context)).answer

    assert ask("戸川善太の母方の祖父の墓所は何という寺か。") == "西方寺"
    assert ask("戸川善太の父方の祖父の墓所は何という寺か。") == ABSTENTION
    assert ask("戸川善太の父方の祖父は誰か。") == ABSTENTION


def test_what_was_done_is_found_by_its_verb() -> None:
    text = (
        "戸川善太の母はおたけ。おたけの父は黒田権六である。権六は街道で馬継ぎの問屋をいとなみ、寺に石灯籠を寄進した。"
    )
    facts = [Fact(f.head, f.relation, f.tail, "", dict(f.properties)) for f in prose_of(text).facts]
    found = solve("善太の母方の祖父は、街道で何をいとなんでいましたか。", facts)
    assert found is not None
    assert (found.names, found.answer) == (("戸川善太", "おたけ", "黒田権六"), "馬継ぎの問屋")
