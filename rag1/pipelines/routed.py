"""Each kind of question to the pipeline that validation shows best for it: `pipeline=routed`.

The table of kind → pipeline is learnt by `scripts/learn_routes.py` from scored runs of those pipelines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rag1.errors import ConfigError, DataError
from rag1.llm.tasks import ClassifyQuestion
from rag1.types import Answer, Llm, Pipeline, Query, Step


@dataclass(frozen=True)
class Routed:
    """`table`: kind of question (as `ClassifyQuestion` names it) → name of a pipeline; other kinds: `default`."""

    llm: Llm
    pipelines: Mapping[str, Pipeline]
    table: Mapping[str, str]
    default: str

    def __post_init__(self) -> None:
        for name in (self.default, *self.table.values()):
            if name not in self.pipelines:
                raise ConfigError(f"pipeline.table names {name!r}; there are {', '.join(self.pipelines)}")

    def __call__(self, query: Query) -> Answer:
        kind = self.llm(ClassifyQuestion(question=query.text)).kind
        name = self.table.get(kind, self.default)
        answer = self.pipelines[name](query)
        return replace(answer, trace=(Step("kind", f"{kind} → {name}"), *answer.trace))


def read_table(path: str) -> dict[str, str]:
    """The table that `scripts/learn_routes.py` wrote."""
    try:
        table = json.loads(Path(path).read_text(encoding="utf-8"))["table"]
        return {str(kind): str(name) for kind, name in table.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: no table of routes ({error}); make one with scripts/learn_routes.py") from error
