"""Text to Cypher: a model writes a statement over the graph's schema, its rows are the answer: `pipeline=cypher`."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from rag1.answer.rows import RowsAnswer
from rag1.errors import ConfigError
from rag1.llm.tasks import WriteCypher
from rag1.retrieve.cypher import Outcome, RunCypher
from rag1.retrieve.expand import Expander
from rag1.retrieve.schema import SchemaText
from rag1.types import ABSTENTION, Answer, Llm, Query, Step, Stop


@dataclass(frozen=True)
class TextToCypher:
    """`max_repairs`: how often an error, a refusal or an empty result goes back to the model with its reason.

    `repairs` False: it does not. `expand`: other wordings of the question, each tried when those before it gave no
    rows. An empty result ends in 「分かりません」; where no statement could be run at all, it is an error.
    """

    llm: Llm
    schema: SchemaText
    run: RunCypher
    answer: RowsAnswer
    max_repairs: int = 4
    repairs: bool = True
    expand: Expander | None = None

    def __post_init__(self) -> None:
        if self.max_repairs < 0:
            raise ConfigError(f"pipeline.max_repairs {self.max_repairs} must be 0 or more")

    def __call__(self, query: Query) -> Answer:
        attempts = Attempts()
        for wording in self._wordings(query):
            outcome = self._try(replace(query, text=wording), attempts)
            if outcome.ended == "rows":
                return self.answer(query, outcome, attempts.steps)
        return attempts.without_rows(query)

    def _wordings(self, query: Query) -> list[str]:
        return self.expand(query) if self.expand else [query.text]

    def _try(self, query: Query, attempts: Attempts) -> Outcome:
        """Statements for one wording until one has rows, comes back unchanged, or the repairs are used up."""
        schema = self.schema(query)
        last = Outcome("empty", "")
        for _ in range(1 + (self.max_repairs if self.repairs else 0)):
            start = time.perf_counter()
            task = WriteCypher(
                question=query.text, schema_text=schema, dialect=self.run.store.dialect,
                previous=attempts.written, error=last.reason,
            )  # fmt: skip
            written = self.llm(task).cypher.strip()
            if written == attempts.written:
                attempts.steps.append(Step("cypher", "the same statement again: stopped"))
                break
            last = self.run(written, query.scope)
            attempts.keep(written, last, time.perf_counter() - start)
            if last.ended == "rows":
                break
        attempts.written = ""
        return last


@dataclass
class Attempts:
    """What was tried for one question so far."""

    steps: list[Step] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    written: str = ""

    def keep(self, written: str, outcome: Outcome, seconds: float) -> None:
        self.written = written
        self.outcomes.append(outcome)
        self.steps.append(Step("cypher", shown(written, outcome), seconds))

    def without_rows(self, query: Query) -> Answer:
        """The answer where nothing was found: empty where a statement ran, else an error."""
        empty = any(outcome.ended == "empty" for outcome in self.outcomes)
        stop: Stop = "no_evidence" if empty or not self.outcomes else "error"
        error = "" if stop == "no_evidence" else f"no statement could be run: {self.outcomes[-1].reason}"
        flag = "cypher_empty" if stop == "no_evidence" else "cypher_failed"
        return Answer(query.id, ABSTENTION, stop=stop, error=error, trace=tuple(self.steps), flags=(flag,))


def shown(written: str, outcome: Outcome) -> str:
    """A trace line: how it ended, what was written, what ran instead, every change."""
    found = f"{len(outcome.rows.rows)} rows" + (", cut" if outcome.cut else "")
    parts = [found if outcome.ended == "rows" else f"{outcome.ended}: {outcome.reason}", written]
    if outcome.statement != written:
        parts.append(f"ran: {outcome.statement}")
    parts += [f"changed: {note}" for note in outcome.notes]
    return "\n".join(parts)
