"""Weights of the reader's features (see `docs/decisions/offline-reader.md` for how they were obtained)."""

from __future__ import annotations

WEIGHTS: dict[str, float] = {
    "adverbial": -2.04, "after_copula": 0.33, "after_ni_de": -0.11, "after_no": -0.69, "after_object": -0.36,
    "after_predicate": 0.52, "after_quote": 0.01, "after_subject": 0.41, "after_topic": -0.46, "around": 1.23,
    "bare_number": 0.61, "before_predicate": 1.48, "broken": -2.46, "choice_fails": 0.00, "choice_fits": 0.00,
    "clause": -2.69, "clause_coverage": 2.11, "common_word": -0.36, "country": 1.90, "coverage": 2.89,
    "ends_with_noun": 2.26, "has_noun": 2.62, "heading": 0.01, "how_fails": 0.00, "how_fits": 0.00,
    "in_brackets": 0.17, "inside_question": -4.32, "is_best_sentence": 0.65, "is_noun": -2.41, "is_topic": 2.08,
    "kana_only": -2.17, "katakana": 0.82, "left_match": 3.48, "length": 0.99, "links": -2.17, "list": -1.51,
    "long": -2.46, "modified": 0.04, "name_fails": 0.00, "name_fits": 0.00, "named_quote": 1.26,
    "named_subject": 0.54, "named_topic": 1.54, "near_after": 3.44, "near_before": 4.92,
    "number_unasked": -0.45, "person_fails": -1.32, "person_fits": 1.32, "person_name": 1.21,
    "person_subject": 1.77, "place_fails": -1.14, "place_fits": 1.14, "place_name": 2.11, "pronoun": 0.06,
    "proper": -0.54, "quantity_fails": -2.34, "quantity_fits": 2.34, "quoted": 2.11, "right_match": 2.65,
    "same_particle": 1.32, "sentence_start": 1.34, "short": -0.42, "taken_particle": -0.64, "thing_fails": 0.00,
    "thing_fits": 0.00, "time_fails": -2.12, "time_fits": 2.12, "time_unasked": -1.18, "topic_coverage": 1.08,
    "why_fails": 0.00, "why_fits": 0.00, "yes_no_fails": 0.00, "yes_no_fits": 0.00,
}  # fmt: skip

CONFIDENCE: dict[str, float] = {"bias": -6.33, "score": 0.15, "lead": 0.56, "coverage": 5.4, "around": 5.59}
"""Log-odds that the first candidate is right, where every second context holds no answer at all."""
