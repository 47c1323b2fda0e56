"""How well relationship types fit a question: which of its words they cover, and in its order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag1.llm.rules.kinship import SAME, compositions
from rag1.llm.rules.question import read_question
from rag1.llm.rules.words import Word, wordset
from rag1.text.tokenize import morphemes

KANJI = 0.5
"""Worth of a shared character of two unequal words (出身地, 出身校)."""
HINT = 0.4
"""Worth of a type that can hold the kind of answer which is asked for, though no word names it."""

_HINTS: Mapping[str, str] = {
    "time": "年月日時期",
    "place": "地県市国町村所",
    "person": "者人",
    "quantity": "数高長重額",
}


@dataclass(frozen=True, slots=True)
class Term:
    """A content word: dictionary form, surface, and its place in the text (characters)."""

    norm: str
    surface: str
    start: int


@lru_cache(maxsize=8192)
def terms(text: str) -> tuple[Term, ...]:
    """Content words in the finest cut, in order, with 何年 as 年."""
    found = [Word._make(morpheme) for morpheme in morphemes(text, "A")]
    return tuple(Term(w.norm, w.surface, w.start) for w in found if w.is_content and w.surface not in _LIGHT)


_LIGHT = wordset("名 年月 誰 さん どこ ため 名前")


def fit(path: Sequence[str], question: str, start: str) -> float:
    """How well a path of types fits what a question asks of `start`, 0 to about 1.

    Half is the share of the question's words that some type covers, half the mean of how far each type is named. Types
    named in another order than the path's cost a quarter: a chain is told from its start.
    """
    asked = _asked(question, start)
    if not asked or not path:
        return 0.0
    named = [_mention(kind, asked, _hint(question) if at == len(path) - 1 else "") for at, kind in enumerate(path)]
    covered = frozenset[int]().union(*(where for _, where in named))
    share = sum(len(asked[at].surface) for at in covered) / sum(len(term.surface) for term in asked)
    places = [min(where) for _, where in named if where]
    order = 1.0 if places == sorted(places) else 0.75
    return order * (0.5 * share + 0.5 * sum(score for score, _ in named) / len(path))


@lru_cache(maxsize=8192)
def _asked(question: str, start: str) -> tuple[Term, ...]:
    """The question's words without those of the name it starts from."""
    at = question.find(start)
    end = at + len(start)
    inside = terms(start) if at < 0 else ()
    taken = {term.norm for term in inside}
    return tuple(t for t in terms(question) if not (at <= t.start < end and at >= 0) and t.norm not in taken)


def _mention(kind: str, asked: Sequence[Term], hint: str) -> tuple[float, frozenset[int]]:
    """How far `kind` is named (0 to 1), and the rows of the words that name it."""
    whole = [
        at
        for at, term in enumerate(asked)
        if _same(kind, term.norm) or _same(kind, term.surface) or kind in _composed(term.surface)
    ]
    if whole:
        return 1.0, frozenset({min(whole)})
    own = terms(kind) or (Term(kind, kind, 0),)
    total, gained, rows = 0, 0.0, set[int]()
    for term in own:
        worth, row = max(((_likeness(term, other), -at) for at, other in enumerate(asked)), default=(0.0, 0))
        total += len(term.surface)
        gained += worth * len(term.surface)
        if worth:
            rows.add(-row)
    score = gained / total
    if hint and any(letter in kind for letter in hint):
        score = max(score, min(1.0, score + HINT))
    return score, frozenset(rows)


def _likeness(a: Term, b: Term) -> float:
    if a.norm == b.norm or a.surface == b.surface or _same(a.norm, b.norm):
        return 1.0
    shared = len(_kanji(a.surface) & _kanji(b.surface))
    return KANJI * shared / min(len(set(a.surface)), len(set(b.surface))) if shared else 0.0


# A question is held against every type of a graph, some thousands: what is known of a word is kept.

_GROUPS: dict[str, frozenset[int]] = {
    word: frozenset(at for at, group in enumerate(SAME) if word in group) for word in frozenset().union(*SAME)
}
_NONE = frozenset[int]()


def _same(a: str, b: str) -> bool:
    """`same_relation`, by the groups of a word."""
    return a == b or not _GROUPS.get(a, _NONE).isdisjoint(_GROUPS.get(b, _NONE))


@lru_cache(maxsize=8192)
def _composed(relation: str) -> frozenset[str]:
    """The relations that it is composed of."""
    return frozenset(step for chain in compositions(relation) for step in chain)


@lru_cache(maxsize=8192)
def _kanji(word: str) -> frozenset[str]:
    return frozenset(letter for letter in word if "\u4e00" <= letter <= "\u9fff")


@lru_cache(maxsize=4096)
def _hint(question: str) -> str:
    """Characters that the last type of a path may hold, by what is asked for."""
    return _HINTS.get(read_question(question).asks, "")
