"""What a person sees at the end of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from rag1.score.table import ScoreTable, Summary
from rag1.types import FAILED, Answer, Usage


def print_table(
    name: str, answers: Sequence[Answer], scores: ScoreTable, seconds: float, paths: Mapping[str, str]
) -> None:
    """Counts, scores with their intervals, tokens, cost, seconds and where everything was written."""
    table = Table(box=SIMPLE, show_header=False, title=f"pipeline {name}", title_justify="left", pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in rows(answers, scores, seconds):
        table.add_row(label, value)
    for label, path in paths.items():
        table.add_row(label, path)
    Console(width=max(100, Console().width)).print(table)


def rows(answers: Sequence[Answer], scores: ScoreTable, seconds: float) -> list[tuple[str, str]]:
    failed = sum(a.stop in FAILED for a in answers)
    abstained = sum(a.abstained and a.stop not in FAILED for a in answers)
    counts = f"{len(answers)}: {len(answers) - failed - abstained} answered, {abstained} abstained, {failed} failed"
    usage = sum((a.usage for a in answers), Usage())
    return [
        ("questions", counts),
        *((name, shown(summary)) for name, summary in scores.overall.items() if summary.n),
        ("tokens", tokens(usage)),
        ("cost", "unknown (a model without a price)" if usage.usd is None else f"${usage.usd:.4f}"),
        ("seconds", f"{seconds:.1f}"),
        *(("flags", text) for text in [flags(answers)] if text),
    ]


def shown(summary: Summary) -> str:
    """Mean with its 95 % interval, the number of questions (one at least), and what could not be read."""
    assert summary.mean is not None
    assert summary.low is not None
    assert summary.high is not None
    text = f"{summary.mean:.3f}  [{summary.low:.3f}, {summary.high:.3f}]  n={summary.n}"
    return f"{text}, {summary.unread} unread" if summary.unread else text


def tokens(usage: Usage) -> str:
    if not usage.requests and not usage.cached:
        return "0 (no model was asked)"
    return (
        f"{usage.prompt_tokens:,} in, {usage.completion_tokens:,} out; "
        f"{usage.requests} requests, {usage.cached} from the cache"
    )


def flags(answers: Sequence[Answer]) -> str:
    """How many questions carry each flag: a keyword arm that found nothing, evidence that had to be snapped …"""
    counted = Counter(flag for answer in answers for flag in answer.flags)
    return ", ".join(f"{name} {number}" for name, number in sorted(counted.items()))
