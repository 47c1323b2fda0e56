"""AnswerFrom by rule, on passages and questions written for these tests."""

from __future__ import annotations

import pytest

from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import AnswerFrom, AnswerReply, Passage
from rag1.types import ABSTENTION

TOWN = (
    "白浜町の時計台は、明治三十四年に時計商の桑原喜平が建てた。高さは十八メートルで、町の広場の北側にある。"
    "鐘は大阪の工場で鋳られ、船で運ばれてきた。時計台の番人は松次である。"
)
MARKET = (
    "朝の市では、干物、味噌、竹籠の三つがよく売れる。市は「潮の市」と呼ばれている。"
    "雨の日は店が出ない。道がぬかるんで荷車が通れないからである。"
)
TWINS = "兄の信一は身長が百七十二センチある。弟の信二は身長が百六十八センチある。信二は泳げない。"


def read(question: str, *texts: str, labels: tuple[str, ...] = ()) -> AnswerReply:
    marks = labels or ("",) * len(texts)
    passages = tuple(Passage(id=str(at), text=text, label=marks[at]) for at, text in enumerate(texts))
    return OfflineLlm()(AnswerFrom(question=question, context=passages))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("白浜町の時計台を建てたのは誰ですか。", "桑原喜平"),
        ("時計台が建てられたのはいつですか。", "明治三十四年"),
        ("時計台の高さは何メートルですか。", "十八メートル"),
        ("時計台の番人は誰ですか。", "松次"),
        ("朝の市は何と呼ばれていますか。", "潮の市"),
    ],
)
def test_a_fact_of_the_text_is_found_and_keeps_its_unit(question: str, answer: str) -> None:
    reply = read(question, TOWN, MARKET)
    assert answer in reply.answer
    assert len(reply.answer) <= len(answer) + 6


def test_evidence_is_the_sentence_verbatim() -> None:
    reply = read("時計台の高さは何メートルですか。", MARKET, TOWN)
    assert reply.evidence == "高さは十八メートルで、町の広場の北側にある。"


def test_a_list_joins_its_members() -> None:
    assert read("朝の市でよく売れるものを三つ挙げてください。", MARKET, TOWN).answer == "干物、味噌、竹籠"


def test_a_reason_is_the_clause_before_its_connective() -> None:
    reply = read("雨の日に店が出ないのはなぜですか。", MARKET)
    assert reply.answer == "道がぬかるんで荷車が通れないから"


def test_one_of_two_by_the_amounts_told_of_them() -> None:
    assert read("身長が高いのは、信一と信二のどちらですか。", TWINS).answer == "信一"
    assert read("身長が低いのは、信一と信二のどちらですか。", TWINS).answer == "信二"


def test_one_of_several_given_alternatives() -> None:
    reply = read("時計台は広場のどちら側にありますか。東側、西側、南側、北側から選んでください。", TOWN)
    assert reply.answer == "北側"


def test_yes_and_no_follow_the_text() -> None:
    assert read("信二は泳げますか。", TWINS).answer == "いいえ"
    assert read("鐘は大阪の工場で鋳られましたか。", TOWN).answer == "はい"


def test_a_question_about_something_else_is_an_abstention() -> None:
    reply = read("ローマ帝国の初代皇帝は誰ですか。", MARKET)
    assert reply.answer == ABSTENTION
    assert reply.confidence is not None
    assert reply.confidence < 0.05


def test_a_told_answer_is_surer_than_a_guess() -> None:
    told = read("時計台の番人は誰ですか。", TOWN).confidence
    guess = read("灯台の工事の費用は誰が払いましたか。", TOWN).confidence
    assert told is not None
    assert guess is not None
    assert told > guess + 0.2


def test_words_are_not_counted_in_a_part_of_the_text() -> None:
    assert read("「鐘」という字は何回出てきますか。", TOWN).answer == ABSTENTION


def test_a_count_line_answers_how_many() -> None:
    reply = read("「鐘」という字は何回出てきますか。", TOWN, "7回", labels=("", "count"))
    assert reply.answer == "7回"


FACTS = "\n".join(
    [
        "桑原喜平 - 妻 -> お菊",
        "お菊 - 父 -> 岡田伝蔵",
        "岡田伝蔵 - 葬地 -> 龍海寺",
        "桑原喜平 - 建てる -> 時計台 (時: 明治三十四年)",
        "桑原喜平 - 一緒 -> 松次",
        "橋が流れる - 原因 -> 川があふれる",
        "川があふれる - 原因 -> 大雨が降る",
    ]
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("桑原喜平の妻の父は誰か。", "岡田伝蔵"),
        ("桑原喜平の妻の父の墓所は何という寺か。", "龍海寺"),
        ("時計台を建てたのは誰ですか。", "桑原喜平"),
        ("桑原喜平は誰と一緒に来ましたか。", "松次"),
        ("橋が流れたのはなぜですか。", "川があふれること"),
        ("橋が流れたのは、もとをたどると何が原因ですか。", "大雨が降ること"),
    ],
)
def test_graph_facts_answer_by_their_ends_and_chains(question: str, answer: str) -> None:
    reply = read(question, FACTS)
    assert reply.answer == answer
    assert reply.evidence in FACTS


def test_a_broken_chain_is_not_answered_by_half_of_it() -> None:
    assert read("桑原喜平の母の墓所は何という寺か。", FACTS).answer == ABSTENTION


BESIDE = "橋が流れたのは、川があふれたからである。桑原喜平は時計台の番人を雇った。"


def test_facts_of_another_event_leave_a_why_question_to_the_text() -> None:
    other = "町の者が桑原喜平を疑う - 原因 -> 喜平がよそから来る"
    question = "桑原喜平が番人を雇ったのはなぜですか。"
    assert "よそから来る" not in read(question, BESIDE, other).answer
    assert read("町の者が桑原喜平を疑ったのはなぜですか。", BESIDE, other).answer == "喜平がよそから来ること"


def test_a_fact_about_one_thing_does_not_say_yes_or_no_where_there_is_text() -> None:
    text = "桑原喜平は泳げない。"
    fact = "桑原喜平 - 好む -> 川"
    assert read("桑原喜平は泳げますか。", text, fact).answer == "いいえ"


def test_a_chain_that_no_facts_lead_along_is_not_guessed_from_one_sentence() -> None:
    text = "桑原喜平の妻はお菊である。松次の墓所は龍海寺である。"
    assert read("桑原喜平の妻の父の墓所は何という寺か。", text).answer == ABSTENTION
    assert read("桑原喜平の妻の父の墓所は何という寺か。", text, FACTS).answer == "龍海寺"
