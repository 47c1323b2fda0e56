"""Candidate answers: the stretches of a sentence that could be one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag1.llm.rules.words import Word, noun_phrases, quoted, words, wordset

MAX_CHARS = 40
MAX_LINKS = 4
_LINKS = wordset("の と や ・ 、 および 及び または 又は かつ から への との での からの による な という")


@dataclass(frozen=True, slots=True)
class Candidate:
    """`start`, `end`: characters of the sentence; `first`, `last`: its words; `links`: phrases joined in it."""

    text: str
    start: int
    end: int
    first: int
    last: int
    links: int = 0
    quoted: bool = False
    clause: bool = False


@lru_cache(maxsize=2048)
def candidates(sentence: str) -> tuple[Candidate, ...]:
    """Noun phrases and their parts, phrases joined by の、と、や …, quoted strings, and clauses up to a predicate."""
    found = words(sentence)
    unique: dict[tuple[int, int], Candidate] = {}
    for candidate in (*_quotes(found, sentence), *_nouns(found, sentence), *_clauses(found, sentence)):
        unique.setdefault((candidate.start, candidate.end), candidate)
    return tuple(unique.values())


def _make(
    found: Sequence[Word], sentence: str, first: int, last: int, links: int = 0, clause: bool = False
) -> Candidate:
    start, end = found[first].start, found[last - 1].end
    return Candidate(sentence[start:end], start, end, first, last, links, False, clause)


def _quotes(found: Sequence[Word], sentence: str) -> Iterator[Candidate]:
    starts = {word.start: at for at, word in enumerate(found)}
    ends = {word.end: at + 1 for at, word in enumerate(found)}
    for start, end in quoted(sentence):
        if start in starts and end in ends and end - start <= 2 * MAX_CHARS:
            yield Candidate(sentence[start:end], start, end, starts[start], ends[end], 0, True)


def _nouns(found: Sequence[Word], sentence: str) -> Iterator[Candidate]:
    phrases = noun_phrases(found, sentence)
    for at, begin in enumerate(phrases):
        yield _make(found, sentence, begin.first, begin.last)
        yield from _parts(found, sentence, begin.first, begin.last)
        for links, end in enumerate(phrases[at + 1 : at + 1 + MAX_LINKS], start=1):
            if end.end - begin.start > MAX_CHARS or not _joined(found, phrases[at + links - 1].last, end.first):
                break
            yield _make(found, sentence, begin.first, end.last, links)


def _parts(found: Sequence[Word], sentence: str, first: int, last: int) -> Iterator[Candidate]:
    """Beginnings and ends of a compound: 国立科学博物館 gives 科学博物館 and 国立科学."""
    for cut in range(first + 1, last):
        if not found[cut].is_a("接尾辞"):
            yield _make(found, sentence, cut, last)
        if not found[cut - 1].is_a("接頭辞"):
            yield _make(found, sentence, first, cut)


def _joined(found: Sequence[Word], left: int, right: int) -> bool:
    """Are the words between two phrases only links, or a modifier that ends in a verb or adjective?"""
    between = found[left:right]
    if not between or len(between) > 3:
        return False
    if all(word.surface in _LINKS for word in between):
        return True
    return between[-1].pos[0] in {"動詞", "形容詞", "助動詞", "連体詞"} and all(
        word.pos[0] != "補助記号" for word in between
    )


def _clauses(found: Sequence[Word], sentence: str) -> Iterator[Candidate]:
    """From a phrase to the predicate that follows it: 除名処分を受けた."""
    phrases = noun_phrases(found, sentence)
    for at, word in enumerate(found):
        if word.pos[0] not in {"動詞", "形容詞", "形状詞"} or word.is_a("動詞", "非自立可能"):
            continue
        last = at + 1
        while last < len(found) and (
            found[last].pos[0] == "助動詞" or found[last].surface in {"て", "いる", "い", "し"}
        ):
            last += 1
        yield _make(found, sentence, at, last, 0, True)
        for links, begin in enumerate(reversed([p for p in phrases if p.last <= at][-3:])):
            if found[last - 1].end - begin.start <= MAX_CHARS:
                yield _make(found, sentence, begin.first, last, links, True)
