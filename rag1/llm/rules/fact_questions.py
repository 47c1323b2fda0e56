"""Which questions graph facts answer where there is text to read instead: what a fact's path does not fit is read."""

from __future__ import annotations

from collections.abc import Sequence

from rag1.llm.rules.facts import Fact, causes_of, stated
from rag1.llm.rules.kinds import LEAST, MOST
from rag1.llm.rules.question import Question
from rag1.llm.rules.why import ROOT
from rag1.llm.rules.words import content_words, fold


def for_facts(question: Question, facts: Sequence[Fact]) -> bool:
    """Why: for a first cause, or where a cause's effect is what the question tells. Alternatives: for a comparison.
    Yes or no: between things that facts know. Other questions: the facts' own rules decide."""
    match question.asks:
        case "why":
            causes = causes_of(facts, question.text)
            return bool(causes) and (bool(ROOT.search(question.text)) or told_effect(causes[0].head, question.text))
        case "choice":
            return bool(MOST.search(question.text) or LEAST.search(question.text))
        case "yes_no":
            return len({fact.head for fact in facts if fold(fact.head) in fold(question.text)}) > 1
    return True


def told_effect(effect: str, question: str) -> bool:
    """Does the question tell this effect, its predicate with it? 疑う is not what 移したのはなぜ asks of."""
    verbs = [word.norm for word in content_words(effect) if word.pos[0] in {"動詞", "形容詞"}]
    asked = {word.norm for word in content_words(question)}
    return stated(effect, question) and (not verbs or verbs[-1] in asked)
