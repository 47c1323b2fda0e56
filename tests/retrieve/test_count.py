"""Exact counts: what a question asks to count, and figures counted by hand in texts and novels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rag1.answer.context import Context
from rag1.answer.reader import Reader
from rag1.chunk.chunkers import Recursive
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.corpus.load import RawFile, assemble, folder
from rag1.corpus.notation import Aozora
from rag1.graph.cypher_store import CypherStore
from rag1.graph.falkordb import OpenFalkorDB
from rag1.graph.model import Entity, Triple
from rag1.llm.offline import OfflineLlm
from rag1.retrieve.count import CountRetriever, GraphAliases, NoCounts, RubyAliases
from rag1.retrieve.count_question import CountQuestion, read_count_question
from rag1.types import Document, Query, Retrieved
from tests.stores import falkordb_folder  # noqa: F401

TALE = """桃太郎の話
ある人

-------------------------------------------------------
【テキスト中に現れる記号について】

《》：ルビ
-------------------------------------------------------

［＃３字下げ］一　川［＃「一　川」は中見出し］
　桃太郎《ももたろう》は川で生まれた。太郎は隣の子である。
「太郎、桃を見たか」と桃太郎は言った。
「桃なら太郎が食べた。太郎に聞け」
　ももたろうは笑った。

［＃３字下げ］二　島［＃「二　島」は中見出し］
　鬼ヶ島に鬼がいた。赤鬼と青鬼である。犬が吠え、猿が笑った。
「鬼め」と桃太郎は言った。太郎も来た。

