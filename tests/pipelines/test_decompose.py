"""The question in parts: answers fill later parts, each part has its own evidence, a part without an answer ends it."""

from __future__ import annotations

from dataclasses import dataclass, field

from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import Decompose, SubQuestions
from rag1.pipelines.decompose import InParts
from rag1.types import ABSTENTION, NO_EVIDENCE, Answer, Query, Retrieved

ASKED = Query("1", "太一の父の妻は誰か。", frozenset({"ie"}))
TABLE = {"太一の父は誰か": ("源次", "太一の父は源次である。"), "源次の妻は誰か。": ("お咲", "源次の室はお咲である。")}


@dataclass
class Inner:
    """Answers from a table; abstains where it has nothing."""

    table: dict[str, tuple[str, str]]
    asked: list[Query] = field(default_factory=list)
    sure: dict[str, float] = field(default_factory=dict)

    def __call__(self, query: Query) -> Answer:
        self.asked.append(query)
        text, evidence = self.table.get(query.text, (ABSTENTION, NO_EVIDENCE))
        stop = "no_evidence" if text == ABSTENTION else "answered"
        found = (Retrieved(f"c:{query.text}", evidence, "ie", None, 1.0, "test"),)
        return Answer(
            query.id, text, evidence, found, stop, confidence=self.sure.get(text, 0.9 - 0.1 * len(self.asked))
        )  # type: ignore[arg-type]


@dataclass
class Parts:
    parts: tuple[str, ...]

    def __call__(self, task: Decompose, *, repeat: int = 0) -> SubQuestions:
        return SubQuestions(questions=self.parts)


def test_an_answer_fills_the_next_part_and_evidence_adds_up() -> None:
    inner = Inner(TABLE)
    answer = InParts(OfflineLlm(), inner)(ASKED)
    assert [query.text for query in inner.asked] == list(TABLE)
    assert all(query.scope == ASKED.scope for query in inner.asked)
    assert answer.text == "お咲"
    assert answer.evidence == "太一の父は源次である。｜｜源次の室はお咲である。"
    assert [item.id for item in answer.support] == ["c:太一の父は誰か", "c:源次の妻は誰か。"]
    assert answer.confidence == 0.7
    assert answer.trace[1].detail == "太一の父は誰か → 源次"


def test_a_list_is_asked_of_item_by_item_and_those_without_an_answer_fall_out() -> None:
    table = {
        "忠明の娘は誰か": ("雪、花", "長女は雪、次女は花である。"),
        "花の夫は誰か": ("貞治", "花は貞治に嫁いだ。"),
        "貞治の墓所は": ("白蓮寺", "貞治は白蓮寺に眠る。"),
    }
    inner = Inner(table)
    answer = InParts(Parts(("忠明の娘は誰か", "{1}の夫は誰か", "{2}の墓所は")), inner)(ASKED)
    assert [query.text for query in inner.asked] == ["忠明の娘は誰か", "雪の夫は誰か", "花の夫は誰か", "貞治の墓所は"]
    assert answer.text == "白蓮寺"
    assert answer.evidence == "長女は雪、次女は花である。｜｜花は貞治に嫁いだ。｜｜貞治は白蓮寺に眠る。"


def test_several_that_answer_are_a_list_and_a_long_list_is_asked_of_as_a_whole() -> None:
    both = Inner({"子は誰か": ("雪、花", "x"), "雪の夫": ("貞治", "a"), "花の夫": ("弥助", "b")})
    assert InParts(Parts(("子は誰か", "{1}の夫")), both)(ASKED).text == "貞治、弥助"
    many = Inner({"子は誰か": ("一、二、三、四、五", "x"), "一、二、三、四、五の夫": ("なし", "")})
    assert InParts(Parts(("子は誰か", "{1}の夫")), many)(ASKED).text == "なし"


def test_an_item_s_answer_that_is_far_less_sure_falls_out() -> None:
    inner = Inner(
        {"子は誰か": ("雪、花、月", "x"), "雪の夫": ("貞治", "a"), "花の夫": ("弥助", "b"), "月の夫": ("新八", "c")}
    )
    inner.sure = {"弥助": 0.3}
    assert InParts(Parts(("子は誰か", "{1}の夫")), inner)(ASKED).text == "貞治、新八"


def test_a_part_without_an_answer_ends_the_question() -> None:
    inner = Inner({})
    answer = InParts(OfflineLlm(), inner)(ASKED)
    assert (answer.text, answer.stop, answer.evidence, len(inner.asked)) == (ABSTENTION, "no_evidence", NO_EVIDENCE, 1)


def test_parts_are_bounded_and_the_cut_is_said() -> None:
    inner = Inner({f"{n}?": (str(n), "") for n in range(9)})
    answer = InParts(Parts(tuple(f"{n}?" for n in range(9))), inner, most=3)(ASKED)
    assert (len(inner.asked), answer.flags) == (3, ("parts_cut",))


def test_a_slot_that_nothing_fills_and_no_parts_at_all() -> None:
    inner = Inner({"{7}の妻": ("x", "")})
    assert InParts(Parts(("{7}の妻",)), inner)(ASKED).text == "x"
    whole = Inner({ASKED.text: ("お咲", "")})
    assert InParts(Parts(("", " ")), whole)(ASKED).text == "お咲"
