"""Get-or-build of a knowledge graph: extract, resolve, compose, load; each stage kept by its fingerprint.

<artifacts>/graph/<extraction>/journal.jsonl      a line a chunk: what was read, paid for once
<artifacts>/graph/<extraction>/<graph>/           triples.jsonl, entities.jsonl, merges.jsonl, report.json
<artifacts>/graph/<extraction>/<graph>-store/     an embedded store's own files, loaded.json
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rag1.artifacts import fingerprint, get_or_build, locked
from rag1.chunk.chunks import Chunks
from rag1.errors import StorageError
from rag1.graph.compose import Composer
from rag1.graph.extract import ChunkTriples, Extractor
from rag1.graph.extract_journal import ExtractJournal, entity_of, triple_of
from rag1.graph.extract_run import Effort, Extraction
from rag1.graph.fill import fill, holds
from rag1.graph.merge import Merge, applied, entities_of, merge_of
from rag1.graph.model import Entity, Triple
from rag1.graph.resolve import Resolver
from rag1.graph.store import GraphStore, OpenGraph
from rag1.llm.ledger import Ledger, ledger_of

log = logging.getLogger(__name__)
VERSION = "1"
"""Raised when graphs built by earlier code must be built anew."""


@dataclass(frozen=True)
class Recipe:
    """All that a graph's content depends on."""

    chunks: Chunks
    extractor: Extractor
    resolver: Resolver
    composer: Composer

    @property
    def extraction(self) -> str:
        return fingerprint(VERSION, self.chunks.fingerprint, self.extractor.name)

    @property
    def key(self) -> str:
        return fingerprint(self.extraction, self.resolver.name, self.composer.name)


@dataclass(frozen=True, slots=True)
class Built:
    """A graph on disk, before any store: what `scripts/build_graph.py` shows."""

    folder: Path
    report: Mapping[str, object]
    triples: tuple[Triple, ...]
    entities: tuple[Entity, ...]
    merges: tuple[Merge, ...]


def open_graph(
    store: OpenGraph,
    chunks: Chunks,
    extractor: Extractor,
    resolver: Resolver,
    composer: Composer,
    artifacts: str,
    effort: Effort,
) -> GraphStore:
    """The filled graph, built where it is not there yet.

    The store is asked first: GraphDown comes before any model call. A store that holds another graph, or half of
    this one, is filled again under this graph's own name.
    """
    recipe = Recipe(chunks, extractor, resolver, composer)
    home = Path(artifacts) / "graph" / recipe.extraction
    place = home / f"{recipe.key}-store"
    opened = store(place, f"rag1_{recipe.key}")
    opened.prepare()
    built = get_built(recipe, artifacts, effort)
    with locked(home / f".{recipe.key}-store.lock"):
        if not holds(opened, place, built.triples):
            fill(opened, place, chunks, built.entities, built.triples)
    return opened


def get_built(recipe: Recipe, artifacts: str, effort: Effort) -> Built:
    """The graph's files, built where they are not there yet. Several processes at once: one builds, others wait."""
    home = Path(artifacts) / "graph" / recipe.extraction

    def build(folder: Path) -> None:
        _build(recipe, home, folder, effort)

    # One extraction serves several resolutions: its journal has one writer.
    with locked(home / ".journal.lock"):
        folder = get_or_build(home.parent, recipe.extraction, recipe.key, build)
    return read_built(folder)


def read_built(folder: Path) -> Built:
    return Built(
        folder,
        json.loads((folder / "report.json").read_text(encoding="utf-8")),
        tuple(triple_of(record) for record in _lines(folder / "triples.jsonl")),
        tuple(entity_of(record) for record in _lines(folder / "entities.jsonl")),
        tuple(merge_of(record) for record in _lines(folder / "merges.jsonl")),
    )


def _build(recipe: Recipe, home: Path, folder: Path, effort: Effort) -> None:
    ledger = _ledger(recipe)
    start = time.perf_counter()
    with ExtractJournal(home / "journal.jsonl") as journal:
        extraction = Extraction(recipe.chunks, recipe.extractor, journal, ledger, effort)
        figures = extraction()
        results = [journal.done[c.id] for c in recipe.chunks.items if c.id in journal.done]
    raw = unique(results)
    merges = recipe.resolver(raw, recipe.chunks.corpus)
    triples = unique_triples(applied(raw, merges))
    derived = recipe.composer(triples)
    by_id = recipe.chunks.by_id
    given = [(by_id[result.chunk_id].doc_id, entity) for result in results for entity in result.entities]
    entities = entities_of(triples, merges, given)
    _write(folder / "triples.jsonl", (asdict(t) for t in (*triples, *derived)))
    _write(folder / "entities.jsonl", (asdict(e) for e in entities))
    _write(folder / "merges.jsonl", (asdict(m) for m in merges))
    report = {
        **asdict(figures),
        "trial": asdict(extraction.trial) if extraction.trial else None,
        "facts": len(triples),
        "derived": len(derived),
        "entities": len(_names(triples)),
        "merges": len(merges),
        "seconds": time.perf_counter() - start,
        "usd": _spent(ledger),
        "reasons": _reasons(results),
    }
    (folder / "report.json").write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")


def _ledger(recipe: Recipe) -> Ledger:
    llm = getattr(recipe.extractor, "llm", None) or recipe.resolver.llm
    return ledger_of(llm) if llm is not None else Ledger()


def _spent(ledger: Ledger) -> float | None:
    return ledger.total().usd


def unique(results: Sequence[ChunkTriples]) -> list[Triple]:
    """Chunks overlap: what two of them read in the same place is one triple."""
    return unique_triples([triple for result in results for triple in result.triples])


def unique_triples(triples: Sequence[Triple]) -> list[Triple]:
    """Triples that say the same from the same place, once; a merge may have made both ends one: such go."""
    found: dict[tuple[object, ...], Triple] = {}
    for t in triples:
        if t.head != t.tail:
            found.setdefault((t.head, t.relation, t.tail, t.doc_id, t.span), t)
    return list(found.values())


def _names(triples: Sequence[Triple]) -> set[str]:
    return {name for t in triples for name in (t.head, t.tail)}


def _reasons(results: Sequence[ChunkTriples]) -> dict[str, int]:
    """Why triples were skipped, most frequent first."""
    counts: dict[str, int] = {}
    for result in results:
        for bad in result.skipped:
            counts[bad.reason] = counts.get(bad.reason, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _write(path: Path, records: Iterator[Mapping[str, object]]) -> None:
    with path.open("w", encoding="utf-8", errors="surrogatepass") as handle:
        handle.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _lines(path: Path) -> Iterator[dict[str, object]]:
    try:
        with path.open(encoding="utf-8", errors="surrogatepass") as handle:
            for line in handle:
                yield json.loads(line)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
