"""A title that stands in the question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from rag1.corpus.corpus import Corpus
from rag1.text.normalize import normalize
from rag1.types import Query

_QUOTED = re.compile("[「『“〈《]([^「」『』“”〈〉《》]+)[」』”〉》]")
_GENRE = re.compile("^(?:長編|短編|中編|連作)?(?:小説|物語|戯曲|詩集|随筆|童話)[ 　]+")
BARE = 4
"""Characters from which a title counts without quotation marks: 競漕 and 芽生 are also words."""


@dataclass(frozen=True)
class Titles:
    """Finds the documents whose title a question names: quoted, after 小説 or 作品, or too long to be an accident.

    The author's name (`meta["author"]`) decides likewise where one document alone is by that author.
    """

    corpus: Corpus

    def __call__(self, query: Query) -> frozenset[str]:
        """Ids in the query's scope. Several when several titles stand there; titles come before authors."""
        scope = query.scope or frozenset(self.corpus.by_id)
        key = normalize(query.text)
        quoted = {normalize(match) for match in _QUOTED.findall(query.text)}
        named = {doc_id for doc_id, titles in self._titles.items() if any(self._named(t, key, quoted) for t in titles)}
        return frozenset(named & scope or {d for d, author in self._authors.items() if author in key} & scope)

    def _named(self, title: str, question: str, quoted: set[str]) -> bool:
        if title in quoted or any(f"{before}{title}" in question for before in ("小説", "物語", "作品", "随筆")):
            return True
        return title in self._telling and title in question

    @cached_property
    def _telling(self) -> frozenset[str]:
        """Titles that count without quotation marks: long ones that no other text says in passing."""
        texts = {document.id: normalize(document.text) for document in self.corpus}
        return frozenset(
            title
            for doc_id, titles in self._titles.items()
            for title in titles
            if len(title) >= BARE and not any(title in text for other, text in texts.items() if other != doc_id)
        )

    @cached_property
    def _titles(self) -> Mapping[str, frozenset[str]]:
        """Each document's title and its title without 小説 before it, in normal form; of doubles none."""
        forms = {
            document.id: {normalize(document.title), normalize(_GENRE.sub("", document.title))}
            for document in self.corpus
        }
        held = Counter(form for found in forms.values() for form in found)
        return {doc_id: frozenset(f for f in found if f and held[f] == 1) for doc_id, found in forms.items()}

    @cached_property
    def _authors(self) -> Mapping[str, str]:
        authors = {d.id: normalize(d.meta.get("author", "")) for d in self.corpus}
        held = Counter(authors.values())
        return {doc_id: author for doc_id, author in authors.items() if len(author) > 2 and held[author] == 1}
