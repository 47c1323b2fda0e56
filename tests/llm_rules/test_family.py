"""The learned reader of family chronicles: what it tells of a text, and the parts that it is made of.

The prose here is none of the chronicles that it was fitted on.
"""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag1.errors import DataError
from rag1.llm.rules.family import chronicle, enumerated
from rag1.llm.rules.family_facts import Told, relations, settled
from rag1.llm.rules.family_items import density, items
from rag1.llm.rules.family_names import in_full, renamed, spans
from rag1.llm.rules.linear import Linear, load, softmax, viterbi

CHRONICLE = (
    "桑名で代々鋳物を吹いてきた水谷家は、亀山の農家に生まれた水谷甚五郎が安永のころに吹き場を構えたことに始まる。"
    "独り立ちして三年目、甚五郎は船大工をしていた早川久兵衛の末娘お浜を娶った。"
    "久兵衛は腕のよさを藩主に賞された男で、没後は船町の常念寺に葬られている。"
    "甚五郎とお浜が授かったのは甚吉とお加代の二人である。"
    "文化四年に甚五郎が世を去ると、遺骸は円妙寺に納められた。"
    "跡を継いだ甚吉の連れ合いは、町医者村瀬道庵の次女お静で、道庵は西光院に眠っている。"
    "甚吉とお静の長男が、明治になって電信の技手となる水谷誠一である。"
    "誠一は津の小学校で教えていた岡部さとと所帯をもち、娘の文江と息子の茂を育てた。"
    "さとの父の岡部治平は伊勢の生まれで、県の土木吏として橋をいくつも架けた人である。"
    "文江は四日市の回船問屋、服部家の次男に嫁ぎ、茂は父の後を追って郵便局に勤めた。"
    "茂の妻になった春子は、菰野の旅館の主人の三女である。"
    "春子の里の旅館には、甚五郎の吹いた銅の大鍋が長いあいだ据えられていて、誠一はそれを縁のしるしと喜んだ。"
    "誠一は昭和のはじめに亡くなり、妻とともに町はずれの浄泉寺に眠る。"
    "文江は夫の死後に実家へ戻り、茂の子どもたちに祖父の吹いた鐘の話をして聞かせたという。"
)


def told(text: str) -> set[tuple[str, str, str]]:
    found = chronicle("", text, "")
    assert found is not None
    return {fact for _, _, fact in found}


def test_kin_graves_and_trades_of_a_chronicle() -> None:
    facts = told(CHRONICLE)
    assert {
        ("水谷甚五郎", "妻", "お浜"),
        ("お浜", "父", "早川久兵衛"),
        ("早川久兵衛", "墓所", "常念寺"),
        ("水谷甚五郎", "墓所", "円妙寺"),
        ("お静", "父", "村瀬道庵"),
        ("村瀬道庵", "墓所", "西光院"),
        ("村瀬道庵", "職業", "町医者"),
        ("水谷誠一", "母", "お静"),
        ("甚吉", "父", "水谷甚五郎"),
    } <= facts


def test_every_fact_comes_with_the_sentence_that_tells_it() -> None:
    found = chronicle("", CHRONICLE, "")
    assert found is not None
    assert [sentence for _, sentence, fact in found if fact == ("早川久兵衛", "墓所", "常念寺")] == [
        "久兵衛は腕のよさを藩主に賞された男で、没後は船町の常念寺に葬られている。"
    ]


def test_a_part_is_read_with_what_stands_before_it() -> None:
    cut = CHRONICLE.index("文化四年に")
    found = chronicle(CHRONICLE[:cut], CHRONICLE[cut:], "")
    assert found is not None
    assert (
        0,
        "文化四年に甚五郎が世を去ると、遺骸は円妙寺に納められた。",
        ("水谷甚五郎", "墓所", "円妙寺"),
    ) in found


def test_other_texts_are_left_alone() -> None:
    assert chronicle("", "朝の港は静かだった。船が三隻もどり、市場に鰯が並んだ。" * 10, "") is None
    assert density("父と母と兄。") == pytest.approx(3000 / 6)


@given(st.integers(0, len(CHRONICLE)), st.integers(0, len(CHRONICLE)))
@settings(max_examples=25, deadline=None)
def test_no_cut_of_a_text_raises(one: int, other: int) -> None:
    first, last = sorted((one, other))
    chronicle(CHRONICLE[:first], CHRONICLE[first:last], CHRONICLE[last:])


def test_persons_words_of_kin_and_the_rest() -> None:
    sentence = "久兵衛の娘お浜は甚吉に嫁いだ。"
    found = items(sentence, ((0, 3, "早川久兵衛"), (5, 7, "お浜"), (8, 10, "甚吉")))
    assert [item.key for item in found] == ["P", "の", "R:child", "P", "は", "P", "に", "V:marry", "だ", "。"]
    assert [item.text for item in found if item.kind == "person"] == ["早川久兵衛", "お浜", "甚吉"]


@pytest.mark.parametrize(
    "sentence", ["父方の寺に参った。", "兄弟は町を出た。", "教室の障子を張った。", "男女が集まった。"]
)
def test_no_word_of_kin_inside_of_another_word(sentence: str) -> None:
    assert not [item for item in items(sentence, ()) if item.group in {"child", "parent", "spouse", "elder", "younger"}]


