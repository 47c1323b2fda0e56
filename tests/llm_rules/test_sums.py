"""Sums and differences of amounts that a text tells: reckoned from two of them, never guessed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rag1.llm.offline import OfflineLlm
from rag1.llm.rules.sums import asked_unit, read_sum, spelled, unit_fits
from rag1.llm.tasks import AnswerFrom, Passage

HARBOUR = (
    "春の市では干物が四十八箱売れた。秋の市では干物が五十一箱売れた。"
    "兄は船賃に三円五十銭、弟は二円七十銭を払った。"
    "灯台の高さは三十メートル、鐘楼の高さは十二メートルである。"
)


def read(question: str, text: str = HARBOUR) -> str:
    return OfflineLlm()(AnswerFrom(question=question, context=(Passage(id="p", text=text),))).answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("春の市と秋の市で売れた干物は、合わせて何箱ですか。", "99箱"),
        ("兄と弟が払った船賃は、合わせていくらですか。", "6円20銭"),
        ("灯台は鐘楼より何メートル高いですか。", "18メートル"),
    ],
)
def test_two_amounts_are_put_together(question: str, answer: str) -> None:
    assert read(question) == answer


def test_a_sum_that_the_text_tells_is_taken_from_it() -> None:
    text = "船賃は人ひとり三銭である。その日の船賃は合わせて二円十銭になった。"
    assert read("その日の船賃は合わせていくらになりましたか。", text) == "二円十銭"


def test_a_difference_that_the_text_tells_is_taken_from_it() -> None:
    text = "兄は五十歳である。その妻は三十二歳で、兄より十八歳年下であった。"
    assert read("兄の妻は兄より何歳年下ですか。", text) == "十八歳"


@pytest.mark.parametrize(
    ("question", "sign", "unit"),
    [
        ("二人の荷物は合わせて何貫ですか。", "sum", "貫"),
        ("兄の荷物は弟の荷物より何貫重いですか。", "difference", "貫"),
        ("鞄の代金にいくら足りませんか。", "difference", "円"),
    ],
)
def test_what_is_to_be_reckoned(question: str, sign: str, unit: str) -> None:
    asked = read_sum(question)
    assert asked is not None
    assert (asked.sign, asked.unit) == (sign, unit)


def test_other_questions_ask_for_no_reckoning() -> None:
    assert read_sum("灯台の高さは何メートルですか。") is None
    assert read_sum("鞄を買ったのは誰ですか。") is None
    assert asked_unit("鞄を買ったのは誰ですか。") == ""


def test_results_are_spelled_in_whole_units() -> None:
    assert spelled(Fraction(99), "缶") == "99缶"
    assert spelled(Fraction(6840, 100), "円") == "68円40銭"
    assert spelled(Fraction(60, 100), "円") == "60銭"


@pytest.mark.parametrize(
    ("question", "answer", "fits"),
    [
        ("客は何人いましたか。", "五人", True),
        ("客は何人いましたか。", "一つ", False),
        ("船賃はいくらでしたか。", "七十銭", True),
        ("船賃はいくらでしたか。", "七十人", False),
        ("何という村ですか。", "沢渡村", True),
    ],
)
def test_an_amount_has_the_unit_that_is_asked_for(question: str, answer: str, fits: bool) -> None:
    assert unit_fits(question, answer) is fits
