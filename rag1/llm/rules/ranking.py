"""Ranking by shared words: passages for a question, the central sentences of a text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from rag1.llm.rules.words import fine_terms, sentence_texts
from rag1.llm.tasks import (
    AnswerFromCommunity,
    PartialAnswer,
    Ranking,
    RerankPassages,
    SummariseCommunity,
    SummariseDocument,
    Text,
)

SUMMARY_SENTENCES = 5
COMMUNITY_FACTS = 12


def idf(texts: Sequence[str]) -> dict[str, float]:
    """log(1 + N / df) of every content word over the texts."""
    counts = Counter(term for text in texts for term in set(fine_terms(text)))
    return {term: math.log(1 + len(texts) / count) for term, count in counts.items()}


def overlap(question: str, text: str, weights: dict[str, float]) -> float:
    """Share of the question's word weight that stands in the text, 0 to 1; words the texts lack weigh the most."""
    wanted, held = set(fine_terms(question)), set(fine_terms(text))
    rare = max(weights.values(), default=1.0)
    total = sum(weights.get(term, rare) for term in wanted)
    return sum(weights.get(term, rare) for term in wanted & held) / total if total else 0.0


def rerank_passages(task: RerankPassages) -> Ranking:
    """Passages by overlap with the question; those that share no word are left out."""
    weights = idf([passage.text for passage in task.passages])
    scores = [overlap(task.question, f"{p.label} {p.text}", weights) for p in task.passages]
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    return Ranking(ids=tuple(task.passages[at].id for at in order if scores[at] > 0))


def central(lines: Sequence[str], keep: int) -> list[str]:
    """The `keep` lines that hold the most of the text's frequent words, in text order."""
    counts = Counter(term for line in lines for term in set(fine_terms(line)))

    def centrality(line: str) -> float:
        terms = set(fine_terms(line))
        return sum(counts[term] for term in terms) / (len(terms) + 5) if terms else 0.0

    best = sorted(range(len(lines)), key=lambda at: (-centrality(lines[at]), at))[:keep]
    return [lines[at] for at in sorted(best)]


def summarise_document(task: SummariseDocument) -> Text:
    """The first two sentences and the most central of the others, verbatim."""
    lines = sentence_texts(task.text)
    lead, rest = lines[:2], lines[2:]
    return Text(text="".join([*lead, *central(rest, SUMMARY_SENTENCES - len(lead))]) or task.title)


def summarise_community(task: SummariseCommunity) -> Text:
    """The facts that share the most words with the others."""
    return Text(text="\n".join(central(task.facts, COMMUNITY_FACTS)))


def answer_from_community(task: AnswerFromCommunity) -> PartialAnswer:
    """The summary's lines nearest the question; the score is their overlap in percent."""
    lines = sentence_texts(task.summary)
    weights = idf(lines)
    scored = sorted(((overlap(task.question, line, weights), -at, line) for at, line in enumerate(lines)), reverse=True)
    best = [entry for entry in scored[:3] if entry[0] > 0]
    if not best:
        return PartialAnswer(answer="", score=0)
    return PartialAnswer(answer="\n".join(line for _, _, line in best), score=round(100 * best[0][0]))
