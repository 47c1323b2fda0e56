"""The journal of an extraction: a line a chunk, on disk as it ends, so that a killed build pays for no chunk twice."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from rag1.errors import StorageError
from rag1.graph.extract import ChunkTriples, Skipped
from rag1.graph.model import Entity, Triple


@dataclass
class ExtractJournal:
    """Append-only; one process at a time (the artifact's lock), many threads. A torn last line is cut off.

    Failed chunks are on record but not `done`: the next build asks them again.
    """

    path: Path
    done: dict[str, ChunkTriples] = field(default_factory=dict)
    failed: dict[str, ChunkTriples] = field(default_factory=dict)
    _notes: dict[str, str] = field(default_factory=dict)
    _handle: BinaryIO | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> ExtractJournal:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._handle = self.path.open("a+b")
            self._read(self._handle)
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror}") from error
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle:
            self._handle.close()

    def add(self, result: ChunkTriples) -> None:
        """Returns once the line is on the disk."""
        self._append({"chunk": asdict(result)})
        self._take(result)

    def note(self, key: str, make: Callable[[], str]) -> str:
        if key not in self._notes:
            text = make()
            self._append({"note": key, "text": text})
            self._notes[key] = text
        return self._notes[key]

    def _take(self, result: ChunkTriples) -> None:
        with self._lock:
            target, other = (self.failed, self.done) if result.error else (self.done, self.failed)
            target[result.chunk_id] = result
            other.pop(result.chunk_id, None)

    def _append(self, record: dict[str, Any]) -> None:
        assert self._handle is not None
        line = json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        try:
            with self._lock:
                self._handle.write(line)
                self._handle.flush()
                os.fsync(self._handle.fileno())
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror}; free some space and build again") from error

    def _read(self, handle: BinaryIO) -> None:
        handle.seek(0)
        data = handle.read()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            handle.truncate(whole)
        for number, line in enumerate(data[:whole].splitlines(), start=1):
            try:
                self._line(json.loads(line.decode("utf-8", "surrogatepass")))
            except (ValueError, KeyError, TypeError) as error:
                raise StorageError(f"{self.path}, line {number}: not a line of ours; move the file away") from error

    def _line(self, record: dict[str, Any]) -> None:
        if "note" in record:
            self._notes[record["note"]] = record["text"]
        else:
            self._take(result_of(record["chunk"]))


def result_of(record: dict[str, Any]) -> ChunkTriples:
    """The inverse of `asdict`."""
    triples = tuple(triple_of(each) for each in record["triples"])
    skipped = tuple(Skipped(**each) for each in record["skipped"])
    entities = tuple(entity_of(each) for each in record["entities"])
    return ChunkTriples(record["chunk_id"], triples, skipped, entities, record["error"], record["tries"])


def triple_of(record: dict[str, Any]) -> Triple:
    span = record.get("span")
    return Triple(**{**record, "span": tuple(span) if span else None})


def entity_of(record: dict[str, Any]) -> Entity:
    return Entity(record["name"], tuple(record["labels"]), record["properties"], tuple(record["aliases"]))
