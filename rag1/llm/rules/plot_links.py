"""The causes that a tale tells, clause by clause: what the rules read in a sentence, and between sentences the plot."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from rag1.llm.rules.causes import event, without_time
from rag1.llm.rules.narrative import Link, tellable
from rag1.llm.rules.narrative_sentence import read_sentence
from rag1.llm.rules.pieces import REASONS, SEQUENCE, apart, groups
from rag1.llm.rules.plot import Tale
from rag1.llm.rules.plot_moments import SPEECH, held

LONGEST = 56
"""Characters of several clauses told as one event."""
_CLEFT = re.compile("のは、?[^。]*(?:から|ため|せい|おかげ)")
AGAINST = 0.05
"""The probability below which what the rules link between two sentences gives way."""


def plot_links(sentences: Sequence[str], opens: Collection[int] = ()) -> list[Link]:
    """Effect and cause, each an event of a sentence, with the first cause of all behind it as far as it is likely.

    `opens`: sentences that begin a paragraph.
    """
    tale = Tale.of(sentences, opens)
    inner = [link for link in tale.links if link.of == link.at]
    stated = [link for link in tale.links if link.of != link.at and not link.inferred and _fits(tale, link)]
    explained = {link.effect for link in (*inner, *stated)}
    found = [*inner, *stated]
    for at, cause in sorted(tale.causes().items()):
        source = _cause_in(tale, inner, cause, at)
        if source and not any(link.of == at for link in stated):
            effects = [each for each in _effects(sentences[at], inner, at) if each not in explained]
            found += [Link(each, source, cause, True, at) for each in effects if each != source]
    linked = {link.effect for link in found}
    found += [link for link in tale.links if link.inferred and link.effect not in linked]
    firsts = {at: _cause_in(tale, inner, first, at) for at, first in tale.firsts().items()}
    return list(dict.fromkeys(replace(link, first=firsts.get(link.of, "")) for link in found))


def _fits(tale: Tale, link: Link) -> bool:
    return bool(tale.walk[link.of, link.at] >= AGAINST)


def _effects(sentence: str, inner: Iterable[Link], at: int) -> list[str]:
    """The sentence's events as effects: its main one with what the rules linked, else each of its clauses."""
    whole = main_event(sentence)
    if not whole:
        return _events(sentence, inner, at)
    linked = [text for link in inner if link.of == at for text in (link.effect, link.cause)]
    return list(dict.fromkeys([whole, *linked]))


def _events(sentence: str, inner: Iterable[Link], at: int) -> list[str]:
    """What a sentence tells, clause by clause, with the relative clauses that the rules took up."""
    events, _ = read_sentence(sentence, at)
    told = [each.text for each in events if not each.resumes]
    told += [text for link in inner if link.of == at for text in (link.effect, link.cause)]
    return [text for text in dict.fromkeys(told) if tellable(text)]


def _cause_in(tale: Tale, inner: Iterable[Link], cause: int, effect: int) -> str:
    """What a sentence tells as a cause: the clauses at its end that lead to each other, else its best event."""
    sentence = tale.moments[cause].text
    given = next((link.cause for link in inner if link.of == cause), "") if _CLEFT.search(sentence) else ""
    if whole := given or main_event(sentence):
        return whole
    events, _ = read_sentence(sentence, cause)
    told = [each for each in events if not each.resumes and tellable(each.text)]
    own = tale.moments[effect]
    best = max(
        enumerate(told),
        key=lambda each: (len(held(each[1].nouns, own.nouns)) + bool(each[1].kanji & own.kanji), each[0]),
        default=None,
    )
    return best[1].text if best else ""


@lru_cache(maxsize=2048)
def main_event(sentence: str) -> str:
    """The clauses at the end of a sentence that lead to each other, as one event; "" if too long, or speech."""
    rest, said = apart(sentence, SPEECH)
    found = groups(rest) if rest and not said else []
    if not found:
        return ""
    first = len(found) - 1
    while first and found[first - 1][1] in REASONS | SEQUENCE | {"ず", "し", "と"}:
        first -= 1
    start = found[first][0][0].found[0].start
    text = without_time(event(rest[start:]))
    return text if len(text) <= LONGEST and tellable(text) else ""
