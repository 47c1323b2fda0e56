"""What a graph store promises, checked on each real store."""

from __future__ import annotations

import dataclasses
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag1.errors import CypherError, DataError
from rag1.graph.cypher_store import CypherStore
from rag1.graph.model import Entity, Fact, Triple
from rag1.graph.store import OpenGraph
from rag1.types import Chunk, Document

STORY = Document("momo", "桃太郎", "おばあさんはきびだんごを作った。桃太郎は犬をお供にした。")
CHUNK = Chunk.cut(STORY, 0, 16)
MADE = Triple(
    "おばあさん", "作った", "きびだんご", "人物", "食べ物", {"数": "三つ"}, "momo", CHUNK.id, (0, 16), "作った。"
)
TOOK = Triple("桃太郎", "お供にした", "犬", "人物", "動物", {}, "momo", "", (16, 28), "桃太郎は犬をお供にした。")

AWKWARD = [
    'O\'Neil said "hi"',
    "back`tick",
    "back\\slash\\",
    "two\nlines\tand a tab\r\n",
    "'}) MATCH (n) DETACH DELETE n //",
    "$rows",
    "日本語　全角スペース",
    "𠮟る 👩‍👩‍👧 é",
    '{"json": [1, null]}',
    "-1.5e3",
    "null",
    "   leading and trailing  ",
    "長い" * 3000,
    "\x01\x7f",
]


def plain(facts: list[Fact]) -> list[tuple[str, str, str]]:
    return sorted((f.head, f.relation, f.tail) for f in facts)


def test_any_text_comes_back_as_it_went_in(store: CypherStore) -> None:
    kinds = {name: name.strip("\x01\x7f")[:100] or "型" for name in AWKWARD}
    for _ in range(2):
        store.write_entities([Entity(n, (kinds[n],), {kinds[n]: n}, (n + "別名",)) for n in AWKWARD])
        store.write_triples(
            [Triple(n, kinds[n], "犬", kinds[n], "動物", {kinds[n]: n}, n, n, (3, 5), n) for n in AWKWARD]
        )
    entities = {entity.name: entity for entity in store.entities()}
    assert entities.keys() == {"犬", *AWKWARD}
    for name in AWKWARD:
        (fact,) = store.neighbours([name])
        assert (fact.head, fact.relation, fact.tail) == (name, kinds[name], "犬")
        assert (fact.doc_id, fact.chunk_id, fact.span, fact.evidence) == (name, name, (3, 5), name)
        assert list(fact.properties.values()) == [name]
        assert entities[name].aliases == (name + "別名",)
        assert list(entities[name].properties.values()) == [name]


BREAKOUTS = [
    "X`]->(t) MATCH (n) DETACH DELETE n //",
    "X`) DETACH DELETE e //",
    "X``]-() DELETE r //",
    "X\n`; MATCH (n) DETACH DELETE n",
    "\\`) DETACH DELETE n //",
    "X\\u0060) DETACH DELETE e //",
    "X\\\\u0060]->(t) DETACH DELETE h //",
]


def test_types_and_relations_cannot_break_out_of_their_quotes(store: CypherStore) -> None:
    store.write_triples([MADE])
    store.write_triples([Triple("甲", text, "乙", text, text, {text: "値"}) for text in BREAKOUTS])
    counts = {"documents": 0, "chunks": 0, "entities": 4, "relations": 1 + len(BREAKOUTS), "mentions": 0}
    assert store.counts() == counts
    assert sorted(fact.relation for fact in store.neighbours(["甲"])) == sorted(BREAKOUTS)


def test_an_empty_relation_is_refused_with_its_limit(store: CypherStore) -> None:
    with pytest.raises(DataError, match="1 to 120"):
        store.write_triples([Triple("甲", " \n", "乙")])


def load(store: CypherStore) -> None:
    store.write_documents([STORY])
    store.write_chunks([CHUNK])
    store.write_entities([Entity("きびだんご", ("食べ物",), {"味": "甘い"}, ("黍団子", "吉備団子"))])
    store.write_triples([MADE, TOOK])


