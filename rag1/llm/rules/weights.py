"""Weights of the reader's features (see `docs/decisions/offline-reader.md` for how they were obtained)."""

from __future__ import annotations

WEIGHTS: dict[str, float] = {
    "adverbial": -2.06, "after_copula": 0.38, "after_ni_de": -0.10, "after_no": -0.66, "after_object": -0.32,
    "after_predicate": 0.49, "after_quote": 0.01, "after_subject": 0.38, "after_topic": -0.44, "around": 1.22,
    "bare_number": -0.07, "before_predicate": 1.41, "broken": -2.56, "choice_fails": 0.00, "choice_fits": 0.00,
    "clause": -2.67, "clause_coverage": 2.12, "common_word": -0.38, "country": 1.86, "coverage": 2.86,
    "ends_with_noun": 2.59, "has_noun": 2.14, "heading": 0.06, "how_fails": 0.00, "how_fits": 0.00,
    "in_brackets": 0.19, "inside_question": -4.26, "is_best_sentence": 0.65, "is_noun": -2.55, "is_topic": 2.07,
    "kana_only": -2.37, "katakana": 0.82, "left_match": 3.42, "length": 0.97, "links": -2.26, "list": -1.65,
    "list_fails": 0.00, "list_fits": 0.00, "long": -2.30, "modified": 0.06, "name_fails": 0.00,
    "name_fits": 0.00, "named_quote": 1.11, "named_subject": 0.46, "named_topic": 1.38, "near_after": 3.29,
    "near_before": 4.95, "number_unasked": -0.45, "person_fails": -1.24, "person_fits": 1.24,
    "person_name": 1.13, "person_subject": 1.79, "place_fails": -1.16, "place_fits": 1.16, "place_name": 2.07,
    "pronoun": 0.10, "proper": -0.54, "quantity_fails": -2.41, "quantity_fits": 2.41, "quoted": 2.09,
    "right_match": 2.93, "same_particle": 1.39, "sentence_start": 1.32, "short": -0.37, "taken_particle": -0.70,
    "thing_fails": 0.00, "thing_fits": 0.00, "time_fails": -2.17, "time_fits": 2.17, "time_unasked": -1.34,
    "topic_coverage": 1.00, "why_fails": 0.00, "why_fits": 0.00, "yes_no_fails": 0.00, "yes_no_fits": 0.00,
}  # fmt: skip
