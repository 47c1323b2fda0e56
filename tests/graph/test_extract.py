"""Extraction: what becomes a triple, what is skipped and why, what is asked twice, what each way gives the model."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from rag1.chunk.chunkers import Recursive
from rag1.chunk.chunks import Chunks
from rag1.errors import CallFailed, ConfigError, UnreadableReply
from rag1.graph.extract import ChunkTriples, fault_of, known_names, place_of, read_drafts
from rag1.graph.extract_ginza import ginza_drafts
from rag1.graph.extract_journal import ExtractJournal
from rag1.graph.extract_rules import Rules, stretches
from rag1.graph.extract_tasks import ContextTriples, SentenceTriples, TypedRelations, ask
from rag1.graph.extract_transformer import GraphTransformer
from rag1.llm.offline import OfflineLlm
from rag1.llm.parse import parse_reply
from rag1.llm.tasks import ExtractTriples, SummariseDocument, Text, TripleDraft, Triples
from rag1.types import Chunk, Document
from tests.fake_llm import FakeLlm
from tests.graph.building import Memory, Scripted, client, draft, one_sentence_chunks, parents, said, sample, text_asked
from tests.llm.test_langchain import calls_tool

DOCUMENT = Document("d", "題", "序。太郎は花子の兄である。花子は 町に 住む。")
CHUNK = Chunk.cut(DOCUMENT, 2, len(DOCUMENT.text))
GOOD = TripleDraft(
    head="花子", head_type="Person", relation="兄", tail="太郎", tail_type="Person", evidence="太郎は花子の兄である。"
)


def changed(**fields: object) -> TripleDraft:
    return GOOD.model_copy(update=fields)


def test_a_triple_has_its_document_chunk_span_and_evidence() -> None:
    (triple,), skipped = read_drafts([GOOD], CHUNK)
    assert (triple.doc_id, triple.chunk_id, triple.span) == ("d", "d:2-23", (2, 13))
    assert DOCUMENT.text[2:13] == triple.evidence == "太郎は花子の兄である。"
    assert skipped == ()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"head": " "}, "empty head"),
        ({"relation": ""}, "empty relation"),
        ({"tail": "　"}, "empty tail"),
        ({"tail_type": ""}, "missing tail_type"),
        ({"tail": "花子"}, "head and tail are the same"),
        ({"tail": "あ" * 201}, "tail of 201 characters, over 200"),
        ({"relation": "あ" * 121}, "relation of 121 characters, over 120"),
        ({"properties": {"k" * 121: "v"}}, "a type or property key of over 120 characters"),
    ],
)
def test_a_bad_draft_is_skipped_with_its_reason(fields: dict[str, object], reason: str) -> None:
    triples, (skipped,) = read_drafts([changed(**fields)], CHUNK)
    assert (triples, skipped.reason) == ((), reason)


def test_types_may_be_left_out_where_an_extractor_does_not_ask_for_them() -> None:
    assert fault_of(changed(head_type="", tail_type=""), need_types=False) == ""


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"evidence": "花子は町に住む"}, "花子は 町に 住む"),  # other spaces
        ({"evidence": "太郎は花子のお兄である。"}, "太郎は花子の兄である。"),  # misquoted
        ({"evidence": "", "sentence": 1}, "花子は 町に 住む。"),
        ({"evidence": "", "sentence": 9}, "太郎は花子の兄である。"),  # the sentence with both names
        ({"evidence": "", "head": "町", "tail": "学校"}, "花子は 町に 住む。"),  # the one with a name
    ],
)
def test_evidence_is_found_in_the_chunk(fields: dict[str, object], place: str) -> None:
    span = place_of(changed(**fields), CHUNK.text)
    assert span
    assert CHUNK.text[span[0] : span[1]] == place


def test_what_the_chunk_does_not_speak_of_is_skipped() -> None:
    triples, (skipped,) = read_drafts([changed(head="次郎", tail="三郎", evidence="")], CHUNK)
    assert (triples, skipped.reason) == ((), "neither evidence nor names stand in the chunk")


def test_one_misshapen_item_does_not_cost_the_others() -> None:
    reply = parse_reply('{"triples": [{"head": "a", "relation": "r", "tail": "b"}, {"head": "x"}, "junk"]}', Triples)
    assert [t.head for t in reply.triples] == ["a"]
    assert [item for _, item in reply.rejected] == ['{"head": "x"}', '"junk"']


def test_a_number_as_a_property_is_kept_as_text() -> None:
    assert TripleDraft(head="a", relation="r", tail="b", properties={"n": 3}).properties == {"n": "3"}


# --- asked twice ----------------------------------------------------------------------------------------


def test_a_chunk_with_a_bad_triple_is_asked_once_more_and_the_fuller_answer_kept() -> None:
    bad = Triples(triples=(GOOD, changed(tail_type="")))
    better = Triples(triples=(GOOD, changed(relation="家族"), changed(tail="")))
    model = Scripted(lambda _, repeat: better if repeat else bad)
    result = ask(model, ExtractTriples(text=CHUNK.text), CHUNK)
    assert [repeat for _, repeat in model.asked] == [0, 1]
    assert [t.relation for t in result.triples] == ["兄", "家族"]
    assert [s.reason for s in result.skipped] == ["missing tail_type", "empty tail"]


def test_a_good_answer_is_not_asked_again() -> None:
    model = Scripted(lambda *_: Triples(triples=(GOOD,)))
    assert ask(model, ExtractTriples(text=CHUNK.text), CHUNK).tries == 1


@pytest.mark.parametrize("failure", [CallFailed("500"), UnreadableReply("prose", "ええと")])
def test_a_failed_answer_is_asked_again_and_then_told(failure: Exception) -> None:
    model = Scripted(lambda *_: failure)
    result = ask(model, ExtractTriples(text=CHUNK.text), CHUNK)
    assert (result.tries, result.error) == (2, f"{type(failure).__name__}: {failure}")


# --- what each way gives the model -----------------------------------------------------------------------


def test_typed_relations_passes_the_names_met_so_far_on(tmp_path: Path) -> None:
    chunks = one_sentence_chunks(d="一郎は太郎の子である。二郎は一郎の子である。三郎は二郎の子である。")
    with FakeLlm(reply=parents) as fake:
        extractor = TypedRelations(client(fake.base_url, tmp_path), known=2)
        results = list(extractor(chunks.corpus["d"], chunks.items, Memory()))
        users = [str(seen.body["messages"][-1]["content"]) for seen in fake.log]
    assert said([t for r in results for t in r.triples]) == {
        ("太郎", "子", "一郎"),
        ("一郎", "子", "二郎"),
        ("二郎", "子", "三郎"),
    }
    assert "既知の名前" not in users[0]
    assert "- 太郎\n- 一郎" in users[1]
    assert "- 一郎\n- 太郎" in users[2]  # the two met most


def test_context_triples_gives_one_summary_with_every_chunk() -> None:
    chunks = one_sentence_chunks(d="太郎は走った。彼は花子の兄だ。")
    model = Scripted(
        lambda task, _: Text(text="太郎の話") if isinstance(task, SummariseDocument) else Triples(triples=())
    )
    list(ContextTriples(model)(chunks.corpus["d"], chunks.items, Memory()))
    kinds = [type(task).__name__ for task, _ in model.asked]
    assert kinds == ["SummariseDocument", "ExtractTriples", "ExtractTriples"]
    assert {task.context for task, _ in model.asked[1:]} == {"太郎の話"}


def test_sentence_triples_asks_sentence_by_sentence_and_numbers_them_in_the_document(tmp_path: Path) -> None:
    chunks = Chunks(one_sentence_chunks(d="序。一郎は太郎の子である。二郎は一郎の子である。").corpus, Recursive(100, 0))
    with FakeLlm(reply=parents) as fake:
        extractor = SentenceTriples(client(fake.base_url, tmp_path))
        (result,) = extractor(chunks.corpus["d"], chunks.items, Memory())
        asked = [text_asked(seen.body) for seen in fake.log]
    assert asked == ["序。", "一郎は太郎の子である。", "二郎は一郎の子である。"]
    assert [(t.tail, t.properties, t.span) for t in result.triples] == [
        ("一郎", {"sentence": "1"}, (2, 13)),
        ("二郎", {"sentence": "2"}, (13, 24)),
    ]


def test_known_names_are_those_met_most_without_values_and_clauses() -> None:
    triples, _ = read_drafts(
        [
            GOOD,
            changed(relation="家族"),
            changed(relation="住む", tail="町"),
            changed(relation="時", tail="序", tail_type="Time"),
        ],
        Chunk.cut(DOCUMENT, 0, len(DOCUMENT.text)),
    )
    assert known_names([ChunkTriples("d:0-1", triples)], most=2) == ("花子", "太郎")


@pytest.mark.parametrize("way", [TypedRelations, ContextTriples, SentenceTriples])
def test_the_three_ways_run_offline(way: type) -> None:
    chunks = Chunks(sample(), Recursive())
    document = chunks.corpus["ukaidani"]
    results = list(way(OfflineLlm())(document, chunks.of_document["ukaidani"], Memory()))
    found = said([t for r in results for t in r.triples])
    assert ("お澄", "墓所", "常灯寺") in found
    assert ("楓", "葬地", "渓声寺") in found
    assert all(document.text[t.span[0] : t.span[1]] == t.evidence for r in results for t in r.triples if t.span)


# --- rules -----------------------------------------------------------------------------------------------


def test_rules_read_whole_sentences_where_a_chunk_cuts_them() -> None:
    text = "松の家は海にある。太郎は花子の兄である。花子は町に住む。"
    document = Document("d", "", text)
    chunks = [Chunk.cut(document, 0, 12), Chunk.cut(document, 12, len(text))]
    assert [text[a:b] for a, b in stretches(document, chunks)] == [
        "松の家は海にある。",
        "太郎は花子の兄である。花子は町に住む。",
    ]
    results = list(Rules()(document, chunks, Memory()))
    assert ("花子", "兄", "太郎") in said(results[1].triples)


def test_every_sentence_is_read_with_one_chunk() -> None:
    document = sample()["kane"]
    chunks = Recursive()(document)
    spans = [span for span in stretches(document, chunks) if span[0] < span[1]]
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert sum(end - start for start, end in spans) > 0.99 * len(document.text.strip())


def test_ginza_reads_subject_verb_object_with_entity_types() -> None:
    pytest.importorskip("ja_ginza")
    found = {(d.head, d.relation, d.tail) for d in ginza_drafts("佐藤太郎は京都で寺を建てた。寺の名は西光寺だ。")}
    assert ("佐藤太郎", "建てる", "寺") in found
    assert ("佐藤太郎", "建てる", "京都") in found
    assert ("寺", "名", "西光寺") in found
    types = {d.head: d.head_type for d in ginza_drafts("佐藤太郎は京都で寺を建てた。")}
    assert types["佐藤太郎"] == "Person"


def test_an_unknown_engine_is_told() -> None:
    with pytest.raises(ConfigError, match="none of sudachi, ginza, both"):
        Rules(engine="mecab")  # type: ignore[arg-type]


# --- LangChain's transformer -----------------------------------------------------------------------------


def test_graph_transformer_brings_nodes_and_relationships_with_properties(tmp_path: Path) -> None:
    pytest.importorskip("langchain_experimental")
    graph = {
        "nodes": [
            {"id": "駅", "type": "Place", "properties": [{"key": "築年", "value": "1901"}]},
            {"id": "寺", "type": "Place", "properties": []},
        ],
        "relationships": [
            {
                "source_node_id": "駅",
                "source_node_type": "Place",
                "target_node_id": "寺",
                "target_node_type": "Place",
                "type": "近い",
                "properties": [{"key": "distance", "value": "90メートル"}],
            }
        ],
    }
    chunks = one_sentence_chunks(d="駅から寺までは90メートルである。")
    with FakeLlm({"*": [calls_tool("DynamicGraph", graph).forever()]}) as fake:
        extractor = GraphTransformer(client(fake.base_url, tmp_path))
        (result,) = extractor(chunks.corpus["d"], chunks.items, Memory())
        assert fake.log[0].body["tools"][0]["function"]["name"] == "DynamicGraph"
    (triple,) = result.triples
    assert (triple.head, triple.tail, triple.head_type) == ("駅", "寺", "Place")
    assert triple.properties == {"distance": "90メートル"}
    assert triple.evidence == "駅から寺までは90メートルである。"
    assert [(e.name, dict(e.properties)) for e in result.entities] == [("駅", {"築年": "1901"})]


def test_graph_transformer_offline_is_refused_in_one_line() -> None:
    with pytest.raises(ConfigError, match=r"needs a real model, not llm=offline"):
        GraphTransformer(OfflineLlm())


# --- the journal -----------------------------------------------------------------------------------------


def test_the_journal_gives_back_what_was_added(tmp_path: Path) -> None:
    chunks = Chunks(sample(), Recursive())
    results = list(Rules()(chunks.corpus["kane"], chunks.of_document["kane"], Memory()))
    with ExtractJournal(tmp_path / "j.jsonl") as journal:
        for result in results:
            journal.add(result)
        assert journal.note("s", lambda: "summary") == "summary"
    with ExtractJournal(tmp_path / "j.jsonl") as journal:
        assert list(journal.done.values()) == results
        assert journal.note("s", lambda: "never made") == "summary"


def test_a_torn_last_line_is_cut_off_and_failed_chunks_are_not_done(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with ExtractJournal(path) as journal:
        journal.add(ask(Scripted(lambda *_: CallFailed("500")), ExtractTriples(text=CHUNK.text), CHUNK))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"chunk": {"chunk_id": "d:3')
    with ExtractJournal(path) as journal:
        assert (list(journal.done), list(journal.failed)) == ([], [CHUNK.id])
    assert path.read_bytes() == whole


def test_a_draft_is_the_shape_of_a_task() -> None:
    assert TripleDraft.model_validate(draft("a", "r", "b")).tail == "b"
