"""Which relations a question asks for, by the words it asks with: なぜ asks for 原因, 誰と for 一緒."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rag1.graph.resolve_relations import SYNONYMS
from rag1.llm.rules.makers import MAKING
from rag1.llm.rules.roles import ASKS_COMPANIONS, ASKS_MAKER
from rag1.llm.rules.why import WHY
from rag1.text.tokenize import morphemes

WAYS: Mapping[str, re.Pattern[str]] = {
    "原因": re.compile(f"{WHY.pattern}|せいで|わけを"),
    "一緒": ASKS_COMPANIONS,
    "作る": ASKS_MAKER,
}
"""Canonical relation → how questions ask for it."""

_CANONICAL = {other: name for name, others in SYNONYMS.items() for other in (name, *others)}


def asked_relations(question: str) -> frozenset[str]:
    """Names of relations that the question asks for; canonical names beside the words that stand in it."""
    asked = {relation for relation, pattern in WAYS.items() if pattern.search(question)}
    if "作る" in asked:
        asked |= MAKING
    for word in morphemes(question):
        for form in (word.surface, word.normalized, word.dictionary_form):
            if form in _CANONICAL:
                asked.add(_CANONICAL[form])
    return frozenset(asked)
