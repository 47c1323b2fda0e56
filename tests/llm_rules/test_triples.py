"""Triples read from text by rule. Every sentence here was written for these tests."""

from __future__ import annotations

import pytest

from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import ExtractTriples, TripleDraft


def drafts(text: str, **also: object) -> list[TripleDraft]:
    return list(OfflineLlm()(ExtractTriples.model_validate({"text": text, **also})).triples)


def stated(text: str, **also: object) -> set[tuple[str, str, str]]:
    return {(d.head, d.relation, d.tail) for d in drafts(text, **also)}


@pytest.mark.parametrize(
    ("sentence", "triple"),
    [
        ("森田為吉は森田久兵衛の長男である。", ("森田久兵衛", "長男", "森田為吉")),
        ("為吉の妻はお民である。", ("為吉", "妻", "お民")),
        ("お民の墓所は妙蓮寺にある。", ("お民", "墓所", "妙蓮寺")),
        ("久兵衛の葬地は光徳寺である。", ("久兵衛", "葬地", "光徳寺")),
        ("為吉の母はお縫であり、お民の母はお倉である。", ("お民", "母", "お倉")),
        ("この橋は、大工の又蔵が作ったものである。", ("又蔵", "作る", "橋")),
        ("仏像を彫ったのは、仏師の康海である。", ("康海", "彫る", "仏像")),
        ("橘一郎は青木春子と一緒に神戸へ旅立った。", ("橘一郎", "一緒", "青木春子")),
        ("橘一郎は青木春子と一緒に神戸へ旅立った。", ("橘一郎", "旅立つ", "神戸")),
        ("皿は佐吉に割られた。", ("佐吉", "割る", "皿")),
        ("宿の名は「千鳥館」という。", ("宿", "名", "千鳥館")),
        ("春子は横浜に住んでいる。", ("春子", "住む", "横浜")),
        ("春子は医者の小田寛治に嫁いだ。", ("春子", "夫", "小田寛治")),
        ("又蔵は文政三年の生まれである。", ("又蔵", "生まれ", "文政三年")),
        ("又蔵は天保九年に死んだ。", ("又蔵", "死亡", "天保九年")),
        ("おせんの叔母のお民が赤飯をこしらえた。", ("おせん", "叔母", "お民")),
        ("志乃は医師の柏木玄庵の娘として生まれた。", ("柏木玄庵", "娘", "志乃")),
        ("柏木玄庵は浄泉寺に葬られた。", ("柏木玄庵", "墓所", "浄泉寺")),
        ("松浦重信は龍泉寺に眠っている。", ("松浦重信", "墓所", "龍泉寺")),
        ("お民は正純の妻となった。", ("正純", "妻", "お民")),
        ("味噌は佐吉の手で仕込まれた。", ("佐吉", "仕込む", "味噌")),
        ("正嗣の正室は千鶴といい、松浦重信の娘であった。", ("松浦重信", "娘", "千鶴")),
        ("正純は正嗣と千鶴の長男である。", ("正純", "母", "千鶴")),
    ],
)
def test_one_sentence_gives_its_relation(sentence: str, triple: tuple[str, str, str]) -> None:
    assert triple in stated(sentence)


@pytest.mark.parametrize(
    ("text", "effect", "cause"),
    [
        ("大雨が降ったので、川があふれた。", "川があふれる", "大雨が降る"),
        ("橋が落ちたために、馬車は町へ入れなかった。", "馬車が町へ入れる(ない)", "橋が落ちる"),
        ("祭りが中止になったのは、神輿が壊れたからである。", "祭りが中止になる", "神輿が壊れる"),
        ("杉の木が倒れた。そのため、電線が切れた。", "電線が切れる", "杉の木が倒れる"),
        ("娘は泣きながら家を出た。父が手紙を焼いたからである。", "娘が泣きながら家を出る", "父が手紙を焼く"),
        ("弟の失敗のせいで、店の金がなくなった。", "店の金がなくなる", "弟の失敗"),
        ("停電により、病院の手術が延びた。", "病院の手術が延びる", "停電"),
        ("祭りが取りやめになったことで、神主は怒った。", "神主が怒る", "祭りが取りやめになる"),
        ("堤防が壊れたのは、もぐらが穴をあけたせいだった。", "堤防が壊れる", "もぐらが穴をあける"),
        ("親方は腹を立てて、三平を蔵から追い出した。", "親方が三平を蔵から追い出す", "親方が腹を立てる"),
    ],
)
def test_cause_and_effect_become_plain_events(text: str, effect: str, cause: str) -> None:
    assert (effect, "原因", cause) in stated(text)


