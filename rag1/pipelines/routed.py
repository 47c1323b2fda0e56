"""Each kind of question to the pipeline that validation shows best for it: `pipeline=routed`.

The table of kind → pipeline is learnt by `scripts/learn_routes.py` from scored runs of those pipelines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from rag1.errors import ConfigError, DataError
from rag1.llm.tasks import ClassifyQuestion, QuestionKind
from rag1.types import ABSTENTION, Answer, Llm, Pipeline, Query, Step

ABSTAIN = "abstain"
"""The route of a kind whose questions no pipeline answers well enough: 「分かりません」, nothing retrieved."""


@dataclass(frozen=True)
class Routed:
    """`table`: kind of question (as `ClassifyQuestion` names it) → name of a pipeline or `ABSTAIN`; other kinds:
    `default`."""

    llm: Llm
    pipelines: Mapping[str, Pipeline]
    table: Mapping[str, str]
    default: str
    source: str = "pipeline.table"

    def __post_init__(self) -> None:
        for name in (self.default, *self.table.values()):
            if name not in self.pipelines and name != ABSTAIN:
                raise ConfigError(
                    f"{self.source} names {name!r}; there are {', '.join(self.pipelines)}, {ABSTAIN}; "
                    f"another pipeline is added by +pipeline@pipeline.pipelines.{name}={name}"
                )

    def __call__(self, query: Query) -> Answer:
        kind = self.llm(ClassifyQuestion(question=query.text)).kind
        name = self.table.get(kind, self.default)
        step = Step("kind", f"{kind} → {name}")
        if name == ABSTAIN:
            return Answer(query.id, ABSTENTION, stop="no_evidence", trace=(step,))
        answer = self.pipelines[name](query)
        return replace(answer, trace=(step, *answer.trace))


def open_routed(
    llm: Llm,
    pipelines: Mapping[str, Pipeline],
    table: Mapping[str, str],
    default: str,
    table_path: str | None = None,
    learnt: Mapping[str, str] | None = None,
    unanswered: Sequence[str] = (),
    model: str | None = None,
) -> Routed:
    """`learnt`: the table of `table_path`, in place of `table`; it has a route for every kind, `default` is of no use.

    `unanswered`: kinds that `table` sends to `ABSTAIN` where there is no `model`: rules read them too badly.
    """
    if learnt is not None:
        return Routed(llm, pipelines, learnt, default, table_path or "pipeline.learnt")
    withheld = dict.fromkeys(unanswered, ABSTAIN) if model is None else {}
    return Routed(llm, pipelines, {**table, **withheld}, default)


def read_table(path: str | None) -> dict[str, str] | None:
    """The table that `scripts/learn_routes.py` wrote; kinds that it did not see take its own default route. None for
    no path.

    Raises DataError where the file is not there or is no such table.
    """
    if path is None:
        return None
    try:
        learnt = json.loads(Path(path).read_text(encoding="utf-8"))
        table, default = dict(learnt["table"]), learnt["default"]
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; make the table with scripts/learn_routes.py") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: no table of routes ({error!r}); make one with scripts/learn_routes.py") from error
    if not all(isinstance(name, str) for name in (default, *table.values())):
        raise DataError(f"{path}: a route is no name of a pipeline; make the table with scripts/learn_routes.py")
    return {kind: table.get(kind, default) for kind in get_args(QuestionKind)}
