"""report.html in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from rag1.corpus.corpus import Corpus
from rag1.report.html import embedded
from rag1.report.page import write_page
from tests.report.made import DOCUMENTS, GOLDS, QUERIES, RECIPE, make_run


@pytest.fixture
def report(tmp_path: Path) -> Path:
    run = make_run(tmp_path / "20260101-hybrid")
    return write_page(run.folder, QUERIES, run.answers, GOLDS, run.table, DOCUMENTS, RECIPE)


def rows(page: Page) -> list[str]:
    return page.locator("#questions tbody tr[data-index]").evaluate_all("rows => rows.map(row => row.dataset.index)")


def test_a_filter_is_clicked_and_a_row_is_read(report: Path, page: Page) -> None:
    page.goto(report.as_uri())
    assert rows(page) == ["1", "2", "3", "4", "5"]
    page.get_by_label("Label", exact=True).select_option(label="Incorrect")
    assert rows(page) == ["2"]
    assert page.locator("#count").inner_text() == "1 of 5 questions"
    cells = page.locator("#questions tbody tr").first.locator("td").all_inner_texts()
    assert cells[:6] == ["2", "counting", "父は何年灯台を守ったか。", "二十年", "三十年", "Incorrect"]


def test_filters_by_kind_document_stop_and_text(report: Path, page: Page) -> None:
    page.goto(report.as_uri())
    page.get_by_label("Kind", exact=True).select_option(label="extraction")
    assert rows(page) == ["1", "3", "4"]
    page.get_by_label("Document", exact=True).select_option(label="丘")
    assert rows(page) == ["3", "4"]
    page.get_by_label("Text", exact=True).fill("太字")
    assert rows(page) == ["4"]
    page.reload()
    page.get_by_label("Stop", exact=True).select_option(label="error")
    assert rows(page) == ["5"]


def test_a_click_anywhere_in_a_row_opens_it_and_another_closes_it(report: Path, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(report.as_uri())
    question = page.locator("tr[data-index='1'] td").nth(2)
    page.get_by_label("Label", exact=True).select_option(label="Perfect")  # drawn again: still one click, one answer
    question.click()
    detail = page.locator("tr.detail > td > div")
    box = detail.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    question.click()
    assert page.locator("tr.detail").count() == 0


def test_the_scores_shown_are_explained(report: Path, page: Page) -> None:
    page.goto(report.as_uri())
    page.get_by_text("What the scores mean").click()
    explained = page.locator("dl.meaning dt").all_inner_texts()
    assert explained
    assert set(explained) <= set(page.locator("#scores tbody td:first-child").all_inner_texts())


def test_a_row_opens_on_its_evidence_marked_in_the_passage(report: Path, page: Page) -> None:
    page.goto(report.as_uri())
    page.get_by_role("button", name="Question 1: details").click()
    detail = page.locator("tr.detail")
    assert detail.locator("mark").first.inner_text() == "お雪は灯台守の娘だった。"
    text = detail.inner_text()
    for part in (
        "港の灯, 0–12: verbatim",
        "父は三十年",
        "1. 港:0-12 by bm25, score 2.5",
        "search: 2 found",
        "confidence 0.90",
        "$0.0004",
    ):
        assert part in text
    page.get_by_role("button", name="Question 1: details").click()
    assert page.locator("tr.detail").count() == 0


def test_columns_sort_both_ways(report: Path, page: Page) -> None:
    page.goto(report.as_uri())
    head = page.locator("#questions th", has_text="F1")
    head.get_by_role("button").click()
    assert rows(page)[-1] in ("1", "3", "5")
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert rows(page)[-1] == "4" or rows(page)[0] in ("1", "3", "5")


def test_scores_by_kind_and_the_coverage_curve(report: Path, page: Page) -> None:
    page.goto(report.as_uri())
    first = page.locator("#scores tbody tr").first.locator("td:visible").all_inner_texts()
    assert first[:2] == ["crag", "0.500"]
    page.get_by_role("button", name="By kind").click()
    assert "counting" in page.locator("#scores tbody").inner_text()
    # by confidence .9 .8 .6 .4 .1 the points are 1 1 .5 −1 1: best after three or after all, 2.5 / 5
    assert (
        "from confidence 0.60 up (60 % of the questions) would have given crag 0.500"
        in page.locator("#curve-text").inner_text()
    )


def test_text_of_models_and_corpora_is_never_markup(report: Path, page: Page) -> None:
    page.goto(report.as_uri())
    page.get_by_role("button", name="Question 4: details").click()
    assert page.locator("main img, main script, main b").count() == 0
    assert "<img src=x onerror=alert(1)>太字" in page.locator("#questions").inner_text()
    assert "<script>alert(1)</script>" in page.locator("#questions").inner_text()


def test_the_file_holds_all_it_needs_and_allows_nothing_else(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.search(r"unsafe-inline|unsafe-eval|<link|@import|url\(|\bfetch\(|innerHTML", text)
    assert re.findall(r"https?://[^\s\"']+", text) == ["http://www.w3.org/2000/svg"]


def test_a_run_without_gold_has_a_page_too(tmp_path: Path, page: Page) -> None:
    run = make_run(tmp_path / "bare", golds=())
    page.goto(write_page(run.folder, QUERIES, run.answers, (), None, DOCUMENTS, {}).as_uri())
    assert page.get_by_text("No gold answers, so no scores.").is_visible()
    assert len(rows(page)) == 5


def test_it_is_readable_in_the_dark(report: Path, page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(report.as_uri())
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"


def test_embedded_json_cannot_end_its_element() -> None:
    text = embedded({"a": "</script><!--\u2028&"})
    assert "<" not in text
    assert "\u2028" not in text


def test_embedded_json_holds_no_number_that_a_browser_cannot_read() -> None:
    assert embedded({"a": [float("nan"), float("inf"), (1.5,)]}) == '{"a":[null,null,[1.5]]}'


def test_evidence_stands_in_the_text_and_in_the_file(tmp_path: Path) -> None:
    """Raw offsets where the corpus knows its files: here each character stands two places later."""
    run = make_run(tmp_path / "20260101-hybrid")
    offsets = {one.id: range(2, 2 + len(one.text)) for one in DOCUMENTS}
    corpus = Corpus(tuple(DOCUMENTS), raw_offsets=offsets)
    page = write_page(run.folder, QUERIES, run.answers, GOLDS, run.table, corpus, RECIPE).read_text(encoding="utf-8")
    placed = re.findall(r'"span":\[(\d+),(\d+)\],"raw":\[(\d+),(\d+)\]', page)
    assert placed
    assert all((int(c), int(d)) == (int(a) + 2, int(b) + 2) for a, b, c, d in placed)
