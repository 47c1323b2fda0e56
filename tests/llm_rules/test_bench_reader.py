"""The metric of `bench/reader_jsquad.py`, against values worked out by hand, and the reader's floor on JSQuAD."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def bench(root: Path) -> dict[str, object]:
    return runpy.run_path(str(root / "bench" / "reader_jsquad.py"))


@pytest.mark.parametrize(
    ("answer", "golds", "exact", "f1"),
    [
        ("桑原喜平", ("桑原喜平",), 1.0, 1.0),
        ("「桑原喜平」。", ("桑原喜平",), 1.0, 1.0),
        ("ＡＢ", ("ab",), 1.0, 1.0),
        ("桑原", ("桑原喜平",), 0.0, 2 / 3),  # 2 shared of 2 and 4 characters
        ("喜平", ("松次", "桑原喜平"), 0.0, 2 / 3),  # the best of the references
        ("松次", ("桑原喜平",), 0.0, 0.0),
        ("ああ", ("あ",), 0.0, 2 / 3),  # a character counts as often as it stands in both
    ],
)
def test_exact_match_and_character_f1(
    bench: dict[str, object], answer: str, golds: tuple[str, ...], exact: float, f1: float
) -> None:
    assert bench["score"](answer, golds) == pytest.approx((exact, f1))  # type: ignore[operator]


def test_the_halves_share_no_paragraph_and_are_the_whole(bench: dict[str, object], shared_data: Path) -> None:
    path = shared_data / "jsquad" / "valid-v1.3.json"
    halves = [bench["half"](path, name) for name in ("tuning", "held_out", "whole")]  # type: ignore[operator]
    assert len(halves[0]) + len(halves[1]) == len(halves[2]) == 4442
    assert not {context for context, _, _ in halves[0]} & {context for context, _, _ in halves[1]}


def test_the_reader_holds_its_floor_on_the_held_out_half(bench: dict[str, object], shared_data: Path) -> None:
    held_out = bench["half"](shared_data / "jsquad" / "valid-v1.3.json", "held_out")  # type: ignore[operator]
    _, f1, _ = bench["run"](held_out[::8])  # type: ignore[operator]
    assert f1 > 65
