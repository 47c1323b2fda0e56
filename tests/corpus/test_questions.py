"""Question and gold files: the organiser's form is read as it comes, and a bad file names all its faults at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag1.corpus.questions import read_golds, read_questions
from rag1.errors import DataError, InputError
from rag1.types import Gold, Query


def write(folder: Path, text: str, encoding: str = "utf-8") -> str:
    path = folder / "q.csv"
    path.write_bytes(text.encode(encoding))
    return str(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
def test_the_competition_file_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path, 'index,problem\r\n1,"髙野は、どこへ行ったか。"\r\n2,①は何か。\r\n', encoding)
    assert read_questions(path) == (Query("1", "髙野は、どこへ行ったか。"), Query("2", "①は何か。"))


@pytest.mark.parametrize(("index", "problem"), [("test_id", "question"), ("id", "problem"), ("index", "質問")])
def test_other_names_of_the_columns(tmp_path: Path, index: str, problem: str) -> None:
    assert read_questions(write(tmp_path, f"{problem},{index}\n誰か。,7\n")) == (Query("7", "誰か。"),)


def test_documents_in_the_file_become_the_scope(tmp_path: Path) -> None:
    path = write(tmp_path, "index,problem,document\n1,誰か。,a|b\n2,何か。,\n")
    assert [q.scope for q in read_questions(path, {"a", "b"})] == [frozenset({"a", "b"}), frozenset()]


def test_all_faults_at_once_with_their_lines(tmp_path: Path) -> None:
    text = 'index,problem,document\n1,"二行に\nわたる問い",a\n1,誰か。,z\n,何か。,a\n4,,a\n'
    with pytest.raises(DataError) as caught:
        read_questions(write(tmp_path, text), {"a"})
    assert caught.value.faults == (
        "line 4: index '1' stands already in line 2",
        "line 5: no index",
        "line 6: no text under 'problem'",
        "line 4: document 'z' is not in the corpus",
    )
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rows"),
        ("index,problem\n", "no rows"),
        ("index,text\n1,a\n", "line 1: no column named 'problem' or 'question'"),
        ("number,problem\n1,a\n", "line 1: no column named 'index'"),
        ('index,problem\n1,"誰か。\n2,何か。\n', "line 2: a quote that opens here is never closed"),
        ("index,problem\n1,誰か,何か\n", "line 2: 3 cells, the header has 2"),
        ("index;problem\n1;誰か\n", "separated by ';': save it with commas"),
        ("index\tproblem\n1\t誰か\n", "separated by '\\\\t': save it with commas"),
        ("index,problem,problem\n1,誰か,何か\n", "line 1: two columns are named 'problem'; rename one"),
        ("index,problem\n1,誰\x00か\n", "line 2 holds a NUL"),
        ("index,problem\n" + "1,誰か\n" * 1000, "999 faults\n(.*\n){50} *… and 949 more$"),
    ],
)
def test_one_clear_line_for_a_bad_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_questions(write(tmp_path, text))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04\x14\x00", "is a zip or a spreadsheet"),
        (b"%PDF-1.7\n", "is a PDF"),
        ("index,problem\n1,誰か。\n".encode("utf-16-le"), "UTF-16 without its mark|cannot be read as text"),
    ],
)
def test_a_file_that_is_no_csv_whatever_its_name(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "q.csv").write_bytes(data)
    with pytest.raises(DataError, match=message):
        read_questions(str(tmp_path / "q.csv"))


def test_capitals_in_the_header_and_utf32(tmp_path: Path) -> None:
    assert read_questions(write(tmp_path, "Index,Problem\n1,誰か。\n", "utf-32")) == (Query("1", "誰か。"),)


def test_undecodable_bytes_are_named_by_line_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_bytes(b"index,problem\n1,\x81\xff\xff\n")
    with pytest.raises(DataError, match=r"q\.csv.*\n.*line 2, byte 16"):
        read_questions(str(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv"):
        read_questions(str(tmp_path / "nowhere.csv"))


def test_a_cell_longer_than_pythons_own_limit_is_read(tmp_path: Path) -> None:
    assert len(read_questions(write(tmp_path, f"index,problem\n1,{'長' * 200_000}\n"))[0].text) == 200_000


def test_gold_with_several_answers_and_passages(tmp_path: Path) -> None:
    text = "index,answer,evidence,document,kind\n1,三円|3円,甲は三円だ。｜｜乙もだ。,a|b,arithmetic\n"
    gold = Gold("1", ("三円", "3円"), ("甲は三円だ。", "乙もだ。"), frozenset({"a", "b"}), "arithmetic")
    assert read_golds(write(tmp_path, text), [Query("1", "")]) == (gold,)


def test_gold_without_its_question_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 2: index '9' is not in the question file"):
        read_golds(write(tmp_path, "index,answer\n9,はい\n"), [Query("1", "")])
