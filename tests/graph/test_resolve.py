"""Resolution: what becomes one, what must not, what is said of it, and how it is taken back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.resolve import figures, measured
from rag1.errors import ConfigError, DataError
from rag1.graph.links import links_of_page, read_links
from rag1.graph.merge import Merge, applied, entities_of, without
from rag1.graph.model import Entity, Triple
from rag1.graph.resolve import Resolver
from rag1.graph.resolve_names import Names
from rag1.graph.resolve_near import Neighbours
from rag1.llm.tasks import SameReply
from rag1.types import Document
from tests.graph.building import Scripted, corpus_of


def person(name: str, relation: str, other: str, doc: str = "d") -> Triple:
    return Triple(name, relation, other, "Person", "Person", doc_id=doc)


def thing(name: str, relation: str, other: str, doc: str = "d") -> Triple:
    return Triple(name, relation, other, "Object", "Object", doc_id=doc)


def merged(
    text: str, *triples: Triple, readings: dict[str, tuple[str, ...]] | None = None
) -> set[tuple[str, str, str]]:
    """(alias, canonical, by) of the merges of one document's names."""
    names = Names(Document("d", "", text), triples, readings or {})
    return {(m.alias, m.canonical, m.by) for m in Resolver().of_document(names)}


# --- names ----------------------------------------------------------------------------------------------


def test_a_given_name_is_the_one_full_name_that_ends_with_it() -> None:
    found = merged("鵜飼谷家の景治。", person("鵜飼谷景治", "妻", "美緒"), person("景治", "子", "景明"))
    assert found == {("景治", "鵜飼谷景治", "short")}


def test_a_given_name_that_two_bear_is_nobodys() -> None:
    assert (
        merged("", person("坂上景治", "妻", "美緒"), person("黒瀬景治", "妻", "琴"), person("景治", "友人", "宗七"))
        == set()
    )


def test_a_family_name_is_a_person_only_where_one_bears_it() -> None:
    assert ("志村", "志村欣一", "short") in merged(
        "", person("志村欣一", "友人", "浩吉"), person("志村", "友人", "浩吉")
    )
    three = [person("坂上仙吉", "弟", "坂上留吉"), person("坂上", "友人", "浩吉")]
    assert merged("", *three) == set()


def test_a_rank_is_no_given_name() -> None:
    assert merged("", person("片岡中将", "娘", "浪子"), person("中将", "友人", "武男")) == set()


def test_one_character_of_a_name_with_kin_is_that_person() -> None:
    triples = [person("綱", "妻", "楓"), person("綱", "長男", "景治"), person("鵜飼谷時綱", "父", "重臣")]
    assert ("綱", "鵜飼谷時綱", "short") in merged("", *triples)


def test_a_rope_is_nobody() -> None:
    assert merged("撞木の綱。時綱。", thing("撞木", "部分", "綱"), person("時綱", "父", "重臣")) == set()


def test_who_is_renamed_in_the_text_is_one() -> None:
    text = "光長は主君の名に憚って、のちに、ただ長と名のった。"
    assert ("長", "光長", "statement") in merged(text, person("光長", "父", "康"), person("長", "妻", "千早"))


def test_taking_a_familys_name_is_no_renaming() -> None:
    text = "重臣は谷の名をとって鵜飼谷と名のった。鵜飼谷家は栄えた。"
    assert merged(text, person("重臣", "妻", "お澄"), person("鵜飼谷", "住居", "谷")) == set()


SPELLINGS = [
    ("つゆくさ", "ツユクサ"),
    ("渡邊", "渡辺"),
    ("ヴァイオリン", "バイオリン"),
    ("びょうぶ", "屏風"),
    ("うわ薬", "うわぐすり"),
]


@pytest.mark.parametrize(("a", "b"), SPELLINGS)
def test_spellings_of_one_word_are_one(a: str, b: str) -> None:
    assert len(merged("", thing(a, "ある", "家"), thing(b, "ある", "寺"))) == 1


def test_a_ruby_tells_that_kana_and_kanji_are_one() -> None:
    readings = {"露草": ("つゆくさ",)}
    triples = [thing(name, "ある", "家") for name in ("露草飴", "つゆ草飴", "ツユクサ飴")]
    aliases = {alias for alias, _, _ in merged("露草飴。露草飴。", *triples, readings=readings)}
    assert aliases == {"つゆ草飴", "ツユクサ飴"}


