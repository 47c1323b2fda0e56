"""A count as a line of evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rag1.retrieve.count_question import CountQuestion
from rag1.text.count import Occurrence
from rag1.text.sentences import sentences
from rag1.types import Document, Retrieved, Span

MOST_PLACES = 200
"""Places that a line spells out."""

FEW_PLACES = 3
"""Places that a line spells out of each of many things, where all of them would be more than `MOST_PLACES`."""

EXAMPLE = 120
"""Characters of the sentence that is quoted."""

_WHERE = {"anywhere": "本文", "dialogue": "会話文", "narration": "地の文"}


@dataclass(frozen=True)
class Tally:
    """Each name with its places in one document. `unit` overrules the question's; `within`: places in longer names."""

    document: Document
    places: Mapping[str, tuple[Occurrence, ...]]
    unit: str = ""
    within: int = 0

    @property
    def total(self) -> int:
        return sum(map(len, self.places.values()))

    @property
    def named(self) -> tuple[str, ...]:
        """The names that occur, in order of first mention."""
        held = [name for name, places in self.places.items() if places]
        return tuple(sorted(held, key=lambda name: self.places[name][0].start))

    @property
    def first(self) -> Occurrence | None:
        return min((p for places in self.places.values() for p in places), key=lambda p: p.start, default=None)


def line(tally: Tally, asked: CountQuestion) -> Retrieved:
    """The number with its unit and every place (the n-th character of the text, from 1), and the first sentence.

    `score` is the number; `span` is the place of the sentence quoted, None where nothing was found.
    """
    where = (f"「{asked.chapter}」の" if asked.chapter else "") + _WHERE[asked.where]
    kinds = {"listed": _distinct, "named": _all_named}
    number, text = kinds.get(asked.counted, _times)(tally, asked, where)
    span = _sentence(tally.document.text, tally.first) if tally.first else None
    if span:
        text += f"\n例: {tally.document.text[slice(*span)]}"
    return Retrieved(
        f"count:{tally.document.id}:{'・'.join(asked.names)}", text, tally.document.id, span, float(number), "count"
    )


def _times(tally: Tally, asked: CountQuestion, where: str) -> tuple[int, str]:
    name, places = next(iter(tally.places.items()))
    if tally.unit:
        return len(places), f"『{name}』を含む{tally.unit}は{len(places)}個"
    if not places:
        return 0, f"『{name}』は{where}に出てこない（0{asked.unit}）"
    others = dict.fromkeys(p.name for p in places if p.name != name)
    spelled = "".join(f"、うち『{o}』{sum(p.name == o for p in places)}{asked.unit}" for o in others)
    within = f"、ほかに長い名の一部として{tally.within}{asked.unit}" if tally.within else ""
    return len(
        places
    ), f"『{name}』は{where}に{len(places)}{asked.unit}出てくる（位置: {_at(places)}{spelled}{within}）"


def _distinct(tally: Tally, asked: CountQuestion, where: str) -> tuple[int, str]:
    each = "、".join(f"{name} {len(tally.places[name])}回（{_at(tally.places[name])}）" for name in tally.named)
    missing = "、".join(name for name in tally.places if not tally.places[name])
    text = f"{where}に名が出てくるのは{len(tally.named)}{asked.unit}"
    text += f": {each}" if each else ""
    return len(tally.named), text + (f"。出てこない: {missing}" if missing else "")


def _all_named(tally: Tally, asked: CountQuestion, where: str) -> tuple[int, str]:
    """Each thing with its other names and places, so that a reader can check what was counted."""
    number = len(tally.named)
    shown = MOST_PLACES if tally.total <= MOST_PLACES else FEW_PLACES
    each = "、".join(_one(name, tally.places[name], shown) for name in tally.named)
    return number, f"{where}に名の出る{asked.names[0]}は{number}{asked.unit}: {each}"


def _one(name: str, places: tuple[Occurrence, ...], most: int) -> str:
    others = [form for form in dict.fromkeys(place.name for place in places) if form != name]
    spelled = f"={'='.join(others)}" if others else ""
    more = f" ほか{len(places) - most}" if len(places) > most else ""
    return f"{name}{spelled} {len(places)}回（{_at(places[:most]).removesuffix('文字目')}{more}文字目）"


def _at(places: tuple[Occurrence, ...]) -> str:
    shown = ", ".join(str(place.start + 1) for place in places[:MOST_PLACES])
    return shown + (f" ほか{len(places) - MOST_PLACES}" if len(places) > MOST_PLACES else "") + "文字目"


def _sentence(text: str, place: Occurrence) -> Span:
    """The sentence around a place, cut to `EXAMPLE` characters that hold it."""
    line_start = text.rfind("\n", 0, place.start) + 1
    line_end = text.find("\n", place.end)
    row = text[line_start : line_end if line_end >= 0 else len(text)]
    start, end = next((line_start + a, line_start + b) for a, b in sentences(row) if line_start + b > place.start)
    while start < place.start and text[start].isspace():
        start += 1
    end = max(end, place.end)
    if end - start > EXAMPLE:
        start = max(start, place.start - EXAMPLE // 2)
        end = min(end, start + max(EXAMPLE, place.end - start))
    return start, end
