"""Which relations a question asks for, by the words it asks with: なぜ asks for 原因, 誰と for 一緒."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rag1.graph.resolve_relations import SYNONYMS
from rag1.text.tokenize import morphemes

WAYS: Mapping[str, re.Pattern[str]] = {
    "原因": re.compile(
        "なぜ|何故|どうして|なにゆえ|理由|わけは|わけを|原因|きっかけ|せいで|もとをただ|もとをたど|元をたど"
    ),
    "一緒": re.compile(
        "(?:誰|だれ|どなた|何|なに)と(?:一緒|いっしょ|ともに|共に|連れ|、)|同行|連れだ|連れ立|お供|道連れ"
    ),
    "作る": re.compile("作った|つくった|造った|創った|こしらえ|拵え|製作|制作|製造|作り手|作者|手作り"),
}
"""Canonical relation → how questions ask for it."""

_CANONICAL = {other: name for name, others in SYNONYMS.items() for other in (name, *others)}


def asked_relations(question: str) -> frozenset[str]:
    """Names of relations that the question asks for; canonical names beside the words that stand in it."""
    asked = {relation for relation, pattern in WAYS.items() if pattern.search(question)}
    for word in morphemes(question):
        for form in (word.surface, word.normalized, word.dictionary_form):
            if form in _CANONICAL:
                asked.add(_CANONICAL[form])
    return frozenset(asked)
