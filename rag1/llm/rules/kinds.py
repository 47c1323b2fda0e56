"""Answers that are not one span: one of the alternatives, はい or いいえ, a reason, a list."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rag1.llm.rules.clauses import Clause, clauses
from rag1.llm.rules.question import Asks, Question
from rag1.llm.rules.scene import Scene, Sought
from rag1.llm.rules.spans import Candidate
from rag1.llm.rules.words import fine_terms, fold, noun_phrases, quoted, words
from rag1.text.numbers import Quantity, number_value, numbers

YES, NO = "はい", "いいえ"
LEAST_COVERAGE = 0.1
TOP = 8
NEAREST = 3
"""Sentences that say yes or no."""
SOFT = 3.0
"""Log-odds of the weight table that make a lead of e to 1 between alternatives: they are over-sure by about that."""
COMPARED, ABSENT = 0.7, 0.5
_PERSONS = re.compile("名(?:前)?を|誰|だれ|人を|人物")
_WAS_NOT = re.compile("(?:ない|なかった|ません|ませんでした)(?:もの|の|人|物|こと)は、?(?:どれ|誰|だれ|どこ|何|どちら)")
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


@dataclass(frozen=True, slots=True)
class Told:
    """`confidence` (0 to 1) where the rule knows better than the ranking of candidates, else None."""

    answer: str
    evidence: str
    confidence: float | None = None


def choose(question: Question, ranked: Sequence[Scored], scenes: Sequence[Scene], sought: Sought) -> Told | None:
    """By comparing amounts where the question compares, by absence where it asks for what was not, else the
    alternative that the best candidate names; its confidence is its lead over the other alternatives."""
    del sought
    if not question.options:
        return None
    if compared := _compare(question, scenes) or _missing(question, scenes):
        return compared
    best: dict[str, Scored] = {}
    for scored in ranked:
        option = _named(scored.candidate.text, question.options)
        if option:
            best.setdefault(option, scored)
    if not best:
        return Told(question.options[0], scenes[0].text, confidence=0.0)
    lowest = min(scored.score for scored in ranked)
    scores = [best[option].score if option in best else lowest for option in question.options]
    first = max(best.values(), key=lambda scored: scored.score)
    share = 1 / sum(math.exp(max(-60.0, (score - first.score) / SOFT)) for score in scores)
    return Told(_named(first.candidate.text, question.options), first.scene.text, round(share, 3))


def _missing(question: Question, scenes: Sequence[Scene]) -> Told | None:
    """「入っていなかったものはどれ」: the one alternative that no sentence names."""
    if not _WAS_NOT.search(question.text):
        return None
    text = fold("".join(scene.text for scene in scenes))
    absent = [option for option in question.options if fold(option) not in text]
    return Told(absent[0], scenes[0].text, ABSENT) if len(absent) == 1 and len(question.options) > 2 else None


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
    return None if values[0][0] == values[1][0] else Told(best[1], best[2], COMPARED)


def _amount(option: str, scenes: Sequence[Scene]) -> tuple[Quantity, str] | None:
    """The first quantity with a unit after the option's name, in the best sentence that has one."""
    for scene in scenes:
        place = _after(option, scene.text)
        after = [q for q in numbers(scene.text) if 0 <= place <= q.start and q.unit]
        if after:
            return after[0], scene.text
    return None


def _after(name: str, text: str) -> int:
    """Where the name ends in the text, or the longest beginning or end of it (三沢 for 三沢玄道); −1 without any."""
    for size in range(len(name), max(2, len(name) // 2) - 1, -1):
        for part in (name[:size], name[-size:]):
            if part in text:
                return text.find(part) + size
    return -1


def confirm(question: Question, ranked: Sequence[Scored], scenes: Sequence[Scene], sought: Sought) -> Told | None:
    """はい where the nearest clauses say it, いいえ where one of the two denies.

    Each clause weighs as much as it holds of the question; only clauses that hold its predicate count, where any does.
    """
    del ranked
    near = scenes[:NEAREST]
    said = [(scene, clause, *_held(scene, clause, sought)) for scene in near for clause in clauses(scene.text)]
    telling = [entry for entry in said if entry[3]] or said
    if not telling:
        return Told(YES, scenes[0].text)
    balance = sum(held * (-1 if clause.negated else 1) for _, clause, held, _ in telling)
    denied = any(c.negated for c in clauses(question.text)[-1:])
    scene = max(telling, key=lambda entry: entry[2])[0]
    return Told(YES if (balance < 0) == denied else NO, scene.text)


def _held(scene: Scene, clause: Clause, sought: Sought) -> tuple[float, bool]:
    """The share of the question that a clause holds, and whether it holds the question's predicate."""
    terms = set(fine_terms(scene.text[clause.start : clause.end])) | set(fine_terms(clause.predicate))
    share = sum(weight for term, weight in sought.weights.items() if term in terms) / sought.total
    return share, bool(terms & sought.predicate)


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
    return Told(best[2], best[3]) if best and best[0] >= LEAST_COVERAGE else None


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
    return Told(best[2], best[3]) if best else _scattered(question, scenes, sought, asked)


def _scattered(question: Question, scenes: Sequence[Scene], sought: Sought, asked: int | None) -> Told | None:
    """「ひとつは甲が、ひとつは乙が」: the quoted words or the persons of one sentence, as many as are asked for.

    Where no number is asked for, all persons of the nearest sentence that has two, if persons are asked for.
    """
    people = bool(_PERSONS.search(question.text))
    for scene in scenes[:NEAREST]:
        quotes = [scene.text[start:end] for start, end in quoted(scene.text)]
        for found in (quotes, _people(scene.text) if people else []):
            fresh = [item for item in dict.fromkeys(found) if fold(item) not in sought.folded]
            if len(fresh) > 1 and (len(fresh) == asked or (asked is None and found is not quotes)):
                return Told("、".join(fresh), scene.text)
    return None


def _people(sentence: str) -> list[str]:
    found = words(sentence)
    phrases = noun_phrases(found, sentence)
    return [p.text for p in phrases if any(w.is_a("名詞", "固有名詞", "人名") for w in found[p.first : p.last])]


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
