"""Derived links: what follows from a family's links, and what does not."""

from __future__ import annotations

from rag1.graph.compose import CHAINS, Composer, genders_of
from rag1.graph.model import Triple
from tests.graph.building import said


def link(head: str, relation: str, tail: str, doc: str = "d") -> Triple:
    return Triple(head, relation, tail, "Person", "Person", doc_id=doc, evidence=f"{head}の{relation}は{tail}。")


FAMILY = [
    link("重臣", "妻", "お澄"),
    link("重臣", "長男", "時綱"),
    link("重臣", "次男", "時貞"),
    link("主膳", "長女", "楓"),
    link("主膳", "妻", "お蔦"),
    link("時綱", "妻", "楓"),
    link("時綱", "長男", "景治"),
    link("景治", "妹", "小夜"),
    link("小夜", "夫", "寛斎"),
    link("景治", "長男", "景明"),
    link("景明", "母", "美緒"),
]


def derived(*triples: Triple, **options: bool) -> set[tuple[str, str, str]]:
    return said(Composer(**options)(triples or FAMILY))


def test_a_childs_parent_is_its_father_or_mother_by_what_the_text_tells() -> None:
    found = derived(compose=False)
    assert ("時綱", "父", "重臣") in found  # who has a wife
    assert ("楓", "父", "主膳") in found
    assert ("景明", "父", "景治") in found  # a son of someone is a man
    assert ("美緒", "子", "景明") in found


def test_a_parent_of_untold_gender_is_a_parent() -> None:
    assert derived(link("久", "娘", "お澄")) == {("お澄", "親", "久")}


def test_the_other_parent_of_a_child_with_a_mother_is_its_father() -> None:
    assert ("美緒", "父", "宗七") in derived(link("宗七", "次女", "美緒"), link("美緒", "母", "お勢"))


def test_spouses_and_siblings_turn_round() -> None:
    found = derived(compose=False)
    assert {("楓", "夫", "時綱"), ("寛斎", "妻", "小夜"), ("小夜", "兄", "景治")} <= found


def test_grandparents_uncles_and_in_laws_are_composed() -> None:
    found = derived()
    assert {
        ("景治", "祖父", "重臣"),
        ("景明", "祖父", "時綱"),
        ("景明", "曾祖父", "重臣"),
        ("景明", "叔母", "小夜"),
        ("時綱", "義父", "主膳"),
        ("主膳", "婿", "時綱"),
        ("重臣", "孫", "景治"),
        ("重臣", "嫁", "楓"),
        ("小夜", "甥", "景明"),
    } <= found
    assert ("景治", "祖父", "時綱") not in found


def test_a_derived_link_is_marked_and_carries_its_chain_and_both_proofs() -> None:
    grandfather = next(t for t in Composer()(FAMILY) if (t.head, t.relation, t.tail) == ("景明", "祖父", "時綱"))
    assert grandfather.derived
    assert grandfather.properties == {"由来": "父の父"}
    assert grandfather.evidence == "景治の長男は景明。｜｜時綱の長男は景治。"


def test_what_is_stated_is_not_derived_again() -> None:
    stated = [*FAMILY, link("時綱", "父", "重臣"), link("景治", "祖父", "重臣")]
    assert not {(t.head, t.relation, t.tail) for t in stated} & derived(*stated)


def test_no_chain_goes_over_documents_or_through_words_for_anybody() -> None:
    assert derived(link("a", "父", "b", "x"), link("b", "父", "c", "y"), inverse=False) == set()
    assert derived(link("楓", "子", "子供"), link("子供", "子", "孫六")) == set()


def test_each_option_can_be_left_out() -> None:
    assert derived(inverse=False, compose=False) == set()
    assert derived(link("良念", "一緒", "おふじ"), symmetric=True) == {("おふじ", "一緒", "良念")}
    own = Composer(inverse=False, chains={"舅": [["妻", "父"]]})
    assert said(own([link("時綱", "妻", "楓"), link("楓", "父", "主膳")])) == {("時綱", "舅", "主膳")}


def test_genders() -> None:
    assert genders_of(FAMILY) == {
        "お澄": "female", "重臣": "male", "時綱": "male", "時貞": "male", "楓": "female", "主膳": "male",
        "お蔦": "female", "景治": "male", "小夜": "female", "寛斎": "male", "景明": "male", "美緒": "female",
    }  # fmt: skip


def test_no_relation_is_composed_of_itself() -> None:
    assert all(relation not in path for relation, paths in CHAINS.items() for path in paths)
