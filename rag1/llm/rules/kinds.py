"""Answers that are not one span: one of the alternatives, はい or いいえ, a reason, a list."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rag1.llm.rules.clauses import clauses
from rag1.llm.rules.question import Asks, Question
from rag1.llm.rules.scene import Scene, Sought
from rag1.llm.rules.spans import Candidate
from rag1.llm.rules.words import fine_terms, fold, noun_phrases, words
from rag1.text.numbers import Quantity, number_value, numbers

YES, NO = "はい", "いいえ"
LEAST_COVERAGE = 0.1
TOP = 8
MOST = re.compile(
    "多い|多かっ|大き|高い|高かっ|重い|重かっ|長い|長かっ|遅い|遅かっ|年上|広い|広かっ|あと|後に|新しい|上"
)
LEAST = re.compile("少な|小さ|低い|低かっ|軽い|軽かっ|短い|短かっ|早い|早かっ|速い|年下|狭|先に|古い|若い")
_REASON = re.compile(
    "(?P<cause>[^。「」]*?[^、。「」])(?P<link>からである|からだ|からです|せいである|せいだ|ためである|ためだ|ためであ|ために|ため|"
    "せいで|おかげで|ので|から(?=、|$)|からこそ)"
)
_HOW_MANY = re.compile("(?P<n>[0-9０-９一二三四五六七八九十]+)(?:つ|人|名|個|点|組|匹|冊)")
_COORDINATE = frozenset({"、", "と", "や", "・", "および", "及び", "それに", "また", "または", "か"})


@dataclass(frozen=True)
class Scored:
    """A candidate with its place and score (log-odds of the weight table)."""

    candidate: Candidate
    scene: Scene
    score: float


Told = tuple[str, str]
"""Answer and evidence."""


def choose(question: Question, ranked: Sequence[Scored], scenes: Sequence[Scene], sought: Sought) -> Told | None:
    """By comparing amounts where the question compares, else the alternative that the best candidate names."""
    del sought
    compared = _compare(question, scenes)
    if compared:
        return compared
    for scored in ranked:
        option = _named(scored.candidate.text, question.options)
        if option:
            return option, scored.scene.text
    return (question.options[0], scenes[0].text) if question.options else None


def _named(text: str, options: Sequence[str]) -> str:
    """The one option that the text holds, or that begins or ends with it (銀右衛門 for 鋳物師の銀右衛門)."""
    key = fold(text)
    found = [o for o in options if fold(o) in key or (len(key) > 1 and fold(o).startswith(key) | fold(o).endswith(key))]
    return found[0] if len(found) == 1 else ""


def _compare(question: Question, scenes: Sequence[Scene]) -> Told | None:
    sign = 1 if MOST.search(question.text) else -1 if LEAST.search(question.text) else 0
    if not sign or len(question.options) != 2:
        return None
    amounts = [_amount(option, scenes) for option in question.options]
    if not all(amounts) or len({amount.unit for amount, _ in amounts if amount}) != 1:  # type: ignore[misc]
        return None
    values: list[tuple[Fraction, str, str]] = [
        (sign * found[0].value, option, found[1])
        for option, found in zip(question.options, amounts, strict=True)
        if found
    ]
    best = max(values, key=lambda value: value[0])
    return None if values[0][0] == values[1][0] else (best[1], best[2])


def _amount(option: str, scenes: Sequence[Scene]) -> tuple[Quantity, str] | None:
    """The first quantity with a unit after the option's name, in the best sentence that has one."""
    for scene in scenes:
        place = scene.text.find(option)
        if place < 0:
            continue
        after = [q for q in numbers(scene.text) if q.start >= place + len(option) and q.unit]
        if after:
            return after[0], scene.text
    return None


def confirm(question: Question, ranked: Sequence[Scored], scenes: Sequence[Scene], sought: Sought) -> Told | None:
    """はい where the nearest sentence says it, いいえ where one of the two denies."""
    del ranked
    near = scenes[0]
    same = _denies(near.text, sought.predicate) == _denies(question.text, sought.predicate)
    return (YES if same else NO), near.text


def _denies(text: str, predicate: frozenset[str]) -> bool:
    found = [clause for clause in clauses(text) if set(fine_terms(clause.predicate)) & predicate]
    return (found or list(clauses(text))[-1:])[-1].negated if (found or clauses(text)) else False


def reason(question: Question, ranked: Sequence[Scored], scenes: Sequence[Scene], sought: Sought) -> Told | None:
    """The clause before から, ため or ので in the sentences nearest the question."""
    del question, ranked
    found: list[tuple[float, int, str, str]] = []
    for at, scene in enumerate(scenes):
        for match in _REASON.finditer(scene.text):
            cause = match["cause"].lstrip("、。 　\n")
            cause = re.sub("^.*?(?:のは|のも)、?", "", cause)
            if len(cause) < 4:
                continue
            told = set(fine_terms(cause)) & set(sought.weights)
            inside = sum(sought.weights[term] for term in told) / sought.total
            score = scene.coverage + 0.5 * scene.around - inside + (0.2 if match["link"][-1] in "るだす" else 0)
            found.append((score, -at, cause + re.sub("(?:である|だ|です|であ)$", "", match["link"]), scene.text))
    best = max(found, default=None)
    return (best[2], best[3]) if best and best[0] >= LEAST_COVERAGE else None


def enumerate_all(question: Question, ranked: Sequence[Scored], scenes: Sequence[Scene], sought: Sought) -> Told | None:
    """The row of nouns joined by 、 と や around the best candidate, of the size that is asked for where one is."""
    asked = _asked_size(question.text)
    top = {id(s.scene): s for s in reversed(ranked[:TOP])}
    best: tuple[float, int, str, str] | None = None
    for at, scene in enumerate(scenes):
        leader = top.get(id(scene))
        for row in rows(scene.text) if leader else ():
            fresh = [item for item in row if fold(item) not in sought.folded]
            held = (
                any(item in leader.candidate.text or leader.candidate.text in item for item in fresh)
                if leader
                else False
            )
            if len(fresh) < 2 or not leader or not (held or asked == len(fresh)):
                continue
            entry = (leader.score + 2.0 * (asked == len(fresh)), -at, "、".join(fresh), scene.text)
            best = entry if best is None or entry > best else best
    return (best[2], best[3]) if best else None


def _asked_size(text: str) -> int | None:
    match = _HOW_MANY.search(text)
    value = number_value(match["n"]) if match else None
    return int(value) if value is not None and value > 1 else None


def rows(sentence: str) -> list[list[str]]:
    """Rows of at least two nouns joined by 、 と や ・: 「米、味噌と塩を」 → [米, 味噌, 塩]."""
    found = words(sentence)
    phrases = noun_phrases(found, sentence)
    groups: list[list[str]] = []
    for at, phrase in enumerate(phrases):
        between = [word.surface for word in found[phrases[at - 1].last : phrase.first]] if at else []
        if groups and between and all(surface in _COORDINATE for surface in between):
            groups[-1].append(phrase.text)
        else:
            groups.append([phrase.text])
    return [group for group in groups if len(group) > 1]


Rule = Callable[[Question, Sequence[Scored], Sequence[Scene], Sought], Told | None]
BY_KIND: dict[Asks, Rule] = {"choice": choose, "yes_no": confirm, "why": reason, "list": enumerate_all}