def test_the_others_of_a_list() -> None:
    sentence = "佐吉、おかね、留吉の三人を産んだ。"
    found = items(sentence, ((0, 2, "佐吉"), (3, 6, "おかね"), (7, 9, "留吉")))
    assert enumerated(found, "留吉") == ["おかね", "佐吉"]
    apart = items("佐吉は留吉を呼んだ。", ((0, 2, "佐吉"), (3, 5, "留吉")))
    assert enumerated(apart, "留吉") == []


def test_ends_and_beginnings_of_a_name_are_that_name() -> None:
    full = in_full({"西沢庄左衛門": 2.0, "庄左衛門": 3.0, "庄左": 1.0, "おさん": 2.0, "健さん": 2.0, "西沢健": 1.0})
    assert full["庄左"] == full["庄左衛門"] == "西沢庄左衛門"
    assert full["健さん"] == "西沢健"
    assert full["おさん"] == "おさん"


def test_an_end_that_two_names_share_is_nobody_elses() -> None:
    assert in_full({"森田吉蔵": 1.0, "早川吉蔵": 1.0, "吉蔵": 1.0})["吉蔵"] == "吉蔵"


def test_a_new_name_that_somebody_goes_by() -> None:
    full = {"甚吉": "甚吉", "観山": "観山", "お静": "お静"}
    assert renamed(["甚吉は絵を学び、観山と号した。", "お静は観山を支えた。"], full) == {"観山": "甚吉"}
    assert renamed(["甚吉はお静と呼び合う仲だった。"], full) == {}


def test_a_temple_named_like_a_person_is_none() -> None:
    assert spans("道庵は道庵寺に眠る。", {"道庵": "村瀬道庵"}) == ((0, 2, "村瀬道庵"),)


def fact(relation: str, first: str, second: str, chance: float, word: str = "") -> Told:
    return Told(0, relation, first, second, word, chance)


def test_the_likelier_of_two_facts_that_exclude_each_other_holds() -> None:
    family = settled(
        [fact("child", "甚吉", "誠一", 0.9), fact("child", "誠一", "甚吉", 0.6), fact("spouse", "お静", "甚吉", 0.8)],
        {"甚吉": "m", "お静": "f"},
    )
    assert set(family.parents["誠一"]) == {"甚吉", "お静"}
    assert not family.parents["甚吉"]


def test_nobody_has_two_fathers_or_marries_a_parent() -> None:
    family = settled(
        [fact("child", "甚吉", "誠一", 0.9), fact("child", "道庵", "誠一", 0.5), fact("spouse", "誠一", "甚吉", 0.4)],
        {"甚吉": "m", "道庵": "m"},
    )
    assert set(family.parents["誠一"]) == {"甚吉"}
    assert not family.spouses["誠一"]


def test_parents_of_brothers_and_sisters_are_the_same() -> None:
    family = settled([fact("child", "甚吉", "誠一", 0.9), fact("sib", "誠一", "さと", 0.7, "妹")], {"甚吉": "m"})
    assert set(family.parents["さと"]) == {"甚吉"}


def test_all_that_holds_is_told_both_ways() -> None:
    family = settled([fact("spouse", "お静", "甚吉", 0.8), fact("child", "甚吉", "誠一", 0.9, "長男")], {"甚吉": "m"})
    assert {fact[1:] for fact in relations(family, {})} == {
        ("甚吉", "妻", "お静"),
        ("お静", "夫", "甚吉"),
        ("甚吉", "長男", "誠一"),
        ("お静", "長男", "誠一"),
        ("誠一", "父", "甚吉"),
        ("誠一", "母", "お静"),
    }


def test_scores_are_sums_of_weights() -> None:
    model = Linear(2, {"a": [1.0, -1.0], "b": [0.5, 2.0]})
    assert model.scores(["a", "b", "unknown"]) == [1.5, 1.0]
    assert model.score(["a", "b"]) == 1.5


def test_softmax_by_hand() -> None:
    assert softmax([0.0, math.log(3)]) == pytest.approx([0.25, 0.75])
    assert softmax([1e4, 0.0]) == pytest.approx([1.0, 0.0])


@given(st.lists(st.lists(st.floats(-5, 0), min_size=3, max_size=3), min_size=1, max_size=5))
def test_viterbi_is_as_good_as_the_best_of_all_ways(rows: list[list[float]]) -> None:
    never = frozenset({(0, 2)})

    def value(tags: tuple[int, ...]) -> float:
        broken = any((before, after) in never for before, after in zip((0, *tags), tags, strict=False))
        return -math.inf if broken else sum(row[tag] for row, tag in zip(rows, tags, strict=True))

    best = max(map(value, product(range(3), repeat=len(rows))))
    assert value(tuple(viterbi(rows, never))) == pytest.approx(best)


def test_a_file_that_holds_no_weights_is_named(tmp_path: Path) -> None:
    path = tmp_path / "family_weights.json.gz"
    path.write_bytes(b"no gzip")
    with pytest.raises(DataError, match=r"family_weights\.json\.gz is no weight file"):
        load(path)
