"""Triples as a model sends them: read item by item, so that a misshapen one does not cost the others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, ModelWrapValidatorHandler, PrivateAttr, ValidationError, model_validator

from rag1.llm.task_base import Reply


class TripleDraft(Reply):
    """A relation read from text. Types and relation as the extractor's prompt asks; properties are strings."""

    model_config = ConfigDict(coerce_numbers_to_str=True)
    head: str
    head_type: str = ""
    relation: str
    tail: str
    tail_type: str = ""
    properties: dict[str, str] = Field(default_factory=dict)
    evidence: str = ""
    sentence: int | None = None


class Triples(Reply):
    """One item of the wrong shape does not cost the others: it is kept in `rejected` as (reason, item)."""

    triples: tuple[TripleDraft, ...]
    _rejected: tuple[tuple[str, str], ...] = PrivateAttr(default=())

    @property
    def rejected(self) -> tuple[tuple[str, str], ...]:
        return self._rejected

    @model_validator(mode="wrap")
    @classmethod
    def _sort_out(cls, value: Any, handler: ModelWrapValidatorHandler[Triples]) -> Triples:
        if not isinstance(value, Mapping) or not isinstance(value.get("triples"), list | tuple):
            return handler(value)
        good: list[TripleDraft] = []
        bad: list[tuple[str, str]] = []
        for item in value["triples"]:
            try:
                good.append(TripleDraft.model_validate(item))
            except ValidationError as error:
                first = error.errors()[0]
                reason = f"{'.'.join(map(str, first['loc'])) or 'item'}: {first['msg']}"
                bad.append((reason, json.dumps(item, ensure_ascii=False, default=str)))
        made = handler({**value, "triples": good})
        made._rejected = tuple(bad)
        return made
