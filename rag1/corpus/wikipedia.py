"""Wikipedia pages through the MediaWiki API: text, and what each link's words mean."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rag1.corpus.corpus import Corpus
from rag1.corpus.html import document, read
from rag1.errors import DataError, InputError
from rag1.types import Document

if TYPE_CHECKING:
    from rag1.corpus.fetch import Fetcher
    from rag1.corpus.html_text import PageText

DROPPED = (
    ".mw-editsection, .reference, .reflist, .mw-references-wrap, .navbox, .metadata, .toc, #toc, .noprint, "
    ".mw-empty-elt, .ambox, .sistersitebox, .catlinks, .mw-jump-link"
)
"""What a page has beside its text: edit links, notes, boxes."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What the API said of one page, redirects followed."""

    title: str
    page_id: str
    markup: str


def wikipedia(
    fetcher: Fetcher,
    titles: Sequence[str] = (),
    page_ids: Sequence[str | int] = (),
    endpoint: str = "https://ja.wikipedia.org/w/api.php",
    identity: Literal["title", "page_id"] = "title",
) -> Corpus:
    """The pages with these titles, then those with these ids; one that is asked for twice comes once.

    A document's id is its page's title, or its page id where the question file names documents by that. `meta`
    holds `url`, `page_id`, `headings` and `anchors` (read it with `anchors`). Raises DataError that names every page
    which is not there, InputError where the API cannot be reached.
    """
    if not titles and not page_ids:
        raise InputError("corpus.titles and corpus.page_ids are both empty; name at least one page")
    asked = [("page", title) for title in titles] + [("pageid", str(page_id)) for page_id in page_ids]
    documents: dict[str, Document] = {}
    readings: dict[str, Mapping[str, tuple[str, ...]]] = {}
    faults: list[str] = []
    for key, value in asked:
        answered = _parse(fetcher, endpoint, key, value)
        if isinstance(answered, str):
            faults.append(answered)
            continue
        page = read(answered.markup, DROPPED)
        doc_id = answered.title if identity == "title" else answered.page_id
        documents[doc_id] = _document(doc_id, answered, page, endpoint)
        readings[doc_id] = page.readings
    if faults:
        raise DataError("pages that are not there:", faults)
    return Corpus(tuple(documents.values()), readings)


def anchors(meta: Mapping[str, str]) -> dict[str, str]:
    """A document's links: the words of a link → the title of the page it leads to; empty where it has none."""
    return dict(json.loads(meta.get("anchors", "{}")))


def _document(doc_id: str, answered: Answered, page: PageText, endpoint: str) -> Document:
    base = document(doc_id, page, f"{endpoint.rsplit('/', 1)[0]}/index.php?curid={answered.page_id}")
    linked = _anchors(page.links)
    meta = {**base.meta, "page_id": answered.page_id, "anchors": json.dumps(linked, ensure_ascii=False)}
    return Document(doc_id, answered.title, page.text, meta)


def _anchors(links: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """Links to other pages of the wiki. Words that lead to two pages mean neither; red links lead nowhere."""
    found: dict[str, set[str]] = {}
    for words, target, title in links:
        if target.startswith(("/wiki/", "./")) and title and ":" not in title:
            found.setdefault(words, set()).add(title)
    return {words: next(iter(pages)) for words, pages in found.items() if len(pages) == 1}


def _parse(fetcher: Fetcher, endpoint: str, key: str, value: str) -> Answered | str:
    """The page, or one line that says why there is none."""
    wanted = {
        "action": "parse", "prop": "text", "redirects": "1", "disableeditsection": "1", "format": "json",
        "formatversion": "2", key: value,
    }  # fmt: skip
    page = fetcher(endpoint, wanted)
    reply = _json(page.body, endpoint)
    if "error" in reply:
        error = reply["error"]
        return f"{key} {value!r}: {error.get('info', error.get('code', 'unknown error'))}"
    try:
        parsed = reply["parse"]
        return Answered(str(parsed["title"]), str(parsed["pageid"]), str(parsed["text"]))
    except (KeyError, TypeError) as fault:
        raise InputError(f"{endpoint}: the reply has no {fault}; is corpus.endpoint a MediaWiki api.php?") from fault


def _json(body: bytes, endpoint: str) -> dict[str, Any]:
    try:
        reply = json.loads(body)
    except ValueError as error:
        raise InputError(f"{endpoint}: the reply is not JSON; is corpus.endpoint a MediaWiki api.php?") from error
    return reply if isinstance(reply, dict) else {}
