"""Sums and differences: what a question wants computed, from the amounts that the nearest sentences tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from rag1.llm.rules.scene import Scene
from rag1.text.numbers import Quantity, numbers
from rag1.text.units import CANONICAL, COUNTER, PARTS

Sign = Literal["sum", "difference"]

NEAR = 0.6
"""The share of the best sentence's coverage from which a sentence's amounts count as asked for."""
SCENES = 4
_SUM = re.compile("合わせて|あわせて|合計|総計|総額|合算|通算|足すと")
_DIFFERENCE = re.compile(
    "差[はをが]|足り(?:な|ま)|不足|(?:いくら|何[^、。]{1,4}?)(?:以上|以下|ほど|くらい|だけ)?(?:余|残|速|早|遅|多|少な|高|低|"
    "長|短|重|軽|大き|小さ|年上|年下|違|離れ|ちが|増|減)|のうち、?[^。]*なかった"
)
_TOLD = re.compile("合わせて|あわせて|合計|総計|都合|しめて|みんなで|全部で|差は|差が|ちがい|違い")
"""What stands before an amount that the text itself has summed up."""
_COMPARED = re.compile(
    "(?:ほど|ばかり|ばかりの|も|だけ)?(?:年上|年下|多|少な|高|低|長|短|重|軽|大き|小さ|速|早|遅|足り|余|残|不足|の差|の違)"
)
"""What stands after a difference that the text itself tells."""


@dataclass(frozen=True, slots=True)
class Sum:
    """`sign` of the reckoning; `unit` in its usual spelling, and as the question spells it."""

    sign: Sign
    unit: str
    spelling: str


@dataclass(frozen=True, slots=True)
class Reckoned:
    """The answer with its unit, the sentences of its amounts, and whether the text told the result itself."""

    text: str
    evidence: str
    told: bool


def read_sum(question: str) -> Sum | None:
    """The reckoning that a question asks for; None where it asks for none, or names no unit."""
    sign: Sign | None = "sum" if _SUM.search(question) else "difference" if _DIFFERENCE.search(question) else None
    spelling = asked_unit(question)
    return Sum(sign, CANONICAL.get(spelling, spelling), spelling) if sign and spelling else None


def asked_unit(question: str) -> str:
    """The unit after 何, 円 for いくら, "" where none is said."""
    for match in re.finditer("何", question):
        if counter := COUNTER.match(question, match.end()):
            return counter.group()
    return "円" if "いくら" in question else ""


def unit_fits(question: str, answer: str) -> bool:
    """False where a unit is asked for (何人) and the answer holds no amount of it or of a part of it: 一つ, 一."""
    spelling = asked_unit(question)
    unit = CANONICAL.get(spelling, spelling)
    return not unit or not re.search(f"何{spelling}|いくら", question) or bool(_amounts(answer, unit))


def reckon(asked: Sum, question: str, scenes: Sequence[Scene]) -> Reckoned | None:
    """A result that the text tells, else the sum or difference of exactly two amounts of the nearest sentences."""
    near = [s for s in scenes[:SCENES] if s.coverage + s.around >= NEAR * (scenes[0].coverage + scenes[0].around)]
    if told := _told(asked, near):
        return told
    found = _two(asked, question, near)
    if found is None:
        return None
    (first, one), (second, other) = found
    value = first + second if asked.sign == "sum" else abs(first - second)
    evidence = one if one == other else f"{one}\n{other}"
    return Reckoned(spelled(value, asked.spelling), evidence, told=False)


def _told(asked: Sum, scenes: Sequence[Scene]) -> Reckoned | None:
    for scene in scenes:
        for amount in _amounts(scene.text, asked.unit):
            before = _TOLD.search(scene.text, max(0, amount.start - 6), amount.start)
            if before or (asked.sign == "difference" and _COMPARED.match(scene.text, amount.end)):
                return Reckoned(scene.text[amount.start : amount.end], scene.text, told=True)
    return None


def _two(asked: Sum, question: str, scenes: Sequence[Scene]) -> list[tuple[Fraction, str]] | None:
    """The two amounts of the nearest sentence that has two, else of the two nearest that have one each.

    Amounts that the question says itself are no operands. None where there are more or fewer.
    """
    said = {(q.value, q.unit) for q in numbers(question)}
    rows = []
    for scene in scenes:
        fresh = [q for q in _amounts(scene.text, asked.unit) if (q.value, q.unit) not in said]
        rows.append([(_in_unit(q, asked.unit), scene.text) for q in fresh])
    full = [row for row in rows if row]
    if full and len(full[0]) == 2:
        return full[0]
    return [full[0][0], full[1][0]] if len(full) == 2 and len(full[0]) == len(full[1]) == 1 else None


def _amounts(text: str, unit: str) -> list[Quantity]:
    return [q for q in numbers(text) if _factor(q.unit, unit) is not None]


def _factor(unit: str, asked: str) -> Fraction | None:
    """How many of the asked unit one of `unit` is: 銭 is 1/100 円. None where they do not go together."""
    if unit == asked and unit:
        return Fraction(1)
    if ratio := PARTS.get((asked, unit)):
        return Fraction(1, ratio)
    ratio = PARTS.get((unit, asked))
    return Fraction(ratio) if ratio else None


def _in_unit(amount: Quantity, asked: str) -> Fraction:
    return amount.value * (_factor(amount.unit, asked) or 1)


def spelled(value: Fraction, unit: str) -> str:
    """99缶; money and lengths with their smaller parts: 68円40銭, never 68.4円."""
    if value.denominator == 1:
        return f"{value}{unit}"
    whole, rest = divmod(value, 1)
    for (larger, smaller), ratio in PARTS.items():
        if larger == unit and (rest * ratio).denominator == 1:
            return (f"{whole}{unit}" if whole else "") + f"{rest * ratio}{smaller}"
    return f"{float(value):g}{unit}"
