"""What models really send, and what is made of it."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag1.errors import UnreadableReply
from rag1.llm.parse import parse_reply, unify_abstention
from rag1.llm.tasks import (
    AnswerOrRefineReply,
    AnswerReply,
    CypherReply,
    KindReply,
    Names,
    PartialAnswer,
    Text,
    Triples,
    Verdict,
    Wordings,
)
from rag1.types import ABSTENTION

A_AND_B = AnswerReply(answer="A", evidence="B")
JSON_AB = '{"answer": "A", "evidence": "B"}'

WAYS_OF_SAYING_A_AND_B = {
    "plain": JSON_AB,
    "byte order mark": "\ufeff" + JSON_AB,
    "fence with a language word": f"```json\n{JSON_AB}\n```",
    "fence without one": f"```\n{JSON_AB}\n```",
    "CRLF": f"```json\r\n{JSON_AB}\r\n```\r\n",
    "prose before and after": f"はい、次のとおりです。\n{JSON_AB}\n以上です。ほかにご質問はありますか？",
    "prose with brackets before": f"文脈[1]の{{記述}}から考えます。\n{JSON_AB}",
    "an example before": f'形は {{"answer": "…"}} ですね。\n{JSON_AB}',
    "a list of one": f"[{JSON_AB}]",
    "one key too deep": f'{{"response": {JSON_AB}}}',
    "the field's own name too deep": f'{{"answer": {JSON_AB}}}',
    "two keys too deep": f'{{"result": {{"data": {JSON_AB}}}}}',
    "Japanese keys": '{"回答": "A", "根拠": "B"}',
    "capital keys": '{"Answer": "A", "EVIDENCE": "B"}',
    "further keys": '{"thinking": "…", "answer": "A", "evidence": "B"}',
    "a comma too many": '{"answer": "A", "evidence": "B",}',
    "a line end in a string": '{"answer": "A", "evidence": "B\n"}'.replace("B\n", "B"),
    "closing brace missing": '{"answer": "A", "evidence": "B"',
    "closing brace missing in a fence": '```json\n{"answer": "A", "evidence": "B"\n```\n以上です。',
    "thoughts before": f'<think>{{"answer": "X"}} ではない</think>\n{JSON_AB}',
    "thoughts that only end": f"まず考えます。\n</think>\n{JSON_AB}",
    "special token at the end": f"{JSON_AB}<|im_end|>\n<|endoftext|>",
    "markers, half width": "answer: A\nevidence: B",
    "markers, full width": "Answer：A\nEvidence：B",
    "markers, Japanese": "回答：A\n根拠：B",
    "markers with text on the next line": "回答：\nA\n\n根拠：\nB\n",
    "markers in bold": "**回答**: A\n**根拠：** B",
    "bold text": "ANSWER: **A**\nEVIDENCE: B",
    "markers in brackets": "【回答】A\n【根拠】B",
    "markers in a list": "- answer: A\n- evidence: B",
    "markers after prose": "文脈を読みました。\n\n回答：A\n根拠：B",
    "both markers on one line": "回答：A 根拠：B",
    "both on one line, with a wide space": "Answer：A\u3000Evidence：B",
    "both on one line, with a bar": "ANSWER: **A** | EVIDENCE: B",
    "both on one line, in brackets": "【回答】A【根拠】B",
    "markers in a fence": "```\nanswer: A\nevidence: B\n```",
}


@pytest.mark.parametrize("text", WAYS_OF_SAYING_A_AND_B.values(), ids=WAYS_OF_SAYING_A_AND_B)
def test_one_reply_in_many_ways(text: str) -> None:
    assert parse_reply(text, AnswerReply) == A_AND_B


UNREADABLE = {
    "nothing": "",
    "bare prose": "それは東京です。",
    "cut in a string": '{"answer": "A", "evidence": "B',
    "cut after a comma": '{"answer": "A", ',
    "cut after a key": '{"answer": "A", "evidence"',
    "an empty answer": '{"answer": "", "evidence": ""}',
    "a blank answer": '{"answer": "  "}',
    "a null answer": '{"answer": null}',
    "an empty marker": "回答：\n",
    "thoughts that never end": "<think>うーん",
    "another shape": '{"foo": {"bar": 1}}',
    "a number of more digits than can be read": '{"answer": ' + "1" * 5000 + "}",
    "a number that is none": '{"answer": NaN}',
    "a list of two replies": f"[{JSON_AB}, {JSON_AB}]",
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_a_failure_with_the_text_kept(text: str) -> None:
    with pytest.raises(UnreadableReply) as failure:
        parse_reply(text, AnswerReply)
    assert failure.value.raw == text


def test_backticks_inside_a_string_are_text() -> None:
    reply = parse_reply('```json\n{"answer": "`ls` と ```sh\\nrm``` です", "evidence": ""}\n```', AnswerReply)
    assert reply.answer == "`ls` と ```sh\nrm``` です"


def test_a_top_level_array_is_the_reply_s_only_list() -> None:
    assert parse_reply('```\n["太郎", "花子"]\n```', Names).names == ("太郎", "花子")
    assert parse_reply('{"items": ["太郎"]}', Names).names == ("太郎",)
    assert parse_reply("[]", Names).names == ()


def test_lists_come_as_bullets_and_lines_too() -> None:
    assert parse_reply("1. 翁は誰か\n2. 翁の名は何か", Wordings).queries == ("翁は誰か", "翁の名は何か")
    assert parse_reply("- 太郎\n・花子", Names).names == ("太郎", "花子")
    assert parse_reply("names: 太郎、花子", Names).names == ("太郎", "花子")


def test_a_list_that_does_not_end_is_not_passed_as_whole() -> None:
    for text in ('{"names": ["太郎", "花子"', '["太郎"', '{"triples": [{"head": "a", "relation": "r", "tail": "b"}'):
        with pytest.raises(UnreadableReply):
            parse_reply(text, Triples if "triples" in text else Names)


def test_labels_are_read_bare_bold_and_in_any_case() -> None:
    for text in ("Perfect", "**perfect**", "label: PERFECT\nreason: 同じ", '{"label": "perfect", "reason": ""}'):
        assert parse_reply(text, Verdict).label == "Perfect"
    assert parse_reply("種類：counting", KindReply).kind == "counting"
    with pytest.raises(UnreadableReply):
        parse_reply('{"label": "Good"}', Verdict)


def test_prose_is_a_reply_only_where_prose_was_asked_for() -> None:
    assert parse_reply("むかし翁がいた。\n竹を取った。", Text).text == "むかし翁がいた。\n竹を取った。"
    cypher = 'MATCH (a {name: "翁"})-[:知る]->(b) WHERE b.n IN [1, 2] RETURN b'
    assert parse_reply(cypher, CypherReply).cypher == cypher
    assert parse_reply(f"```cypher\n{cypher}\n```", CypherReply).cypher == cypher


def test_a_marker_inside_a_sentence_is_text() -> None:
    assert parse_reply("回答：表紙に「根拠：なし」とある", AnswerReply).answer == "表紙に「根拠：なし」とある"


def test_scalars_are_fitted_to_their_fields() -> None:
    assert parse_reply('{"answer": "A", "confidence": ' + "9" * 400 + "}", AnswerReply) == AnswerReply(answer="A")
    assert parse_reply('{"answer": 42, "confidence": "高い"}', AnswerReply) == AnswerReply(answer="42")
    assert parse_reply('{"answer": ["甲", "乙"], "confidence": "0.5"}', AnswerReply).answer == "甲、乙"
    assert parse_reply('{"answer": "A", "score": "70"}', PartialAnswer).score == 70
    assert parse_reply('{"answer": null, "question": "誰か"}', AnswerOrRefineReply).answer is None
    triple = '{"head": "a", "relation": "r", "tail": "b", "properties": {"年": 1900, "所": null}}'
    assert parse_reply(f"[{triple}]", Triples).triples[0].properties == {"年": "1900", "所": ""}


ABSTENTIONS = [
    "分かりません", "わかりません", "分かりません。", "「不明」", "不明です", "不明である。", "わからない",
    "判断できません", "文脈からは分かりません。", "与えられた情報だけでは判断できない", "本文に記載がありません",
    "回答不能", "答えられません。",
    "わからないです", "確認できません", "読み取れません", "わかりかねます", "本文中には記載されていません。",
    "文脈に情報がないため、回答できません。", "記載がないため分かりません", "The context does not say.",
    "I'm not sure.", "申し訳ありませんが、分かりません。", "I don't know.", "I do not know", "Unknown", "N/A",
    "unknown.",
]  # fmt: skip
ANSWERS = [
    "不明瞭な声",
    "情報がないため、翁は引き返した",
    "確認できない手紙",
    "分かりません、と翁は言った",
    "なし",
    "0",
    "不明の人物である太郎",
    "いいえ",
    "ない",
    "unknown soldier",
]


@pytest.mark.parametrize("text", ABSTENTIONS)
def test_the_ways_of_not_knowing_are_one(text: str) -> None:
    assert unify_abstention(text) == ABSTENTION
    assert parse_reply(json.dumps({"answer": text}), AnswerReply).answer == ABSTENTION


@pytest.mark.parametrize("text", ANSWERS)
def test_answers_that_only_look_alike_stay(text: str) -> None:
    assert unify_abstention(text) == text


def test_a_bare_abstention_is_a_reply() -> None:
    assert parse_reply("分かりません。", AnswerReply).answer == ABSTENTION


# --- properties ------------------------------------------------------------------------------------------

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1).filter(
    lambda text: text == text.strip() and unify_abstention(text) == text
)
REPLIES = st.builds(AnswerReply, answer=WORDS, evidence=WORDS, confidence=st.none() | st.floats(0, 1))
PROSE = st.text("あ、。「」`* \n", max_size=30)


@given(REPLIES, PROSE, PROSE, st.booleans(), st.booleans())
def test_a_json_reply_is_found_in_any_prose(
    reply: AnswerReply, before: str, after: str, ascii_only: bool, fenced: bool
) -> None:
    text = json.dumps(reply.model_dump(), ensure_ascii=ascii_only, indent=2 if fenced else None)
    text = f"```json\n{text}\n```" if fenced else text
    assert parse_reply(f"{before}\n{text}\n{after}", AnswerReply) == reply


@given(REPLIES, st.data())
def test_a_cut_reply_is_read_only_if_nothing_is_made_up(reply: AnswerReply, data: st.DataObject) -> None:
    whole = reply.model_dump()
    text = json.dumps(whole, ensure_ascii=False)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    try:
        read = parse_reply(cut, AnswerReply).model_dump()
    except UnreadableReply:
        return
    defaults = {"evidence": "", "confidence": None}
    assert all(value == whole[name] or value == defaults.get(name) for name, value in read.items())
    assert read["answer"] == whole["answer"]


@given(st.text() | st.text('{}[]",:` \n\\answer回答：*<>think/', max_size=200))
@settings(max_examples=300)
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    for reply in (AnswerReply, Names, Text, Triples, Verdict):
        with contextlib.suppress(UnreadableReply):
            parse_reply(text, reply)


@pytest.mark.parametrize("piece", ["あ", "{", "[", '"', " ", '{"a":', "<think>", "```", "* ", "answer: x\n", "[[1],"])
def test_reading_is_linear_enough_in_any_long_text(piece: str) -> None:
    began = time.process_time()
    with contextlib.suppress(UnreadableReply):
        parse_reply(piece * (2**21 // len(piece)), AnswerReply)
    assert time.process_time() - began < 5