底本：「なし」
"""


def counter(corpus: Corpus, mode: str = "exact", size: int = 512) -> CountRetriever:
    chunks = Chunks(corpus, Recursive(size, min(24, size // 2)))
    return CountRetriever(OfflineLlm(), chunks, RubyAliases(chunks), mode)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def tale() -> Corpus:
    return assemble([RawFile("tale.txt", TALE.encode("cp932"))], Aozora())


@pytest.fixture(scope="module")
def novels(shared_data: Path) -> CountRetriever:
    return counter(folder(str(shared_data / "novels"), Aozora()))


@pytest.fixture(scope="module")
def sample(root: Path) -> CountRetriever:
    return counter(folder(str(root / "data/sample/stories"), Aozora()))


def only(found: Sequence[Retrieved]) -> Retrieved:
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("question", "times"),
    [
        ("「桃太郎」という名は何回出てきますか。", 3),
        ("桃太郎は何回登場しますか。", 4),  # the reading ももたろう is the same child
        ("太郎は何回登場しますか。", 5),  # the neighbour's, never the one in 桃太郎
        ("「太郎」という名は会話文の中で何回使われていますか。", 3),
        ("「太郎」という名は地の文で何回使われていますか。", 2),
        ("「桃」という字は何回出てきますか。", 5),  # as a character it counts within 桃太郎 too
        ("「鬼」という字は何回出てきますか。", 5),
        ("「笑った」という言葉は何回出てきますか。", 2),
        ("第一章に「太郎」という名は何回出てきますか。", 4),
        ("「島」の章に「太郎」という名は何回出てきますか。", 1),
        ("「川」という字は見出しも含めて何回出てきますか。", 2),
        ("「川」という字は見出しを除いて何回出てきますか。", 1),
        ("『桃太郎の話』に「犬」という言葉は何回出てきますか。", 1),
        ("「狐」という言葉は何回出てきますか。", 0),
        ("「赤おに」という言葉は何回出てきますか。", 0),
    ],
)
def test_counts_by_hand(tale: Corpus, question: str, times: int) -> None:
    assert only(counter(tale)(Query("1", question), 3)).score == times


@pytest.mark.parametrize(
    ("question", "number", "line"),
    [
        ("犬、猿、雉のうち、本文に出てくるのは何匹ですか。", 2, "本文に名が出てくるのは2匹: 犬 1回（"),
        ("桃太郎と太郎と金太郎のうち、登場するのは何人ですか。", 2, "出てこない: 金太郎"),
        ("「赤鬼」「青鬼」「黒鬼」「白鬼」のうち、何種類が本文に出てきますか。", 2, "2種類: 赤鬼 1回"),
    ],
)
def test_distinct_of_those_named(tale: Corpus, question: str, number: int, line: str) -> None:
    found = only(counter(tale)(Query("1", question), 3))
    assert found.score == number
    assert line in found.text


@pytest.mark.parametrize(
    ("novel", "question", "times"),
    [
        ("7", "万右衛門は何回登場しますか。", 7),
        ("7", "「万右衛門」という名は会話文の中で何回出てきますか。", 0),
        ("3", "「大豆」という言葉は何回出てきますか。", 4),
        ("1", "「神代直人」という姓名が続けて書かれた箇所はいくつありますか。", 9),
        ("2", "「黒水晶」という語は何回出てきますか。", 4),
        ("4", "「スプラッシュ」という語は何回出てきますか。", 4),
        ("6", "「煙のように」という言い回しは何回使われていますか。", 6),
        ("3", "「二」の章に「大豆」という言葉は何回出てきますか。", 1),
    ],
)
def test_the_novels(novels: CountRetriever, novel: str, question: str, times: int) -> None:
    found = only(novels(Query("1", question, frozenset({novel})), 3))
    assert (found.doc_id, found.score) == (novel, times)


def test_the_title_in_the_question_says_where(novels: CountRetriever) -> None:
    """小説　不如帰 and 不如帰 are one title; a title is not what is counted."""
    assert only(novels(Query("1", "『カインの末裔』に大豆という言葉は何回出てきますか。"), 3)).score == 4
    assert only(novels(Query("1", "「不如帰」に「黒水晶」という語は何回出てきますか。"), 3)).doc_id == "2"


def test_without_a_document_each_one_that_holds_the_word_has_a_line(novels: CountRetriever) -> None:
    found = novels(Query("1", "「幽霊」という言葉は何回出てきますか。"), 9)
    texts = {d.id: d.text.count("幽霊") for d in novels.chunks.corpus}
    assert {r.doc_id: r.score for r in found} == {doc_id: n for doc_id, n in texts.items() if n}


def test_the_sample(sample: CountRetriever) -> None:
    bell = only(sample(Query("1", "「鳴らぬ鐘」には、見出しも含めて「玉虫」という言葉が何回出てきますか。"), 3))
    pipe = only(sample(Query("1", "「霧の渡し」の本文に、「笛」という字は何回出てきますか。"), 3))
    assert (bell.doc_id, bell.score, pipe.doc_id, pipe.score) == ("kane", 13, "kiri", 6)


def test_the_line_tells_number_places_and_a_sentence(tale: Corpus) -> None:
    text = tale["tale"].text
    found = only(counter(tale)(Query("1", "「笑った」という言葉は何回出てきますか。"), 3))
    first, second = text.index("笑った") + 1, text.rindex("笑った") + 1
    assert found.text == f"『笑った』は本文に2回出てくる（位置: {first}, {second}文字目）\n例: ももたろうは笑った。"
    assert found.span is not None
    assert text[slice(*found.span)] == "ももたろうは笑った。"
    assert (found.id, found.by) == ("count:tale:笑った", "count")


def test_places_inside_longer_names_are_said_apart(tale: Corpus) -> None:
    found = only(counter(tale)(Query("1", "「太郎」という名は何回出てきますか。"), 3))
    assert (found.score, tale["tale"].text.count("太郎")) == (5, 8)
    assert "ほかに長い名の一部として3回" in found.text


def test_other_spellings_count_where_the_asked_one_is_absent(tale: Corpus) -> None:
    found = only(counter(tale)(Query("1", "「おにがしま」という名は何回出てきますか。"), 3))
    assert found.text == "『おにがしま』は本文に出てこない（0回）"
    other = only(counter(tale)(Query("1", "「モモタロウ」という名は何回出てきますか。"), 3))
    assert "うち『ももたろう』1回" in other.text


def test_chunks_count_as_the_prize_winner_did() -> None:
    """Twice in one chunk is one; once in the overlap of two chunks is two."""
    twice = counter(Corpus((Document("d", "d", "大豆と大豆。"),)), "chunks")
    assert only(twice(Query("1", "「大豆」という言葉は何回出てきますか。"), 3)).score == 1
    text = "あ" * 10 + "、大豆、" + "い" * 12
    split = counter(Corpus((Document("d", "d", text),)), "chunks", size=16)
    held = sum("大豆" in c.text for c in split.chunks.items)
    found = only(split(Query("1", "「大豆」という言葉は何回出てきますか。"), 3))
    assert found.score == held
    assert found.text.startswith(f"『大豆』を含むチャンクは{held}個")


@pytest.mark.parametrize(
    "question",
    [
        "登場する子供は何人ですか。",
        "「おしどり」という舟は何人乗りですか。",
        "桃太郎は鬼を何回なぐりましたか。",
        "犬は何匹いましたか。",
        "太郎が来たのは何度目ですか。",
        "「桃太郎」を育てたのは誰ですか。",
        "作中に出てくる国は何か国ですか。",
        "第九章に「太郎」という名は何回出てきますか。",
    ],
)
def test_nothing_is_claimed_in_doubt(tale: Corpus, question: str) -> None:
    assert counter(tale)(Query("1", question), 3) == []


def test_no_counts() -> None:
    assert NoCounts()(Query("1", "「太郎」という名は何回出てきますか。"), 3) == []


def test_read_count_question() -> None:
    asked = read_count_question("『海』の会話文で、「船」という字は何回使われていますか。", frozenset({"海"}))
    assert asked == CountQuestion("character", ("船",), "回", "dialogue", "", ("海",))
    assert read_count_question("さとうと塩のうち、本文に出てくるのは何種類ですか。") == CountQuestion(
        "listed", ("さとう", "塩"), "種類"
    )


@pytest.fixture
def graph(falkordb_folder: Path) -> Iterator[CypherStore]:  # noqa: F811
    store = OpenFalkorDB()(falkordb_folder, "aliases")
    store.prepare()
    yield store
    store.clear()
    store.close()


def test_aliases_of_the_graph(graph: CypherStore) -> None:
    graph.write_entities([Entity("大村益次郎", aliases=("村田蔵六",))])
    graph.write_triples([Triple("大村益次郎", "住む", "京都", doc_id="1", chunk_id="1:0-5")])
    aliases = GraphAliases(graph)
    assert aliases("村田蔵六", "1") == ["大村益次郎"]
    assert aliases("大村", "1") == []
    assert aliases("村田蔵六", "2") == []


def test_the_reader_reads_counts_first(tale: Corpus) -> None:
    plain = Reader(OfflineLlm(), Context(tale))
    counting = Reader(OfflineLlm(), Context(tale), counter=counter(tale))
    query = Query("1", "「笑った」という言葉は何回出てきますか。")
    assert plain(query, ()).stop == "no_evidence"
    answer = counting(query, ())
    assert (answer.text, answer.evidence) == ("2回", "ももたろうは笑った。")
    assert answer.support[0].by == "count"
    assert [step.name for step in answer.trace] == ["count", "read"]
