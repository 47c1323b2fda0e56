"""Cause and effect as a tale tells them: clause after clause, and each link taken up where the next one begins.

Within a sentence a clause leads to the next (「変圧器が焼け、送電が切れた」「米がなければ、酒も造れない」), and a
relative clause at its beginning to the rest (「倒れた大杉は泉をふさいだ」). Between sentences the cause of one pair is
what an earlier sentence told: the same noun with the same verb (塞ぐ, 塞がる), both a lack or harm, or an act upon it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log

from rag1.llm.rules.causes import explained
from rag1.llm.rules.events import Event, alike, event_at
from rag1.llm.rules.narrative_sentence import (
    Pair,
    blamed,
    cause_first,
    given_causes,
    meant,
    plain,
    read_sentence,
    said_shorter,
    tells_how_things_are,
)
from rag1.llm.rules.words import content_words

BACK, ON = 30, 12
"""Sentences before and after an event in which it may be told once more."""
FADES = 8.0
"""Sentences over which an earlier telling counts 1/e."""
BRIDGE = 3
"""Sentences between a piece of background and the event that it leads to."""
LEAST = 0.65
REPORTED, OPENING = 0.12, 0.05
"""The least share of nouns by which the sentences after an event, or after a paragraph's opening, go on about it."""
AKIN = 0.3
AKIN_ON = 0.15
"""The least share of nouns, before and after it, by which an effect is taken for what an event goes on from."""
_CLEFT = re.compile("の[はが](?:、|[^。]*(?:だ|である|だった|であった|です|でした|じゃった)。?$)")
_ORIGIN = re.compile(
    "^(?P<noun>[^、。のはが]{1,8})は、?(?P<cause>[^。]+[ただ])もの(?:だ|だった|である|であった|です|でした)。?$"
)
_DOING = re.compile(
    "^(?:[^、]*から、)?(?P<cause>[^、。]+?)の(?:しわざ|仕業|せい|所為)(?:だ|である|だった|であった|です|"
    "でした)[^。]{0,6}。?$"
)
_CUSTOM = re.compile("(?:しきたり|決まり|習わし|ならわし|掟|おきて|約束|はず)(?:が|に|だ|で|と|の)")


@dataclass(frozen=True, slots=True)
class Link:
    """`at`: the sentence that tells the cause; `inferred`: no clause of it says so, it only stands where it is told.

    `of`: the sentence that tells the effect; `first`: the first cause of all behind it, "" where none is likely.
    """

    effect: str
    cause: str
    at: int
    inferred: bool = False
    of: int = -1
    first: str = ""


def links_of(sentences: Sequence[str], opens: Collection[int] = ()) -> list[Link]:
    """All causes that the sentences tell, and between them the links from each to what told it before.

    `opens`: sentences that begin a paragraph.
    """
    told = Telling.of(sentences, opens)
    found = _Web()
    kept: list[Pair] = []
    for effect, cause in told.pairs:
        source = told.source(cause) if cause.resumes else cause
        quality = cause.resumes and not cause.told  # 浅い湊: only where 浅くなる was told
        if source is None or (quality and same_sense(cause, source) != "same"):
            continue
        if not cause.nouns:  # 崩れたところから: what collapsed is told before
            cause = source
        found.add(effect, cause, inferred=False)
        kept.append((effect, cause))
    linked = {event.text: event for pair in kept for event in pair if event.text not in found.causes}
    for event in linked.values():
        found.add(event, told.source(event, found.brought_about_by(event)))
    for event in told.left_over(found.causes):
        apart = found.brought_about_by(event)
        source = told.source(replace(event, about=event.nouns), apart, near=True)
        if source is None and not any(event.text in causes for causes in found.causes.values()):
            source = told.reported(event, apart)
            if source and source.text not in found.causes:
                found.add(source, told.source(source, found.brought_about_by(source) | {event.text}))
        found.add(event, source)
    return [link for link in found.links if tellable(link.effect) and tellable(link.cause)]


@dataclass
class _Web:
    """Links found so far. `causes`: of each effect, its causes."""

    links: list[Link] = field(default_factory=list)
    causes: dict[str, set[str]] = field(default_factory=dict)

    def add(self, effect: Event, cause: Event | None, inferred: bool = True) -> None:
        if cause is None or cause.text == effect.text or cause.text in self.causes.get(effect.text, set()):
            return
        self.links.append(Link(effect.text, cause.text, cause.at, inferred, effect.at))
        self.causes.setdefault(effect.text, set()).add(cause.text)

    def brought_about_by(self, event: Event) -> set[str]:
        """Everything that the event leads to: no cause of it."""
        found, frontier = {event.text}, {event.text}
        while frontier:
            frontier = {effect for effect, causes in self.causes.items() if causes & frontier} - found
            found |= frontier
        return found


