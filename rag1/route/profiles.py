"""Each document's words and names, counted once for the whole corpus and kept as an artifact."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rag1.artifacts import fingerprint, get_or_build
from rag1.corpus.corpus import Corpus
from rag1.text.tokenize import morphemes
from rag1.types import Document

FILE = "profiles.json"


@dataclass(frozen=True)
class Profiles:
    """Per document id: normalised content word (Sudachi A) → occurrences, and proper noun as written → occurrences."""

    corpus: Corpus
    terms: Mapping[str, Mapping[str, int]]
    names: Mapping[str, Mapping[str, int]]

    @cached_property
    def lengths(self) -> Mapping[str, int]:
        return {doc_id: sum(counts.values()) for doc_id, counts in self.terms.items()}

    @cached_property
    def collection(self) -> Mapping[str, int]:
        """The terms of all documents together."""
        total: Counter[str] = Counter()
        for counts in self.terms.values():
            total.update(counts)
        return total

    def telling_names(self, doc_id: str, n: int) -> tuple[str, ...]:
        """The `n` names that tell this document from the others: occurrences × log(1 + documents / holders)."""
        holders = Counter(name for counts in self.names.values() for name in counts)
        counts = self.names[doc_id]
        weight = {name: count * math.log(1 + len(self.names) / holders[name]) for name, count in counts.items()}
        return tuple(sorted(weight, key=lambda name: (-weight[name], name))[:n])


def open_profiles(corpus: Corpus, artifacts: str) -> Profiles:
    """The profiles of `corpus`, opened from `artifacts`; counted first where they are not there yet."""

    def build(folder: Path) -> None:
        counted = {document.id: _counts(document) for document in corpus}
        (folder / FILE).write_text(json.dumps(counted, ensure_ascii=False), encoding="utf-8")

    folder = get_or_build(Path(artifacts), "profiles", fingerprint("profiles", 1, corpus.fingerprint), build)
    stored = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return Profiles(
        corpus,
        {doc_id: counts["terms"] for doc_id, counts in stored.items()},
        {doc_id: counts["names"] for doc_id, counts in stored.items()},
    )


def _counts(document: Document) -> dict[str, Counter[str]]:
    words = morphemes(document.text, "A")
    return {
        "terms": Counter(word.normalized for word in words if word.is_content_word),
        "names": Counter(word.surface for word in words if word.is_proper_noun and len(word.surface) > 1),
    }
