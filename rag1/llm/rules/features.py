"""What speaks for and against a candidate answer, as a small table of numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from rag1.llm.rules.question import Question
from rag1.llm.rules.spans import Candidate
from rag1.llm.rules.words import WH, Word, content_words, fine_terms, fold, words

_NEAR = 8.0
_TIME_TEXT = re.compile(
    r"(?:年|月|日|時|世紀|年代|時代|曜日|分|秒|頃|ころ|週|朝|夜|昼|夕方|春|夏|秋|冬|昨日|翌日|元日|末|期|戦後|前|後|当時)"
)
_COPULA = frozenset({"で", "だ", "です", "である", "だっ", "でし"})
_PERSON_SUFFIX = re.compile(
    "(?:さん|様|氏|君|殿|先生|博士|夫人|嬢|翁|王|帝|世|公|者|人|家|手|長|男|女|父|母|兄|弟|姉|妹|娘|子|妻|夫)$"
)
_PLACE_SUFFIX = re.compile(
    "(?:国|県|州|市|町|村|区|郡|島|山|川|河|海|湖|港|駅|城|寺|院|社|館|園|校|店|宅|家|部|地|地方|大陸|半島|街|所|場|庁|省|局|会|学|屋)$"
)


@dataclass(frozen=True)
class Sought:
    """A question prepared for scoring: weighted terms, predicate, the text on both sides of its question word."""

    question: Question
    weights: Mapping[str, float]
    folded: str
    predicate: frozenset[str]
    left: str
    right: str
    taken: frozenset[str]

    @property
    def total(self) -> float:
        return sum(self.weights.values()) or 1.0


def seek(question: Question, idf: Mapping[str, float]) -> Sought:
    rare = max(idf.values(), default=1.0)
    weights = {term: idf.get(term, rare) for term in dict.fromkeys(fine_terms(question.text))}
    start, end = question.asked or (len(question.text), len(question.text))
    found = words(question.text)
    verbs = [
        word.norm
        for word in content_words(question.text)
        if word.pos[0] == "動詞" or word.is_a("名詞", "普通名詞", "サ変可能")
    ]
    taken = {w.surface for w in found if w.pos[0] == "助詞" and w.surface in {"が", "を", "に", "で"} and w.end < start}
    return Sought(
        question,
        weights,
        fold(question.text),
        frozenset(verbs[-2:]),
        question.text[:start],
        _right(question, question.text[end:]),
        frozenset(taken),
    )


def _right(question: Question, text: str) -> str:
    """The text after what is asked for: 何という条約が → が…"""
    if question.noun and question.noun in text:
        return text.split(question.noun, 1)[1]
    return text


@dataclass(frozen=True)
class Scene:
    """A sentence in its context: how much of the question it and its neighbours hold."""

    text: str
    coverage: float
    around: float
    best: float
    heading: bool
    hits: tuple[tuple[int, int, float], ...]
    """(start, end, weight) of each word of the sentence that the question has too."""
    predicates: tuple[int, ...]


def hits(text: str, sought: Sought) -> tuple[tuple[int, int, float], ...]:
    return tuple(
        (word.start, word.end, weight) for word in words(text) if word.is_content and (weight := _weight(word, sought))
    )


def _weight(word: Word, sought: Sought) -> float:
    direct = sought.weights.get(word.norm)
    if direct is not None:
        return direct
    return max((sought.weights.get(term, 0.0) for term in fine_terms(word.surface)), default=0.0)


def features(candidate: Candidate, scene: Scene, sought: Sought) -> dict[str, float]:
    """All features of one candidate; names are those of the weight table."""
    found = words(scene.text)
    before = found[candidate.first - 1].surface if candidate.first else ""
    after = found[candidate.last].surface if candidate.last < len(found) else ""
    return {
        "coverage": scene.coverage,
        "around": scene.around,
        "is_best_sentence": float(scene.coverage >= scene.best - 1e-9),
        "heading": float(scene.heading),
        "near": _nearness(candidate, scene, sought),
        "inside_question": _inside(candidate, sought),
        **_type_features(candidate, found, sought),
        **_shape_features(candidate, found),
        **_context_features(candidate, scene, sought, before, after),
    }


def _nearness(candidate: Candidate, scene: Scene, sought: Sought) -> float:
    """Weight of the question's words outside the candidate, each fading with its distance in characters."""
    score = 0.0
    for start, end, weight in scene.hits:
        if start >= candidate.start and end <= candidate.end:
            continue
        distance = max(candidate.start - end, start - candidate.end, 0)
        score += weight * math.exp(-distance / _NEAR)
    return score / sought.total


