"""Web pages to documents: files, folders and addresses."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from rag1.corpus.corpus import Corpus
from rag1.corpus.load import MAX_FILE
from rag1.errors import DataError, InputError, Unavailable
from rag1.text.encoding import decode
from rag1.types import Document

if TYPE_CHECKING:
    from rag1.corpus.fetch import Fetcher
    from rag1.corpus.html_text import PageText

ENDINGS = (".html", ".htm", ".xhtml")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_WIDER = {"shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932"}
"""Names that pages give and what they mean: the web's Shift_JIS has ① 髙 ㈱."""


def html(sources: Sequence[str], fetcher: Fetcher, dropped: str = "") -> Corpus:
    """A document a page. `sources`: files, folders (every .html, .htm, .xhtml in them) and http(s) addresses.

    `dropped`: a CSS selector of what to leave out besides navigation, scripts and forms. A document's id is the
    file's name without ending, or the address's last part; its `meta` holds `url` and `headings`.
    """
    documents: dict[str, Document] = {}
    readings: dict[str, dict[str, tuple[str, ...]]] = {}
    faults: list[str] = []
    for name, markup in _pages(sources, fetcher):
        doc_id = identity(name)
        if doc_id in documents:
            faults.append(f"{name}: another page has the id {doc_id!r} too; leave one out")
            continue
        page = read(markup, dropped)
        if not page.text:
            faults.append(f"{name}: no text in it")
            continue
        documents[doc_id] = document(doc_id, page, name)
        readings[doc_id] = page.readings
    if faults:
        raise DataError("the corpus cannot be read:", faults)
    return Corpus(tuple(documents.values()), readings)


def document(doc_id: str, page: PageText, url: str) -> Document:
    meta = {"url": url}
    if page.headings:
        meta["headings"] = json.dumps(page.headings, ensure_ascii=False)
    return Document(doc_id, page.title or doc_id, page.text, meta)


def read(markup: str, dropped: str = "") -> PageText:
    """`read_html`, with a plain word where the extra is not installed."""
    try:
        from rag1.corpus.html_text import read_html
    except ModuleNotFoundError as error:
        raise Unavailable(
            f"reading HTML needs {error.name}: install the extra web (uv sync --extra web)", "corpus"
        ) from error
    return read_html(markup, dropped)


def identity(name: str) -> str:
    """The file's name without ending; of an address its last part, or its host where it has no path."""
    if name.startswith(("http://", "https://")):
        parts = urlsplit(name)
        last = unquote(parts.path).rstrip("/").rpartition("/")[2] or parts.netloc
        return re.sub(r"\.x?html?$", "", last) + (f"?{parts.query}" if parts.query else "")
    return Path(name).stem


def decoded(body: bytes, name: str, content_type: str = "") -> str:
    """By the server's charset, else the page's own, else as any text file. Raises DataError where none fits."""
    head = body[:4096].decode("ascii", "replace")
    for found in (_CHARSET.search(content_type), _CHARSET.search(head)):
        if found:
            try:
                return body.decode(_WIDER.get(found[1].lower(), found[1]))
            except (LookupError, UnicodeDecodeError):
                continue  # a wrong label is common: the bytes themselves decide
    return decode(body, name).text


def _pages(sources: Sequence[str], fetcher: Fetcher) -> list[tuple[str, str]]:
    """Each page's name and its markup, in the order of the sources."""
    if isinstance(sources, str) or not sources:
        raise InputError(f"corpus.sources is {sources!r}; give a list of files, folders or addresses")
    pages: list[tuple[str, str]] = []
    for source in sources:
        if source.startswith(("http://", "https://")):
            page = fetcher(source)
            pages.append((source, decoded(page.body, source, page.content_type)))
        else:
            pages += [(str(path), decoded(_bytes(path), path.name)) for path in _files(Path(source))]
    return pages


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(p for p in path.iterdir() if p.suffix.lower() in ENDINGS)
        if not found:
            raise InputError(f"corpus.sources {str(path)!r} holds no page ({', '.join(ENDINGS)})")
        return found
    if not path.is_file():
        raise InputError(f"corpus.sources {str(path)!r} is no file, folder or http(s) address")
    return [path]


def _bytes(path: Path) -> bytes:
    if path.stat().st_size > MAX_FILE:
        raise InputError(f"{path.name}: {path.stat().st_size:,} bytes, over the limit of {MAX_FILE:,}")
    return path.read_bytes()
