"""Triples to statements with rows: how many statements, how many rows, and nothing told twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag1.graph import batch
from rag1.graph.batch import Batch, Loader
from rag1.graph.model import Triple
from rag1.text.tokenize import BigramTokenizer


def loader(**options: object) -> Loader:
    return Loader(BigramTokenizer(), **options)  # type: ignore[arg-type]


def of_kind(batches: list[Batch], sign: str) -> list[Batch]:
    return [one for one in batches if sign in one[0]]


MANY_TYPES = [Triple("中心", f"関係{n}", f"点{n}", "人物", f"型{n}") for n in range(300)]


def test_types_in_rows_need_one_statement_for_all_relations_and_one_for_all_nodes() -> None:
    batches = list(loader(types_in_rows=True).triples(MANY_TYPES))
    assert [len(rows) for _, rows in batches] == [301, 300]
    assert [row["relation"] for row in batches[1][1]] == [t.relation for t in MANY_TYPES]
    assert [row["labels"] for row in batches[0][1][:2]] == [("人物",), ("型0",)]


def test_types_in_the_statement_need_one_each() -> None:
    batches = list(loader().triples(MANY_TYPES))
    assert len({statement for statement, _ in of_kind(batches, "-[r:")}) == 300
    assert len({statement for statement, _ in of_kind(batches, "e:`")}) == 301


def test_a_type_in_a_row_never_stands_in_the_statement() -> None:
    hostile = "X`]->(t) MATCH (n) DETACH DELETE n //"
    for statement, _ in loader(types_in_rows=True).triples([Triple("甲", hostile, "乙", hostile, hostile)]):
        assert "DELETE" not in statement


def test_a_node_is_told_again_only_with_a_new_type_or_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "SLAB", 1)
    steps = [
        Triple("桃太郎", "連れた", "犬", doc_id="momo"),
        Triple("桃太郎", "連れた", "猿", doc_id="momo"),
        Triple("犬", "吠えた", "猿", "動物", doc_id="momo"),
        Triple("犬", "見た", "猿", "動物", doc_id="other"),
    ]
    batches = list(loader(types_in_rows=True, size=1).triples(steps))
    told = [(row["name"], row["labels"], row["doc_ids"]) for _, (row,) in of_kind(batches, "e._tokens")]
    assert told == [
        ("桃太郎", (), ["momo"]),
        ("犬", (), ["momo"]),
        ("猿", (), ["momo"]),
        ("犬", ("動物",), ["momo"]),
        ("犬", ("動物",), ["other"]),
        ("猿", (), ["other"]),
    ]


def test_a_load_that_forgets_its_nodes_tells_them_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "SLAB", 1)
    monkeypatch.setattr(batch, "REMEMBERED", 2)
    steps = [Triple(f"点{n}", "隣", f"点{n + 1}") for n in range(4)]
    batches = list(loader(types_in_rows=True, size=1).triples(steps))
    told = [row["name"] for _, (row,) in of_kind(batches, "e._tokens")]
    assert told == ["点0", "点1", "点2", "点2", "点3", "点4"]


TEXT = st.text(st.characters(exclude_categories=()), max_size=6)


@given(TEXT)
def test_cleaning_takes_surrogates_and_nul_and_nothing_else(text: str) -> None:
    kept = "".join(c for c in text if c != "\0" and not 0xD800 <= ord(c) <= 0xDFFF)
    assert batch.clean(text) == kept


PARTS = st.tuples(*[st.sampled_from(["", "甲", "甲乙", "乙", "3", "(1, 2)", "\ud800"])] * 6)


@given(PARTS, PARTS)
def test_different_triples_have_different_ids(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    """Texts that run together the same way (甲 + 乙甲, 甲乙 + 甲) included."""

    def identity(parts: tuple[str, ...]) -> str:
        head, relation, tail, doc, chunk, evidence = parts
        return Triple(head, relation, tail, doc_id=doc, chunk_id=chunk, evidence=evidence).identity()

    assert (identity(one) == identity(other)) == (one == other)


def test_ids_tell_properties_spans_and_types_apart() -> None:
    variants = [
        Triple("甲", "父", "乙"),
        Triple("甲", "父", "乙", properties={"年": "1603"}),
        Triple("甲", "父", "乙", properties={"年1": "603"}),
        Triple("甲", "父", "乙", span=(0, 1)),
        Triple("甲", "父", "乙", span=(0, 11)),
    ]
    assert len({triple.identity() for triple in variants}) == len(variants)
    typed = [Triple("甲", "父", "乙", kind) for kind in ("", "人物")]
    assert len({triple.identity() for triple in typed}) == 1
    assert len({triple.identity(typed=True) for triple in typed}) == 2
