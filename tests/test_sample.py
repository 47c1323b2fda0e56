"""The sample data holds what its README promises: form, evidence, counts, chains and causes.

The cleaning here is a second, deliberately small one, so that the corpus loader is not its own judge.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from rank_bm25 import BM25Okapi

from rag1.text.tokens import count_tokens

SAMPLE = Path(__file__).resolve().parent.parent / "data" / "sample"
STORIES = sorted((SAMPLE / "stories").glob("*.txt"))
SETS = {"main": SAMPLE, "chains": SAMPLE / "chains", "causal": SAMPLE / "causal"}
EVIDENCE_SEPARATOR = "｜｜"
ABSTENTION = "分かりません"
GAIJI = re.compile(r"※［＃[^］]*?(\d)-(\d+)-(\d+)］")


def gaiji(match: re.Match[str]) -> str:
    """The character at a JIS X 0213 plane, row and cell."""
    plane, row, cell = map(int, match.groups())
    code = bytes([0xA0 + row, 0xA0 + cell])
    return (code if plane == 1 else b"\x8f" + code).decode("euc_jis_2004")


def clean(raw: str) -> str:
    """What a reader reads: no explanation of symbols, no notes, no ruby, no colophon."""
    head, _, rest = raw.partition("-" * 55 + "\n")
    body = rest.partition("-" * 55 + "\n")[2].partition("\n底本：")[0]
    text = GAIJI.sub(gaiji, head + body)
    return re.sub(r"［＃[^］]*］|《[^》]*》|｜", "", text)


@cache
def texts() -> dict[str, str]:
    return {p.stem: clean(p.read_bytes().decode("cp932").replace("\r\n", "\n")) for p in STORIES}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def golds() -> list[tuple[str, dict[str, str]]]:
    return [(name, row) for name, folder in SETS.items() for row in rows(folder / "gold.csv")]


def passages(gold: dict[str, str]) -> list[str]:
    return [p for p in gold["evidence"].split(EVIDENCE_SEPARATOR) if p]


# ---------------------------------------------------------------- the stories


@pytest.mark.parametrize("path", STORIES, ids=lambda p: p.stem)
def test_story_is_cp932_with_crlf_in_aozora_layout(path: Path) -> None:
    data = path.read_bytes()
    lines = data.decode("cp932").split("\r\n")
    assert data.count(b"\n") == data.count(b"\r\n") == len(lines) - 1
    assert re.fullmatch(r"[a-z]+", path.stem)
    assert [bool(line) for line in lines[:3]] == [True, True, False]
    assert lines.count("-" * 55) == 2
    assert "【テキスト中に現れる記号について】" in lines
    assert any(line.startswith("底本：") for line in lines)
    assert any(line.startswith("入力：") for line in lines)
    assert any(line.startswith("校正：") for line in lines)


@pytest.mark.parametrize("path", STORIES, ids=lambda p: p.stem)
def test_story_leaves_no_notation_behind(path: Path) -> None:
    raw = path.read_bytes().decode("cp932")
    assert raw.count("《") == raw.count("》")
    assert raw.count("［") == raw.count("］")
    assert not set("《》｜［］＃※") & set(texts()[path.stem])


def test_stories_are_many_and_long_enough() -> None:
    assert len(STORIES) >= 7
    assert sum(len(re.sub(r"\s", "", text)) for text in texts().values()) >= 30_000


def test_gaiji_notes_name_the_character_they_describe() -> None:
    bodies = [p.read_bytes().decode("cp932").split("-" * 55)[2] for p in STORIES]
    found = {gaiji(m) for body in bodies for m in GAIJI.finditer(body)}
    assert found == set("枻摑屛鶍簎蠟")


def test_the_folk_tale_spells_its_sweet_in_four_ways() -> None:
    for spelling in ("つゆくさあめ", "露草飴", "つゆ草飴", "ツユクサ飴"):
        assert spelling in texts()["tsuyukusa"]


# ---------------------------------------------------------------- questions and gold


@pytest.mark.parametrize("name", SETS)
def test_every_question_has_its_gold_and_every_gold_its_question(name: str) -> None:
    questions, answers = rows(SETS[name] / "questions.csv"), rows(SETS[name] / "gold.csv")
    assert [q["index"] for q in questions] == [g["index"] for g in answers]
    assert [q["index"] for q in questions] == [str(i + 1) for i in range(len(questions))]
    assert len({q["problem"] for q in questions}) == len(questions)


@pytest.mark.parametrize("name", SETS)
def test_csv_files_are_utf8_with_lf(name: str) -> None:
    for file, header in (("questions.csv", b"index,problem\n"), ("gold.csv", b"index,answer,evid")):
        data = (SETS[name] / file).read_bytes()
        assert data.startswith(header)
        assert b"\r" not in data
        data.decode("utf-8")


def test_every_kind_is_there() -> None:
    assert Counter(g["kind"] for g in rows(SAMPLE / "gold.csv")) == {
        "extraction": 7,
        "enumeration": 4,
        "counting": 4,
        "arithmetic": 5,
        "choice": 4,
        "multi_hop": 6,
        "false_premise": 3,
        "unanswerable": 3,
        "why": 2,
        "yes_no": 2,
    }
    assert [g["hops"] for g in rows(SAMPLE / "chains" / "gold.csv")] == list("3333242344")
    kinds = Counter(g["kind"] for g in rows(SAMPLE / "causal" / "gold.csv"))
    assert kinds == {"why": 2, "companion": 2, "maker": 2}


def test_every_story_is_asked_about() -> None:
    asked = {d for g in rows(SAMPLE / "gold.csv") for d in g["document"].split("|")}
    assert asked == set(texts())


def test_evidence_stands_verbatim_in_its_documents() -> None:
    for name, gold in golds():
        documents = [texts()[d] for d in gold["document"].split("|")]
        for passage in passages(gold):
            where = f"{name} {gold['index']}: {passage}"
            assert any(passage in text for text in documents), where
            assert "\n" not in passage, where
        supported = [any(p in text for p in passages(gold)) for text in documents]
        assert gold["kind"] == "unanswerable" or all(supported), f"{name} {gold['index']}"


def test_abstentions_follow_their_kind() -> None:
    for name, gold in golds():
        where = f"{name} {gold['index']}"
        accepted = gold["answer"].split("|")
        assert bool(gold["evidence"]) == (gold["kind"] != "unanswerable"), where
        if gold["kind"] == "unanswerable":
            assert accepted == [ABSTENTION], where
        elif gold["kind"] == "false_premise":
            assert accepted == ["質問誤り", ABSTENTION], where
        else:
            assert ABSTENTION not in accepted, where


@pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")  # at the library's import
def test_answers_fit_the_submission_and_are_distinct() -> None:
    for name, gold in golds():
        accepted = gold["answer"].split("|")
        assert len(set(accepted)) == len(accepted), f"{name} {gold['index']}"
        for answer in accepted:
            assert 1 <= count_tokens(answer) <= 50, f"{name} {gold['index']}: {answer}"


def test_quantities_carry_a_unit() -> None:
    for name, gold in golds():
        if gold["kind"] in {"counting", "arithmetic"}:
            for answer in gold["answer"].split("|"):
                assert re.search(r"(回|人|円|銭|缶)$", answer), f"{name} {gold['index']}: {answer}"


# ---------------------------------------------------------------- what can be recomputed from the text


def gold_of(fragment: str) -> set[str]:
    """The accepted answers of the one main question that holds the fragment."""
    found = [q["index"] for q in rows(SAMPLE / "questions.csv") if fragment in q["problem"]]
    assert len(found) == 1
    return set(rows(SAMPLE / "gold.csv")[int(found[0]) - 1]["answer"].split("|"))


@pytest.mark.parametrize(("document", "word"), [("kiri", "笛"), ("kane", "玉虫")])
def test_word_counts_are_those_of_the_text(document: str, word: str) -> None:
    assert f"{texts()[document].count(word)}回" in gold_of(f"「{word}」")


def test_sums_follow_from_the_amounts_told() -> None:
    assert f"{52 * 3 + 4 * 5 + 3 * 8}銭" in gold_of("柳に刻んだ疵の分")
    assert f"{38 * (65 + 65 + 50)}銭" in gold_of("三十八日分の日当")
    assert f"{480 - 12 * 15}銭" in gold_of("鞄の値段")
    assert f"{70 - 10}銭" in gold_of("惣介が結局受けとらなかった")
    assert f"{48 + 51}缶" in gold_of("焚いた石油")


# ---------------------------------------------------------------- the family chronicle

SURNAME = r"(?:鵜飼谷|黒瀬)?"
CHILD = re.compile(rf"(?:^|[。、]|　){SURNAME}(\w+?)は(\w+?)の(?:長男|次男|長女|次女)である")
MOTHER = re.compile(r"(\w+?)の母は(\w+?)(?:であ|とい)")
WIFE = re.compile(r"(?:^|[。　])(\w+?)の(?:室|妻)は(\w+?)(?:である|とい)", re.MULTILINE)
GRAVE = re.compile(r"(?:^|[。　])(\w+?)の(?:墓所|葬地)は(\w+寺)", re.MULTILINE)

PATHS = {
    "鵜飼谷景治の母方の祖父の墓所は何という寺か。": ("景治", "mother father grave"),
    "鵜飼谷景治の父方の祖父の墓所は何という寺か。": ("景治", "father father grave"),
    "鵜飼谷景明の母方の祖父の墓所は何という寺か。": ("景明", "mother father grave"),
    "鵜飼谷景明の父方の祖父の墓所は何という寺か。": ("景明", "father father grave"),
    "鵜飼谷時綱の妻の父は誰か。": ("時綱", "wife father"),
    "黒瀬修吾の母方の祖父の妻の墓所は何という寺か。": ("修吾", "mother father wife grave"),
    "黒瀬修吾の母の父は誰か。": ("修吾", "mother father"),
    "鵜飼谷時貞の父の妻の墓所は何という寺か。": ("時貞", "father wife grave"),
    "黒瀬修吾の母方の祖父の父の墓所は何という寺か。": ("修吾", "mother father father grave"),
    "鵜飼谷明良の父方の祖父の妻の父は誰か。": ("明良", "father father wife father"),
}


def short(name: str) -> str:
    """One name a person: 綱 is 時綱 cut short; surnames are left away."""
    name = re.sub(r"^(?:鵜飼谷|梶井|志津屋|黒瀬|日比野)", "", name)
    return "時綱" if name == "綱" else name


@cache
def facts() -> dict[str, dict[str, str]]:
    """relation → person → person or temple, read from the plain sentences of the chronicle."""
    text = texts()["ukaidani"]
    patterns = {"father": CHILD, "mother": MOTHER, "wife": WIFE, "grave": GRAVE}
    return {relation: {short(a): short(b) for a, b in pattern.findall(text)} for relation, pattern in patterns.items()}


def test_chains_follow_from_the_plain_sentences() -> None:
    questions = rows(SAMPLE / "chains" / "questions.csv")
    answers = rows(SAMPLE / "chains" / "gold.csv")
    assert {q["problem"] for q in questions} == set(PATHS)
    for question, gold in zip(questions, answers, strict=True):
        person, path = PATHS[question["problem"]]
        for relation in path.split():
            person = facts()[relation][person]
        assert person in gold["answer"].split("|"), question["problem"]
        assert int(gold["hops"]) == len(path.split()), question["problem"]


def test_chronicle_tells_four_generations_and_no_shared_temple() -> None:
    father, grave = facts()["father"], facts()["grave"]
    line = ["明良"]
    while line[-1] in father:
        line.append(father[line[-1]])
    assert line == ["明良", "景明", "景治", "時綱", "重臣"]
    assert len(grave) >= 12
    assert len(set(grave.values())) == len(grave)


def test_chronicle_uses_two_words_for_grave_and_for_wife() -> None:
    text = texts()["ukaidani"]
    assert [word for word in ("墓所は", "葬地は", "の室は", "の妻は") if word not in text] == []


def test_a_name_is_cut_short_before_its_grave_is_told() -> None:
    text = texts()["ukaidani"]
    assert text.index("時綱は「時」の字を削って") < text.index("綱の墓所は")
    assert "時綱の墓所は" not in text


# ---------------------------------------------------------------- cause and effect


def sentences(text: str) -> list[str]:
    return [s for line in text.split("\n") for s in re.split(r"(?<=[。」])", line.strip("　")) if s]


def bigrams(text: str) -> list[str]:
    kept = re.sub(r"[\s、。「」]", "", text)
    return [kept[i : i + 2] for i in range(len(kept) - 1)]


@pytest.mark.parametrize("index", [0, 1])
def test_top_three_sentences_miss_the_cause(index: int) -> None:
    question = rows(SAMPLE / "causal" / "questions.csv")[index]["problem"]
    effect, *links, cause = passages(rows(SAMPLE / "causal" / "gold.csv")[index])
    told = sentences(texts()["kane"])
    scores = BM25Okapi([bigrams(s) for s in told]).get_scores(bigrams(question))
    best = [told[i] for i in sorted(range(len(told)), key=lambda i: -scores[i])[:3]]
    assert any(effect in s for s in best)
    assert not any(cause in s or link in s for s in best for link in links), best


@pytest.mark.parametrize("index", [0, 1])
def test_cause_is_told_several_sentences_away_from_its_effect(index: int) -> None:
    effect, *links, cause = passages(rows(SAMPLE / "causal" / "gold.csv")[index])
    told = sentences(texts()["kane"])
    place = {p: next(i for i, s in enumerate(told) if p in s) for p in (effect, *links, cause)}
    assert abs(place[cause] - place[effect]) >= 3
    assert all(place[effect] < place[link] for link in links)
