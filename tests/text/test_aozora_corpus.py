"""The 36 awkward texts and the seven novels: no notation left, nothing of the story lost, every cut accounted for.

`story_characters` is an independent count: it takes the notation off the raw file by plain substitution, innermost
first, and shares no code with the parser.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from rag1.text.aozora import Parsed, parse
from rag1.text.encoding import decode

DATA = Path(__file__).resolve().parents[3] / "shared/data"
FILES = sorted([*DATA.glob("aozora-awkward/*.txt"), *DATA.glob("novels/*.txt")])
_NOTATION = re.compile(r"［＃|《|》|｜|※［|／″?＼|〔[^〕]*[A-Za-z]['`^~&_]")
_ACCENTS = re.compile(r"〔([^〔〕\n]*[A-Za-z]['`^~:&_][^〔〕\n]*)〕")
_DIGRAPH = re.compile(r"(?:oe|[A-Za-z])[&_']|[A-Za-z]:(?! )")


def read(path: Path) -> tuple[str, Parsed]:
    raw = decode(path.read_bytes(), path.name).text
    return raw, parse(raw)


def raw_body(raw: str) -> str:
    """The part between the second rule line and the colophon, found by hand-made rules."""
    raw = raw.replace("\r\n", "\n")
    rules = list(re.finditer(r"^-{20,}$", raw, re.M))
    start = rules[1].end() if rules else raw.index("\n　")
    ends = [raw.find(mark, start) for mark in ("\n［＃本文終わり］", "\n底本：", "\n底本・初出：", "\n入力者注\n")]
    return raw[start : min(end for end in ends if end >= 0)]


def story_characters(raw: str) -> Counter[str]:
    """How often each character stands in the story itself: without readings, notes, 外字 and accented letters."""
    text = raw_body(raw)
    while re.search(r"※?［＃[^［］]*］", text):
        text = re.sub(r"※?［＃[^［］]*］", "", text)
    text = re.sub(r"《[^《》\n]*》|｜|／″?＼", "", text)
    text = _ACCENTS.sub(lambda m: _DIGRAPH.sub("", m.group(1)), text)
    return Counter(char for char in text if not char.isspace())


def copied_characters(raw: str, parsed: Parsed) -> Counter[str]:
    """How often each character stands in the plain text as it stands in the raw file."""
    pairs = zip(parsed.text, parsed.offsets, strict=True)
    return Counter(char for char, at in pairs if raw[at] == char and not char.isspace())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
class TestFile:
    def test_no_notation_is_left(self, path: Path) -> None:
        _, parsed = read(path)
        assert not _NOTATION.findall(parsed.text)

    def test_nothing_of_the_story_is_lost(self, path: Path) -> None:
        raw, parsed = read(path)
        assert copied_characters(raw, parsed) == story_characters(raw)

    def test_every_described_character_is_written(self, path: Path) -> None:
        raw, parsed = read(path)
        written = [cut for cut in parsed.dropped if cut.kind == "gaiji"]
        assert len(written) == raw_body(raw).count("※［＃") - sum(
            raw[cut.start : cut.end].count("※［＃")
            for cut in parsed.dropped
            if cut.kind in ("variant", "side note", "emphasis")
        )

    def test_every_character_is_copied_or_accounted_for(self, path: Path) -> None:
        raw, parsed = read(path)
        covered = bytearray(len(raw))
        for at in parsed.offsets:
            covered[at] = 1
        for _, start, end in parsed.dropped:
            covered[start:end] = b"\x01" * (end - start)
        missed = {raw[i] for i, seen in enumerate(covered) if not seen}
        assert missed <= {"\r"}


def test_manifest_titles(shared_data: Path) -> None:
    for entry in json.loads((shared_data / "aozora-awkward/MANIFEST.json").read_text("utf-8")):
        _, parsed = read(shared_data / "aozora-awkward" / Path(entry["path"]).name)
        assert parsed.title.startswith(entry["title"]), entry["path"]
        assert parsed.author


def test_the_novels(shared_data: Path) -> None:
    expected = {
        "1": ("流行暗殺節", "佐々木味津三", 6),
        "2": ("小説　不如帰", "徳冨蘆花", 76),
        "3": ("カインの末裔", "有島武郎", 7),
        "4": ("競漕", "久米正雄", 5),
        "5": ("芽生", "島崎藤村", 0),
        "6": ("サーカスの怪人", "江戸川乱歩", 30),
        "7": ("死生に関するいくつかの断想", "小泉八雲　Lafcadio Hearn", 7),
    }
    for name, (title, author, headings) in expected.items():
        _, parsed = read(shared_data / "novels" / f"{name}.txt")
        assert (parsed.title, parsed.author, len(parsed.headings)) == (title, author, headings)
        assert not [w for w in parsed.warnings if "no character" not in w]
    seventh = read(shared_data / "novels/7.txt")[1]
    assert (seventh.original_title, seventh.translator) == ("BITS OF LIFE AND DEATH", "林田清明")
    assert seventh.text.count("万右衛門") == 7


def test_four_line_title_block(shared_data: Path) -> None:
    _, parsed = read(shared_data / "aozora-awkward/57302_ruby_56649.txt")
    assert parsed.original_title == "A Dog of Flanders"
    assert parsed.author.startswith("マリー・ルイーズ・ド・ラ・ラメー")
    assert parsed.translator == "荒木光二郎"
