"""Pictures: a PNG without missing glyphs, and a page that works in a real browser without the network."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest
from playwright.sync_api import Page

from rag1.errors import ConfigError, InputError, StorageError
from rag1.graph import plot
from rag1.graph.falkordb import OpenFalkorDB
from rag1.graph.model import Fact, Triple

FACTS = [
    Fact("1", "桃太郎", "お供にした", "犬", {}, "momo", "momo:0-9", (0, 9), "犬をお供にした。"),
    Fact("2", "桃太郎", "退治した", "鬼", {"年": "不明"}, "momo"),
    Fact("3", "おばあさん", "育てた", "桃太郎"),
    Fact("4", "おばあさん", "可愛がった", "桃太郎"),
]
NASTY = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"


def png_size(path: Path) -> tuple[int, int]:
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def test_the_png_has_a_glyph_for_every_character(tmp_path: Path) -> None:
    odd = [*FACTS, Fact("5", "𠮟咤 👩‍👧 $x^2$ ①髙㈱", "é → 東京", "한국\n二行目 %d {x} \\frac")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = plot.write(odd, tmp_path / "new" / "graph.png", "桃太郎", "桃太郎の関係")
    assert png_size(path) == (1800, 1350)


def test_the_font_is_a_japanese_one_and_what_it_lacks_is_marked() -> None:
    _, _, known = plot._canvas()
    text = "桃太郎が鬼ヶ島へ行った①髙㈱"
    assert plot._drawable(text, known) == text
    assert plot._drawable("犬👩", known) == "犬〓"


def test_drawing_changes_no_setting_of_matplotlib(tmp_path: Path) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    plot.write_png(FACTS, tmp_path / "graph.png")
    assert dict(matplotlib.rcParams) == before


def test_the_page_draws_every_name_and_relation(page: Page, tmp_path: Path) -> None:
    path = plot.write(FACTS, tmp_path / "graph.html", "桃太郎")
    page.goto(path.as_uri())
    assert page.title() == "桃太郎"
    assert page.evaluate("graph.nodes().map(n => n.data('name')).sort()") == sorted(
        ["桃太郎", "犬", "鬼", "おばあさん"]
    )
    arrows = page.evaluate(
        "graph.edges().map(e => [e.source().data('name'), e.data('label'), e.target().data('name')])"
    )
    assert sorted(arrows) == sorted([f.head, f.relation, f.tail] for f in FACTS)
    assert page.evaluate("graph.nodes('[?centre]').map(n => n.data('name'))") == ["桃太郎"]
    spread = page.evaluate("(() => { const b = graph.nodes().boundingBox(); return [b.w, b.h] })()")
    assert min(spread) > 20
    assert len(page.locator("canvas").first.screenshot()) > 2000


def test_the_page_brings_the_glyphs_it_needs(page: Page, tmp_path: Path) -> None:
    page.goto(plot.write(FACTS, tmp_path / "graph.html").as_uri())
    page.wait_for_function("document.fonts.status === 'loaded'")
    assert page.evaluate("[...document.fonts].map(f => f.family + ' ' + f.status)") == ["GraphJapanese loaded"]
    widths = page.evaluate(
        "['桃太郎', '育てた', '知識'].map(t => { const c = document.createElement('canvas').getContext('2d');"
        " c.font = '20px GraphJapanese, monospace'; return c.measureText(t).width })"
    )
    assert widths == [60, 60, 40]


def test_a_click_on_a_name_shows_its_facts_with_evidence(page: Page, tmp_path: Path) -> None:
    page.goto(plot.write(FACTS, tmp_path / "graph.html").as_uri())
    place = page.evaluate(
        "(() => { const p = graph.nodes().filter(n => n.data('name') === '犬')[0].renderedPosition();"
        " const b = document.getElementById('graph').getBoundingClientRect(); return [p.x + b.x, p.y + b.y] })()"
    )
    page.mouse.click(*place)
    page.wait_for_function("document.getElementById('chosen').textContent === '犬'")
    assert page.locator("#facts li").all_inner_texts() == ["桃太郎 - お供にした -> 犬\n犬をお供にした。(momo:0-9)"]


def test_searching_finds_a_name_by_a_part_of_it(page: Page, tmp_path: Path) -> None:
    page.goto(plot.write(FACTS, tmp_path / "graph.html").as_uri())
    page.fill("#search", "ばあ")
    assert page.inner_text("#status") == "1 件"
    assert page.inner_text("#chosen") == "おばあさん"
    assert page.locator("#facts li").count() == 2
    page.fill("#search", "")
    assert page.evaluate("graph.elements('.faded').length") == 0


def test_text_from_the_graph_never_becomes_markup(page: Page, tmp_path: Path) -> None:
    facts = [Fact("1", NASTY, NASTY, "{{library}}", {NASTY: NASTY}, NASTY, "", (0, 1), NASTY)]
    page.goto(plot.write(facts, tmp_path / "graph.html", NASTY, NASTY).as_uri())
    page.fill("#search", "script")
    assert page.inner_text("#chosen") == NASTY
    assert page.locator("aside img").count() == 0
    assert page.evaluate("window.hacked === undefined")
    assert page.title() == NASTY


def test_the_page_names_nothing_to_load(tmp_path: Path) -> None:
    text = plot.write(FACTS, tmp_path / "graph.html").read_text(encoding="utf-8")
    assert not re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=", text)
    assert "Permission is hereby granted, free of charge" in text


def test_what_is_drawn_is_the_neighbourhood_or_the_best_connected(falkordb_folder: Path) -> None:
    store = OpenFalkorDB()(falkordb_folder, "plot")
    store.prepare()
    chain = [Triple("甲", "次", "乙"), Triple("乙", "次", "丙"), Triple("丙", "次", "丁"), Triple("他", "次", "別")]
    store.write_triples(chain)
    one = plot.facts_to_draw(store, "甲")
    two = plot.facts_to_draw(store, "甲", hops=2)
    assert [(f.head, f.tail) for f in one] == [("甲", "乙")]
    assert sorted((f.head, f.tail) for f in two) == [("乙", "丙"), ("甲", "乙")]
    assert [(f.head, f.tail) for f in plot.facts_to_draw(store, limit=1)] == [("乙", "丙")]
    with pytest.raises(InputError, match="no facts about '甲さん'; near names: 甲"):
        plot.facts_to_draw(store, "甲さん")
    store.clear()
    store.close()


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'graph.gif' ends in none of .png, .html"):
        plot.write(FACTS, tmp_path / "graph.gif")
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"graph\.html"):
        plot.write(FACTS, tmp_path / "file" / "graph.html")