def test_loading_twice_changes_nothing(store: CypherStore) -> None:
    load(store)
    once = store.counts(), sorted(map(repr, store.facts())), sorted(map(repr, store.entities())), store.schema()
    load(store)
    assert once[0] == {"documents": 1, "chunks": 1, "entities": 4, "relations": 2, "mentions": 2}
    assert (store.counts(), sorted(map(repr, store.facts())), sorted(map(repr, store.entities()))) == once[:3]
    assert store.schema() == once[3]


def test_preparing_twice_is_harmless(store: CypherStore) -> None:
    load(store)
    store.prepare()
    assert store.counts()["entities"] == 4


def test_a_fact_carries_its_place_and_its_line(store: CypherStore) -> None:
    load(store)
    (fact,) = store.neighbours(["きびだんご"])
    assert fact == Fact(
        MADE.identity(), "おばあさん", "作った", "きびだんご", {"数": "三つ"}, "momo", "momo:0-16", (0, 16), "作った。"
    )
    assert fact.text == "おばあさん - 作った -> きびだんご (数: 三つ)"


def test_incoming_relations_keep_their_direction(store: CypherStore) -> None:
    store.write_triples([Triple("父", "育てた", "子"), Triple("子", "敬った", "父"), Triple("子", "見た", "子")])
    expected = [("子", "敬った", "父"), ("子", "見た", "子"), ("父", "育てた", "子")]
    assert plain(store.neighbours(["子"])) == expected
    assert plain(store.neighbours(["子", "父"])) == expected
    assert plain(store.neighbours(["父"])) == [expected[0], expected[2]]


def test_a_relation_named_like_ours_between_entities_is_a_fact(store: CypherStore) -> None:
    load(store)
    store.write_triples([Triple("本", "MENTIONS", "鬼"), Triple("鬼", "PART_OF", "島")])
    assert plain(store.neighbours(["鬼"])) == [("本", "MENTIONS", "鬼"), ("鬼", "PART_OF", "島")]
    assert sorted(store.mentions()) == [(CHUNK.id, "おばあさん"), (CHUNK.id, "きびだんご")]
    assert len(list(store.facts())) == 4


def test_mentions_join_what_is_there_and_pass_over_the_rest(store: CypherStore) -> None:
    load(store)
    pairs = [(CHUNK.id, "犬"), (CHUNK.id, "きびだんご"), (CHUNK.id, "鬼"), ("momo:99-100", "犬")]
    for _ in range(2):
        assert store.write_mentions(pairs) == 4
    assert sorted(store.mentions()) == [(CHUNK.id, "おばあさん"), (CHUNK.id, "きびだんご"), (CHUNK.id, "犬")]


def test_hundreds_of_relation_types_are_written_with_their_own_names(store: CypherStore) -> None:
    triples = [Triple("中心", f"関係{n}", f"点{n}", "人物", f"型{n % 40}") for n in range(400)]
    assert store.write_triples(iter(triples)) == 400
    assert plain(list(store.facts())) == sorted((t.head, t.relation, t.tail) for t in triples)
    labels = store.schema().labels
    assert (labels["人物"], labels["型0"], labels["Entity"]) == (1, 10, 401)


def test_types_named_like_our_labels_do_not_mix_with_them(store: CypherStore) -> None:
    load(store)
    store.write_triples([Triple("報告書", "含む", "章", "Document", "Chunk")])
    assert store.counts()["documents"] == 1
    assert store.counts()["chunks"] == 1
    assert {"Document_", "Chunk_"} <= store.schema().labels.keys()


def test_own_properties_do_not_collide_with_ours(store: CypherStore) -> None:
    own = {"start": "1603年", "start_": "春", "evidence": "碑文", "_id": "7", "距離": "90メートル"}
    store.write_triples([Triple("幕府", "続いた", "江戸", "", "", own, "史", "史:0-9", (0, 9), "幕府は続いた")])
    (fact,) = store.neighbours(["幕府"])
    assert (fact.span, fact.evidence) == ((0, 9), "幕府は続いた")
    assert fact.properties == {"start": "1603年", "start_": "春", "evidence": "碑文", "id": "7", "距離": "90メートル"}


def test_derived_links_are_marked(store: CypherStore) -> None:
    store.write_triples([dataclasses.replace(TOOK, derived=True)])
    assert next(iter(store.facts())).derived is True


