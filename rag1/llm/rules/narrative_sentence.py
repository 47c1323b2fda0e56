"""The events of one sentence, and which of them leads to which."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from rag1.llm.rules.causes import causes
from rag1.llm.rules.events import Event, event_at
from rag1.llm.rules.pieces import REASONS, SEQUENCE, Piece, is_person, pieces, tellings
from rag1.llm.rules.relative import modifier

_EXISTS = re.compile("(?:あり|あって|おり|いて|である|であり)[、。]?$")
_TOPIC_FIRST = re.compile(
    "^(?P<topic>[^、。はが「」]{1,20}は)、?(?P<cause>[^。「」は]*が[^。「」は]*?(?:[たいる]ために|[たいる]ため、|"
    "ので、?|[たい]から、|せいで、?|おかげで、?))"
    "(?P<effect>[^。はが「」]{4,}。?)$"
)
_SUPPOSED = re.compile("(?:しわざ|仕業|違いない|らしい|だろう|でしょう|はず|かもしれない)")
_DEFINES = re.compile("(?:ための|[うくすつぬむる])もの(?:だった|であった|でした)。?$")
_PLANNED = re.compile("(?:はず|予定|つもり|ていたの)(?:であった|だった|でした|です|だ|である)。?$")
Pair = tuple[Event, Event]
"""Effect and cause."""


def cause_first(sentence: str) -> str:
    """「暖房は、配電盤が壊れたために動かなくなった」 → 配電盤が壊れたために、暖房は動かなくなった."""
    match = _TOPIC_FIRST.match(sentence)
    return f"{match['cause'].rstrip('、')}、{match['topic']}{match['effect']}" if match else sentence


def said_shorter(pair: Pair, others: Sequence[Pair]) -> bool:
    """Is there the same cause with one clause of the effect?"""
    effect, cause = pair
    return "、" in effect.text and any(
        cause.text == other.text and len(each.text) < len(effect.text) and each.nouns <= effect.nouns
        for each, other in others
    )


def meant(effect: Event, cause: Event, events: Sequence[Event]) -> Event:
    """Of the events of the sentence that is explained, the one that shares the most with its cause."""
    there = [event for event in events if event.text in effect.text or effect.text in event.text]
    shared = [(len(event.nouns & cause.nouns), event) for event in there]
    most, best = max(shared, key=lambda each: each[0], default=(0, effect))
    return best if most else effect


def tells_how_things_are(sentence: str) -> bool:
    last = pieces(sentence)[-1]
    return bool(_PLANNED.search(sentence) or _DEFINES.search(sentence)) or not (last.past or last.negated)


def read_sentence(sentence: str, at: int) -> tuple[list[Event], list[Pair]]:
    """The events of a sentence, and which leads to which."""
    events, pairs = _read(sentence)
    own = {id(event): replace(event, at=at) for event in (*events, *(each for pair in pairs for each in pair))}
    return [own[id(event)] for event in events], [(own[id(effect)], own[id(cause)]) for effect, cause in pairs]


@lru_cache(maxsize=2048)
def _read(sentence: str) -> tuple[tuple[Event, ...], tuple[Pair, ...]]:
    """As of the first sentence: a text is read anew with every stretch around it."""
    at = 0
    events: list[Event] = []
    pairs: list[Pair] = []
    for found in tellings(sentence):
        whole = [_group(parts, at) for parts, _ in found]
        for n, (parts, link) in enumerate(found):
            resumed = modifier(parts[0]) or (modifier(parts[1]) if len(parts) > 1 and not parts[0].subject else None)
            if resumed:
                cause = event_at(resumed.text, at, pieces(resumed.text)[-1], resumes=True)
                events.append(cause)
                pairs.append((whole[n], cause))
            if n + 1 < len(found) and leads(parts, link, found[n + 1][0]):
                pairs.append((whole[n + 1], whole[n]))
        events += whole
    return tuple(events), tuple(pairs)


def _group(parts: Sequence[Piece], at: int) -> Event:
    texts = [piece.text for piece in parts]
    for n, piece in enumerate(parts[:2]):
        if resumed := modifier(piece):
            texts[n] = resumed.rest
            texts = texts[n:]
            break
    joined = event_at("、".join(text.strip("、。") for text in texts), at, parts[-1])
    own = event_at("、".join(piece.text for piece in parts), at, parts[-1])
    return replace(joined, nouns=joined.nouns | own.nouns)


def leads(parts: Sequence[Piece], link: str, following: Sequence[Piece]) -> bool:
    """Does a group of clauses bring about the next one?"""
    last, effect = parts[-1], following[-1]
    if link in REASONS:
        return not _SUPPOSED.search(effect.text)
    if link in {"ば", "時"}:
        return last.negated
    if link == "ず":
        undone = is_person(parts[0].subject) and not effect.negated  # 飯も食わず、引きこもった: one way of doing
        return bool(following[0].subject) and (effect.past or effect.negated) and not undone
    if link in SEQUENCE or link == "し":
        both = bool(following[0].subject and parts[0].subject) and not _EXISTS.search(last.text)
        return both and not effect.acts and (effect.past or effect.negated) and not _grows(following)
    return link == "と" and bool(parts[0].subject) and not last.acts and not effect.acts and effect.past


def _grows(parts: Sequence[Piece]) -> bool:
    """A person's own doing: what another clause tells did not bring it about."""
    subject = next((piece.subject for piece in parts if piece.subject), "")
    harmed = event_at(parts[-1].text, 0, parts[-1])
    return is_person(subject) and not (harmed.lacks or harmed.harms)


def blamed(text: str, at: int) -> Event:
    """「逃げた山羊のしわざだ」: 山羊が逃げた."""
    found = modifier(pieces(f"{text}が")[-1])
    return event_at(found.text if found else text, at, resumes=bool(found))


def given_causes(sentence: str, previous: str, at: int) -> Iterator[Pair]:
    """What a connective states, as events: `causes`."""
    for effect, cause in causes(sentence, previous):
        yield plain(effect, at), plain(cause, at)


def plain(text: str, at: int) -> Event:
    lacks = text.endswith("(ない)")
    found = event_at(text.removesuffix("(ない)"), at)
    return replace(found, text=text, lacks=lacks or found.lacks, told=True)
