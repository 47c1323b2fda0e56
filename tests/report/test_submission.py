"""The submission file: what the writer mends, what the checker refuses. Each rule has a file that breaks it."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag1.errors import ConfigError
from rag1.report.cells import shortened
from rag1.report.submission import Row, SubmissionFormat, check, format_beside, load_format, write_submission
from rag1.score.answers import NOT_APPLICABLE
from rag1.text.tokens import count_tokens
from rag1.types import Answer, Gold, Query, Retrieved, Score

GOOD = "1,三人,男が三人いた。\n2,分かりません,なし\n"
LONG = "彼は港へ行き、" * 30


@pytest.fixture(scope="module")
def rag1() -> SubmissionFormat:
    return load_format("rag1")


def faults_of(text: str | bytes, folder: Path, format: SubmissionFormat, queries: tuple[Query, ...] = ()) -> list[str]:
    path = folder / "predictions.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return check(path, format, queries)


def test_a_good_file_has_no_fault(tmp_path: Path, rag1: SubmissionFormat) -> None:
    assert faults_of(GOOD, tmp_path, rag1) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "the file is empty"),
        ("1,三人,証\n1,四人,証\n", "line 2: index '1' again (first on line 1)"),
        ("1,三人,証\n3,四人,証\n", "index '2' is missing"),
        ("0,三人,証\n1,四人,証\n", "line 1: index '0' is not expected"),
        ("一,三人,証\n", "line 1: index '一' is not a whole number"),
        ("01,三人,証\n", "line 1: index '01' is not a whole number"),
        ("index,answer,evidence\n1,三人,証\n", "line 1: a header; this format has none"),
        ("1,三人\n", "line 1: 2 columns; there must be 3"),
        ("1,三人,証,余り\n", "line 1: 4 columns; there must be 3"),
        ('1,"三人,証\n', "line 1: a quote is never closed"),
        ('1,三人,証\n2,"四"人,証\n', "line 2: broken CSV"),
        ("1,三人,証\r\n", "line 1: a carriage return; lines end with LF alone"),
        (b"\xef\xbb\xbf1,\xe7\x8c\xab,\xe7\x8a\xac\n", "line 1: the file begins with a byte order mark"),
        ("1,三人,証\n2,猫,犬\n".encode("cp932"), "line 1: byte 0x8e is not utf-8"),
        ("1,,証\n", "line 1: answer is empty; write '分かりません'"),
        ("1,猫, \n", "line 1: evidence is empty; write 'なし'"),
        ("1,NA,証\n", "line 1: answer is 'NA', which is read as an empty cell"),
        ("1,nOnE,証\n", "line 1: answer is 'nOnE'"),
        ("1,猫,NaN\n", "line 1: evidence is 'NaN'"),
        (f"1,{LONG},証\n", "tokens; at most 50: shorten it"),
        ("1,猫<|endoftext|>,証\n", "line 1: answer has the special token <|endoftext|>"),
        ("1,猫,<|im_end|>証\n", "line 1: evidence has the special token <|im_end|>"),
        ('1,"猫\n犬",証\n2,鳥,証\n', "line 1: answer has a line break; fold it"),
        ("1,猫\u2028犬,証\n", "line 1: answer has a line break; fold it"),
        ("1,猫\x07,証\n", "line 1: answer has a control character"),
        ("1,3,証\n2,-1.5e3,証\n", "every answer is numeric"),
        ("1,True,証\n2,false,証\n", "every answer is numeric"),
        ("1,猫,3\n2,犬,4\n", "every evidence is numeric"),
        ('1,"猫, 犬",証\n', "line 1: answer joins items with ','; use '、'"),
        ("1,猫；犬,証\n", "line 1: answer joins items with '；'; use '、'"),
    ],
)
def test_each_rule_refuses_what_breaks_it(
    text: str | bytes, fault: str, tmp_path: Path, rag1: SubmissionFormat
) -> None:
    found = faults_of(text, tmp_path, rag1)
    assert any(fault in line for line in found), found


def test_all_faults_are_named_at_once_with_the_line_a_record_begins_on(tmp_path: Path, rag1: SubmissionFormat) -> None:
    found = faults_of('1,"猫\n犬",証\n2,,証\n2,鳥,nan\n', tmp_path, rag1)
    assert [fault.split(":")[0] for fault in found] == ["line 1", "line 3", "line 4", "line 4"]


def test_the_questions_tell_which_lines_and_units_are_missing(tmp_path: Path, rag1: SubmissionFormat) -> None:
    queries = (Query("1", "男は何人いたか。"), Query("2", "名前は何か。"), Query("3", "いくら払ったか。"))
    found = faults_of("1,3,証\n2,猫,証\n4,犬,証\n", tmp_path, rag1, queries)
    assert found == [
        "index '3' is missing",
        "line 1: answer '3' has no unit, and the question asks for one (人)",
        "line 3: index '4' is not expected",
    ]


def test_a_zip_holds_the_one_member_of_its_format(tmp_path: Path, rag1: SubmissionFormat) -> None:
    path = tmp_path / "submit.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("predictions.csv", GOOD)
    assert check(path, rag1) == ["submit.zip holds predictions.csv; it must hold submit/predictions.csv alone"]
    path.write_bytes(b"not a zip")
    assert check(path, rag1)[0].startswith("submit.zip cannot be read")


# --- the writer ------------------------------------------------------------------------------------------


def written(tmp_path: Path, format: SubmissionFormat, *rows: Row) -> list[list[str]]:
    result = write_submission(format, rows, tmp_path)
    assert result.faults == (), result.faults
    frame = pd.read_csv(result.file, header=0 if format.header else None, dtype=str, keep_default_na=False)
    return [[str(cell) for cell in line] for line in frame.to_numpy().tolist()]


FILLER = Row("2", "猫", "猫がいた。")


@pytest.mark.parametrize(
    ("row", "answer", "evidence"),
    [
        (Row("1", "", ""), "分かりません", "なし"),
        (Row("1", "None", "NA"), "分かりません", "なし"),
        (Row("1", "途中まで", "証", stop="error"), "分かりません", "証"),
        (Row("1", "猫<|end<|endoftext|>oftext|>", "証<|im_end|>"), "猫", "証"),
        (Row("1", "猫<|im\n_end|>", "証<|\ud800x|>"), "猫", "証"),
        (Row("1", "港へ\n行った", "a\r\nb"), "港へ、行った", "a b"),
        (Row("1", "港へ行った。\n夜だった。", "証\u2028拠"), "港へ行った。夜だった。", "証拠"),
        (Row("1", "・猫\n・犬\n・鳥", "証"), "猫、犬、鳥", "証"),
        (Row("1", "1. 猫、\n2. 犬", "証"), "猫、犬", "証"),
        (Row("1", "-5\n-3.5", "証"), "-5、-3.5", "証"),
        (Row("1", '["猫", "犬"]', "証"), "猫、犬", "証"),
        (Row("1", "1, 2;3", "証"), "1、2、3", "証"),
        (Row("1", "質問誤り", "証"), "質問誤り", "証"),
        (Row("1", "猫, 犬;鳥", "証, 拠"), "猫、犬、鳥", "証, 拠"),
        (Row("1", "1,200円", "証"), "1,200円", "証"),
        (Row("1", "3", "証", "男は何人いたか。"), "3人", "証"),
        (Row("1", "三。", "証", "何年かかったか。"), "三年", "証"),
        (Row("1", "50", "切符は五十銭だった。", "いくら払ったか。"), "50銭", "切符は五十銭だった。"),
        (Row("1", "50", "証", "いくら払ったか。"), "50円", "証"),
        (Row("1", "3", "証", "何人かの男の名は。"), "3", "証"),
        (Row("1", "\ud800猫\x00", "証"), "猫", "証"),
    ],
)
def test_the_writer_mends_a_cell(row: Row, answer: str, evidence: str, tmp_path: Path, rag1: SubmissionFormat) -> None:
    assert written(tmp_path, rag1, row, FILLER)[0] == ["1", answer, evidence]


def test_an_over_long_answer_ends_at_a_clause_and_is_flagged(tmp_path: Path, rag1: SubmissionFormat) -> None:
    result = write_submission(rag1, [Row("1", LONG, "証")], tmp_path)
    answer = result.file.read_text(encoding="utf-8").split(",")[1]
    assert answer.endswith("彼は港へ行き")
    assert 30 < count_tokens(answer) <= 50
    assert result.flags == (("1", "shortened"),)
    assert result.faults == ()


def test_a_sentence_end_is_preferred_to_a_comma_and_a_text_without_either_is_cut() -> None:
    assert shortened("港へ行った。船は、" + "夜" * 80, 50) == "港へ行った。"
    cut = shortened("鬱" * 80, 50)
    assert set(cut) == {"鬱"}
    assert count_tokens(cut) <= 50


def test_a_column_of_numbers_gets_one_cell_of_text(tmp_path: Path, rag1: SubmissionFormat) -> None:
    result = write_submission(rag1, [Row("1", "3", "証"), Row("2", "4", "拠")], tmp_path)
    assert result.file.read_text(encoding="utf-8") == "1,3。,証\n2,4,拠\n"
    assert result.flags == (("1", "made_text"),)
    assert result.faults == ()


def test_the_zip_holds_the_file_and_is_the_same_bytes_each_time(tmp_path: Path, rag1: SubmissionFormat) -> None:
    first = write_submission(rag1, [FILLER, Row("1", "犬", "証")], tmp_path)
    assert first.archive is not None
    data = first.archive.read_bytes()
    with zipfile.ZipFile(first.archive) as archive:
        assert archive.namelist() == ["submit/predictions.csv"]
        assert archive.read("submit/predictions.csv") == first.file.read_bytes()
    write_submission(rag1, [FILLER, Row("1", "犬", "証")], tmp_path)
    assert first.archive.read_bytes() == data
    assert check(first.archive, rag1) == []


def test_what_cannot_be_mended_is_reported_and_the_file_is_there(tmp_path: Path, rag1: SubmissionFormat) -> None:
    result = write_submission(rag1, [Row("q1", "猫", "証"), Row("q1", "犬", "証")], tmp_path)
    assert result.file.exists()
    assert any("'q1' is not a whole number" in fault for fault in result.faults)
    assert any("'q1' again" in fault for fault in result.faults)


PIECES = [
    "3",
    "12",
    ",",
    "、",
    ";",
    "\n",
    "<|",
    "|>",
    "end",
    "人",
    "NA",
    "nan",
    " ",
    "「",
    '"',
    "- ",
    "true",
    "1e5",
    "。",
    "港へ行き",
]
cells = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(cells, cells, st.sampled_from(["", "男は何人いたか。", "いつか。"])), min_size=1, max_size=5))
def test_whatever_the_model_says_the_file_is_accepted(
    tmp_path_factory: pytest.TempPathFactory, rag1: SubmissionFormat, said: list[tuple[str, str, str]]
) -> None:
    rows = [Row(str(number), *one) for number, one in enumerate(said, start=1)]
    assert write_submission(rag1, rows, tmp_path_factory.mktemp("any")).faults == ()


@pytest.mark.filterwarnings("ignore:The .future.infer_string. option is deprecated")
@pytest.mark.parametrize("infer", [True, False])
def test_pandas_reads_the_strings_back_in_its_old_and_new_way(
    infer: bool, tmp_path: Path, rag1: SubmissionFormat
) -> None:
    answers = ["三人", "1,200円", '彼は"猫"と言った', "3", "-", "Infinity", "1e5", "NA川", "True"]
    rows = [Row(str(n), answer, f"「{answer}」, と") for n, answer in enumerate(answers, start=1)]
    result = write_submission(rag1, rows, tmp_path)
    with pd.option_context("future.infer_string", infer):
        frame = pd.read_csv(result.file, header=None)
    assert frame[0].tolist() == list(range(1, 10))
    assert frame[1].tolist() == answers
    assert frame[2].tolist() == [row.evidence for row in rows]


# --- the other formats -----------------------------------------------------------------------------------


def test_fdua2025_has_two_columns_and_54_tokens(tmp_path: Path) -> None:
    format = load_format("fdua2025")
    assert written(tmp_path, format, Row("1", "猫, 犬"), FILLER) == [["1", "猫、犬"], ["2", "猫"]]
    assert written(tmp_path, format, Row("1", "質問誤り"), FILLER)[0] == ["1", "分かりません"]
    assert "line 1: 3 columns" in faults_of("1,猫,証\n", tmp_path, format)[0]
    between = "x" + " x" * 51
    assert 50 < count_tokens(between) <= 54
    assert faults_of(f"1,{between}\n", tmp_path, format) == []
    assert "at most 54" in faults_of(f"1,{between} x x x\n", tmp_path, format)[0]


def test_ntt2026_counts_from_nought_and_allows_a_thousand_tokens(tmp_path: Path) -> None:
    format = load_format("ntt2026")
    long = "港へ行き、夜になった。" * 60
    assert 500 < count_tokens(long) <= 1000
    assert written(tmp_path, format, Row("0", long), Row("1", "猫"))[0] == ["0", long]
    assert faults_of("1,猫\n2,犬\n", tmp_path, format) == ["index '0' is missing"]
    assert "at most 1000" in faults_of(f"0,{long * 3}\n", tmp_path, format)[0]


def test_the_table_is_for_people(tmp_path: Path) -> None:
    support = (Retrieved("doc:0-5", "猫がいた。", "doc", (0, 5), 1.0, "bm25"),)
    scores = {"f1": Score("f1", 0.5), "judge": Score("judge", None), "list_f1": Score("list_f1", None, NOT_APPLICABLE)}
    gold = Gold("q7", ("猫", "ねこ"), ("猫がいた。",), frozenset({"doc", "a"}), "extraction")
    rows = [
        Row.of(Answer("q7", "=1+1", "猫がいた。", support), Query("q7", "何がいたか。"), scores, gold),
        Row.of(
            Answer("q8", "分かりません", stop="error", error="500"),
            Query("q8", "誰か。"),
            {"crag": Score("crag", -1.0)},
        ),
    ]
    written = write_submission(load_format("table"), rows, tmp_path)
    frame = pd.read_csv(written.file, dtype=str, keep_default_na=False)
    assert written.file.read_bytes().startswith(b"\xef\xbb\xbf")
    assert written.faults == ()
    assert frame.to_dict("records") == [
        {
            "index": "q7",
            "question": "何がいたか。",
            "answer": "'=1+1",
            "gold": "猫|ねこ",
            "kind": "extraction",
            "document": "a|doc",
            "f1": "0.5",
            "judge": "unread",
            "list_f1": "",
            "crag": "",
            "stop": "answered",
            "error": "",
            "evidence": "猫がいた。",
            "sources": "doc:0-5",
        },
        {
            "index": "q8",
            "question": "誰か。",
            "answer": "分かりません",
            "gold": "",
            "kind": "",
            "document": "",
            "f1": "",
            "judge": "",
            "list_f1": "",
            "crag": "-1",
            "stop": "error",
            "error": "500",
            "evidence": "なし",
            "sources": "",
        },
    ]


def test_a_table_without_gold_has_no_columns_for_it(tmp_path: Path) -> None:
    written = write_submission(load_format("table"), [Row("q7", "猫", "証", "何か。")], tmp_path)
    header = written.file.read_text(encoding="utf-8-sig").splitlines()[0]
    assert header == "index,question,answer,stop,error,evidence,sources"
    assert written.faults == ()


def test_a_table_with_a_column_too_few_is_refused(tmp_path: Path) -> None:
    found = faults_of(
        "\ufeffindex,question,stop,error,evidence,sources\n1,何か。,answered,,証,\n", tmp_path, load_format("table")
    )
    assert found[0].startswith(
        "line 1: the header is index,question,stop,error,evidence,sources; it must be index,question,answer"
    )


def test_a_format_is_a_yaml(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "_target_: rag1.report.formats.SubmissionFormat\nname: mine\nencoding: cp932\nfile: out.csv\n"
        "header: true\nfirst_index: null\ncolumns: {index: 番号, answer: 回答}\n",
        encoding="utf-8",
    )
    result = write_submission(load_format(str(path)), [Row("a", "猫😀")], tmp_path)
    assert result.file.read_bytes().decode("cp932") == "番号,回答\na,猫?\n"
    assert result.flags == (("a", "unencodable_characters"),)


def test_a_wrong_format_is_named() -> None:
    with pytest.raises(ConfigError, match="no submission format 'rag9'; there are fdua2025, ntt2026, rag1, table"):
        load_format("rag9")
    with pytest.raises(ConfigError, match="no field 'reply'"):
        SubmissionFormat("x", {"index": "index", "reply": "reply"})
    with pytest.raises(ConfigError, match="first column must be index"):
        SubmissionFormat("x", {"answer": "answer"})


def test_the_command_ends_with_2_and_a_line_for_each_fault(tmp_path: Path, root: Path) -> None:
    questions = tmp_path / "q.csv"
    questions.write_text("index,problem\n1,男は何人いたか。\n2,誰か。\n", encoding="utf-8")
    path = tmp_path / "predictions.csv"

    def run(text: str) -> tuple[int, list[str]]:
        path.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "rag1.report.submission", "check", str(path), "--questions", str(questions)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False, timeout=60)
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()

    assert run(GOOD) == (0, [f"{path}: accepted as rag1"])
    assert run("1,3,証\n2,NA,証\n") == (
        2,
        [
            "line 1: answer '3' has no unit, and the question asks for one (人)",
            "line 2: answer is 'NA', which is read as an empty cell; write '分かりません'",
        ],
    )


def test_the_format_is_the_runs_own_where_none_is_named(tmp_path: Path) -> None:
    assert format_beside(tmp_path / "submit.zip") == "rag1"
    (tmp_path / "run.yaml").write_text("submission:\n  name: ntt2026\n", encoding="utf-8")
    assert format_beside(tmp_path / "submit.zip") == "ntt2026"
    (tmp_path / "run.yaml").write_text(":::", encoding="utf-8")
    assert format_beside(tmp_path / "submit.zip") == "rag1"


def test_questions_that_are_numbered_from_1_for_an_organiser_who_counts_from_0(tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text("1,弥平\n2,分かりません\n", encoding="utf-8")
    queries = [Query("1", "誰か。"), Query("2", "何か。")]
    assert check(path, load_format("ntt2026"), queries) == [
        "the questions' index begins at 1; ntt2026 counts from 0: number the question file so"
    ]