def test_a_chain_of_causes_shares_its_middle_event() -> None:
    found = stated("大雨が降ったので、川があふれた。川があふれたために、橋が流れた。")
    assert {("川があふれる", "原因", "大雨が降る"), ("橋が流れる", "原因", "川があふれる")} <= found


def test_a_purpose_is_no_cause() -> None:
    assert not [d for d in drafts("久兵衛は薬を買うために町へ出た。") if d.relation == "原因"]


def test_what_a_sentence_denies_is_not_stated() -> None:
    assert not {relation for _, relation, _ in stated("為吉は酒を飲まなかった。")} & {"飲む"}


def test_evidence_is_the_sentence_verbatim_and_numbered() -> None:
    text = "秋の日である。為吉の妻はお民である。お民の墓所は妙蓮寺にある。"
    for draft in drafts(text):
        assert draft.evidence in text
    assert {d.sentence for d in drafts(text) if d.relation == "墓所"} == {2}


def test_a_left_out_subject_is_the_last_topic() -> None:
    assert ("森田為吉", "開く", "薬屋") in stated("森田為吉は商人である。若いころ、長崎に薬屋を開いた。")


def test_a_chunk_that_names_nobody_takes_its_subject_from_the_context() -> None:
    assert ("森田為吉", "開く", "薬屋") in stated("長崎に薬屋を開いた。", context="森田為吉は商人である。")


def test_short_names_become_the_full_name_met_before() -> None:
    assert ("森田為吉", "妻", "お民") in stated("為吉の妻はお民である。", known=("森田為吉",))


def test_a_renamed_person_stays_one() -> None:
    found = stated("松平定国は名の定の字を捨てて、ただ国と名のった。国の妻は千代である。")
    assert ("松平定国", "別名", "国") in found
    assert ("松平定国", "妻", "千代") in found


def test_kinship_is_read_from_both_ends() -> None:
    found = stated("お縫は久兵衛の妻である。森田為吉は久兵衛の長男である。小夜はお縫の長女である。")
    assert {("森田為吉", "父", "久兵衛"), ("小夜", "母", "お縫"), ("お縫", "夫", "久兵衛")} <= found


def test_kin_named_one_after_another_belong_to_the_topic() -> None:
    assert {("正嗣", "父", "正興"), ("正嗣", "母", "志乃")} <= stated("正嗣の父は正興で、母は志乃である。")
    sons = stated("千鶴は病弱であった。長男が正純、次男が正武である。")
    assert {("千鶴", "長男", "正純"), ("千鶴", "次男", "正武")} <= sons


def test_numbers_and_dates_are_properties_of_the_relation() -> None:
    draft = next(d for d in drafts("明治二十年に、久兵衛は米を三十俵納めた。") if d.relation == "納める")
    assert draft.properties == {"時": "明治二十年", "数量": "三十俵"}


def test_types_tell_persons_places_and_times() -> None:
    kinds = {(d.head_type, d.tail_type) for d in drafts("お民の墓所は妙蓮寺にある。お民は天保九年に死んだ。")}
    assert kinds == {("Person", "Place"), ("Person", "Time")}


def test_text_without_relations_gives_none() -> None:
    assert drafts("ああ、寒い。") == []
    assert drafts("") == []
