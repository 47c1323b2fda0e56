"""Builds the knowledge graph of a corpus and shows what it holds.

    python scripts/build_graph.py corpus=sample graph=falkordb graph/extractor=rules
    python scripts/build_graph.py … show=merges        # each merge with its reason; also: triples, skipped, schema

Settings are those of run.py. A killed build goes on where it stopped; a built graph is only opened.
Exit codes: 0 built, 1 budget, 2 bad input, 3 provider, 4 storage, 5 graph, 130 interrupted.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rag1.app.cli import CONF, register_resolvers
from rag1.app.jobs import INTERRUPTED
from rag1.app.names import composed
from rag1.app.recipe import refuse_secrets
from rag1.build import Workshop
from rag1.errors import ConfigError, Rag1Error
from rag1.graph.build import Built, Recipe, get_built
from rag1.graph.extract_journal import ExtractJournal
from rag1.graph.store import GraphStore
from rag1.llm.ledger import ledger_of, money

SHOWS = ("summary", "merges", "triples", "skipped", "schema")


def main(arguments: Sequence[str]) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    if {"-h", "--help"} & set(arguments):
        print(__doc__)
        return 0
    register_resolvers()
    shown = [a.partition("=")[2] for a in arguments if a.startswith("show=")]
    try:
        build([a for a in arguments if not a.startswith("show=")], shown[-1] if shown else "summary")
    except Rag1Error as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted: what was read is kept", file=sys.stderr)
        return INTERRUPTED
    return 0


def build(overrides: Sequence[str], show: str) -> None:
    if show not in SHOWS:
        raise ConfigError(f"show={show} is none of {', '.join(SHOWS)}")
    refuse_secrets(overrides)
    config = composed(CONF, overrides)
    workshop = Workshop()
    store = workshop(config.knowledge)
    try:
        parts = (workshop(config[name]) for name in ("chunks", "extractor", "resolver", "composer"))
        built = get_built(Recipe(*parts), config.artifacts, workshop(config.knowledge.effort))
        print("\n".join(lines(built, store, show)))
        print(ledger_of(workshop(config.llm)).table(), end="")
    finally:
        store.close()


def lines(built: Built, store: GraphStore, show: str) -> Iterator[str]:
    """What is asked to be shown, then the table."""
    if show == "merges":
        yield from (f"{merge.id}  {merge}" for merge in built.merges)
    elif show == "triples":
        yield from (f"{t.head} - {t.relation} -> {t.tail}  [{t.chunk_id}]" for t in built.triples)
    elif show == "skipped":
        yield from _skipped(built)
    elif show == "schema":
        yield from (f"(:{p.start})-[:{p.relation}]->(:{p.end})  {p.count}" for p in store.schema().patterns)
    yield from table(built.report, store)


def _skipped(built: Built) -> Iterator[str]:
    with ExtractJournal(built.folder.parent / "journal.jsonl") as journal:
        for result in [*journal.done.values(), *journal.failed.values()]:
            yield from (f"{result.chunk_id}  {bad.reason}: {bad.draft}" for bad in result.skipped)
            if result.error:
                yield f"{result.chunk_id}  failed: {result.error}"


def table(report: Mapping[str, Any], store: GraphStore) -> Iterator[str]:
    counts = store.counts()
    rows = [
        ("documents", counts["documents"]),
        ("chunks", counts["chunks"]),
        ("triples read", report["triples"]),
        ("triples skipped", report["skipped"]),
        ("chunks failed", f"{report['failed']} ({report['failed'] / max(1, report['chunks']):.0%})"),
        ("merges", report["merges"]),
        ("links derived", report["derived"]),
        ("entities", counts["entities"]),
        ("relations", counts["relations"]),
        ("mentions", counts["mentions"]),
        ("seconds to build", f"{report['seconds']:.1f}"),
        ("usd to build", money(report["usd"])),
    ]
    yield from (f"{name:18}{value:>12}" for name, value in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
