"""What the rules understand of a question: kind, chain, names, wordings, Decompose."""

from __future__ import annotations

import pytest

from rag1.llm.offline import OfflineLlm
from rag1.llm.rules.question import read_question
from rag1.llm.tasks import (
    ClassifyQuestion,
    Decompose,
    DocumentCard,
    ExtractEntities,
    GenerateQueries,
    RouteTitle,
    SameEntity,
    WritePassage,
)

llm = OfflineLlm()


@pytest.mark.parametrize(
    ("question", "asks", "noun"),
    [
        ("橋を架けたのは誰か。", "person", ""),
        ("いつ頃始まったか。", "time", ""),
        ("それは何県の川ですか。", "place", "県"),
        ("何という条約か。", "name", "条約"),
        ("荷車は何台ありましたか。", "quantity", "台"),
        ("なぜ店を閉めたのか。", "why", ""),
        ("番頭の名は？", "thing", ""),
    ],
)
def test_the_kind_of_answer_and_the_noun_it_names(question: str, asks: str, noun: str) -> None:
    found = read_question(question)
    if question == "番頭の名は？":
        assert found.noun == "番頭"
    else:
        assert (found.asks, found.noun) == (asks, noun)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("鞄が重かったのは、山岡と谷口のどちらですか。", ("山岡", "谷口")),
        ("赤と青ではどちらが好きか。", ("赤", "青")),
        ("『春の川』と『秋の山』、古いのはどちらですか。", ("春の川", "秋の山")),
        ("旗は何色でしたか。紫、赤、青から選んでください。", ("紫", "赤", "青")),
        ("飼っていたのは犬ですか、それとも猫ですか。", ("犬", "猫")),
        ("犬を飼っていましたか。", ()),
    ],
)
def test_given_alternatives(question: str, options: tuple[str, ...]) -> None:
    assert read_question(question).options == options


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("船を造ったのは誰ですか。", "extraction"),
        ("荷の値段はいくらでしたか。", "extraction"),
        ("「鐘」という字は本文に何回出てきますか。", "counting"),
        ("宴に来た客は全部で何人ですか。", "counting"),
        ("二人の借金は合わせて何円ですか。", "arithmetic"),
        ("兄は弟より何歳年上ですか。", "arithmetic"),
        ("蔵の鍵を持つ人をすべて挙げてください。", "enumeration"),
        ("背が高いのは兄と弟のどちらですか。", "choice"),
        ("なぜ船を売ったのですか。", "why"),
        ("船は沈みましたか。", "yes_no"),
        ("山岡伊助の妻の父は誰ですか。", "multi_hop"),
        ("山岡は何を売り、どこへ行きましたか。", "multi_hop"),
    ],
)
def test_kinds(question: str, kind: str) -> None:
    assert llm(ClassifyQuestion(question=question)).kind == kind


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("山岡伊助の妻の父は誰か。", ("山岡伊助の妻は誰か", "{1}の父は誰か。")),
        (
            "山岡伊助の母方の祖父の墓所は何という寺か。",
            ("山岡伊助の母は誰か", "{1}の父は誰か", "{2}の墓所は何という寺か。"),
        ),
        ("山岡伊助の妻が生まれた町はどこか。", ("山岡伊助の妻は誰か", "{1}が生まれた町はどこか。")),
        ("船を造ったのは誰か。", ("船を造ったのは誰か。",)),
        ("小僧の三吉は誰と町へ行ったか。", ("小僧の三吉は誰と町へ行ったか。",)),
    ],
)
def test_a_chain_is_split_and_nothing_else(question: str, parts: tuple[str, ...]) -> None:
    assert llm(Decompose(question=question)).questions == parts


def test_names_as_written() -> None:
    names = llm(ExtractEntities(question="『潮の市』で桑原喜平がエミリー嬢に売った竹籠は何ですか。")).names
    assert {"潮の市", "桑原喜平", "エミリー嬢", "竹籠"} <= set(names)
    assert "何" not in names


def test_wordings_are_different_and_as_many_as_asked() -> None:
    question = "桑原喜平が時計台を建てたのはいつですか。"
    found = llm(GenerateQueries(question=question, n=4)).queries
    assert len(found) == len(set(found)) == 4
    assert question not in found
    assert all("桑原" in text or "クワバラ" in text for text in found[:3])


def test_a_passage_states_what_the_question_asks() -> None:
    text = llm(WritePassage(question="桑原喜平はどこで時計台を建てましたか。", about="白浜町史")).text
    assert text.startswith("白浜町史。桑原喜平は時計台を建て")
    assert "どこ" not in text


CARDS = (
    DocumentCard(id="a", title="潮の市", names=("桑原喜平", "松次")),
    DocumentCard(id="b", title="双子", names=("信一", "信二", "松次")),
)


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("小説『双子』に出る桑原喜平は誰か。", "b"),
        ("桑原喜平の甥は誰か。", "a"),
        ("松次は誰か。", None),
        ("太郎は誰か。", None),
    ],
)
def test_a_title_decides_then_names_and_a_tie_is_open(question: str, document: str | None) -> None:
    assert llm(RouteTitle(question=question, documents=CARDS)).id == document


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("徳川綱重", "綱重", True),
        ("きび団子", "黍団子", True),
        ("山田さん", "山田", True),
        ("ﾍﾟﾘｰ", "ペリー", True),
        ("東京駅", "東京", False),
        ("日本銀行", "銀行", False),
        ("徳川家光", "徳川家綱", False),
        ("父", "祖父", False),
    ],
)
def test_one_entity_or_two(a: str, b: str, same: bool) -> None:
    assert llm(SameEntity(a=a, b=b)).same is same


def test_no_alternatives_are_seen_inside_a_word() -> None:
    assert read_question("船の乗り組みは、全員が助かりましたか。").options == ()
    assert read_question("必要なのは労働権か教育権か。").options == ("労働権", "教育権")