@pytest.mark.parametrize(
    ("a", "b", "readings"),
    [
        ("美緒", "水脈", {"美緒": ("みお",), "水脈": ("みお",)}),  # homophones
        ("静寂", "静けさ", {"静寂": ("しずけさ",)}),  # a word lends its sound
        ("右腕", "腕", {"右腕": ("うで",)}),
        ("腹", "なか", {"腹": ("なか",)}),
    ],
)
def test_sounding_alike_is_not_enough(a: str, b: str, readings: dict[str, tuple[str, ...]]) -> None:
    assert merged("", thing(a, "ある", "家"), thing(b, "ある", "寺"), readings=readings) == set()


def test_two_who_are_related_are_two() -> None:
    assert merged("", person("景治", "父", "鵜飼谷景治"), person("鵜飼谷重臣", "孫", "景治")) == set()


def test_a_place_and_a_person_are_two() -> None:
    place = Triple("田村", "ある", "川", "Place", "Place", doc_id="d")
    assert merged("", place, person("田村さん", "妻", "おきみ")) == set()


def test_names_are_resolved_within_their_document() -> None:
    triples = [
        person("綱", "妻", "楓", "a"), person("綱", "長男", "景治", "a"), person("時綱", "父", "重臣", "a"),
        thing("鐘", "部分", "綱", "b"),
    ]  # fmt: skip
    resolved = applied(triples, Resolver()(triples, corpus_of(a="", b="")))
    assert [(t.head, t.tail) for t in resolved] == [("時綱", "楓"), ("時綱", "景治"), ("時綱", "重臣"), ("鐘", "綱")]


# --- the dictionary of links ----------------------------------------------------------------------------


