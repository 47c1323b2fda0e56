"""Each kind of question goes to the pipeline of the table, other kinds to the default; the trace tells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from rag1.build import Workshop
from rag1.errors import ConfigError, DataError
from rag1.llm.offline import OfflineLlm
from rag1.pipelines.routed import Routed, open_routed, read_table
from rag1.types import Answer, Query


def named(name: str) -> Callable[[Query], Answer]:
    return lambda query: Answer(query.id, name)


PIPELINES = {"fusion": named("fusion"), "counts": named("counts")}


def test_kinds_find_their_pipeline() -> None:
    routed = Routed(OfflineLlm(), PIPELINES, {"counting": "counts"}, "fusion")
    counted = routed(Query("1", "「笛」という言葉は何回出てきますか。"))
    other = routed(Query("2", "鐘を鋳たのは誰ですか。"))
    assert (counted.text, other.text) == ("counts", "fusion")
    assert counted.trace[0].detail == "counting → counts"


def test_a_kind_can_be_sent_to_an_abstention() -> None:
    answer = Routed(OfflineLlm(), PIPELINES, {"why": "abstain"}, "fusion")(Query("1", "鐘が鳴らないのはなぜですか。"))
    assert (answer.abstained, answer.stop, answer.trace[0].detail) == (True, "no_evidence", "why → abstain")


def test_a_table_that_names_no_pipeline_is_refused_before_the_first_question() -> None:
    with pytest.raises(ConfigError, match="'graph'; there are fusion, counts, abstain"):
        Routed(OfflineLlm(), PIPELINES, {"why": "graph"}, "fusion")


def test_a_learnt_table_takes_the_place_of_the_given_one_its_default_route_too(tmp_path: Path) -> None:
    path = tmp_path / "routes.json"
    path.write_text('{"table": {"counting": "fusion"}, "default": "counts"}')
    routed = open_routed(OfflineLlm(), PIPELINES, {"counting": "counts"}, "fusion", learnt=read_table(str(path)))
    counted = routed(Query("1", "「笛」という言葉は何回出てきますか。"))
    other = routed(Query("2", "鐘を鋳たのは誰ですか。"))
    assert (counted.text, other.text) == ("fusion", "counts")


def test_rules_leave_kinds_unanswered_that_a_model_answers() -> None:
    why = Query("1", "鐘が鳴らないのはなぜですか。")
    rules = open_routed(OfflineLlm(), PIPELINES, {"why": "counts"}, "fusion", unanswered=["why"])
    model = open_routed(OfflineLlm(), PIPELINES, {"why": "counts"}, "fusion", unanswered=["why"], model="some-model")
    assert rules(why).abstained
    assert model(why).text == "counts"


def test_a_learnt_table_is_one_setting(tmp_path: Path) -> None:
    path = tmp_path / "学 routes.json"
    path.write_text('{"table": {"counting": "bm25"}, "default": "fusion"}')
    register_resolvers()
    learnt = Workshop()(composed(CONF, ["pipeline=routed", f"pipeline.table_path='{path}'"]).pipeline.learnt)
    assert (learnt["counting"], learnt["why"]) == ("bm25", "fusion")
    with pytest.raises(ConfigError, match=r"routes\.json names 'bm25'; there are fusion, counts, abstain"):
        open_routed(OfflineLlm(), PIPELINES, {}, "fusion", str(path), learnt)


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"table": {}}', '{"table": 3, "default": "x"}', '{"table": {"why": 3}, "default": "x"}', "{"]
)
def test_a_file_that_is_no_table_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "routes.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"scripts/learn_routes\.py") as caught:
        read_table(str(path))
    assert "\n" not in str(caught.value)


def test_a_table_that_is_not_there_is_one_line() -> None:
    with pytest.raises(DataError, match=r"nowhere\.json: No such file or directory; make the table with"):
        read_table("nowhere.json")
