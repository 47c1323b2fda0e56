"""Scores of evidence and of what was retrieved."""

from __future__ import annotations

import pytest

from rag1.score.answers import NOT_APPLICABLE
from rag1.score.evidence import EvidenceSupports, EvidenceVerbatim
from rag1.score.ranking import AllEvidence, DocumentRecall, EvidenceRecall, ReciprocalRank, RouteRight, share
from rag1.types import Answer, Chunk, Document, Gold, Retrieved, Route

HARBOUR = Document("港", "港", "お雪は灯台守の娘だった。\n父は三十年、灯台を守った。\n船は二十日に港を出た。")
HILL = Document("丘", "丘", "丘の上に古い家があった。猫が一匹いた。")
CORPUS = (HARBOUR, HILL)


def cut(document: Document, start: int, end: int) -> Retrieved:
    chunk = Chunk.cut(document, start, end)
    return Retrieved(chunk.id, chunk.text, chunk.doc_id, chunk.span, 1.0, "bm25")


def fact(text: str, document: str = "港") -> Retrieved:
    return Retrieved(f"fact:{text}", text, document, None, 1.0, "graph")


def gold(*evidence: str, documents: frozenset[str] = frozenset()) -> Gold:
    return Gold("1", ("猫",), evidence, documents)


@pytest.mark.parametrize(
    ("evidence", "value", "label", "note"),
    [
        ("お雪は灯台守の娘だった。", 1.0, "exact", "港:0-12"),
        ("猫が1匹いた。", 1.0, "normalised", "丘:12-19"),
        ("お雪は灯台守の娘だった。｜｜猫が一匹いた。", 1.0, "exact", "港:0-12 丘:12-19"),
        ("お雪は灯台守の娘だった。\n空は青かった、海も青かった。", 0.5, "none", "港:0-12 nowhere"),
        ("なし", 0.0, "none", ""),
    ],
)
def test_verbatim_evidence_stands_in_the_corpus(evidence: str, value: float, label: str, note: str) -> None:
    score = EvidenceVerbatim(CORPUS)(Answer("1", "猫", evidence), gold())
    assert (score.value, score.label, score.note) == (value, label, note)


def test_misquoted_evidence_is_near_and_scores_nothing() -> None:
    score = EvidenceVerbatim(CORPUS)(Answer("1", "猫", "お雪は灯台守のむすめであった。"), gold())
    assert (score.value, score.label) == (0.0, "near")
    assert score.note.startswith("港:")


def test_an_abstention_without_evidence_is_not_counted() -> None:
    assert EvidenceVerbatim(CORPUS)(Answer("1", "分かりません"), gold()).label == NOT_APPLICABLE
    assert EvidenceSupports()(Answer("1", "分かりません"), gold()).label == NOT_APPLICABLE


def test_evidence_supports_the_answer_or_its_parts() -> None:
    said = EvidenceSupports()
    assert said(Answer("1", "三十年", "父は30年、灯台を守った。"), gold()).value == 1.0
    assert said(Answer("1", "お雪、お花", "お雪は灯台守の娘だった。"), gold()).value == 0.5
    assert said(Answer("1", "漁師", "お雪は灯台守の娘だった。"), gold()).value == 0.0


def test_recall_counts_passages_covered_by_spans_or_held_by_text() -> None:
    passages = gold("お雪は灯台守の娘だった。", "船は二十日に港を出た。")
    first = (cut(HARBOUR, 0, 20),)
    assert EvidenceRecall(CORPUS, 8)(Answer("1", "", support=first), passages).value == 0.5
    assert AllEvidence(CORPUS, 8)(Answer("1", "", support=first), passages).value == 0.0
    both = (*first, fact("船は20日に港を出た。"))
    assert EvidenceRecall(CORPUS, 8)(Answer("1", "", support=both), passages).value == 1.0
    assert AllEvidence(CORPUS, 8)(Answer("1", "", support=both), passages).value == 1.0
    assert AllEvidence(CORPUS, 1)(Answer("1", "", support=both), passages).value == 0.0


def test_two_chunks_together_may_cover_a_passage_and_half_of_it_is_not_enough() -> None:
    passage = gold("お雪は灯台守の娘だった。")
    halves = (cut(HARBOUR, 0, 6), cut(HARBOUR, 6, 15))
    recall = EvidenceRecall(CORPUS, 8)
    assert recall(Answer("1", "", support=halves), passage).value == 1.0
    assert recall(Answer("1", "", support=halves[:1]), passage).value == 0.0
    elsewhere = Retrieved("丘:0-12", "別の話。", "丘", (0, 12), 1.0, "bm25")
    assert recall(Answer("1", "", support=(elsewhere,)), passage).value == 0.0


def test_reciprocal_rank_of_the_first_that_holds_a_passage() -> None:
    passage = gold("船は二十日に港を出た。", "猫が一匹いた。")
    support = (cut(HARBOUR, 0, 12), cut(HILL, 0, 12), cut(HILL, 10, 19), cut(HARBOUR, 20, 38))
    assert ReciprocalRank(CORPUS)(Answer("1", "", support=support), passage).value == pytest.approx(1 / 3)
    assert ReciprocalRank(CORPUS)(Answer("1", "", support=support[:2]), passage).value == 0.0


def test_scores_without_what_they_measure_are_not_applicable() -> None:
    answer = Answer("1", "猫", support=(cut(HARBOUR, 0, 12),))
    for scorer in (EvidenceRecall(CORPUS), AllEvidence(CORPUS), ReciprocalRank(CORPUS), DocumentRecall()):
        assert scorer(answer, gold()).label == NOT_APPLICABLE
    assert DocumentRecall()(answer, gold(documents=frozenset({"港", "丘"}))).value == 0.5


def test_the_share_of_a_span_that_others_cover() -> None:
    assert share((10, 20), [(0, 12), (15, 18), (16, 30)]) == pytest.approx(0.7)
    assert share((10, 20), []) == 0.0
    assert share((10, 10), [(0, 20)]) == 0.0


@pytest.mark.parametrize(
    ("ranking", "margin", "value", "label", "note"),
    [
        ((("港", 2.0), ("丘", 1.0)), 0.5, 1.0, "clear", "港 (margin 0.50)"),
        ((("丘", 1.0), ("港", 0.9)), 0.1, 0.0, "thin", "丘 (margin 0.10)"),
        ((("港", 0.0), ("丘", 0.0)), 0.0, 0.0, "thin", " (margin 0.00)"),  # nothing spoke for any
    ],
)
def test_the_routers_first_document_is_right_or_wrong(
    ranking: tuple[tuple[str, float], ...], margin: float, value: float, label: str, note: str
) -> None:
    answer = Answer("1", "猫", route=Route(ranking, margin))
    score = RouteRight()(answer, gold(documents=frozenset({"港"})))
    assert (score.value, score.label, score.note) == (value, label, note)


def test_no_router_no_score_of_routes() -> None:
    assert RouteRight()(Answer("1", "猫"), gold(documents=frozenset({"港"}))).label == NOT_APPLICABLE
    assert RouteRight()(Answer("1", "猫", route=Route((("港", 1.0),), 1.0)), gold()).label == NOT_APPLICABLE