def test_links_go_before_all_rules_and_may_hold_in_one_document(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("alias,canonical,document\n綱重,徳川綱重,\n殿,徳川綱重,a\n", encoding="utf-8")
    triples = [person("綱重", "父", "家光", "a"), person("殿", "妻", "お保良", "a"), person("殿", "妻", "誰か", "b")]
    merges = Resolver(links=read_links(str(path)))(triples, corpus_of(a="", b=""))
    assert [t.head for t in applied(triples, merges)] == ["徳川綱重", "徳川綱重", "殿"]
    assert {m.by for m in merges} == {"link"}


def test_a_faulty_link_file_is_told_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("alias,canonical\n綱,時綱\n,時綱\n綱,綱吉\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_links(str(path))
    assert caught.value.faults == ("line 3: alias or canonical is empty", "line 4: '綱' stands already for '時綱'")


def test_the_links_of_a_wiki_page_are_aliases() -> None:
    html = (
        '<p><a href="/wiki/%E5%BE%B3%E5%B7%9D%E7%B6%B1%E9%87%8D" title="徳川綱重">綱重</a>は'
        '<a href="/wiki/X" title="徳川家光">家光</a>の三男。<a href="https://example.org/">外</a>'
        '<a href="/wiki/Y" title="Category:江戸">江戸</a><a href="/wiki/Z" title="保科正之 (会津藩主)">正之</a></p>'
    )
    assert links_of_page(html) == {"綱重": "徳川綱重", "家光": "徳川家光", "正之": "保科正之"}


def test_wikitext_links_too_and_what_links_to_two_titles_is_none() -> None:
    page = "[[徳川綱重|綱重]]と[[徳川綱吉|将軍]]、[[徳川家宣|将軍]]、[[江戸]]、[[File:x.jpg|図]]"
    assert links_of_page(page) == {"綱重": "徳川綱重"}


# --- confirmed by the model ------------------------------------------------------------------------------


class Vectors:
    """Vectors by a table: names of one row are near, all others far from each other."""

    name = "table"
    dimensions = 64

    def __init__(self, *rows: tuple[str, ...]) -> None:
        self.rows = rows

    def documents(self, texts: list[str]) -> np.ndarray:
        places = {text: n for n, row in enumerate(self.rows) for text in row}
        far = [places.setdefault(text, len(self.rows) + n) for n, text in enumerate(texts)]
        return np.eye(self.dimensions, dtype=np.float32)[far]

    queries = documents


def test_near_names_are_one_where_the_model_says_so() -> None:
    model = Scripted(lambda task, _: SameReply(same={task.a, task.b} == {"殿様", "領主"}))
    triples = [
        person("殿様", "妻", "お蔦"),
        person("領主", "子", "時丸"),
        thing("鐘", "ある", "寺"),
        thing("釣鐘", "ある", "村"),
    ]
    near = Neighbours(Vectors(("殿様", "領主"), ("大鐘", "釣鐘")), model, near=0.9)
    merges = Resolver(neighbours=near).of_document(Names(Document("d", "", "殿様。"), triples))
    assert [(m.alias, m.canonical, m.by) for m in merges] == [("領主", "殿様", "model")]
    asked = {(task.a, task.b): task.facts for task, _ in model.asked}
    assert asked[("殿様", "領主")] == ("殿様 - 妻 -> お蔦", "領主 - 子 -> 時丸")


TWO_THINGS = [("一組", "二組"), ("鵜飼谷景治", "鵜飼谷景明"), ("大橋", "大箸"), ("箒", "峠"), ("鐘楼の柱", "鐘楼")]


@pytest.mark.parametrize(("a", "b"), TWO_THINGS)
def test_pairs_that_name_two_things_are_not_even_asked(a: str, b: str) -> None:
    model = Scripted(lambda *_: SameReply(same=True))
    near = Neighbours(Vectors((a, b)), model, near=0.9)
    names = Names(Document("d", "", ""), [thing(a, "ある", "家"), thing(b, "ある", "寺")])
    assert Resolver(neighbours=near).of_document(names) == []
    assert model.asked == []


# --- relations, log, taking back -------------------------------------------------------------------------


def test_relation_names_are_made_one() -> None:
    triples = [
        person("綱", "墓所", "松韻寺"),
        person("楓", "葬地", "渓声寺"),
        person("綱", "室", "楓"),
        thing("綱", "造る", "堤"),
    ]
    resolved = applied(triples, Resolver(spelling=False)(triples, corpus_of(d="")))
    assert [t.relation for t in resolved] == ["墓所", "墓所", "妻", "作る"]


def test_a_wife_and_a_husband_stay_two_relations() -> None:
    triples = [person("a", "妻", "b"), person("b", "夫", "a"), person("a", "配偶者", "b")]
    assert Resolver()(triples, corpus_of(d="")) == ()


def test_a_merge_says_why_and_is_undone_by_leaving_it_out() -> None:
    triples = [person("鵜飼谷景治", "妻", "美緒"), person("景治", "子", "景明"), person("楓", "葬地", "渓声寺")]
    merges = Resolver()(triples, corpus_of(d="鵜飼谷家"))
    assert [str(m) for m in merges] == [
        "景治 → 鵜飼谷景治 [d] (short: only 鵜飼谷景治 has this name)",
        "葬地 → 墓所 (table: synonyms)",
    ]
    assert applied(triples, without(merges, {m.id for m in merges})) == triples
    kept = applied(triples, without(merges, {merges[0].id}))
    assert [(t.head, t.relation) for t in kept] == [("鵜飼谷景治", "妻"), ("景治", "子"), ("楓", "墓所")]


def test_keep_apart_takes_a_merge_back_for_good() -> None:
    triples = [person("鵜飼谷景治", "妻", "美緒"), person("景治", "子", "景明")]
    assert Resolver(keep_apart=[["景治", "鵜飼谷景治"]])(triples, corpus_of(d="鵜飼谷家")) == ()
    with pytest.raises(ConfigError, match="is no pair"):
        Resolver(keep_apart=[["景治"]])


def test_an_entity_has_its_aliases_types_and_values() -> None:
    triples = [
        Triple("鐘", "ある", "寺", "Object", "Place", doc_id="d"),
        Triple("鐘", "高さ", "五尺二寸", "Product", "Quantity", doc_id="d"),
    ]
    merges = [Merge("entity", "d", "おいね鐘", "鐘", "statement", "…")]
    found = {e.name: e for e in entities_of(triples, merges, [("d", Entity("おいね鐘", (), {"目方": "二百十貫"}))])}
    assert found["鐘"] == Entity("鐘", ("Object", "Product"), {"高さ": "五尺二寸", "目方": "二百十貫"}, ("おいね鐘",))


names = st.text(alphabet="綱時鵜飼谷景治明楓寺さんの", min_size=1, max_size=6)


@given(st.lists(st.builds(person, names, st.sampled_from(["妻", "別名", "友人"]), names), max_size=8))
def test_merging_ends_and_a_second_time_changes_nothing(triples: list[Triple]) -> None:
    merges = Resolver()(triples, corpus_of(d="鵜飼谷家の景治は綱と名のった。"))
    once = applied(triples, merges)
    assert applied(once, merges) == once
    aliases = {m.alias for m in merges if m.kind == "entity"}
    assert not aliases & {m.canonical for m in merges if m.kind == "entity"}


def test_precision_and_recall_on_the_labelled_pairs() -> None:
    """The texts were written before the rules were last changed: at first sight of them, recall was .80."""
    results = measured()
    sample, texts = figures(results["sample"]), figures(results["texts"])
    assert sum(map(len, results.values())) >= 50
    assert sample.traps + texts.traps >= 20
    assert sample.precision >= 0.95
    assert texts.precision >= 0.95
    assert sample.recall >= 0.9
    assert texts.recall >= 0.9
    assert sample.trapped + texts.trapped <= 1
