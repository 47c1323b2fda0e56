"""Pages of a wiki, from a server that answers in the shape of the MediaWiki API (action=parse, formatversion=2)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from rag1.corpus.fetch import Fetcher
from rag1.corpus.notation import headings
from rag1.corpus.wikipedia import anchors, wikipedia
from rag1.errors import DataError, InputError
from rag1.graph.links import read_page
from tests.corpus.loopback import Reply, Server, serving

LIGHT = """<div class="mw-parser-output"><div class="ambox">出典が要ります</div>
<table class="infobox"><tr><th>所在地</th><td>浜辺町</td></tr></table>
<p><b>岬灯台</b>（みさきとうだい）は、<a href="/wiki/%E6%B5%9C%E8%BE%BA%E7%94%BA" title="浜辺町">浜辺町</a>にある
<a href="/wiki/x" title="灯台">航路標識</a>である<sup class="reference"><a href="#n1">[1]</a></sup>。</p>
<div class="mw-heading mw-heading2"><h2 id="h">歴史</h2><span class="mw-editsection">[編集]</span></div>
<p>初代の<a href="/wiki/y" title="灯台守">番人</a>と二代の<a href="/wiki/z" title="番人 (映画)">番人</a>。
<a href="/w/index.php?title=q&amp;redlink=1" title="未作成">未作成</a>
<a href="/wiki/%E7%89%B9" title="特別:検索">検索</a>
<a href="https://example.org/">外</a></p>
<div class="navbox">関連</div></div>"""

PAGES = {"岬灯台": (101, LIGHT), "浜辺町": (202, "<p>浜辺町は町である。</p>")}
MISSING = {"error": {"code": "missingtitle", "info": "The page you specified doesn't exist."}}


def answer(path: str, n: int) -> Reply:
    asked = {key: values[0] for key, values in parse_qs(urlsplit(path).query).items()}
    if asked.get("action") != "parse" or asked.get("formatversion") != "2":
        return Reply(b"<html>not the API</html>")
    title = asked.get("page", "").replace("ミサキ灯台", "岬灯台")
    for name, (page_id, text) in PAGES.items():
        if title == name or asked.get("pageid") == str(page_id):
            body = {"parse": {"title": name, "pageid": page_id, "text": text}}
            return Reply(json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    return Reply(json.dumps(MISSING).encode())


@pytest.fixture
def wiki() -> Iterator[Server]:
    with serving(answer) as server:
        yield server


def test_text_without_boxes_notes_and_edit_links(wiki: Server, tmp_path: Path) -> None:
    corpus = wikipedia(Fetcher(str(tmp_path)), ["岬灯台"], endpoint=wiki.url + "/w/api.php")
    document = corpus["岬灯台"]
    assert document.text == (
        "所在地　浜辺町\n岬灯台（みさきとうだい）は、浜辺町にある 航路標識である。\n歴史\n"
        "初代の番人と二代の番人。 未作成 検索 外"
    )
    assert [title for _, title, _, _ in headings(document.meta)] == ["歴史"]
    assert document.meta["page_id"] == "101"
    assert document.meta["url"] == wiki.url + "/w/index.php?curid=101"


def test_anchors_that_mean_one_page(wiki: Server, tmp_path: Path) -> None:
    corpus = wikipedia(Fetcher(str(tmp_path)), ["岬灯台"], endpoint=wiki.url + "/w/api.php")
    assert anchors(corpus["岬灯台"].meta) == {"浜辺町": "浜辺町", "航路標識": "灯台"}
    assert anchors({}) == {}


def test_the_links_are_the_graphs_aliases(wiki: Server, tmp_path: Path) -> None:
    """graph/resolver=wiki without a saved page: what a link's words mean holds in its own document."""
    corpus = wikipedia(Fetcher(str(tmp_path)), ["岬灯台", "浜辺町"], endpoint=wiki.url + "/w/api.php")
    links = read_page(None, corpus)
    assert links.of("岬灯台") == {"浜辺町": "浜辺町", "航路標識": "灯台"}
    assert links.of("浜辺町") == {}


def test_redirects_ids_and_doubles(wiki: Server, tmp_path: Path) -> None:
    corpus = wikipedia(
        Fetcher(str(tmp_path)), ["ミサキ灯台", "岬灯台"], [202, "101"], wiki.url + "/w/api.php", "page_id"
    )
    assert [(d.id, d.title) for d in corpus] == [("101", "岬灯台"), ("202", "浜辺町")]


def test_the_second_run_asks_nothing(wiki: Server, tmp_path: Path) -> None:
    for _ in range(2):
        wikipedia(Fetcher(str(tmp_path)), ["岬灯台", "浜辺町"], endpoint=wiki.url + "/w/api.php")
    assert len(wiki.asked) == 2


def test_all_missing_pages_are_named(wiki: Server, tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        wikipedia(Fetcher(str(tmp_path)), ["無い頁", "岬灯台"], [9], wiki.url + "/w/api.php")
    assert error.value.faults == (
        "page '無い頁': The page you specified doesn't exist.",
        "pageid '9': The page you specified doesn't exist.",
    )


def test_what_is_not_the_api(tmp_path: Path) -> None:
    with serving(lambda path, n: Reply(b"<html></html>")) as page, pytest.raises(InputError, match="not JSON"):
        wikipedia(Fetcher(str(tmp_path)), ["岬灯台"], endpoint=page.url + "/index.html")
    with serving(lambda path, n: Reply(b"{}")) as other, pytest.raises(InputError, match="has no 'parse'"):
        wikipedia(Fetcher(str(tmp_path)), ["岬灯台"], endpoint=other.url + "/w/api.php")


def test_no_page_asked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name at least one page"):
        wikipedia(Fetcher(str(tmp_path)))
