"""Runs side by side: the command, the CSV, the page in a real browser."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page

from rag1.errors import InputError
from rag1.report.comparison import compare_runs, write_comparison
from tests.report.made import GOLDS, make_run


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    # b is wrong on 1, right on 2, and says the same of 3, 4 and 5
    return [make_run(tmp_path / "a").folder, make_run(tmp_path / "b", {"1": "=漁師<b>", "2": "30年"}).folder]


def test_the_question_diff_and_the_words(folders: list[Path]) -> None:
    found = compare_runs(folders)
    pair = found.comparison.pairs[0]
    assert found.comparison.metric == "crag"
    assert (pair.found.only_a, pair.found.only_b, pair.found.mcnemar_p) == (1, 1, 1.0)
    assert "no difference that 5 questions can show" in found.comparison.words[0]


def test_another_metric_may_be_named(folders: list[Path]) -> None:
    assert compare_runs(folders, "f1").comparison.metric == "f1"
    with pytest.raises(InputError, match="has no score 'bleu'; it has crag, exact_match"):
        compare_runs(folders, "bleu")


def test_questions_that_not_all_runs_were_scored_on_are_left_out_and_said_so(
    tmp_path: Path, folders: list[Path]
) -> None:
    fewer = make_run(tmp_path / "c", golds=GOLDS[:3]).folder
    found = compare_runs([*folders, fewer])
    assert found.indexes == ("1", "2", "3")
    assert found.notes == ("2 questions are left out: not all runs were scored there.",)


def test_wrong_input_is_named(tmp_path: Path, folders: list[Path]) -> None:
    with pytest.raises(InputError, match="1 run to compare"):
        compare_runs(folders[:1])
    with pytest.raises(InputError, match="is named twice"):
        compare_runs([folders[0], folders[0]])
    with pytest.raises(InputError, match="is not a finished run"):
        compare_runs([folders[0], tmp_path])
    (folders[1] / "scores.json").unlink()
    with pytest.raises(InputError, match=r"has no scores\.json"):
        compare_runs(folders)


def test_the_csv_has_a_line_a_question_and_no_formula(tmp_path: Path, folders: list[Path]) -> None:
    table, _ = write_comparison(compare_runs(folders), tmp_path / "out")
    with table.open(encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 5
    assert (rows[0]["a: answer"], rows[0]["a: label"], rows[0]["a: score"]) == ("灯台守", "Perfect", "1.0")
    assert (rows[0]["b: answer"], rows[0]["b: label"], rows[0]["b: score"]) == ("'=漁師<b>", "Incorrect", "-1.0")


def rows(page: Page) -> list[str]:
    return page.locator("#questions tbody tr[data-index]").evaluate_all("rows => rows.map(row => row.dataset.index)")


def test_a_right_b_wrong_in_the_browser(tmp_path: Path, folders: list[Path], page: Page) -> None:
    _, html = write_comparison(compare_runs(folders), tmp_path / "out")
    page.goto(html.as_uri())
    assert rows(page) == ["1", "2", "3", "4", "5"]
    page.get_by_role("button", name="A right, B wrong").click()
    assert rows(page) == ["1"]
    cells = page.locator("#questions tbody td").all_inner_texts()
    assert cells[3:] == ["Perfect 1\n灯台守", "Incorrect -1\n=漁師<b>", "2.00"]
    page.get_by_label("A", exact=True).select_option(label="b")
    page.get_by_label("B", exact=True).select_option(label="a")
    assert rows(page) == ["2"]
    page.get_by_role("button", name="answers differ").click()
    assert rows(page) == ["1", "2"]
    assert page.locator("#count").inner_text() == "2 of 5 questions"


def test_a_row_opens_on_the_answers_side_by_side(tmp_path: Path, folders: list[Path], page: Page) -> None:
    _, html = write_comparison(compare_runs(folders), tmp_path / "out")
    page.goto(html.as_uri())
    page.get_by_role("button", name="Question 1: details").click()
    assert page.locator("tr.detail h3").all_inner_texts()[::2] == ["a", "b"]
    assert page.locator("main b").count() == 0
    assert "no difference that 5 questions can show" in page.locator("p.verdict").first.inner_text()


def test_the_command_prints_tables_and_paths_and_ends_with_2_on_bad_input(
    tmp_path: Path, folders: list[Path], root: Path
) -> None:
    command = [sys.executable, "scripts/compare_runs.py", "--out", str(tmp_path / "out"), *map(str, folders)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    for part in ("crag over 5 questions", "McNemar", "flatters itself by", str(tmp_path / "out" / "comparison.html")):
        assert part in done.stdout.replace("\n", " ") or part in done.stdout
    done = subprocess.run(command[:-1], capture_output=True, text=True, cwd=root, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (2, "1 run to compare; name two run folders or more\n")
