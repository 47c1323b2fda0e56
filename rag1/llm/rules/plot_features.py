"""Features by which a sentence of a tale is told to be another's cause, or to begin a chain of causes itself."""

from __future__ import annotations

from dataclasses import dataclass

from rag1.llm.rules.plot_moments import Moment, held, share

BACK, ON = 14, 5
"""Sentences before and after one among which its cause is sought."""
OPENING, FAR_ON = 8, 24
"""Sentences at the beginning of a tale that may tell its end first, and how far after them its cause may be told."""
_OF_EFFECT = (
    "result",
    "contrast",
    "shift",
    "points",
    "explains",
    "lacks",
    "harms",
    "changes",
    "motive",
    "speech",
    "time",
    "stays",
    "meta",
    "lasts",
    "defines",
    "past",
    "negated",
)
_OF_CAUSE = (
    "explains", "lasts", "defines", "done", "past", "negated", "lacks", "harms", "acts", "person", "fault", "force",
    "motive", "changes", "speech", "only speech", "time", "question", "result", "contrast", "shift", "inner", "leaves",
    "stays", "meta", "points", "planned", "title",
)  # fmt: skip
_OF_NONE = (
    "speech", "only speech", "time", "explains", "lasts", "defines", "done", "past", "negated", "lacks", "harms",
    "acts", "person", "fault", "force", "motive", "changes", "result", "contrast", "shift", "points", "inner",
    "question", "short", "long", "leaves", "stays", "meta", "planned", "title",
)  # fmt: skip


@dataclass(frozen=True)
class Window:
    """The sentences around one: `at` is its place among `moments`; `starts`: they begin the tale.

    `opens`: sentences that begin a paragraph; `ruled`: (effect, cause, inferred) of what the rules link.
    """

    moments: tuple[Moment, ...]
    at: int
    starts: bool
    opens: frozenset[int]
    ruled: frozenset[tuple[int, int, bool]]

    @property
    def candidates(self) -> list[int]:
        """Sentences that may tell the cause."""
        return [n for n in range(len(self.moments)) if n != self.at]


def of_none(window: Window) -> dict[str, float]:
    """Why a sentence should have no cause that is told."""
    at, opens = window.at, window.opens
    own = window.moments[at]
    before = frozenset().union(*(each.nouns for each in window.moments[:at]))
    found = {f"none {mark}": 1.0 for mark in _OF_NONE if own.has(mark)}
    found["none"] = 1.0
    found["none opens"] = float(at in opens)
    found["none time opens"] = float(at in opens and own.has("time"))
    found["none fault time"] = float(own.has("time") and (own.has("fault") or own.has("done")))
    found["none known"] = share(own.nouns, before)
    found["none topic known"] = share(own.first, before)
    found["none early"] = float(window.starts and at < 2)
    found["none first"] = float(window.starts and at == 0)
    found["none person acts"] = float(own.has("person") and own.has("acts") and own.has("past"))
    return found


def of_pair(window: Window, cause: int) -> dict[str, float]:
    """Why sentence `cause` should tell the cause of the one at `window.at`."""
    own, other = window.moments[window.at], window.moments[cause]
    return {**of_marks(own.marks, other.marks, window.at - cause), **of_words(window, cause)}


def of_words(window: Window, cause: int) -> dict[str, float]:
    """What a pair shares, where it stands, and what the rules say of it."""
    own, other = window.moments[window.at], window.moments[cause]
    found: dict[str, float] = {}
    shared = held(own.nouns, other.nouns)
    if shared:
        between = window.moments[min(window.at, cause) + 1 : max(window.at, cause)]
        fresh = shared.difference(*(held(shared, each.nouns) for each in between))
        found["shares"] = 1.0
        found["fresh"] = min(3, len(fresh)) / 3
        found["stale"] = float(not fresh)
    far = abs(window.at - cause)
    if overlap := share(own.nouns, other.nouns):
        found["overlap"] = overlap
        found["overlap back"] = share(other.nouns, own.nouns)
        found["topic"] = share(own.first, other.nouns)
        found["same topic"] = share(own.first, other.first)
        found["far shared"] = overlap * float(far > 2)
    if own.kanji & other.kanji:
        found["kanji"] = 1.0
        found["verb"] = float(bool(own.verbs & other.verbs))
        found["verb far"] = float(far > 1)
        found["verb and noun"] = float(bool(shared))
    found["noun of verb"] = float(bool(own.kanji & other.noun_kanji))
    _place(found, window, cause)
    _rules(found, window, cause)
    return found


def _rules(found: dict[str, float], window: Window, cause: int) -> None:
    at, later = window.at, " later" if cause > window.at else ""
    for inferred, name in ((False, "ruled"), (True, "ruled inferred")):
        if (at, cause, inferred) in window.ruled:
            found[f"{name}{later}"] = 1.0
        if (cause, at, inferred) in window.ruled:
            found[f"{name} against"] = 1.0


def _distance(distance: int) -> str:
    if distance < 0:
        return f"after {-distance if distance > -4 else '4' if distance > -8 else '8'}"
    return f"before {distance if distance < 5 else '5' if distance < 8 else '8' if distance < 12 else '12'}"


def of_marks(own: frozenset[str], other: frozenset[str], distance: int) -> dict[str, float]:
    """How far apart a pair is told, `distance` in sentences, and by which marks."""
    found: dict[str, float] = {_distance(distance): 1.0}
    near = "next" if distance == -1 else "after" if distance < 0 else "last" if distance == 1 else "before"
    for mark in _OF_CAUSE:
        if mark in other:
            found[f"cause {mark}"] = 1.0
            if mark in {"explains", "lasts", "defines", "lacks", "harms", "speech", "past"}:
                found[f"cause {mark} {near}"] = 1.0
    for mark in _OF_EFFECT:
        if mark in own:
            found[f"effect {mark} {near}"] = 1.0
    found["last near"] = float(distance == 1 and not (own | other) & {"shift", "speech", "stays", "meta"})
    found["bad to act"] = float(("lacks" in other or "harms" in other) and "person" in own and "acts" in own)
    found["both bad"] = float(("lacks" in own or "harms" in own) and ("lacks" in other or "harms" in other))
    found["acts on lack"] = float("acts" in own and "person" in own and "lacks" in other)
    found["moves on lack"] = float("motive" in own and ("lacks" in other or "harms" in other))
    return found


def _place(found: dict[str, float], window: Window, cause: int) -> None:
    at, opens = window.at, window.opens
    low, high = min(at, cause), max(at, cause)
    crossed = sum(low < place <= high for place in opens)
    found["same paragraph"] = float(crossed == 0)
    found["far paragraph"] = float(crossed > 1)
    found["opens"] = float(at in opens and at - cause == 1)
    found["cause opens"] = float(cause in opens)
    found["cause closes"] = float(cause + 1 in opens)
    found["first"] = float(window.starts and cause == 0)
    found["told first"] = float(at in opens and cause > at and crossed == 0)
    found["told first far"] = float(window.starts and at < 2 and cause > at)
