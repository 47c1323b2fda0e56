"""What people really hand over: folders and files with Japanese names and spaces, odd encodings, odd marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.command import run

STORY = "猫の話\n\n　猫の名はタマという。タマは三歳で、魚屋の二階に住んでいる。\n"
QUESTIONS = "index,problem\n1,猫の名は何ですか。\n2,タマはどこに住んでいますか。\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose name has a space, Japanese and a bracket, with texts and questions in it."""
    folder = tmp_path_factory.mktemp("私の 資料 (1)")
    (folder / "本文").mkdir()
    (folder / "本文" / "猫 その1.txt").write_text(STORY, encoding="cp932")
    (folder / "質 問.csv").write_text(QUESTIONS, encoding="utf-8")
    return folder


def test_japanese_names_with_spaces_from_another_folder(place: Path) -> None:
    done = run(
        "pipeline=hybrid",
        "corpus=folder",
        'corpus.path="本文"',
        'questions.path="質 問.csv"',
        'hydra.run.dir="結果/一 回目"',
        outputs=place / "出 力",
        cwd=place,
    )
    assert done.returncode == 0, done.stderr
    assert "タマ" in (place / "結果" / "一 回目" / "predictions.csv").read_text(encoding="utf-8")
    again = run('resume="結果/一 回目"', outputs=place / "出 力", cwd=place)
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp932"])
def test_questions_in_any_encoding(place: Path, encoding: str) -> None:
    path = place / f"q-{encoding}.csv"
    path.write_text(QUESTIONS.replace("\n", "\r\n"), encoding=encoding)
    done = run(
        "pipeline=bm25",
        "corpus=folder",
        'corpus.path="本文"',
        f"questions.path='{path}'",
        outputs=place / "o",
        cwd=place,
    )
    assert done.returncode == 0, done.stderr


def test_marks_that_could_not_be_read_are_told_in_short_and_logged_in_full(tmp_path: Path) -> None:
    lines = [f"　この行に無い言葉［＃「{word}」に傍点］がある。\n" for word in "虹雷霜霰霙"]
    (tmp_path / "a.txt").write_text("題\n著者\n\n" + "".join(lines), encoding="utf-8")
    (tmp_path / "q.csv").write_text(QUESTIONS, encoding="utf-8")
    done = run(
        "pipeline=bm25",
        "corpus=folder",
        f"corpus.path='{tmp_path}'",
        f"questions.path='{tmp_path}/q.csv'",
        f"hydra.run.dir='{tmp_path}/run'",
        outputs=tmp_path / "o",
    )
    assert done.returncode == 0, done.stderr
    assert [word in done.stderr for word in "虹雷霜霰霙"] == [True, True, True, False, False]
    assert "all 5 of them in run.log" in done.stderr
    log = (tmp_path / "run" / "run.log").read_text(encoding="utf-8")
    assert all(f"a: line {n}: ［＃「{word}」に傍点］" in log for n, word in enumerate("虹雷霜霰霙", start=4)), log


def test_the_novels_that_are_not_here_yet(tmp_path: Path, root: Path) -> None:
    if (root / "data" / "novels").exists():
        pytest.skip("the novels are here")
    done = run("corpus=novels", outputs=tmp_path)
    assert done.returncode == 2
    assert "run python scripts/fetch_novels.py" in done.stderr
