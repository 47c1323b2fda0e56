"""Weights of the reader's features (see `docs/decisions/offline-reader.md` for how they were obtained)."""

from __future__ import annotations

WEIGHTS: dict[str, float] = {
    "coverage": 2.0, "around": 0.5, "is_best_sentence": 0.8, "near": 3.0, "inside_question": -4.0, "type_fits": 1.5,
    "type_fails": -2.5, "ends_with_noun": 1.5, "is_noun": -1.0, "has_noun": 0.4, "number_unasked": -0.8,
    "bare_number": -0.3, "short": -1.0, "long": -0.7, "links": -0.4, "quoted": 0.5, "clause": -1.5, "proper": 0.3,
    "broken": -1.2, "list": -0.3, "pronoun": -3.0, "right_match": 2.0, "left_match": 1.5, "before_predicate": 0.8,
    "taken_particle": -0.6, "same_particle": 0.5, "heading": -0.8,
}  # fmt: skip