def test_scope_holds_for_every_reading_method(store: CypherStore) -> None:
    load(store)
    store.write_triples([Triple("犬", "吠えた", "猫", doc_id="other", chunk_id="other:0-5")])
    assert plain(store.neighbours(["犬"], doc_ids=frozenset({"momo"}))) == [("桃太郎", "お供にした", "犬")]
    assert plain(list(store.facts(frozenset({"other"})))) == [("犬", "吠えた", "猫")]
    assert {e.name for e in store.entities(frozenset({"other"}))} == {"犬", "猫"}
    assert [m.name for m in store.match_names("猫と犬", doc_ids=frozenset({"momo"}))] == ["犬"]
    assert list(store.mentions(frozenset({"other"}))) == []


def test_the_limit_of_neighbours_is_kept_and_stable(store: CypherStore) -> None:
    store.write_triples([Triple("中心", "結ぶ", f"点{i}") for i in range(50)])
    ten = store.neighbours(["中心"], limit=10)
    assert len(ten) == 10
    assert ten == store.neighbours(["中心"], limit=10)


ASKED = {
    "きびだんご": "きびだんご",
    "黍団子": "きびだんご",
    "黍団子を作ったのは誰ですか?": "きびだんご",
    "犬": "犬",
    "犬はどこで出てくるか": "犬",
    "ｵﾊﾞｱさん": "おばあさん",
    'Momo\'s "dog" (AND) OR NOT -x* ~y ^2 [a TO b] {c} a/b a\\b 桃太郎': "桃太郎",
}


def test_names_are_found_by_parts_aliases_and_questions(store: CypherStore) -> None:
    load(store)
    assert {asked: store.match_names(asked)[0].name for asked in ASKED} == ASKED


def test_a_match_says_which_spelling_fitted(store: CypherStore) -> None:
    load(store)
    (match,) = store.match_names("吉備団子")
    assert (match.matched, match.labels, match.score) == ("吉備団子", ("食べ物",), 1.0)


def test_text_without_a_known_name_finds_nothing(store: CypherStore) -> None:
    load(store)
    for asked in ("", "   ", "()[]{}", "全然無関係", "the and or", "`'\""):
        assert store.match_names(asked) == [], asked


def test_aliases_of_a_later_load_are_found_too(store: CypherStore) -> None:
    load(store)
    store.write_entities([Entity("きびだんご", aliases=("日本一の団子",)), Entity("犬", aliases=("シロ",))])
    assert store.match_names("シロ")[0].name == "犬"
    for spelling in ("日本一の団子", "黍団子", "きびだんご"):
        assert store.match_names(spelling)[0].name == "きびだんご"


def test_one_name_with_several_types_is_one_node_with_several_labels(store: CypherStore) -> None:
    store.write_triples([Triple("出世", "描く", "男", "作品", "人物"), Triple("男", "望む", "出世", "人物", "概念")])
    assert store.counts()["entities"] == 2
    assert next(e for e in store.entities() if e.name == "出世").labels == ("作品", "概念")


def test_or_one_node_a_type_where_that_is_asked_for(opener: tuple[OpenGraph, Path]) -> None:
    open_graph, folder = opener
    store = dataclasses.replace(open_graph, node_key="name_and_type")(folder, "typed")  # type: ignore[type-var]
    store.prepare()
    try:
        for _ in range(2):
            store.write_triples(
                [Triple("出世", "描く", "男", "作品", "人物"), Triple("男", "望む", "出世", "人物", "概念")]
            )
        assert sorted((e.name, e.labels) for e in store.entities()) == [
            ("出世", ("作品",)),
            ("出世", ("概念",)),
            ("男", ("人物",)),
        ]
        assert plain(store.neighbours(["出世"])) == [("出世", "描く", "男"), ("男", "望む", "出世")]
        assert sorted(m.labels for m in store.match_names("出世")) == [("作品",), ("概念",)]
        store.write_chunks([CHUNK])
        store.write_mentions([(CHUNK.id, "出世")])
        assert store.counts()["mentions"] == 2
    finally:
        store.clear()
        store.close()


