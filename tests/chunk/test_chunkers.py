"""A chunk is a verbatim stretch of its document, and together the chunks leave none of the text out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag1.chunk.chunkers import Chapters, Recursive, Sentences, Whole
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.errors import ConfigError
from rag1.types import Chunk, Chunker, Document

CHUNKERS: list[Chunker] = [Recursive(40, 6), Recursive(9, 0), Sentences(2, 1), Sentences(3, 3), Chapters(), Whole()]

japanese = st.text(alphabet=st.sampled_from("あいう漢字カナ。、！？「」『』（）\n 　ab1…―"), max_size=300)


def uncovered(document: Document, chunks: list[Chunk]) -> str:
    """The characters, white space apart, that stand in no chunk."""
    seen = {n for chunk in chunks for n in range(*chunk.span)}
    return "".join(c for n, c in enumerate(document.text) if n not in seen and not c.isspace())


@pytest.mark.parametrize("chunker", CHUNKERS, ids=lambda c: c.name)
@given(text=japanese)
@settings(max_examples=150, deadline=None)
def test_chunks_are_verbatim_in_order_and_complete(chunker: Chunker, text: str) -> None:
    document = Document("d", "", text)
    chunks = chunker(document)
    for chunk in chunks:
        assert chunk.text == text[slice(*chunk.span)]
        assert chunk.id == f"d:{chunk.span[0]}-{chunk.span[1]}"
    assert [c.span for c in chunks] == sorted(c.span for c in chunks)
    assert len({c.id for c in chunks}) == len(chunks)
    assert uncovered(document, chunks) == ""


def test_recursive_keeps_to_its_size_and_cuts_after_the_full_stop() -> None:
    document = Document("d", "", "春が来た。花が咲いた。夏が来た。海へ行った。")
    assert [c.text for c in Recursive(12, 0)(document)] == ["春が来た。花が咲いた。", "夏が来た。海へ行った。"]


def test_recursive_finds_the_true_place_of_repeated_text() -> None:
    document = Document("d", "", "はい。" * 50)
    spans = [c.span for c in Recursive(9, 3)(document)]
    assert spans[0] == (0, 9)
    assert spans[-1][1] == 150


def test_sentence_windows_overlap_by_window_minus_stride() -> None:
    document = Document("d", "", "一。二。三。四。五。")
    assert [c.text for c in Sentences(3, 2)(document)] == ["一。二。三。", "三。四。五。"]


def test_chapters_follow_headings_and_carry_their_names() -> None:
    text = "序\n\n第一章\n春。\n\n第二章\n夏。"
    meta = {"headings": json.dumps([["大", "第一章", 3, 6], ["大", "第二章", 11, 14]], ensure_ascii=False)}
    chunks = Chapters()(Document("d", "", text, meta))
    assert [(c.meta.get("chapter"), c.text) for c in chunks] == [
        (None, "序"),
        ("第一章", "第一章\n春。"),
        ("第二章", "第二章\n夏。"),
    ]


def test_chapters_without_headings_are_cut_at_blank_lines() -> None:
    assert [c.text for c in Chapters()(Document("d", "", "一。\n二。\n\n　\n三。"))] == ["一。\n二。", "三。"]


@pytest.mark.parametrize(("size", "overlap"), [(10, 10), (10, -1)])
def test_an_impossible_overlap_is_refused_by_name(size: int, overlap: int) -> None:
    with pytest.raises(ConfigError, match=rf"chunker\.overlap {overlap} .* chunker\.size {size}"):
        Recursive(size, overlap)


def test_neighbours_stay_within_the_document() -> None:
    corpus = Corpus((Document("a", "", "一。二。三。"), Document("b", "", "四。五。")))
    chunks = Chunks(corpus, Sentences(1, 1))
    first_of_b = chunks.of_document["b"][0]
    assert [c.text for c in chunks.around(first_of_b)] == ["四。", "五。"]
    assert [c.text for c in chunks.around(chunks.by_id["a:2-4"])] == ["一。", "二。", "三。"]
