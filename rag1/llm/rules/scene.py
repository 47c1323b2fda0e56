"""A question and the sentences that may answer it, prepared for scoring."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag1.llm.rules.question import Question
from rag1.llm.rules.ranking import idf
from rag1.llm.rules.words import content_words, fine_terms, fine_words, fold, noun_phrases, sentences, words

TOP_SENTENCES = 6
AROUND = 0.4
_NAMING = re.compile("(?:何|なん|どう)と(?:い|言|云|呼|称)|の(?:名前?|名称|呼び名|別名)は|とは何|(?:何|なん)という")


@dataclass(frozen=True)
class Sought:
    """A question with what scoring needs of it.

    `weights`: idf of each of its terms; `predicate`: its last verbs; `left`, `right`: the text on both sides of what
    is asked; `taken`: particles that its own nouns fill; `naming`: does it ask for a name or term?
    """

    question: Question
    weights: Mapping[str, float]
    folded: str
    predicate: frozenset[str]
    left: str
    right: str
    taken: frozenset[str]
    naming: bool
    total: float


def seek(question: Question, idf_of: Mapping[str, float]) -> Sought:
    text = question.text
    rare = max(idf_of.values(), default=1.0)
    weights = {term: idf_of.get(term, rare) for term in dict.fromkeys(fine_terms(text))}
    start, end = question.asked or (len(text), len(text))
    taken = {
        w.surface for w in words(text) if w.pos[0] == "助詞" and w.surface in {"が", "を", "に", "で"} and w.end < start
    }
    verbs = [w.norm for w in content_words(text) if w.pos[0] == "動詞" or w.is_a("名詞", "普通名詞", "サ変可能")]
    rest = text[end:]
    right = rest.split(question.noun, 1)[1] if question.noun and question.noun in rest else rest
    return Sought(
        question,
        weights,
        fold(text),
        frozenset(verbs[-2:]),
        text[:start],
        right,
        frozenset(taken),
        bool(_NAMING.search(text)),
        sum(weights.values()) or 1.0,
    )


@dataclass(frozen=True)
class Scene:
    """A sentence in its context.

    `coverage` is the share of the question's weight that the sentence holds, `around` what its neighbours add, `best`
    the highest coverage of all; `hits` are (start, end, weight) of each word that the question has too; `predicates`
    the places of its verbs; `clauses` (start, end, coverage) between commas; `topics` the phrases of its headings.
    """

    text: str
    coverage: float
    around: float
    best: float
    heading: bool
    hits: tuple[tuple[int, int, float], ...]
    predicates: tuple[tuple[int, int], ...]
    clauses: tuple[tuple[int, int, float], ...]
    topics: frozenset[str]
    told: tuple[tuple[int, int, bool], ...]
    """(start, end, does the question have it) of each content word in the finest cut."""


def scenes_of(question: Question, texts: Sequence[str]) -> tuple[list[Scene], Sought]:
    """The sentences worth reading, best first, and the question prepared for them."""
    lines = [(text[start:end], at) for at, text in enumerate(texts) for start, end in sentences(text)]
    sought = seek(question, idf([line for line, _ in lines]))
    held = [set(fine_terms(line)) & set(sought.weights) for line, _ in lines]
    own = [_share(terms, sought) for terms in held]
    around = [_share(held[at] | _near(held, lines, at), sought) - own[at] for at in range(len(lines))]
    order = sorted(range(len(lines)), key=lambda at: -(own[at] + AROUND * around[at]))[:TOP_SENTENCES]
    best = max(own, default=0.0)
    topics = frozenset(
        phrase.text for line, _ in lines if _is_heading(line) for phrase in noun_phrases(words(line), line)
    )
    return [_scene(lines[at][0], own[at], around[at], best, topics, sought) for at in order], sought


def _near(held: Sequence[set[str]], lines: Sequence[tuple[str, int]], at: int) -> set[str]:
    """Terms of the sentences before and after in the same text."""
    near = [held[i] for i in (at - 1, at + 1) if 0 <= i < len(lines) and lines[i][1] == lines[at][1]]
    return set().union(*near)


def _is_heading(line: str) -> bool:
    return len(line) < 30 and line[-1:] not in "。！？」"


def _scene(text: str, own: float, around: float, best: float, topics: frozenset[str], sought: Sought) -> Scene:
    terms = fine_words(text)
    places = tuple(_hits(text, terms, sought))
    predicates = tuple((start, end) for start, end, term in terms if term in sought.predicate)
    clauses = tuple(
        (m.start(), m.end(), _within(places, m.start(), m.end(), sought)) for m in re.finditer("[^、，]+", text)
    )
    told = tuple((start, end, term in sought.weights) for start, end, term in terms)
    return Scene(text, own, around, best, _is_heading(text), places, predicates, clauses, topics, told)


def _hits(text: str, terms: Sequence[tuple[int, int, str]], sought: Sought) -> Iterator[tuple[int, int, float]]:
    """Words that the question has too, whole or in part, with the weight of what it has."""
    parts: dict[int, list[tuple[int, str]]] = {}
    for start, end, term in terms:
        parts.setdefault(start, []).append((end, term))
    for word in words(text):
        if not word.is_content:
            continue
        inside = [term for at in range(word.start, word.end) for end, term in parts.get(at, ()) if end <= word.end]
        weight = max((sought.weights.get(term, 0.0) for term in (word.norm, *inside)), default=0.0)
        if weight:
            yield word.start, word.end, weight


def _within(places: Sequence[tuple[int, int, float]], start: int, end: int, sought: Sought) -> float:
    return min(1.0, sum(weight for s, e, weight in places if start <= s and e <= end) / sought.total)


def _share(terms: set[str], sought: Sought) -> float:
    return sum(sought.weights[term] for term in terms) / sought.total
