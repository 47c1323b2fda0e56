"""A reply type as `response_format`: json_schema, JSON mode or none (OpenAI, "Structured outputs")."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel

Format = Literal["json_schema", "json_object", "text"]
FORMATS: tuple[Format, ...] = ("json_schema", "json_object", "text")
"""From the strictest to what every endpoint has."""

DROPPED = ("default", "title", "description")


@lru_cache(maxsize=256)
def json_schema(reply: type[BaseModel]) -> dict[str, Any]:
    """The type's JSON schema in the strict dialect: every property required, no others, no defaults."""
    strict = _strict(reply.model_json_schema())
    assert isinstance(strict, dict)
    return strict


@lru_cache(maxsize=256)
def response_format(reply: type[BaseModel], form: Format) -> dict[str, Any] | None:
    """The request's `response_format`, or None for plain text."""
    if form == "text":
        return None
    if form == "json_object":
        return {"type": "json_object"}
    schema = json_schema(reply)
    strict = not _has_free_keys(schema)
    return {"type": "json_schema", "json_schema": {"name": reply.__name__, "schema": schema, "strict": strict}}


def _strict(node: object) -> object:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    named = isinstance(node.get("properties"), dict)
    kept = {key: value for key, value in node.items() if key not in DROPPED}
    kept = {
        key: _strict_names(value) if key in ("properties", "$defs") else _strict(value) for key, value in kept.items()
    }
    if named:
        kept |= {"required": list(kept["properties"]), "additionalProperties": False}
    return kept


def _strict_names(names: dict[str, object]) -> dict[str, object]:
    return {name: _strict(value) for name, value in names.items()}


def _has_free_keys(node: object) -> bool:
    """True where a property is an open mapping, which the strict dialect cannot state."""
    if isinstance(node, list):
        return any(_has_free_keys(item) for item in node)
    if not isinstance(node, dict):
        return False
    return isinstance(node.get("additionalProperties"), dict) or any(_has_free_keys(value) for value in node.values())
