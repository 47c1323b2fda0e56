"""Chains by rule: which paths fit a question, which statement comes next, which tool, when an answer settles."""

from __future__ import annotations

import pytest

from rag1.cypher.guard import check_read_only
from rag1.llm.rules.cypher import fitting_paths, linked_names, write_cypher
from rag1.llm.rules.kinship import SAME, same_relation
from rag1.llm.rules.mentions import _same, fit
from rag1.llm.rules.tools import answer_or_refine, choose_tool, settles
from rag1.llm.tasks import AnswerOrRefine, AnswerReply, ChooseTool, Observation, Passage, ToolSpec, WriteCypher

COMPANY = "あさひ車輌が所属する企業グループの創業者は？"
TOOLS = tuple(ToolSpec(name=name, description="d", argument="a") for name in ("neighbours", "cypher", "search"))


def test_a_path_fits_by_the_words_it_names_in_their_order() -> None:
    whole = fit(["所属する企業グループ", "創業者"], COMPANY, "あさひ車輌")
    assert whole == pytest.approx(1.0)
    for other in (["創業者"], ["所属する企業グループ"], ["創業者", "所属する企業グループ"], ["職業"]):
        assert fit(other, COMPANY, "あさひ車輌") < whole
    assert fit([], COMPANY, "あさひ車輌") == 0


def test_the_kind_of_answer_chooses_among_last_types() -> None:
    question = "水野透の父はいつ亡くなったか。"
    assert fit(["父", "没年月日"], question, "水野透") > fit(["父", "職業"], question, "水野透")


def test_words_are_of_one_relation_by_the_table() -> None:
    words = [*sorted({word for group in SAME for word in group})[::3], "創業者", ""]
    assert all(_same(a, b) == same_relation(a, b) for a in words for b in words)


SCHEMA = """Name: あさひ車輌 (in the question: あさひ)
Path: ({name: あさひ車輌})-[:`所在地`]->()
Path: ({name: あさひ車輌})-[:`所属グループ`]->()-[:`創業者`]->()
Path: ({name: あさひ車輌})<-[:`子会社`]-()
(:Entity)-[:`所属グループ`]->(:Entity)"""


def test_the_schemas_paths_are_read_and_ranked() -> None:
    assert linked_names(SCHEMA) == {"あさひ": "あさひ車輌"}
    best, *_ = fitting_paths("あさひが所属するグループの創業者は誰か。", SCHEMA)
    assert best.hops == (("所属グループ", True), ("創業者", True))
    assert (best.name, best.asked) == ("あさひ車輌", "あさひ")


def test_statements_follow_one_another_and_only_read() -> None:
    question, previous, seen = "あさひが所属するグループの創業者は誰か。", "", []
    for _ in range(8):
        reply = write_cypher(WriteCypher(question=question, schema_text=SCHEMA, previous=previous, error="empty"))
        if reply.cypher == previous:
            break
        previous = reply.cypher
        seen.append(previous)
        check_read_only(previous, "neo4j")
        check_read_only(previous, "falkordb")
    assert len(seen) == len(set(seen)) >= 2
    assert "-[:`所属グループ`]->()-[:`創業者`]->(x) WHERE n.name = 'あさひ車輌'" in seen[0]
    assert seen[-1].startswith("MATCH (n:Entity)-[r]-(x:Entity) WHERE n.name CONTAINS '")


def test_a_name_with_a_quote_stays_a_string() -> None:
    schema = "Name: O'Neil \\ 社\nPath: ({name: O'Neil \\ 社})-[:`社長`]->()"
    reply = write_cypher(WriteCypher(question="O'Neil \\ 社の社長は誰か。", schema_text=schema))
    check_read_only(reply.cypher, "neo4j")
    assert "'O\\'Neil \\\\ 社'" in reply.cypher


def test_a_relation_that_the_schema_lacks_is_written_as_it_is_asked() -> None:
    task = WriteCypher(question="健吉の墓所はどこか。", schema_text="(:Person)-[:`本籍`]->(:Place)")
    assert "-[:`墓所`]->" in write_cypher(task).cypher


@pytest.mark.parametrize(
    ("answer", "evidence", "settled"),
    [
        ("白蓼寺", "主膳の墓所は白蓼寺にある。", True),
        ("渓声寺", "楓の葬地は渓声寺である。", False),
        ("主膳", "主膳の墓所は白蓼寺にある。", False),
        ("楓", "楓 - 父 -> 梶井主膳", False),
        ("白蓼寺", "梶井主膳 - 墓所 -> 白蓼寺", True),
        ("分かりません", "", False),
    ],
)
def test_an_answer_settles_a_question_about_its_own_subject(answer: str, evidence: str, settled: bool) -> None:
    reply = AnswerReply(answer=answer, evidence=evidence, confidence=0.9)
    assert settles(reply, "梶井主膳の墓所は何という寺か。", ()) is settled


def test_facts_along_the_chain_settle_it() -> None:
    facts = (Passage(id="1", text="太一 - 父 -> 源次\n源次 - 妻 -> お咲"),)
    reply = AnswerReply(answer="お咲", evidence="源次 - 妻 -> お咲", confidence=0.8)
    assert settles(reply, "太一の父の妻は誰か。", facts)
    assert not settles(reply.model_copy(update={"answer": "源次"}), "太一の父の妻は誰か。", facts)


def test_the_first_step_is_asked_alone_and_put_back() -> None:
    question = "太一の母方の祖父の墓所はどこか。"
    first = answer_or_refine(AnswerOrRefine(question=question, facts=("太一 - 住居 -> 港町",)))
    assert first.question == "太一の母は誰か"
    then = answer_or_refine(AnswerOrRefine(question="太一の母は誰か", facts=("太一 - 母 -> お咲",), asked=(question,)))
    assert then.question == "お咲の父の墓所はどこか。"


def test_tools_are_tried_in_turn_for_the_open_step() -> None:
    def choose(*observations: Observation) -> tuple[str | None, str]:
        task = ChooseTool(question="太一の父の妻は誰か。", tools=TOOLS, observations=observations, turns_left=5)
        choice = choose_tool(task)
        return choice.tool, choice.argument

    nothing = Observation(tool="neighbours", argument="太一", result="error: no such name")
    assert choose() == ("neighbours", "太一")
    assert choose(nothing) == ("cypher", "太一の父は誰か")
    told = Observation(tool="neighbours", argument="太一", result="太一 - 父 -> 源次")
    assert choose(told) == ("neighbours", "源次")


def test_the_answer_brings_the_evidence_of_every_step() -> None:
    seen = (
        Observation(tool="neighbours", argument="太一", result="太一 - 父 -> 源次"),
        Observation(tool="neighbours", argument="源次", result="源次 - 妻 -> お咲"),
    )
    choice = choose_tool(ChooseTool(question="太一の父の妻は誰か。", tools=TOOLS, observations=seen, turns_left=3))
    assert (choice.tool, choice.answer) == (None, "お咲")
    assert choice.evidence == "太一 - 父 -> 源次\n源次 - 妻 -> お咲"
