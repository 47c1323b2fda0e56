"""What speaks for and against a candidate answer, as a small table of numbers."""

from __future__ import annotations

import math
import re

from rag1.llm.rules.question import WORD
from rag1.llm.rules.scene import Scene, Sought
from rag1.llm.rules.spans import Candidate
from rag1.llm.rules.words import Word, fold, words

_NEAR = 8.0
_TIME_TEXT = re.compile("年|月|日|時|世紀|年代|曜日|分|秒|頃|ころ|ごろ|週|朝|夜|夕|春|夏|秋|冬|期|前|後")
_TIME_WORD = re.compile("(?:頃|ごろ|時代|時|朝|夜|晩|昼|夕方|春|夏|秋|冬|後|前|翌日|元日|戦後|当時|末)$")
_COPULA = frozenset({"で", "だ", "です", "である", "だっ", "でし"})
_PERSON_SUFFIX = re.compile(
    "(?:さん|様|氏|君|殿|先生|博士|夫人|嬢|翁|王|帝|世|公|者|人|手|長|男|女|父|母|兄|弟|姉|妹|娘|子|妻|夫|師|員|客)$"
)
_PLACE_SUFFIX = re.compile(
    "(?:国|県|州|市|町|村|区|郡|島|山|川|河|海|湖|港|駅|城|寺|院|社|館|園|校|店|宅|家|部|地|地方|大陸|半島|街|所|場|庁|"
    "省|局|会|学|屋|室|橋|岸|浜|谷|野|原|森|林|道|門|前|上|中|下)$"
)


def features(candidate: Candidate, scene: Scene, sought: Sought) -> dict[str, float]:
    """All features of one candidate; names are those of the weight table, those that are 0 may be left out."""
    found = words(scene.text)
    run = found[candidate.first : candidate.last]
    before = found[candidate.first - 1] if candidate.first else None
    after = found[candidate.last].surface if candidate.last < len(found) else ""
    return {
        "coverage": scene.coverage,
        "around": scene.around,
        "is_best_sentence": float(scene.coverage >= scene.best - 1e-9),
        "heading": float(scene.heading),
        "inside_question": _inside(candidate, scene, sought),
        **_nearness(candidate, scene, sought),
        **_type_features(candidate, run, sought),
        **_shape_features(candidate, found, run),
        **_side_features(candidate, scene, sought),
        **_particle_features(before, after, scene, sought),
        **_topic_features(candidate, scene, sought, after),
    }


def _nearness(candidate: Candidate, scene: Scene, sought: Sought) -> dict[str, float]:
    """Weight of the question's words before and after the candidate, each fading with its distance in characters."""
    before = after = 0.0
    for start, end, weight in scene.hits:
        if end <= candidate.start:
            before += weight * math.exp((end - candidate.start) / _NEAR)
        elif start >= candidate.end:
            after += weight * math.exp((candidate.end - start) / _NEAR)
    clause = max(
        (share for s, e, share in scene.clauses if s <= candidate.start < e or s < candidate.end <= e), default=0
    )
    return {"near_before": before / sought.total, "near_after": after / sought.total, "clause_coverage": clause}


def _inside(candidate: Candidate, scene: Scene, sought: Sought) -> float:
    """Share of the candidate's content that the question says already; 1 when it stands in the question."""
    folded = fold(candidate.text)
    if folded and folded in sought.folded:
        return 1.0
    told = [known for start, end, known in scene.told if start >= candidate.start and end <= candidate.end]
    return sum(told) / len(told) if told else 0.0