def _inside(candidate: Candidate, sought: Sought) -> float:
    """Share of the candidate's content that the question says already; 1 when it stands in the question."""
    folded = fold(candidate.text)
    if folded and folded in sought.folded:
        return 1.0
    terms = fine_terms(candidate.text)
    return sum(term in sought.weights for term in terms) / len(terms) if terms else 0.0


def _type_features(candidate: Candidate, found: tuple[Word, ...], sought: Sought) -> dict[str, float]:
    asks, noun = sought.question.asks, sought.question.noun
    run = found[candidate.first : candidate.last]
    number = any(word.is_number for word in run)
    fits = {
        "person": any(word.is_a("名詞", "固有名詞", "人名") for word in run)
        or bool(_PERSON_SUFFIX.search(candidate.text)),
        "time": (number and bool(_TIME_TEXT.search(candidate.text)))
        or bool(re.search("(?:頃|時代|時|朝|夜|後|前)$", candidate.text)),
        "place": any(word.is_a("名詞", "固有名詞", "地名") for word in run)
        or bool(_PLACE_SUFFIX.search(candidate.text)),
        "quantity": number,
    }.get(asks)
    return {
        "type_fits": float(fits is True),
        "type_fails": float(fits is False),
        "ends_with_noun": float(bool(noun) and candidate.text.endswith(noun) and candidate.text != noun),
        "is_noun": float(bool(noun) and candidate.text == noun),
        "has_noun": float(bool(noun) and noun[-1] == candidate.text[-1]),
        "number_unasked": float(number and asks not in {"quantity", "time"}),
        "bare_number": float(number and all(word.is_number for word in run)),
    }


def _shape_features(candidate: Candidate, found: tuple[Word, ...]) -> dict[str, float]:
    run = found[candidate.first : candidate.last]
    starts = candidate.first == 0 or not _nounish(found[candidate.first - 1])
    ends = candidate.last == len(found) or not _nounish(found[candidate.last])
    return {
        "length": math.log(len(candidate.text)),
        "short": float(len(candidate.text) == 1),
        "long": max(0.0, len(candidate.text) - 12) / 10,
        "links": float(candidate.links),
        "quoted": float(candidate.quoted),
        "clause": float(candidate.clause),
        "proper": float(any(word.is_proper_noun for word in run)),
        "katakana": float(bool(re.search("[ァ-ヴ]{3,}", candidate.text))),
        "broken": float(not starts) + float(not ends),
        "list": float("、" in candidate.text),
        "pronoun": float(bool(WH.search(candidate.text)) or run[0].pos[0] == "代名詞"),
    }


def _nounish(word: Word) -> bool:
    return word.pos[0] in {"名詞", "接尾辞", "接頭辞"}


def _context_features(candidate: Candidate, scene: Scene, sought: Sought, before: str, after: str) -> dict[str, float]:
    right = _common(scene.text[candidate.end : candidate.end + 8], sought.right[:8])
    left = _common(scene.text[max(0, candidate.start - 8) : candidate.start][::-1], sought.left[-8:][::-1])
    verb = min((start - candidate.end for start in scene.predicates if start >= candidate.end), default=99)
    return {
        "right_match": min(right, 5) / 5,
        "left_match": min(left, 5) / 5,
        "before_predicate": math.exp(-verb / _NEAR),
        "after_topic": float(after in {"は", "も"}),
        "after_subject": float(after == "が"),
        "after_object": float(after == "を"),
        "after_ni_de": float(after in {"に", "で", "から", "へ", "まで"}),
        "after_no": float(after == "の"),
        "after_quote": float(after in {"と", "という"}),
        "after_copula": float(after in _COPULA),
        "taken_particle": float(after in sought.taken),
        "same_particle": float(bool(after) and sought.right.startswith(after)),
        "in_brackets": float(before in {"（", "("}),
        "sentence_start": float(candidate.start == 0),
    }


def _common(a: str, b: str) -> int:
    return next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
