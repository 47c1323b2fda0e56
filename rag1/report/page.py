"""report.html: the score table, and each question with what was answered, expected, quoted and retrieved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rag1.corpus.corpus import Corpus
from rag1.report.html import write_html
from rag1.score.coverage import coverage_curve
from rag1.score.evidence import passages
from rag1.score.table import ScoredRow, ScoreTable, Summary, judge_name
from rag1.text.locate import locate
from rag1.types import Answer, Document, Gold, Query, Retrieved

AROUND = 160
"""Characters of the document shown before and after a piece of evidence."""


def write_page(
    folder: Path,
    queries: Sequence[Query],
    answers: Sequence[Answer],
    golds: Sequence[Gold],
    table: ScoreTable | None,
    documents: Iterable[Document],
    recipe: Mapping[str, Any],
) -> Path:
    """Writes `report.html` into the run's folder. `recipe` is what run.yaml holds; it is shown as it is."""
    corpus = documents if isinstance(documents, Corpus) else Corpus(tuple(documents))
    expected = {gold.query_id: gold for gold in golds}
    asked = {query.id: query for query in queries}
    scored = {row.index: row for row in table.rows} if table else {}
    rows = [
        _row(answer, asked.get(answer.query_id), expected.get(answer.query_id), scored.get(answer.query_id), corpus)
        for answer in answers
    ]
    name = folder.resolve().name
    data = {
        "name": name,
        "counts": dict(table.counts) if table else {"questions": len(answers)},
        "scores": _scores(table) if table and table.overall else {},
        "judge": judge_name(table),
        "curve": _curve(answers, table),
        "recipe": _lines(recipe),
        "rows": rows,
    }
    return write_html(folder / "report.html", f"rag1: {name}", "page", data)


def _scores(table: ScoreTable) -> dict[str, Any]:
    """All summaries by the way they are grouped: "", then each kind, then each document."""
    return {
        "overall": {"": _summaries(table.overall)},
        "kind": {name: _summaries(one) for name, one in table.by_kind.items()},
        "document": {name: _summaries(one) for name, one in table.by_document.items()},
    }


def _summaries(summaries: Mapping[str, Summary]) -> list[dict[str, Any]]:
    return [asdict(one) for one in summaries.values()]


def _curve(answers: Sequence[Answer], table: ScoreTable | None) -> list[dict[str, float]]:
    name = judge_name(table)
    points = {row.index: row.scores[name].value or 0.0 for row in table.rows if name in row.scores} if table else {}
    known = [(a.confidence, points[a.query_id]) for a in answers if a.confidence is not None and a.query_id in points]
    if len({confidence for confidence, _ in known}) < 2:
        return []
    return [asdict(point) for point in coverage_curve([c for c, _ in known], [p for _, p in known])]


def _row(
    answer: Answer, query: Query | None, gold: Gold | None, scored: ScoredRow | None, documents: Corpus
) -> dict[str, Any]:
    evidence = passages(answer.evidence)
    expected = list(gold.evidence) if gold else []
    return {
        "index": answer.query_id,
        "question": query.text if query else "",
        "answer": answer.text,
        "evidence": [_placed(passage, documents) for passage in evidence],
        "gold": list(gold.answers) if gold else [],
        "goldEvidence": [_placed(passage, documents) for passage in expected],
        "kind": gold.kind if gold else "",
        "documents": sorted(gold.doc_ids) if gold else sorted({i.doc_id for i in answer.support[:1] if i.doc_id}),
        "scores": {name: asdict(score) for name, score in scored.scores.items()} if scored else {},
        "stop": answer.stop,
        "error": answer.error,
        "flags": list(answer.flags),
        "confidence": answer.confidence,
        "seconds": round(answer.seconds, 3),
        "usage": asdict(answer.usage),
        "retrieved": [_retrieved(item) for item in answer.support],
        "trace": [asdict(step) for step in answer.trace],
    }


def _retrieved(item: Retrieved) -> dict[str, Any]:
    return {"id": item.id, "document": item.doc_id, "text": item.text, "by": item.by, "score": round(item.score, 4)}


def _placed(passage: str, documents: Corpus) -> dict[str, Any]:
    """A passage where it stands: `how` it was found, with the text around it; `raw`: its span in the raw file."""
    place = locate(passage, documents.documents)
    if place.how == "none":
        return {"how": "none", "quoted": passage}
    document = documents[place.doc_id]
    start, end = place.span
    return {
        "how": place.how,
        "quoted": passage,
        "document": document.id,
        "title": document.title,
        "span": [start, end],
        "raw": documents.raw_span(document.id, place.span),
        "similarity": round(place.similarity, 2),
        "before": ("…" if start > AROUND else "") + document.text[max(0, start - AROUND) : start],
        "text": document.text[start:end],
        "after": document.text[end : end + AROUND] + ("…" if end + AROUND < len(document.text) else ""),
    }


def _lines(recipe: Mapping[str, Any], prefix: str = "") -> list[list[str]]:
    lines: list[list[str]] = []
    for name, value in recipe.items():
        path = f"{prefix}.{name}" if prefix else str(name)
        lines += _lines(value, path) if isinstance(value, Mapping) and value else [[path, str(value)]]
    return lines