def _type_features(candidate: Candidate, run: tuple[Word, ...], sought: Sought) -> dict[str, float]:
    asks, noun, text = sought.question.asks, sought.question.noun, candidate.text
    number = any(word.is_number for word in run)
    time = (number and bool(_TIME_TEXT.search(text))) or bool(_TIME_WORD.search(text))
    person = any(word.is_a("名詞", "固有名詞", "人名") for word in run)
    place = any(word.is_a("名詞", "固有名詞", "地名") for word in run)
    fits = {
        "person": person or bool(_PERSON_SUFFIX.search(text)),
        "time": time,
        "place": place or bool(_PLACE_SUFFIX.search(text)),
        "quantity": number,
    }.get(asks)
    return {
        f"{asks}_fits": float(fits is True),
        f"{asks}_fails": float(fits is False),
        "person_name": float(asks == "person" and person),
        "place_name": float(asks == "place" and place),
        "country": float(noun in {"国", "国家"} and any(word.pos[3] == "国" for word in run)),
        "ends_with_noun": float(bool(noun) and text.endswith(noun) and text != noun),
        "is_noun": float(bool(noun) and text == noun),
        "has_noun": float(bool(noun) and noun[-1] == text[-1]),
        "number_unasked": float(number and asks not in {"quantity", "time"}),
        "time_unasked": float(time and asks != "time"),
        "bare_number": float(number and all(word.is_number for word in run)),
    }


def _shape_features(candidate: Candidate, found: tuple[Word, ...], run: tuple[Word, ...]) -> dict[str, float]:
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
        "kana_only": float(bool(re.fullmatch("[ぁ-んー]+", candidate.text))),
        "broken": float(not starts) + float(not ends),
        "list": float("、" in candidate.text),
        "pronoun": float(bool(WORD.search(candidate.text)) or run[0].pos[0] in {"代名詞", "連体詞"}),
        "adverbial": float(len(run) == 1 and run[0].is_a("名詞", "普通名詞", "副詞可能")),
        "common_word": float(len(run) == 1 and run[0].is_a("名詞", "普通名詞")),
    }


def _nounish(word: Word) -> bool:
    return word.pos[0] in {"名詞", "接尾辞", "接頭辞"}


def _side_features(candidate: Candidate, scene: Scene, sought: Sought) -> dict[str, float]:
    right = _common(scene.text[candidate.end : candidate.end + 8], sought.right[:8])
    left = _common(scene.text[max(0, candidate.start - 8) : candidate.start][::-1], sought.left[-8:][::-1])
    to_verb = min((start - candidate.end for start, _ in scene.predicates if start >= candidate.end), default=99)
    from_verb = min((candidate.start - end for _, end in scene.predicates if end <= candidate.start), default=99)
    return {
        "right_match": min(right, 5) / 5,
        "left_match": min(left, 5) / 5,
        "before_predicate": math.exp(-to_verb / _NEAR),
        "after_predicate": math.exp(-from_verb / _NEAR),
        "sentence_start": float(candidate.start == 0),
    }


def _particle_features(before: Word | None, after: str, scene: Scene, sought: Sought) -> dict[str, float]:
    topic, asks = after in {"は", "も"}, sought.question.asks
    return {
        "after_topic": float(topic),
        "topic_coverage": topic * scene.coverage,
        "after_subject": float(after == "が"),
        "after_object": float(after == "を"),
        "after_ni_de": float(after in {"に", "で", "から", "へ", "まで"}),
        "after_no": float(after == "の"),
        "after_quote": float(after in {"と", "という"}),
        "after_copula": float(after in _COPULA),
        "taken_particle": float(after in sought.taken),
        "same_particle": float(bool(after) and sought.right.startswith(after)),
        "in_brackets": float(before is not None and before.surface in {"（", "("}),
        "modified": float(before is not None and before.pos[0] in {"動詞", "助動詞", "形容詞"}),
        "named_quote": float(sought.naming and after in {"と", "という", "」", "』"}),
        "person_subject": float(asks == "person" and after in {"は", "が", "も"}),
    }


def _topic_features(candidate: Candidate, scene: Scene, sought: Sought, after: str) -> dict[str, float]:
    topic = candidate.text in scene.topics
    return {
        "is_topic": float(topic),
        "named_topic": float(topic and sought.naming),
        "named_subject": float(sought.naming and after in {"は", "も", "とは"}),
    }


def _common(a: str, b: str) -> int:
    return next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