def tellable(text: str) -> bool:
    return len(text) > 1 and bool(content_words(text)) and not re.search("[「」？]", text)


@dataclass(frozen=True)
class Telling:
    """`events`: all in order; `pairs`: those that one sentence links; `background`: how things are."""

    events: list[Event]
    pairs: list[Pair]
    background: list[Event]
    opens: Collection[int] = ()
    counts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, sentences: Sequence[str], opens: Collection[int]) -> Telling:
        sentences = [cause_first(sentence) for sentence in sentences]
        reasons = [(at, plain(effect, at - 1), plain(cause, at)) for at, effect, cause in explained(sentences, opens)]
        events: list[Event] = []
        pairs: list[Pair] = []
        background: list[Event] = []
        previous = ""
        for at, sentence in enumerate(sentences):
            own, linked = read_sentence(sentence, at)
            given = list(given_causes(sentence, previous, at))
            given = [(effect, replace(cause, explains=effect.at < at or "のは" in sentence)) for effect, cause in given]
            given += [
                (meant(effect, cause, events), replace(cause, explains=True))
                for place, effect, cause in reasons
                if place == at
            ]
            ground = bool(_CUSTOM.search(sentence))
            if ground:
                own, linked, given = own[-1:], [], []
            if ground or (not given and all(cause.resumes for _, cause in linked) and tells_how_things_are(sentence)):
                background += own
            if events and (match := _DOING.match(sentence)):
                given = [(events[-1], blamed(match["cause"], at))]
            if (match := _ORIGIN.match(sentence)) and (before := _speaks_of(match["noun"], events, at)):
                given = [(before, replace(event_at(match["cause"], at), explains=True))]
                own, linked = [given[0][1]], []
            if _CLEFT.search(sentence):  # its two halves are the events; what only names somebody or judges is none
                own, linked = [event for pair in given for event in pair], []
            events += own
            pairs += [*(pair for pair in given if not said_shorter(pair, linked)), *linked]
            previous = sentence
        told = [*events, *(event for pair in pairs for event in pair)]
        return cls(events, pairs, background, opens, Counter(noun for event in told for noun in event.nouns))

    def weight(self, noun: str) -> float:
        return log(1 + len(self.events) / (1 + self.counts[noun]))

    def source(self, event: Event, apart: Collection[str] = (), near: bool = False) -> Event | None:
        """The telling that an event takes up, else the one that a piece of background leads to.

        `apart`: what it cannot be. `near`: just before it, and of the same sense: what need not be taken up at all.
        """
        back, on = (2, 0) if near else (BACK, ON)
        effects = {effect.text for effect, _ in self.pairs}
        ends = [effect for effect, _ in self.pairs]
        ground = {each.text for each in self.background}
        told = [e for e in (*self.events, *ends) if e.text not in ground | {event.text} and e.text not in apart]
        open_events = {e.text: e for e in told if -back <= e.at - event.at <= on}
        scored = [
            (self.score(event, other, other.text in effects), other)
            for other in open_events.values()
            if not near or same_sense(event, other) in {"same", "harm"}
        ]
        best = max(scored, key=lambda each: each[0], default=None)
        if best and best[0] > 0:
            return best[1]
        if near or not (event.lacks or event.harms):
            return None
        return self._over_background(event, open_events.values()) or self._told_after(event, open_events.values())

    def _told_after(self, event: Event, others: Iterable[Event]) -> Event | None:
        """「配電盤が壊れた。…この水が配電盤に入り、内部を焼いた」: what did the harm, told right after it."""
        acts = [o for o in others if o.at > event.at and same_sense(event, o) in {"act", "same"}]
        scored = [(self.score(event, other, False, after=True), other) for other in acts]
        best = max(scored, key=lambda each: each[0], default=None)
        return best[1] if best and best[0] > 0 else None

    def score(self, event: Event, other: Event, is_effect: bool, after: bool = False) -> float:
        """How surely `other` tells what `event` takes up; 0 where it does not. `after`: it may also follow as such."""
        distance = event.at - other.at
        if distance == 0 or (distance < 0 and not is_effect and not (after and -distance <= BRIDGE)):
            return 0.0
        share, sense = self.shared(event.nouns, other.nouns), same_sense(event, other)
        near = exp(-distance / FADES) if distance > 0 else 0.6 * exp(2 * distance / FADES)
        if not event.nouns:
            return (1 + near) if "same" in sense and event.resumes else 0.0
        if event.explains and distance > 0 and sense != "same":
            return 0.0
        if not sense and is_effect and share >= (AKIN if distance > 0 else AKIN_ON):
            sense = "akin"
        if not share or not sense or not (other.told or is_effect):
            return 0.0
        if event.person and not event.lacks and not event.harms and (sense != "same" or share < 0.3):
            return 0.0
        worth = share + {"same": 1.0, "harm": 0.6, "act": 0.5, "this": 0.6, "next": 0.4, "akin": 0.3}[sense]
        enough = worth >= LEAST or sense == "akin"
        return worth + 0.15 * is_effect + 0.5 * near - 0.05 * other.resumes if enough else 0.0

    def shared(self, nouns: frozenset[str], others: frozenset[str]) -> float:
        """The share of the nouns that the others hold, by weight, in [0, 1]."""
        whole = sum(self.weight(noun) for noun in nouns)
        held = sum(self.weight(noun) * max((alike(noun, other) for other in others), default=0.0) for noun in nouns)
        return held / whole if whole else 0.0

    def _over_background(self, event: Event, others: Iterable[Event]) -> Event | None:
        """「この石灰は漆喰の材料になるはずだった」 leads from 材料を失う to what became of the 石灰."""
        best: tuple[float, Event] | None = None
        for ground in self.background:
            if abs(ground.at - event.at) > 2 * BRIDGE or not self.shared(event.about, ground.nouns):
                continue
            effects = {effect.text for effect, _ in self.pairs}
            further = frozenset(n for n in ground.nouns if not any(alike(n, own) for own in event.nouns))
            for other in others:
                far = abs(other.at - ground.at)
                if (
                    other.at == ground.at
                    or far > BRIDGE
                    or not (other.harms or other.text in effects)
                    or not other.told
                ):
                    continue
                linked = self.shared(other.nouns, further) or (0.3 if ground.kanji & other.kanji else 0.0)
                score = linked * exp(-far / FADES)
                if linked and (best is None or score > best[0]):
                    best = score, other
        return best[1] if best else None

    def reported(self, event: Event, apart: Collection[str]) -> Event | None:
        """The lack or harm told soon after, as a report that tells its end first goes on."""
        for other in self.events:
            if not 0 < other.at - event.at <= 2 * BRIDGE or not (other.lacks or other.harms) or other.text in apart:
                continue
            there = frozenset(noun for each in self.events if each.at == other.at for noun in each.nouns)
            if self.shared(event.nouns, there) >= (OPENING if event.at in self.opens else REPORTED):
                return other
        return None

    def left_over(self, known: Collection[str]) -> Iterator[Event]:
        """Lacks and harms that nothing explains, none that somebody wilfully does."""
        for event in self.events:
            wilful = event.acts and event.person
            told = event.told and not event.resumes and (event.harms or event.lacks)
            if event.text not in known and told and not wilful:
                yield event


def same_sense(event: Event, other: Event) -> str:
    """`same` verb, both a `harm`, an `act` upon what the event is about, the `next` sentence about it; "" for none."""
    if event.verbs & other.verbs or event.kanji & other.kanji:
        return "same"
    touched = any(alike(noun, each) for noun in event.about for each in other.nouns)
    if touched and (event.lacks or event.harms) and (other.lacks or other.harms or (event.lacks and other.leaves)):
        return "harm"
    if touched and other.acts and not other.lasts and not (event.person and event.acts):
        return "act"
    named = re.match("(?:この|その)(?P<noun>[^、。はがをにでの]{1,8})", event.text)
    if named and 0 < event.at - other.at <= 2 and named["noun"] in other.nouns:
        return "this"
    return "next" if event.resumes and event.at - other.at == 1 else ""


def _speaks_of(noun: str, events: Sequence[Event], at: int) -> Event | None:
    """The last thing told of a noun shortly before, for what 「水は、…流れ込んだものだった」 explains."""
    near = (event for event in reversed(events) if at - event.at <= BRIDGE)
    return next((event for event in near if noun in event.nouns and (event.told or event.lasts)), None)
