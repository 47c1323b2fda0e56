"""What holds for any text at all: no exception, offsets that fit, and every character copied or accounted for."""

from __future__ import annotations

import time
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag1.text.aozora import Style, parse
from rag1.text.aozora_style import RubyStyle

PIECES = [
    *("《", "》", "｜", "［＃", "］", "※［＃", "※", "〔", "〕", "≪", "／＼", "／″＼", "「", "」", "。", "…", "―", "　"),
    *("青空", "かな", "カナ", "Sam", "e'", "😀", "\n", "\r\n", "\r", "\x00", "\ue000", "\ud800"),
    *(
        "に傍点",
        "は大見出し",
        "は縦中横",
        "傍点",
        "傍点終わり",
        "大見出し",
        "大見出し終わり",
        "割り注",
        "改行",
        "改ページ",
    ),
    *("ここから２字下げ", "ここで字下げ終わり", "本文終わり", "底本：", "入力：誰", "青空文庫作成ファイル：", "-" * 20),
    *(
        "、第3水準1-85-54",
        "、U+5C12",
        "U+110000",
        "1-99-99",
        "ローマ数字17",
        "mは上ドット付き",
        "に「",
        "」の注記",
        "レ",
    ),
]
notation = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
anything = st.one_of(
    notation, st.text(max_size=80), st.binary(max_size=120).map(lambda b: b.decode("cp932", "replace"))
)


@settings(max_examples=400, deadline=None)
@given(anything, st.sampled_from(get_args(RubyStyle)), st.sampled_from(get_args(Style)))
def test_any_text_parses_and_offsets_fit(raw: str, ruby: RubyStyle, style: Style) -> None:
    parsed = parse(raw, ruby, style)
    offsets = list(parsed.offsets)
    assert len(offsets) == len(parsed.text) == len(parsed.offsets)
    assert offsets == sorted(offsets)
    assert all(0 <= at < len(raw) for at in offsets)
    assert [parsed.offsets[i] for i in range(len(offsets))] == offsets
    for span in [*parsed.headings, *parsed.blocks, *parsed.readings]:
        assert 0 <= span.start <= span.end <= len(parsed.text)
    assert all(0 <= cut.start <= cut.end <= len(raw) for cut in parsed.dropped)
    assert all(line.startswith("line ") for line in parsed.warnings)


@settings(max_examples=400, deadline=None)
@given(notation)
def test_no_character_vanishes_unaccounted(raw: str) -> None:
    parsed = parse(raw)
    seen = set(parsed.offsets)
    for _, start, end in parsed.dropped:
        seen.update(range(start, end))
    assert {raw[i] for i in range(len(raw)) if i not in seen} <= {"\r"}


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="山川かなカナＡab、。「」\n　", max_size=60))
def test_text_without_marks_is_left_alone(raw: str) -> None:
    assert parse(raw).text == raw


@pytest.mark.parametrize(
    "mark", ["［＃", "《", "｜", "〔e'", "※［＃", "［＃傍点］", "［＃「青」に傍点］", "［＃「", "底本：\n"]
)
def test_time_is_linear_in_hostile_text(mark: str) -> None:
    """Twice the text may take about twice the time; four times, with room for noise, would be quadratic."""

    def seconds(count: int) -> float:
        start = time.process_time()
        parse(mark * count)
        return time.process_time() - start

    small = min(seconds(4_000) for _ in range(2))
    assert min(seconds(16_000) for _ in range(2)) < 10 * small + 0.05
