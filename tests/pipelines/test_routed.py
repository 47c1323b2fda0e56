"""Each kind of question goes to the pipeline of the table, other kinds to the default; the trace tells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rag1.errors import ConfigError, DataError
from rag1.llm.offline import OfflineLlm
from rag1.pipelines.routed import Routed, read_table
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


def test_a_table_that_names_no_pipeline_is_refused_before_the_first_question() -> None:
    with pytest.raises(ConfigError, match="'graph'; there are fusion, counts"):
        Routed(OfflineLlm(), PIPELINES, {"why": "graph"}, "fusion")


def test_a_learnt_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "routes.json"
    path.write_text('{"table": {"counting": "counts"}, "default": "fusion"}')
    assert read_table(str(path)) == {"counting": "counts"}
    path.write_text("[]")
    with pytest.raises(DataError, match=r"scripts/learn_routes\.py"):
        read_table(str(path))
