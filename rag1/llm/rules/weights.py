"""Weights of the reader's features (see `docs/decisions/offline-reader.md` for how they were obtained)."""

from __future__ import annotations

WEIGHTS: dict[str, float] = {
    "adverbial": -2.05, "after_copula": 0.34, "after_ni_de": -0.12, "after_no": -0.70, "after_object": -0.35,
    "after_predicate": 0.44, "after_quote": 0.01, "after_subject": 0.42, "after_topic": -0.45, "around": 1.24,
    "bare_number": 0.66, "before_predicate": 1.40, "broken": -2.43, "clause": -2.66, "clause_coverage": 2.10,
    "common_word": -0.35, "country": 1.88, "coverage": 2.89, "ends_with_noun": 2.24, "has_noun": 2.65,
    "in_brackets": 0.17, "inside_question": -4.34, "is_best_sentence": 0.65, "is_noun": -2.43, "is_topic": 2.10,
    "kana_only": -2.16, "katakana": 0.83, "left_match": 3.48, "length": 0.99, "links": -2.16, "list": -1.50,
    "long": -2.44, "modified": 0.04, "named_quote": 1.28, "named_subject": 0.57, "named_topic": 1.53,
    "near_after": 3.43, "near_before": 4.96, "number_unasked": -0.44, "person_fails": -1.33,
    "person_fits": 1.33, "person_name": 1.20, "person_subject": 1.75, "place_fails": -1.14, "place_fits": 1.14,
    "place_name": 2.14, "pronoun": 0.07, "proper": -0.54, "quantity_fails": -2.32, "quantity_fits": 2.32,
    "quoted": 2.12, "right_match": 2.64, "same_particle": 1.32, "sentence_start": 1.34, "short": -0.42,
    "taken_particle": -0.69, "time_fails": -2.12, "time_fits": 2.12, "time_unasked": -1.16,
    "topic_coverage": 1.07,
}  # fmt: skip
"""Log-odds a unit of each feature of `features.py`; those that weigh nothing are left out."""

CONFIDENCE: dict[str, float] = {"bias": -6.33, "score": 0.15, "lead": 0.56, "coverage": 5.4, "around": 5.59}
"""Log-odds that the first candidate is right, where every second context holds no answer at all."""
