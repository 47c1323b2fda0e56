"""Alternatives and yes/no by graph facts: comparing what the facts say of each thing that the question names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from rag1.llm.rules.facts import Fact, means
from rag1.llm.rules.kinds import LEAST, MOST, NO, YES
from rag1.llm.rules.question import Question
from rag1.llm.rules.words import fine_terms, fold
from rag1.text.numbers import numbers

Told = tuple[str, Fact]
_DATE = re.compile(r"(\d{1,4})年(?:(\d{1,2})月)?(?:(\d{1,2})日)?")
_ALIKE = re.compile("同じ|共通|一緒(?:です|か)|同一|等しい")
_BOTH = re.compile("どちらも|両方|ふたりとも|二人とも|2人とも|いずれも|共に|ともに|双方")


def choose_by_facts(question: Question, facts: Sequence[Fact]) -> Told | None:
    """The option with the greater or smaller value where the question compares, else the one whose fact it repeats."""
    return _choose(question.text, question.options, facts)


def _choose(text: str, options: Sequence[str], facts: Sequence[Fact]) -> Told | None:
    own = [[fact for fact in facts if means(fact.head, option)] for option in options]
    if len(own) < 2 or not all(own):
        return None
    values = [value_of(found[-1].tail) for found in own]
    sign = 1 if MOST.search(text) else -1 if LEAST.search(text) else 0
    told = [value for value in values if value is not None]
    if sign and len(told) == len(values) and len(set(told)) > 1:
        at = max(range(len(told)), key=lambda i: sign * told[i])
        return options[at], own[at][-1]
    shares = [max(_said(fact.tail, text) for fact in found) for found in own]
    at = max(range(len(shares)), key=lambda i: shares[i])
    return (options[at], own[at][-1]) if shares.count(shares[at]) == 1 else None


def confirm_by_facts(question: Question, facts: Sequence[Fact]) -> Told | None:
    """はい where all things named have one value (同じ), or each has what the question says of both."""
    heads = list(dict.fromkeys(fact.head for fact in facts if fold(fact.head) in fold(question.text)))
    if not heads:
        return None
    own = [[fact for fact in facts if fact.head == head] for head in heads]
    if _ALIKE.search(question.text) and len(heads) > 1:
        kept = [{fold(part) for fact in found for part in re.split("[、・,]", fact.tail)} for found in own]
        return (YES if set.intersection(*kept) else NO), own[0][0]
    if not _BOTH.search(question.text) and len(heads) > 1:
        return _is_the_one(question.text, heads, facts)
    bare = question.text
    for head in heads:
        bare = bare.replace(head, "")
    says = [max(_said(fact.tail, bare) for fact in found) for found in own]
    return (YES if min(says) > 0 else NO), own[says.index(min(says))][0]


def _is_the_one(text: str, heads: Sequence[str], facts: Sequence[Fact]) -> Told | None:
    """「早いのは、Xですか」: is X the one that the facts choose?"""
    chosen = _choose(text, heads, facts)
    named = re.search("のは、?(?P<name>.+?)(?:です|でしょう)?か", text) or re.search(
        "は(?P<name>.+?)の(?:方|ほう)が", text
    )
    if chosen is None or named is None:
        return None
    return (YES if fold(chosen[0]) in fold(named["name"]) or fold(named["name"]) in fold(chosen[0]) else NO), chosen[1]


def value_of(text: str) -> Fraction | None:
    """A date as year and its parts, else the first number; None where there is none."""
    if date := _DATE.search(text):
        year, month, day = (int(part or 0) for part in date.groups())
        return Fraction(year * 10_000 + month * 100 + day)
    found = numbers(text)
    return found[0].value if found else None


def _said(value: str, question: str) -> float:
    """How much of a fact's value the question says, 0 to 1."""
    if fold(value) and fold(value) in fold(question):
        return 1.0
    terms, asked = set(fine_terms(value)), set(fine_terms(question))
    return len(terms & asked) / len(terms) if terms else 0.0
