"""Hits become passages with their surroundings, joined where they meet, at most k of them."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rag1.chunk.chunkers import Sentences
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.retrieve.search import retrieved
from rag1.retrieve.windows import Windows
from rag1.types import Document, Retrieved

HEADINGS = json.dumps([["大", "一", 0, 0], ["大", "二", 15, 15]])
TEXT = "零だ。一だ。二だ。三だ。四だ。五だ。六だ。七だ。八だ。九だ。"
CHUNKS = Chunks(Corpus((Document("a", "", TEXT, {"headings": HEADINGS}), Document("b", "", TEXT))), Sentences(1, 1))


def hit(n: int, doc: str = "a", score: float = 1.0) -> Retrieved:
    return retrieved(CHUNKS.of_document[doc][n], score, "bm25")


def texts(found: list[Retrieved]) -> list[str]:
    return [item.text for item in found]


def test_a_hit_comes_with_its_neighbours() -> None:
    found = Windows(CHUNKS)([hit(4)], 8)
    assert texts(found) == ["三だ。四だ。五だ。"]
    assert (found[0].id, found[0].span, found[0].by) == ("a:9-18", (9, 18), "bm25")


def test_windows_that_meet_become_one_at_the_better_place() -> None:
    assert texts(Windows(CHUNKS)([hit(1), hit(8), hit(3)], 8)) == [
        "零だ。一だ。二だ。三だ。四だ。",
        "七だ。八だ。九だ。",
    ]


def test_a_later_hit_joins_two_windows() -> None:
    found = Windows(CHUNKS, 0, 1)([hit(0), hit(4), hit(2)], 8)
    assert texts(found) == ["零だ。一だ。二だ。三だ。四だ。五だ。"]


def test_the_same_place_in_another_document_is_another_passage() -> None:
    assert len(Windows(CHUNKS)([hit(4), hit(4, "b")], 8)) == 2


def test_k_counts_passages_and_hits_inside_one_do_not_use_it_up() -> None:
    assert texts(Windows(CHUNKS)([hit(1), hit(2), hit(5), hit(9)], 2)) == [
        "零だ。一だ。二だ。三だ。四だ。五だ。六だ。",
        "八だ。九だ。",
    ]
    assert texts(Windows(CHUNKS, 0, 0)([hit(1), hit(5), hit(9)], 2)) == ["一だ。", "五だ。"]


def test_a_chapter_is_read_whole() -> None:
    assert texts(Windows(CHUNKS, unit="chapter")([hit(6)], 8)) == ["五だ。六だ。七だ。八だ。九だ。"]
    assert texts(Windows(CHUNKS, unit="chapter")([hit(6, "b")], 8)) == [TEXT]


def test_facts_pass_through() -> None:
    fact = Retrieved("fact:1", "甲 - 父 -> 乙", "a", (9, 12), 1.0, "graph")
    assert Windows(CHUNKS)([fact, hit(4)], 8)[0] == fact


@given(st.lists(st.integers(0, 9), max_size=8), st.integers(0, 2), st.integers(0, 2), st.integers(1, 8))
def test_passages_are_verbatim_apart_and_hold_every_hit_taken(
    order: list[int], before: int, after: int, k: int
) -> None:
    found = Windows(CHUNKS, before, after)([hit(n) for n in order], k)
    spans = sorted(item.span for item in found if item.span)
    assert len(found) <= k
    assert all(item.text == TEXT[slice(*item.span)] for item in found if item.span)
    assert all(a[1] < b[0] for a, b in pairwise(spans))
