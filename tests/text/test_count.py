"""Exact counts: every place of a name, told apart from longer names, in dialogue or narration, in a chapter."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag1.text.aozora import Parsed, parse
from rag1.text.count import Counter, chapters
from rag1.text.dialogue import dialogue_spans
from rag1.text.encoding import decode

COUNT = Counter()
STORY = (
    "　桃太郎は太郎と会った。太郎は犬をつれていた。\n"
    "「桃太郎さん、太郎を見たか」と犬が言った。\n"
    "「太郎なら村にいる。東京都には行かぬ」\n"
    "　京都の番犬は、舊い家の前で二十五回鳴いた。金太郎も来た。\n"
)


def novel(folder: Path, number: int) -> Parsed:
    path = folder / "novels" / f"{number}.txt"
    return parse(decode(path.read_bytes(), path.name).text)


@pytest.mark.parametrize(
    ("word", "times"),
    [("太郎", 4), ("桃太郎", 2), ("金太郎", 1), ("犬", 3), ("京都", 1), ("東京", 1), ("番犬", 1), ("猫", 0), ("", 0)],
)
def test_word(word: str, times: int) -> None:
    assert len(COUNT.word(STORY, word)) == times


def test_every_place_is_given() -> None:
    places = COUNT.word(STORY, "太郎")
    assert [STORY[p.start - 1 : p.end + 1] for p in places] == ["は太郎と", "。太郎は", "、太郎を", "「太郎な"]


@pytest.mark.parametrize(("borders", "times"), [("none", 7), ("names", 4), ("words", 4)])
def test_borders(borders: str, times: int) -> None:
    assert len(Counter(borders=borders).word(STORY, "太郎")) == times  # type: ignore[arg-type]


def test_words_may_be_cut_or_not() -> None:
    text = "大豆油と大豆。"
    assert len(Counter(borders="names").word(text, "豆")) == 2
    assert len(Counter(borders="words").word(text, "豆")) == 0


def test_longer_names_are_told_apart_without_a_dictionary() -> None:
    text = "ゾラノとゾラノヴァとゾラノ"
    plain = Counter(borders="none")
    assert len(plain.word(text, "ゾラノ")) == 3
    assert len(plain.word(text, "ゾラノ", longer=["ゾラノヴァ"])) == 2


def test_dialogue_and_narration_add_up() -> None:
    said = Counter(where="dialogue").word(STORY, "太郎")
    told = Counter(where="narration").word(STORY, "太郎")
    assert (len(said), len(told)) == (2, 2)
    assert all(place.in_dialogue for place in said)


def test_aliases_count_a_place_once() -> None:
    text = "夏目漱石は漱石と号した。先生、つまり夏目先生は笑った。"
    places = COUNT.entity(text, ["漱石", "夏目漱石", "夏目先生"])
    assert [place.name for place in places] == ["夏目漱石", "漱石", "夏目先生"]


def test_other_spellings() -> None:
    text = "旧い家、舊い家、ふるい家。25回と二十五回と廿五回。ノロちゃんとのろちゃん。"
    loose = Counter(spelling="normalised")
    assert len(COUNT.word(text, "旧い")) == 1
    assert len(loose.word(text, "旧い")) == 2
    assert [place.name for place in loose.word(text, "二十五回")] == ["25回", "二十五回", "廿五回"]
    assert [place.name for place in loose.word(text, "ノロちゃん")] == ["ノロちゃん", "のろちゃん"]


def test_distinct_things_in_order_of_mention() -> None:
    names = {"犬": ["犬", "番犬"], "桃太郎": ["桃太郎"], "猿": ["猿"], "金太郎": ["金太郎"]}
    assert COUNT.distinct(STORY, names) == ["桃太郎", "犬", "金太郎"]


def test_within_a_chapter() -> None:
    source = "上［＃「上」は大見出し］\n犬。\n一［＃「一」は中見出し］\n犬犬。\n下［＃「下」は大見出し］\n犬。\n"
    parsed = parse(source)
    counted = {
        heading.title: len(COUNT.word(parsed.text, "犬", span=span))
        for heading, span in chapters(parsed.headings, len(parsed.text))
    }
    assert counted == {"上": 3, "一": 2, "下": 1}


@pytest.mark.parametrize(
    ("number", "word", "times", "said"),
    [
        (7, "万右衛門", 7, 0),
        (3, "大豆", 4, 0),
        (3, "仁右衛門", 157, 0),
        (1, "大村", 14, 9),
        (4, "久野", 89, 3),
        (6, "骸骨", 261, 41),
        (2, "武男", 362, 56),
    ],
)
def test_novels(shared_data: Path, number: int, word: str, times: int, said: int) -> None:
    """The totals are those of a plain text search; these names stand in no longer word there."""
    places = COUNT.word(novel(shared_data, number).text, word)
    assert (len(places), sum(place.in_dialogue for place in places)) == (times, said)


def test_a_short_name_within_a_longer_one(shared_data: Path) -> None:
    text = novel(shared_data, 2).text
    together = COUNT.entities(text, {"浪": ["浪"], "浪子": ["浪子"]})
    assert len(together["浪子"]) == text.count("浪子")
    assert len(together["浪"]) < text.count("浪") - text.count("浪子")
    assert not {p.start for p in together["浪"]} & {p.start for p in together["浪子"]}


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("彼は「行く」と「いや『もう』行く」と言った。", ["「行く」", "「いや『もう』行く」"]),
        ("「長い話\n続き」と。", ["「長い話\n続き」"]),
        ("「閉じない\n「次の話」", ["「閉じない", "「次の話」"]),
        ("「閉じない\n終り", ["「閉じない"]),
        ("地の文」だけ。", []),
        ("「", ["「"]),
    ],
)
def test_dialogue_spans(text: str, spoken: list[str]) -> None:
    assert [text[start:end] for start, end in dialogue_spans(text)] == spoken
