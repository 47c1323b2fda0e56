"""The question set bench/novels against the seven novels it asks about.

The texts are cleaned here by five substitutions of our own, not by the project's parser, so that a fault of
the parser cannot hide a fault of the gold (or the reverse).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest
from sudachipy import Dictionary, SplitMode

KINDS = {
    "extraction", "enumeration", "counting", "arithmetic", "choice",
    "multi_hop", "why", "yes_no", "false_premise", "unanswerable",
}  # fmt: skip
REFUSAL = "分かりません"
FALSE_PREMISE = "質問誤り|分かりません"
FAR_APART = 500  # characters: further than any chunk size in use, so that no one chunk holds both passages
TITLES_AND_AUTHORS = (
    "流行暗殺節", "不如帰", "カインの末裔", "競漕", "芽生", "サーカスの怪人", "死生に関するいくつかの断想",
    "佐々木味津三", "徳冨蘆花", "有島武郎", "久米正雄", "島崎藤村", "江戸川乱歩", "小泉八雲",
)  # fmt: skip
NAMES = {  # the persons and places a reader would name first, each found in one novel only
    1: ("神代", "直人", "益次郎", "金丸", "小次郎", "源太郎", "光安院", "利惣太"),
    2: ("武男", "浪子", "千々岩", "山木", "お豊", "片岡", "伊香保", "江田島", "千鶴子"),
    3: ("仁右衛門", "笠井", "川森", "倶知安", "松川", "マッカリヌプリ", "与十"),
    4: ("窪田", "久野", "津島", "早川", "浅沼", "言問", "斎藤", "綾瀬"),
    5: ("お房", "お菊", "お繁", "牧野", "小諸", "皆川", "磯部", "長光寺"),
    6: ("明智", "笠原", "遠藤", "二十面相", "ノロちゃん", "グランド", "正一君", "ミヨ子"),
    7: ("万右衛門", "水神様", "嘉作", "お乃登", "成松", "杉上村", "出雲"),
}
# index of the question → the word it counts, and how often the word stands in the text: counted by eye in the
# listing of all its places, and here once more.
WORD_COUNTS = {10: ("神代直人", 9), 17: ("黒水晶", 4), 29: ("章魚", 3), 41: ("スプラッシュ", 4), 64: ("煙のように", 6)}


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def _evidence(row: dict[str, str]) -> list[str]:
    return row["evidence"].split("｜｜") if row["evidence"] else []


def _clean(raw: bytes) -> str:
    """The story of a raw Aozora file: header, colophon, notes, ruby and base marks taken away."""
    lines = raw.decode("cp932").replace("\r\n", "\n").split("\n")
    rules = [i for i, line in enumerate(lines) if line.startswith("-" * 20)]
    ends = [i for i, line in enumerate(lines) if line.startswith(("底本：", "翻訳の底本："))]
    story = "\n".join(lines[rules[1] + 1 : ends[0]])
    return re.sub(r"［＃[^］]*］|《[^》]*》|｜", "", story)


@pytest.fixture(scope="module")
def folder(root: Path) -> Path:
    return root / "bench" / "novels"


@pytest.fixture(scope="module")
def gold(folder: Path) -> list[dict[str, str]]:
    return _read(folder / "gold.csv")


@pytest.fixture(scope="module")
def questions(folder: Path) -> dict[str, str]:
    return {row["index"]: row["problem"] for row in _read(folder / "questions.csv")}


@pytest.fixture(scope="module")
def texts(shared_data: Path) -> dict[str, str]:
    return {str(n): _clean((shared_data / "novels" / f"{n}.txt").read_bytes()) for n in range(1, 8)}


def test_both_files_have_the_same_indexes_from_1(gold: list[dict[str, str]], questions: dict[str, str]) -> None:
    indexes = [row["index"] for row in gold]
    assert indexes == list(questions) == [str(i) for i in range(1, len(gold) + 1)]
    assert len(set(questions.values())) == len(gold) >= 77


@pytest.mark.parametrize(
    ("name", "header"),
    [("questions.csv", "index,problem"), ("gold.csv", "index,answer,evidence,document,kind,passages")],
)
def test_files_are_utf8_with_the_agreed_header_and_line_ends(folder: Path, name: str, header: str) -> None:
    raw = (folder / name).read_bytes()
    assert raw.decode("utf-8").split("\n")[0] == header
    assert b"\r" not in raw


def test_every_novel_has_ten_questions_or_more_and_every_kind_is_there(gold: list[dict[str, str]]) -> None:
    novels = Counter(row["document"] for row in gold)
    assert set(novels) == set("1234567")
    assert min(novels.values()) >= 10
    assert {row["kind"] for row in gold} == KINDS


def test_few_unanswerable_questions(gold: list[dict[str, str]]) -> None:
    unanswerable = Counter(row["document"] for row in gold if row["kind"] == "unanswerable")
    assert max(unanswerable.values()) == 1


def test_answer_and_evidence_fit_the_kind(gold: list[dict[str, str]]) -> None:
    for row in gold:
        evidence = _evidence(row)
        if row["kind"] == "unanswerable":
            assert (row["answer"], evidence) == (REFUSAL, []), row["index"]
            continue
        assert 1 <= len(evidence) <= 3, row["index"]
        assert all(10 <= len(passage) <= 80 for passage in evidence), row["index"]
        if row["kind"] == "false_premise":
            assert row["answer"] == FALSE_PREMISE, row["index"]
        else:
            assert REFUSAL not in row["answer"], row["index"]


def test_a_choice_offers_its_answer(gold: list[dict[str, str]], questions: dict[str, str]) -> None:
    for row in gold:
        if row["kind"] == "choice":
            assert row["answer"].split("|")[0] in questions[row["index"]], row["index"]


@pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")  # at the library's import
def test_answers_are_short(gold: list[dict[str, str]]) -> None:
    import bpe_openai

    encoding = bpe_openai.get_encoding("cl100k_base")
    for row in gold:
        assert max(len(encoding.encode(answer)) for answer in row["answer"].split("|")) <= 50, row["index"]


def test_evidence_stands_verbatim_in_its_novel_once_and_in_no_other(
    gold: list[dict[str, str]], texts: dict[str, str]
) -> None:
    for row in gold:
        for passage in _evidence(row):
            found = {n: text.count(passage) for n, text in texts.items() if passage in text}
            assert found == {row["document"]: 1}, (row["index"], passage)


def test_two_passages_means_far_apart_and_a_third_of_the_questions_need_it(
    gold: list[dict[str, str]], texts: dict[str, str]
) -> None:
    for row in gold:
        places = [texts[row["document"]].index(passage) for passage in _evidence(row)] or [0]
        far = max(places) - min(places) >= FAR_APART
        assert (row["passages"] == "2") == far, (row["index"], places)
        assert row["passages"] in {"1", "2"}
    assert 3 * sum(row["passages"] == "2" for row in gold) >= len(gold)


def test_words_stand_as_often_as_the_gold_says(gold: list[dict[str, str]], texts: dict[str, str]) -> None:
    for row in gold:
        if int(row["index"]) in WORD_COUNTS:
            word, count = WORD_COUNTS[int(row["index"])]
            assert texts[row["document"]].count(word) == count, word
            assert row["kind"] == "counting"
            assert str(count) in row["answer"].split("|")
    others = [row["index"] for row in gold if row["kind"] == "counting" and int(row["index"]) not in WORD_COUNTS]
    assert others == ["49", "71"]  # children and bags: counted by hand, their numbers stand in the evidence


def test_the_listed_names_are_found_in_one_novel_only(texts: dict[str, str]) -> None:
    for novel, names in NAMES.items():
        for name in names:
            assert [n for n, text in texts.items() if name in text] == [str(novel)], name


def test_at_most_three_in_ten_name_a_title_or_a_name_of_one_novel_only(
    questions: dict[str, str], texts: dict[str, str]
) -> None:
    """Named: a title, an author, a listed name, or any proper noun (Sudachi) that one novel alone holds.

    The analyser errs to the strict side here (it takes 農科 and the 大輔 of 兵部大輔 for names).
    """
    tokenizer = Dictionary().create()
    listed = [*TITLES_AND_AUTHORS, *(name for names in NAMES.values() for name in names)]

    def named(problem: str) -> bool:
        if any(name in problem for name in listed):
            return True
        nouns = [m for m in tokenizer.tokenize(problem, SplitMode.C) if m.part_of_speech()[1] == "固有名詞"]
        return any(sum(m.surface() in text for text in texts.values()) == 1 for m in nouns)

    count = sum(named(problem) for problem in questions.values())
    assert 0 < count <= 0.3 * len(questions), count


def test_questions_are_worded_anew(
    gold: list[dict[str, str]], questions: dict[str, str], texts: dict[str, str]
) -> None:
    """No ten characters in a row are taken from the novel, its title apart."""
    for row in gold:
        problem = questions[row["index"]]
        for title in TITLES_AND_AUTHORS:
            problem = problem.replace(title, "\n")
        runs = (problem[i : i + 10] for i in range(len(problem) - 9))
        assert [run for run in runs if run in texts[row["document"]]] == [], row["index"]
