"""Hydra's flags may stand anywhere among the overrides, their values behind a space or `=`."""

from __future__ import annotations

import pytest

from rag1.app.flags import read_command_line


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("pipeline=fusion", "pipeline=fusion"),
        ("--cfg job pipeline=fusion", "--cfg=job pipeline=fusion"),
        ("--cfg=job pipeline=fusion", "--cfg=job pipeline=fusion"),
        ("pipeline=fusion -c job", "--cfg=job pipeline=fusion"),
        ("pipeline=fusion --cfg job limit=3 --resolve", "--cfg=job --resolve pipeline=fusion limit=3"),
        ("--cfg job -p reader pipeline=bm25", "--cfg=job --package=reader pipeline=bm25"),
        ("pipeline=bm25 -m limit=1,2", "-m pipeline=bm25 limit=1,2"),
        ("--info pipeline=bm25", "--info=all pipeline=bm25"),
        ("--info defaults pipeline=bm25", "--info=defaults pipeline=bm25"),
        ("-i", "--info=all"),
        ("-cn config -cd mine limit=1", "--config-name=config --config-dir=mine limit=1"),
        ("--nonsense limit=1", "--nonsense limit=1"),
        ("limit=1 --cfg", "--cfg limit=1"),
    ],
)
def test_flags_are_told_from_overrides(given: str, words: str) -> None:
    assert read_command_line(given.split()).words() == words.split()


def test_a_flags_value_is_found_by_its_long_name() -> None:
    line = read_command_line(["-cn", "mine", "pipeline=bm25"])
    assert (line.value("--config-name"), line.value("--config-dir")) == ("mine", "")
    assert line.words("--config-name") == ["pipeline=bm25"]
