"""Graph retrievers over both real stores: true direction, relevance, spellings, scope, personalised PageRank."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from rag1.graph.cypher_store import CypherStore
from rag1.graph.model import Entity, Fact, Triple
from rag1.llm.offline import OfflineLlm
from rag1.retrieve.facts import FactTable, open_facts, sentence
from rag1.retrieve.link import Linker
from rag1.retrieve.structured import Structured
from rag1.retrieve.subgraph import Subgraph, pagerank
from rag1.retrieve.triples import Triples
from rag1.retrieve.walk import Inside, Walk
from rag1.types import Chunk, Document, Query

TEXT = "おばあさんはきびだんごを作った。桃太郎は鬼ヶ島へ渡った。鬼ヶ島まで海は三里ある。"
MOMO = Document("momo", "桃太郎", TEXT)
CHUNK = Chunk.cut(MOMO, 0, 16)
MADE = Triple(
    "おばあさん",
    "作る",
    "きびだんご",
    "Person",
    "Food",
    {},
    "momo",
    CHUNK.id,
    (0, 16),
    "おばあさんはきびだんごを作った。",
)
CROSSED = Triple(
    "桃太郎", "渡る", "鬼ヶ島", "Person", "Place", {}, "momo", CHUNK.id, (16, 28), "桃太郎は鬼ヶ島へ渡った。"
)
FAR = Triple(
    "海", "ある", "鬼ヶ島", "Place", "Place", {"距離": "三里"}, "momo", "", (28, 40), "鬼ヶ島まで海は三里ある。"
)
OTHER = Triple("きびだんご", "名物", "岡山", "Food", "Place", {}, "guide", "", None, "")


@pytest.fixture
def filled(store: CypherStore) -> CypherStore:
    store.write_documents([MOMO])
    store.write_chunks([CHUNK])
    store.write_triples([MADE, CROSSED, FAR, OTHER])
    store.write_entities([Entity("桃太郎", ("Person",), {}, ("桃太郎さん",))])
    return store


def structured(store: CypherStore, hops: int = 1) -> Structured:
    table = open_facts(store, "")
    return Structured(Linker(store, table, OfflineLlm()), Walk(store, table, hops=hops))


def test_facts_are_lines_in_true_direction_whichever_end_is_asked_for(filled: CypherStore) -> None:
    (found,) = structured(filled)(Query("1", "「おばあさん」は何をしましたか。"), 5)
    assert (found.text, found.doc_id, found.span) == ("おばあさん - 作る -> きびだんご", "momo", (0, 16))
    assert found.id == MADE.identity()
    backwards = structured(filled)(Query("1", "きびだんごを作ったのは誰ですか。", frozenset({"momo"})), 5)
    assert [f.text for f in backwards] == ["おばあさん - 作る -> きびだんご"]


def test_mentions_are_no_facts_and_properties_reach_the_line(filled: CypherStore) -> None:
    found = structured(filled)(Query("1", "鬼ヶ島までの距離はどれだけですか。"), 5)
    assert [f.text for f in found] == ["海 - ある -> 鬼ヶ島 (距離: 三里)", "桃太郎 - 渡る -> 鬼ヶ島"]


def test_the_scope_holds_before_the_ranking(filled: CypherStore) -> None:
    asked = "きびだんごはどこの名物ですか。"
    assert [f.text for f in structured(filled)(Query("1", asked), 1)] == ["きびだんご - 名物 -> 岡山"]
    within = structured(filled)(Query("1", asked, frozenset({"momo"})), 1)
    assert [f.text for f in within] == ["おばあさん - 作る -> きびだんご"]


@pytest.mark.parametrize(
    ("asked", "name", "by"),
    [
        ("黍団子を作ったのは誰ですか。", "きびだんご", "reading"),
        ("「きびたんご」を作ったのは誰ですか。", "きびだんご", "near"),
        ("桃太朗はどこへ渡りましたか。", "桃太郎", "reading"),
        ("桃太郎さんはどこへ渡りましたか。", "桃太郎", "name"),
    ],
)
def test_names_are_unified_with_those_of_the_graph(filled: CypherStore, asked: str, name: str, by: str) -> None:
    linker = Linker(filled, open_facts(filled, ""), OfflineLlm(), near=0.6)
    assert (name, by) in {(found.name, found.by) for found in linker(Query("1", asked))}


def test_a_name_inside_another_word_is_not_linked(filled: CypherStore) -> None:
    found = Linker(filled, open_facts(filled, ""), OfflineLlm())(Query("1", "北海道の名産は何ですか。"))
    assert "海" not in {each.name for each in found}


def test_lines_are_limited_by_relevance_and_not_by_order(store: CypherStore) -> None:
    """A hundred facts of one entity; the asked one is neither first nor last by id."""
    store.write_triples([Triple("役場", f"係{n}", f"人{n}", "", "", {}, "d") for n in range(100)])
    store.write_triples([Triple("役場", "電話番号", "七七番", "", "", {}, "d")])
    found = structured(store)(Query("1", "役場の電話番号は何番ですか。"), 3)
    assert found[0].text == "役場 - 電話番号 -> 七七番"
    assert len(found) == 3


def test_two_steps_reach_what_one_does_not(store: CypherStore) -> None:
    store.write_triples(
        [Triple("無名座", "主宰者", "戸部辰之助"), Triple("戸部辰之助", "生年月日", "明治三年四月二日")]
    )
    asked = Query("1", "無名座の主宰者の生年月日はいつですか。")
    last = "戸部辰之助 - 生年月日 -> 明治三年四月二日"
    assert last not in [f.text for f in structured(store, hops=1)(asked, 9)]
    assert last in [f.text for f in structured(store, hops=2)(asked, 9)]
    table = open_facts(store, "")
    assert last in [f.text for f in Triples(Walk(store, table))(asked, 9)]
    linker = Linker(store, table, OfflineLlm())
    assert last in [f.text for f in Subgraph(linker, table, passages=0)(asked, 9)]


def test_pagerank_is_the_stationary_distribution_of_its_own_equation() -> None:
    """Against the linear system (I - d Pᵀ) x = (1 - d) s, solved densely."""
    rng = np.random.default_rng(7)
    dense = np.triu(rng.integers(0, 2, (12, 12)), 1)
    dense = dense + dense.T + np.diag(np.ones(12))
    start = rng.random(12)
    walk = dense / dense.sum(axis=1, keepdims=True)
    wanted = np.linalg.solve(np.eye(12) - 0.5 * walk.T, 0.5 * start / start.sum())
    assert np.allclose(pagerank(csr_array(dense), start), wanted, atol=1e-6)


def test_pagerank_keeps_its_mass_where_a_node_leads_nowhere() -> None:
    mass = pagerank(csr_array((3, 3)), np.array([1.0, 0.0, 0.0]))
    assert mass.tolist() == [1.0, 0.0, 0.0]


def test_names_inside_names_are_the_longest_ones() -> None:
    inside = Inside.of(["撞木の綱", "撞木", "木の", "鐘", "玉虫がいなくなる", "玉虫"])
    assert inside.parts == {"撞木の綱": ("撞木",), "玉虫がいなくなる": ("玉虫",)}
    assert inside.holders == {"撞木": ("撞木の綱",), "玉虫": ("玉虫がいなくなる",)}


def test_a_triple_reads_as_a_sentence() -> None:
    table = FactTable((), ())
    assert table.relevance("何ですか。").shape == (0,)
    assert sentence(Fact("f", "海", "ある", "鬼ヶ島", {"距離": "三里"})) == "海のあるは鬼ヶ島（距離は三里）"


@pytest.mark.parametrize("scope", [frozenset(), frozenset({"momo"}), frozenset({"none"})], ids=["all", "one", "none"])
@pytest.mark.parametrize("limit", [1, 2, 1000])
def test_the_table_tells_the_neighbours_that_the_store_tells(
    filled: CypherStore, scope: frozenset[str], limit: int
) -> None:
    table = open_facts(filled, "")
    names = [entity.name for entity in filled.entities()]
    for asked in ([], names[:1], names[:3], [*names, "誰でもない"]):
        assert table.around(asked, limit, scope) == filled.neighbours(asked, limit, scope)
