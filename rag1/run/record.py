"""An answer as a line of JSON, and back: what journal and answers.jsonl hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, get_args

from rag1.types import Answer, Query, Retrieved, Route, Step, Stop, Usage


def to_record(answer: Answer, query: Query) -> dict[str, Any]:
    """The keys `index`, `question`, `answer`, `evidence`, `stop`, `error`, `retrieved`, `usage`, `seconds` and more."""
    return {
        "index": answer.query_id,
        "question": query.text,
        "answer": answer.text,
        "evidence": answer.evidence,
        "stop": answer.stop,
        "error": answer.error,
        "flags": list(answer.flags),
        "confidence": answer.confidence,
        "signals": dict(answer.signals),
        "retrieved": [_retrieved(item) for item in answer.support],
        "route": asdict(answer.route) if answer.route else None,
        "usage": asdict(answer.usage),
        "seconds": round(answer.seconds, 4),
        "trace": [asdict(step) for step in answer.trace],
    }


def from_record(record: Mapping[str, Any]) -> Answer:
    """The answer of a record. Raises KeyError, TypeError or ValueError on a record that is not ours."""
    for name in ("index", "answer", "evidence", "stop", "error"):
        if not isinstance(record[name], str):
            raise TypeError(f"{name} {record[name]!r} is no text")
    if record["stop"] not in get_args(Stop):
        raise ValueError(f"stop {record['stop']!r} is not one of {', '.join(get_args(Stop))}")
    route = record["route"]
    return Answer(
        query_id=record["index"],
        text=record["answer"],
        evidence=record["evidence"],
        support=tuple(_from_retrieved(item) for item in record["retrieved"]),
        stop=record["stop"],
        error=record["error"],
        usage=Usage(**record["usage"]),
        trace=tuple(Step(**step) for step in record["trace"]),
        flags=tuple(record["flags"]),
        confidence=record["confidence"],
        seconds=record["seconds"],
        signals=dict(record["signals"]),
        route=Route(tuple((d, s) for d, s in route["ranking"]), route["margin"], route["reason"]) if route else None,
    )


def as_kept(answer: Answer, query: Query) -> Answer:
    """The answer as the journal gives it back: a resumed run must end with the same bytes as an unbroken one."""
    return from_record(json.loads(dumps(to_record(answer, query))))


def dumps(record: Mapping[str, Any]) -> str:
    """One line. Lone surrogates, which models do send, become "?": a journal is UTF-8."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode("utf-8")


def _retrieved(item: Retrieved) -> dict[str, Any]:
    return {
        "id": item.id,
        "document": item.doc_id,
        "span": list(item.span) if item.span else None,
        "text": item.text,
        "by": item.by,
        "score": item.score,
    }


def _from_retrieved(item: Mapping[str, Any]) -> Retrieved:
    span = tuple(item["span"]) if item["span"] else None
    return Retrieved(item["id"], item["text"], item["document"], span, item["score"], item["by"])
