"""Aozora notation, mark by mark: what a person reads, and what is kept beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rag1.text.aozora import parse
from rag1.text.aozora_gaiji import jis_character

FILE = """吹雪の駅
――ある冬の話――
山田※［＃「木＋吶のつくり」、第3水準1-85-54］
A. Smith訳

-------------------------------------------------------
【テキスト中に現れる記号について】

《》：ルビ
（例）駅《えき》
-------------------------------------------------------

［＃３字下げ］第一章［＃「第一章」は大見出し］

　駅長の｜佐々木《ささき》は言った。
［＃ここから２字下げ］
「汽車は来ない」
［＃ここで字下げ終わり］

［＃３字下げ］第二章［＃「第二章」は大見出し］

　雪は止んだ。



底本：「吹雪」雪書房
入力：誰か
青空文庫作成ファイル：
""".replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("青梅《おうめ》街道", "青梅街道"),
        ("旧｜青梅街道《おうめかいどう》", "旧青梅街道"),
        ("ルーヴル《Louvre》へ", "ルーヴルへ"),
        ("※［＃「木＋吶のつくり」、第3水準1-85-54］の木《き》", "枘の木"),
        ("※［＃小書き片仮名ン、15-上-10］", "ン"),
        ("※［＃濁点付き片仮名ワ、1-7-82］", "ヷ"),
        ("※［＃「口＋世」、U+546D、1-2］", "呭"),
        ("※［＃「目＋帝」、517-5］", "目＋帝"),
        ("※［＃ローマ数字12］と※［＃ローマ数字3小文字］", "Ⅻとⅲ"),
        ("それは／＼、なか／″＼", "それは〳〵、なか〴〵"),
        ("≪引用≫", "《引用》"),
        ("〔cafe'〕と〔一九四九年〕", "caféと〔一九四九年〕"),
        ("〔l'art, e'tude: Moe&urs〕", "l'art, étude: Mœurs"),
        ("不［＃レ］知［＃（ラ）］", "不知"),
        ("本［＃割り注］小さな／字［＃割り注終わり］文", "本小さな／字文"),
        ("［＃「ｍ」の左に「52-［＃「52-」は縦中横］歳」］ｍ", "ｍ"),
        ("前［＃図（fig1.png、横1×縦1）入る］後", "前後"),
        ("甲［＃改行］乙", "甲\n乙"),
    ],
)
def test_plain_text(source: str, text: str) -> None:
    assert parse(source).text == text


@pytest.mark.parametrize(
    ("source", "base", "reading"),
    [
        ("彼は東京《とうきょう》へ", "東京", "とうきょう"),
        ("お｜母《かあ》さん", "母", "かあ"),
        ("人々《ひとびと》", "人々", "ひとびと"),
        ("鬼ヶ島《おにがしま》", "鬼ヶ島", "おにがしま"),
        ("このコップ《グラス》", "コップ", "グラス"),
        ("約ＡＢ《エービー》", "ＡＢ", "エービー"),
        ("大※［＃「木＋吶のつくり」、第3水準1-85-54］木《だいなんぼく》", "大枘木", "だいなんぼく"),
        ("強調［＃「強調」に傍点］《きょうちょう》", "強調", "きょうちょう"),
        ("｜※［＃「木＋吶のつくり」、第3水準1-85-54］と木《なんとき》", "枘と木", "なんとき"),
        ("北《きた》｜の国《のくに》", "の国", "のくに"),
    ],
)
def test_ruby_base(source: str, base: str, reading: str) -> None:
    assert parse(source).ruby[base] == (reading,)


def test_readings_of_one_name_are_collected() -> None:
    assert parse("角《かど》と角《つの》と角《かど》").ruby == {"角": ("かど", "つの")}


def test_a_whole_file() -> None:
    parsed = parse(FILE)
    assert (parsed.title, parsed.subtitle) == ("吹雪の駅", "――ある冬の話――")
    assert (parsed.author, parsed.translator) == ("山田枘", "A. Smith")
    assert parsed.text == "第一章\n\n　駅長の佐々木は言った。\n「汽車は来ない」\n\n第二章\n\n　雪は止んだ。"
    assert [(h.level, h.title, parsed.text[h.start : h.end]) for h in parsed.headings] == [
        (1, "第一章", "第一章"),
        (1, "第二章", "第二章"),
    ]
    assert [c.kind for c in parsed.dropped] == [
        *("header", "indent", "heading", "bar", "ruby", "indent", "indent", "indent", "heading", "colophon")
    ]
    assert not parsed.warnings


def test_offsets_lead_back_to_the_raw_file() -> None:
    parsed = parse(FILE)
    start = parsed.text.index("佐々木は言った")
    first, last = parsed.offsets.raw_span((start, start + len("佐々木は")))
    assert FILE[first:last] == "佐々木《ささき》は"
    assert len(parsed.offsets) == len(parsed.text)
    assert all(FILE[raw] == char for raw, char in zip(parsed.offsets, parsed.text, strict=True))


@pytest.mark.parametrize(
    ("source", "level", "title"),
    [
        ("序［＃「序」は中見出し］", 2, "序"),
        ("［＃小見出し］\n二　※［＃ローマ数字2、1-13-22］\n［＃小見出し終わり］\n", 3, "二　Ⅱ"),
        ("両頭《りやうとう》の蛇［＃「両頭の蛇」は窓大見出し］", 1, "両頭の蛇"),
        ("［＃ここから同行中見出し］上\n下［＃ここで同行中見出し終わり］", 2, "上 下"),
    ],
)
def test_headings(source: str, level: int, title: str) -> None:
    (heading,) = parse(source).headings
    assert (heading.level, heading.title) == (level, title)


def test_numbered_lines_are_headings_where_none_is_marked() -> None:
    parsed = parse("\n\n　　　一\n\n　彼は来た。\n\n　　　二\n\n　彼は去った。\n")
    assert [h.title for h in parsed.headings] == ["一", "二"]


def test_blocks_nest() -> None:
    parsed = parse("［＃ここから２字下げ］\n甲［＃太字］乙［＃太字終わり］\n［＃ここで字下げ終わり］\n丙")
    assert [(b.name, parsed.text[b.start : b.end], b.depth) for b in parsed.blocks] == [
        ("字下げ", "甲乙\n", 0),
        ("太字", "乙", 1),
    ]


def test_ruby_shown_or_alone() -> None:
    source = "青梅《おうめ》から｜東の京《とうきょう》へ"
    assert parse(source, ruby="paren").text == "青梅（おうめ）から東の京（とうきょう）へ"
    only = parse(source, ruby="only")
    assert only.text == "おうめからとうきょうへ"
    assert [only.text[r.start : r.end] for r in only.readings] == ["おうめ", "とうきょう"]
    assert only.ruby == {"青梅": ("おうめ",), "東の京": ("とうきょう",)}


def test_the_prize_winners_cleaning() -> None:
    source = "　彼は――言った。\n「……」\n　＊\nあ\n　終り。"
    parsed = parse(source, style="seed003")
    assert parsed.text == "彼は言った。\n\n終り。"
    assert [source[raw] for raw in parsed.offsets] == list(parsed.text)
    kinds = {c.kind for c in parsed.dropped}
    assert kinds == {"dash or ellipsis", "indent", "empty quotation", "line of one character"}


@pytest.mark.parametrize(
    ("source", "warning"),
    [
        ("甲\n乙《おつ", "line 2: 《 is not closed"),
        ("甲］\r\n\r\n［＃「甲」に傍点", "line 3: ［＃ is not closed"),
        ("甲｜乙", "line 1: ｜ without 《》"),
        ("。《よみ》", "line 1: 《よみ》 has no base before it"),
        ("［＃傍点］甲", "line 1: ［＃傍点］ is never closed"),
        ("甲［＃傍点終わり］", "line 1: ［＃傍点終わり］ ends nothing"),
        ("甲［＃「乙」に傍点］", "line 1: ［＃「乙」に傍点］: its words do not stand before it"),
    ],
)
def test_a_malformed_mark_is_a_warning_with_its_line(source: str, warning: str) -> None:
    assert parse(source).warnings == [warning]


def test_text_after_the_end_of_the_body_stays_unless_it_is_a_colophon() -> None:
    assert parse("本文。\n［＃本文終わり］\n後書き。\n").text == "本文。\n後書き。\n"
    assert parse("本文。\n［＃本文終わり］\n翻訳：誰か\n青空文庫収録ファイル：\n").text == "本文。"


def test_a_file_without_rule_lines() -> None:
    end = "\n\n\n入力者注\n・旧字を改めた。\n\nテキスト入力者：誰か\n青空文庫作成ファイル：\n"
    parsed = parse("鳥\n\n横光利一\n\n　彼は見た。" + end)
    assert (parsed.title, parsed.author, parsed.text) == ("鳥", "横光利一", "　彼は見た。")


BARE = "霧の町\n山田一郎\n\n　霧が出た。"


@pytest.mark.parametrize(
    ("end", "text"),
    [
        ("\n\n底本：「全集」\n", "　霧が出た。"),
        ("\n\n底本：「全集」町書房\n　　　1927（昭和2）年4月18日発行\n※旧字を改めた。\n", "　霧が出た。"),
        ("\n底本：これは台詞の続き。\n", None),
        ("\n\n底本：という字があった。\n　彼は読んだ。\n", None),
    ],
)
def test_an_unsigned_colophon_ends_a_file_where_only_facts_follow(end: str, text: str | None) -> None:
    assert parse(BARE + end).text == (text or BARE + end)


def test_a_bare_header_has_title_and_author() -> None:
    parsed = parse("霧の町\r\n山田一郎\r\n\r\n　霧が出た。\r\n\r\n底本：「全集」\r\n")
    assert (parsed.title, parsed.author) == ("霧の町", "山田一郎")


def test_jis_cells() -> None:
    assert jis_character(1, 16, 1) == "亜"
    assert jis_character(2, 1, 1) == "𠂉"
    assert jis_character(1, 4, 87) == "か゚"
    assert jis_character(3, 1, 1) == jis_character(1, 95, 1) == ""


def test_command(tmp_path: Path) -> None:
    file = tmp_path / "話.txt"
    file.write_bytes("髙田《たかだ》は｜走った".encode("cp932"))
    done = subprocess.run([sys.executable, "-m", "rag1.text.aozora", str(file)], capture_output=True, check=True)
    assert done.stdout.decode() == "髙田は｜走った"
    assert "line 1: ｜ without 《》" in done.stderr.decode()


def test_command_with_a_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_bytes(b"ok\n\x81\xff")
    done = subprocess.run([sys.executable, "-m", "rag1.text.aozora", str(file)], capture_output=True)
    assert done.returncode == 2
    assert "line 2, byte 3" in done.stderr.decode()


def test_ruby_on_the_left_and_in_the_title_is_a_reading_too() -> None:
    assert parse("未［＃「未」の左に「ザル」のルビ］知").ruby == {"未": ("ザル",)}
    assert parse(FILE.replace("吹雪の駅", "吹雪《ふぶき》の駅", 1)).ruby["吹雪"] == ("ふぶき",)