def test_the_schema_counts_patterns_and_shows_values(store: CypherStore) -> None:
    load(store)
    schema = store.schema()
    assert schema.labels == {"Entity": 4, "人物": 2, "動物": 1, "食べ物": 1}
    assert [(p.start, p.relation, p.end, p.count) for p in schema.patterns] == [
        ("人物", "お供にした", "動物", 1),
        ("人物", "作った", "食べ物", 1),
    ]
    assert dict(schema.relations) == {"お供にした": 1, "作った": 1}
    assert [(p.owner, p.key, p.examples) for p in schema.relation_keys] == [("作った", "数", ("三つ",))]
    assert ("食べ物", "味", ("甘い",)) in [(p.owner, p.key, p.examples) for p in schema.entity_keys]


def test_the_schema_is_read_once_for_all_threads_until_the_store_writes(store: CypherStore) -> None:
    load(store)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: store.schema(), range(8)))
    assert len({id(schema) for schema in found}) == 1
    store.write_triples([dataclasses.replace(TOOK, relation="ほめた")])
    assert "ほめた" in store.schema().relations


def test_reading_gives_plain_values_without_internals(store: CypherStore) -> None:
    load(store)
    rows = store.read("MATCH p = (h:Entity)-[r:`作った`]->(t) RETURN h.name AS who, t, r.end, [1, {a: null}] AS x, p")
    assert rows.columns == ("who", "t", "r.end", "x", "p")
    ((who, tail, end, nested, path),) = rows.rows
    assert (who, end, nested) == ("おばあさん", 16, [1, {"a": None}])
    assert isinstance(tail, dict)
    assert {"name": "きびだんご", "味": "甘い"}.items() <= tail.items()
    assert not [key for key in tail if key.startswith("_")]
    assert isinstance(path, list)
    assert len(path) == 2


def test_parameters_are_values_not_text(store: CypherStore) -> None:
    load(store)
    rows = store.read("MATCH (e:Entity {name: $name}) RETURN e.name", {"name": "犬'}) DETACH DELETE e //"})
    assert rows.rows == ()


def test_rows_that_were_cut_are_said_to_be(store: CypherStore) -> None:
    load(store)
    for limit, cut in ((2, True), (3, True), (4, False), (100, False)):
        rows = store.read("MATCH (e:Entity) RETURN e.name", limit=limit)
        assert (len(rows.rows), rows.cut) == (min(limit, 4), cut)


WRITES = [
    "CREATE (n:Entity {name: 'neu'})",
    "MATCH (e:Entity) SET e.name = 'x' RETURN e",
    "MATCH (e:Entity) DETACH DELETE e",
    "MERGE (n:Entity {_key: 'neu'}) RETURN n",
    "MATCH (e:Entity) REMOVE e.name",
    "CREATE INDEX FOR (n:Neu) ON (n.x)",
    "MATCH (e:Entity) CALL { WITH e SET e.x = 1 } RETURN e",
]


def test_reading_refuses_to_write(store: CypherStore) -> None:
    load(store)
    before = sorted(map(repr, store.entities()))
    for statement in WRITES:
        with pytest.raises(CypherError):
            store.read(statement)
    assert sorted(map(repr, store.entities())) == before


def test_a_statement_that_runs_too_long_is_ended(store: CypherStore) -> None:
    start = time.monotonic()
    with pytest.raises(CypherError, match=r"timeout|timed out"):
        store.read("UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a % b + 1)", timeout=1.0)
    assert time.monotonic() - start < 8
    assert store.read("RETURN 1").rows == ((1,),)


def test_a_faulty_statement_is_told_in_one_line(store: CypherStore) -> None:
    for use in (store.read, store.explain):
        with pytest.raises(CypherError) as caught:
            use("MATCH (n RETURN n")
        assert "\n" not in str(caught.value)


def test_explaining_shows_a_plan_and_runs_nothing(store: CypherStore) -> None:
    load(store)
    plan = store.explain("MATCH (e:Entity {name: 'x'}) DETACH DELETE e")
    assert "Delete" in plan
    assert store.counts()["entities"] == 4


def test_files_cannot_be_read(store: CypherStore) -> None:
    with pytest.raises(CypherError):
        store.read("LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line")


def test_clearing_leaves_an_empty_graph_that_works(store: CypherStore) -> None:
    load(store)
    store.clear()
    store.prepare()
    assert set(store.counts().values()) == {0}
    load(store)
    assert store.counts()["relations"] == 2
