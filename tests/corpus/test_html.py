"""Pages to text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag1.chunk.chunkers import Chapters
from rag1.corpus.fetch import Fetcher
from rag1.corpus.html import decoded, html, identity
from rag1.corpus.notation import headings
from rag1.errors import DataError, InputError
from tests.corpus.loopback import Reply, serving

pytest.importorskip("bs4", reason="the extra web is not installed")
from rag1.corpus.html_text import read_html

PAGE = """<!DOCTYPE html><html><head><title>港の 話</title><style>p{}</style></head><body>
<nav><a href="/">目次</a></nav>
<main><h1>港の話</h1>
<p>灯台の<ruby>光<rp>(</rp><rt>ひかり</rt><rp>)</rp></ruby>が
<b>見え</b>た。<script>alert(1)</script><!-- 注 --></p>
<h2>船</h2><ul><li>帆船</li><li>汽船<br>三隻</li></ul>
<table><tr><th>名</th><td>海鳥丸</td></tr></table>
<p>次は<a href="/hill" title="丘の話">丘</a>へ。</p></main>
<footer>連絡先</footer></body></html>"""


def test_the_main_part_line_by_line() -> None:
    page = read_html(PAGE)
    assert page.title == "港の 話"
    assert page.text == "港の話\n灯台の光が 見えた。\n船\n帆船\n汽船\n三隻\n名　海鳥丸\n次は丘へ。"
    assert page.links == (("丘", "/hill", "丘の話"),)
    assert page.readings == {"光": ("ひかり",)}


def test_headings_stand_where_they_say() -> None:
    page = read_html(PAGE)
    assert [(level, title, page.text[a:b]) for level, title, a, b in page.headings] == [
        (1, "港の話", "港の話"),
        (2, "船", "船"),
    ]


def test_a_selector_drops_more() -> None:
    assert "帆船" not in read_html(PAGE, "ul").text


@settings(deadline=None)  # the first call loads the parser
@given(st.text(alphabet=st.sampled_from("<>/&;あ漢 a=\"'\n!-pbhdivtrulscript16"), max_size=200))
def test_no_markup_breaks_it(markup: str) -> None:
    page = read_html(markup)
    for _, title, start, end in page.headings:
        assert page.text[start:end] == title


def test_deep_nesting() -> None:
    assert read_html("<div>" * 3000 + "底" + "</div>" * 3000).text == "底"


def test_files_folders_and_addresses(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_text(PAGE, encoding="utf-8")
    (folder / "b.htm").write_bytes("<meta charset=Shift_JIS><p>①髙㈱</p>".encode("cp932"))
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    reply = Reply("<p>丘</p>".encode("euc-jp"), headers={"Content-Type": "text/html; charset=EUC-JP"})
    with serving(lambda path, n: reply) as server:
        corpus = html([str(folder), server.url + "/x/hill.html"], Fetcher(str(tmp_path / "cache")))
    assert [(d.id, d.title, d.text[:4]) for d in corpus] == [
        ("a", "港の 話", "港の話\n"),
        ("b", "b", "①髙㈱"),
        ("hill", "hill", "丘"),
    ]
    assert corpus.readings["a"] == {"光": ("ひかり",)}
    assert headings(corpus["a"].meta)[1][1] == "船"
    assert [c.meta.get("chapter") for c in Chapters()(corpus["a"])] == ["港の話", "船"]


@pytest.mark.parametrize(
    ("name", "doc_id"),
    [
        ("https://example.org/docs/%E6%B8%AF.html", "港"),
        ("https://example.org/", "example.org"),
        ("https://example.org/read?id=3", "read?id=3"),
        ("pages/a.b.html", "a.b"),
    ],
)
def test_identity(name: str, doc_id: str) -> None:
    assert identity(name) == doc_id


def test_a_wrong_label_is_not_believed() -> None:
    assert decoded("海".encode("cp932"), "x", "text/html; charset=utf-8") == "海"


@pytest.mark.parametrize(
    ("sources", "named"),
    [([], "give a list"), ("a.html", "give a list"), (["nowhere.html"], "no file, folder or http"), (["."], "no page")],
)
def test_mistakes_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sources: list[str], named: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=named):
        html(sources, Fetcher(str(tmp_path)))


def test_every_bad_page_at_once(tmp_path: Path) -> None:
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "a.html").write_text("<p>海</p>", encoding="utf-8")
    (tmp_path / "two" / "empty.html").write_text("<nav>目次</nav>", encoding="utf-8")
    with pytest.raises(DataError) as error:
        html([str(tmp_path / "one"), str(tmp_path / "two")], Fetcher(str(tmp_path)))
    assert len(error.value.faults) == 2
