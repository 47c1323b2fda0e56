"""Names in graph databases: identifiers that need quoting, reserved property names, full-text query strings.

Entity names are data and travel as parameters. Labels, relationship types and property keys cannot: a statement
must spell them out, so they are made harmless here and quoted with backticks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from rag1.errors import DataError

BASE_LABELS = frozenset({"Entity", "Chunk", "Document"})
ENTITY_KEYS = frozenset({"name", "aliases", "doc_ids"})
FACT_KEYS = frozenset({"id", "doc_id", "chunk_id", "start", "end", "evidence", "derived"})
LONGEST = 120
"""Characters of a label, relationship type or property key."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_WIDE = str.maketrans({"`": "｀", "\\": "＼"})
_LUCENE = re.compile(r'([+\-&|!(){}\[\]^"~*?:\\/])')


@lru_cache(maxsize=8192)
def identifier(name: str) -> str:
    """`name` as a label, type or key: control characters become a space, a backtick and a backslash their wide forms.

    FalkorDB has no escape for a backtick in a quoted identifier, and Neo4j reads `\\u0060` anywhere as one, so
    neither can stay. Raises DataError for an empty name or one over 120 characters.
    """
    clean = _CONTROL.sub(" ", name).translate(_WIDE).strip()
    if not clean or len(clean) > LONGEST:
        raise DataError(f"type or key {name[:40]!r} has {len(clean)} characters: give it 1 to {LONGEST}")
    return clean


def quoted(name: str) -> str:
    """`name` made harmless and in backticks, to stand in a statement."""
    return f"`{identifier(name)}`"


@lru_cache(maxsize=8192)
def label(name: str) -> str:
    """A type as a label: `Chunk`, which is ours, becomes `Chunk_`, and `_x` becomes `x`."""
    clean = identifier(name).lstrip("_") or "type"
    return clean + "_" if clean.rstrip("_") in BASE_LABELS - {"Entity"} else clean


def labels_of(names: Iterable[str]) -> tuple[str, ...]:
    """Types as labels: sorted, without doubles, without `Entity`, which every entity has."""
    return tuple(sorted({label(name) for name in names if name.strip()} - {"Entity"}))


def types_of(labels: Iterable[str]) -> tuple[str, ...]:
    """The types among a stored node's labels, sorted."""
    return tuple(sorted(label for label in labels if label != "Entity"))


def own_keys(properties: Mapping[str, str], reserved: frozenset[str]) -> dict[str, str]:
    """Properties under keys that do not collide with `reserved`: `start` is stored as `start_`, `_x` as `x`."""
    return {_own_key(key, reserved): value for key, value in properties.items()}


@lru_cache(maxsize=8192)
def _own_key(key: str, reserved: frozenset[str]) -> str:
    clean = identifier(key).lstrip("_") or "key"
    return clean + "_" if clean.rstrip("_") in reserved else clean


def given_keys(stored: Mapping[str, object], reserved: frozenset[str]) -> dict[str, str]:
    """The inverse of `own_keys`: own properties under the names they were given, ours left out."""
    own = {key: value for key, value in stored.items() if key not in reserved and not key.startswith("_")}
    return {key[:-1] if key.rstrip("_") in reserved else key: str(value) for key, value in sorted(own.items())}


def redisearch_any(tokens: Iterable[str]) -> str:
    """A RediSearch query for any of `tokens`, or "" when none can be searched. Only letters and digits get through."""
    words = dict.fromkeys(word for token in tokens for word in re.findall(r"[^\W_]+", token))
    return "|".join(words)


def lucene_any(text: str) -> str:
    """A Lucene query for the words of `text`, all syntax escaped, operators made lower case."""
    words = [word.lower() if word in {"AND", "OR", "NOT", "TO"} else word for word in text.split()]
    return " ".join(_LUCENE.sub(r"\\\1", word) for word in words)


def overlap(asked: frozenset[str], name: frozenset[str]) -> float:
    """Share of a name's tokens that the question has, in [0, 1]: the overlap coefficient |A ∩ B| / |B|.

    A name inside a long question scores 1, as it should; a name that shares one bigram of three scores 1/3.
    """
    return len(asked & name) / len(name) if name else 0.0
