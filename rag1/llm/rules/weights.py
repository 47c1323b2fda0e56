"""Weights of the reader's features (see `docs/decisions/offline-reader.md` for how they were obtained)."""

from __future__ import annotations

WEIGHTS: dict[str, float] = {
    "after_copula": 0.15, "after_ni_de": -0.02, "after_no": -0.70, "after_object": -0.12, "after_quote": 0.28,
    "after_subject": 0.61, "after_topic": 0.72, "around": 1.38, "bare_number": 1.43, "before_predicate": 1.38,
    "broken": -2.18, "clause": -2.81, "coverage": 3.36, "ends_with_noun": 2.02, "has_noun": 2.78,
    "heading": 2.34, "in_brackets": 0.22, "inside_question": -3.53, "is_best_sentence": 0.56, "is_noun": -1.53,
    "katakana": 0.81, "left_match": 3.67, "length": 1.27, "links": -1.89, "list": -0.98, "long": -2.93,
    "near": 6.66, "number_unasked": -0.63, "pronoun": -0.06, "proper": -0.27, "quoted": 2.31,
    "right_match": 3.14, "same_particle": 1.60, "sentence_start": 1.17, "short": -0.30, "taken_particle": -0.85,
    "type_fails": -2.09, "type_fits": 2.09,
}  # fmt: skip
