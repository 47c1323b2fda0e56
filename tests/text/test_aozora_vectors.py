"""The 127 conformance vectors of Aozora notation: the plain text that each expected page means.

How an expected page is read as plain text:
- ruby readings, notes that the page hides, return marks and note numbers are beside the text, not in it;
- a picture and its caption are no text;
- paragraphs, line breaks and layout are not compared, only the characters in their order.

Two readings differ from the page on purpose (`READ_OTHERWISE`): 〔…〕 around accents is notation, and a fraction
keeps the slash that the text has. No vector is without a plain-text meaning; in some it is the same text that
another page would have (layout, which the plain text drops).
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from rag1.text.aozora import parse

COUNT = 127
_BESIDE = re.compile(
    r'<figure.*?</figure>|<rp>.*?</rp>|<rt[^>]*>.*?</rt>|<span class="aozora-directive" hidden>.*?</span>'
    r'|<sup class="aozora-(?:kaeriten|editor-note|ruby-note)">.*?</sup>',
    re.S,
)
READ_OTHERWISE = {
    "accent_decomposition_applied": "前æon後",
    "fraction_forward": "１／４",
    "fraction_forward_no_referent": "本文1/4",
}


def _vectors() -> dict[str, dict[str, Any]]:
    path = Path(__file__).resolve().parents[3] / "shared/data/aozora-notation/vectors.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


VECTORS = _vectors()


def plain_text_of(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", _BESIDE.sub("", page))).replace("\n", "")


def test_all_vectors_are_here(shared_data: Path) -> None:
    assert len(VECTORS) == COUNT
    assert set(READ_OTHERWISE) <= set(VECTORS)


@pytest.mark.parametrize("name", VECTORS)
def test_plain_text(name: str) -> None:
    vector = VECTORS[name]
    expected = READ_OTHERWISE.get(name) or plain_text_of(vector["expected"]["html"])
    assert parse(vector["source"]).text.replace("\n", "") == expected


@pytest.mark.parametrize("name", [n for n, v in VECTORS.items() if v["meta"]["feature"] == "recovery"])
def test_malformed_sources_warn(name: str) -> None:
    assert any(line.startswith("line 1: ") for line in parse(VECTORS[name]["source"]).warnings)
