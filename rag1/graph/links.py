"""Link dictionaries: alias → canonical name, from a CSV or from the links of a wiki page."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rag1.artifacts import fingerprint
from rag1.corpus.corpus import Corpus
from rag1.corpus.wikipedia import anchors
from rag1.errors import DataError, InputError
from rag1.text.encoding import decode

_WIKILINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|([^\[\]\n]+))?\]\]")
_NAMESPACE = re.compile(r"^[^:\s]{2,12}:(?!\s)")


@dataclass(frozen=True)
class Links:
    """`anywhere`: alias → canonical in every document; `within`: the same for one document id."""

    anywhere: Mapping[str, str] = field(default_factory=dict)
    within: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return fingerprint(dict(self.anywhere), {doc: dict(links) for doc, links in self.within.items()})

    def of(self, doc_id: str) -> Mapping[str, str]:
        """The links that hold in one document; its own go before general ones."""
        return {**self.anywhere, **self.within.get(doc_id, {})}


def read_links(path: str) -> Links:
    """A CSV with the columns alias, canonical and, where a link holds in one document only, document.

    Raises InputError or DataError with all faults and their lines.
    """
    source = Path(path)
    if not source.is_file():
        raise InputError(f"resolver.links {path!r} is not a file; name a CSV with the columns alias,canonical")
    reader = csv.DictReader(io.StringIO(decode(source.read_bytes(), source.name).text, newline=""))
    columns = [name.strip().lstrip("\ufeff") for name in reader.fieldnames or []]
    if not {"alias", "canonical"} <= set(columns):
        raise DataError(f"{path}: line 1: needs the columns alias and canonical, found {', '.join(columns)}")
    reader.fieldnames = columns
    anywhere: dict[str, str] = {}
    within: dict[str, dict[str, str]] = {}
    faults: list[str] = []
    for row in reader:
        alias, canonical = ((row.get(name) or "").strip() for name in ("alias", "canonical"))
        target = within.setdefault(doc, {}) if (doc := (row.get("document") or "").strip()) else anywhere
        if not alias or not canonical:
            faults.append(f"line {reader.line_num}: alias or canonical is empty")
        elif target.setdefault(alias, canonical) != canonical:
            faults.append(f"line {reader.line_num}: {alias!r} stands already for {target[alias]!r}")
    if faults:
        raise DataError(f"{path}: links cannot be read:", faults)
    return Links(anywhere, within)


def links_of_page(page: str) -> dict[str, str]:
    """alias → title of the links of one wiki page, HTML or wikitext: [[徳川綱重|綱重]], <a title="徳川綱重">綱重</a>.

    A text that links to two titles is no alias; links to other namespaces (File:, Category:) are none.
    """
    pairs = _wikitext_links(page) if "[[" in page else _html_links(page)
    titles: dict[str, set[str]] = {}
    for alias, title in pairs:
        if alias and title and not _NAMESPACE.match(title):
            titles.setdefault(alias, set()).add(title)
    return {alias: next(iter(found)) for alias, found in titles.items() if len(found) == 1 and alias not in found}


def _wikitext_links(page: str) -> list[tuple[str, str]]:
    return [(" ".join((m[2] or m[1]).split()), _title(m[1])) for m in _WIKILINK.finditer(page)]


def _html_links(page: str) -> list[tuple[str, str]]:
    parser = _Anchors()
    parser.feed(page)
    parser.close()
    return parser.pairs


def _title(text: str) -> str:
    """A page's title without the bracket that tells namesakes apart: 徳川綱重 (甲府藩主)."""
    return re.sub(r"\s*[（(][^（）()]*[）)]$", "", " ".join(text.replace("_", " ").split()))


class _Anchors(HTMLParser):
    """Collects (text, title) of anchors into a wiki; the title attribute, else the last part of the address."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pairs: list[tuple[str, str]] = []
        self._title: str | None = None
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "a":
            return
        found = dict(attrs)
        address = found.get("href") or ""
        if "/wiki/" in address or address.startswith("./"):
            self._title = _title(found.get("title") or unquote(urlsplit(address).path.rsplit("/", 1)[-1]))
            self._text = ""

    def handle_data(self, data: str) -> None:
        if self._title is not None:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._title is not None:
            self.pairs.append((" ".join(self._text.split()), self._title))
            self._title = None


def read_page(path: str | None, corpus: Corpus) -> Links:
    """The links of a saved wiki page, for all documents; without a page, each document's own (`corpus=wikipedia`)."""
    if path is None:
        return Links(within={document.id: found for document in corpus if (found := anchors(document.meta))})
    source = Path(path)
    if not source.is_file():
        raise InputError(f"resolver.links page {path!r} is not a file; save the wiki page there")
    return Links(links_of_page(decode(source.read_bytes(), source.name).text))
