"""Changes that touch only the characters they mean to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag1.cypher.edit import Change, expand_type, quote, quote_names, replace_types
from rag1.cypher.parse import parse, relationship_types
from rag1.errors import CypherSyntax


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("-[:葬地]->", "-[:`葬地`|`墓所`]->"),
        ("-[r:葬地]->", "-[r:`葬地`|`墓所`]->"),
        ("-[:`葬地`*1..2 {x: '葬地'}]-", "-[:`葬地`|`墓所`*1..2 {x: '葬地'}]-"),
        ("<-[:父|葬地|:母]-", "<-[:父|`葬地`|`墓所`|:母]-"),
        ("-[:!葬地]->", "-[:!(`葬地`|`墓所`)]->"),
        ("-[:X&葬地]->", "-[:X&(`葬地`|`墓所`)]->"),
        ("-[:父]->", "-[:父]->"),
    ],
)
def test_a_type_becomes_its_alternatives(before: str, after: str) -> None:
    around = "MATCH (葬地:葬地 {葬地: 1})%s(b) WHERE b.x = '-[:葬地]->' RETURN 葬地 // -[:葬地]->"
    rewritten = replace_types(around % before, {"葬地": ["葬地", "墓所"]})
    assert rewritten.query == around % after
    parse(rewritten.query)


def test_the_changes_say_what_was_there() -> None:
    statement = "MATCH (a)-[:A]->(b)-[:B]->(c) RETURN c"
    rewritten = replace_types(statement, {"A": ["X Y"], "B": ["B"]})
    assert rewritten.query == "MATCH (a)-[:`X Y`]->(b)-[:B]->(c) RETURN c"
    assert rewritten.changes == (Change((12, 13), "A", "`X Y`"),)


def test_no_alternatives_is_a_bug_of_the_caller() -> None:
    with pytest.raises(ValueError, match="no alternatives"):
        replace_types("MATCH ()-[:A]->() RETURN 1", {"A": []})


def test_what_cannot_be_read_is_not_rewritten() -> None:
    with pytest.raises(CypherSyntax):
        replace_types("MATCH (a-[:A]->(b) RETURN 1", {"A": ["B"]})


@given(st.text(min_size=1, max_size=12).filter(lambda name: name.isprintable()))
def test_a_quoted_name_is_read_back_as_it_was(name: str) -> None:
    (mention,) = relationship_types(f"MATCH ()-[:{quote(name)}]->() RETURN 1")
    assert mention.text == name


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(a)-[:祖父]->(b)", "(a)-[:`母`]->()-[:`父`]->(b)"),
        ("(b)<-[:祖父]-(a)", "(b)<-[:`父`]-()<-[:`母`]-(a)"),
        ("(a)-[ : `祖父` ]->(b)", "(a)-[:`母`]->()-[:`父`]->(b)"),
        # what would have to mean something on the path, or has no direction, is left alone
        ("(a)-[r:祖父]->(b)", "(a)-[r:祖父]->(b)"),
        ("(a)-[:祖父 {x: 1}]->(b)", "(a)-[:祖父 {x: 1}]->(b)"),
        ("(a)-[:祖父*2]->(b)", "(a)-[:祖父*2]->(b)"),
        ("(a)-[:祖父|父]->(b)", "(a)-[:祖父|父]->(b)"),
        ("(a)-[:祖父]-(b)", "(a)-[:祖父]-(b)"),
        ("(a)-->(b)", "(a)-->(b)"),
    ],
)
def test_a_composed_type_becomes_its_path(before: str, after: str) -> None:
    """母方の祖父: first 母, then 父."""
    assert expand_type(f"MATCH {before} RETURN a", "祖父", ["母", "父"]).query == f"MATCH {after} RETURN a"


def test_names_that_are_not_ascii_are_put_in_backticks() -> None:
    statement = "MATCH (人:Person {名: '石'})-[:`父`]->(b:寺院) RETURN 人.名 AS 名前 // 人"
    quoted = quote_names(statement)
    assert quoted.query == "MATCH (`人`:Person {`名`: '石'})-[:`父`]->(b:`寺院`) RETURN `人`.`名` AS `名前` // 人"
    assert quote_names(quoted.query).changes == ()
