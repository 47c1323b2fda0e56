"""Answer or refine: each turn answers from the facts so far or asks a simpler question: `pipeline=refine`."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from rag1.answer.ground import grounded
from rag1.corpus.corpus import Corpus
from rag1.errors import ConfigError
from rag1.llm.tasks import AnswerOrRefine, AnswerOrRefineReply
from rag1.retrieve.gather import gather
from rag1.types import ABSTENTION, Answer, Llm, Query, Retrieved, Retriever, Step, Stop


@dataclass(frozen=True)
class Refine:
    """`facts`, `passages` (None: none): what brings them; `k_facts`, `k`: how many a turn. Earlier turns' are kept.

    Ends at an answer, at a question that was asked before (`no_evidence`), or after `max_turns`.
    """

    llm: Llm
    facts: Retriever
    corpus: Corpus
    passages: Retriever | None = None
    k_facts: int = 60
    k: int = 8
    max_turns: int = 6

    def __post_init__(self) -> None:
        if self.max_turns < 1:
            raise ConfigError(f"pipeline.max_turns {self.max_turns} must be 1 or more")

    def __call__(self, query: Query) -> Answer:
        turns = Turns([query.text])
        for _ in range(self.max_turns):
            reply = self._turn(replace(query, text=turns.asked[-1]), turns)
            turns.evidence.append(reply.evidence)
            if reply.answer is not None:
                return self._answer(query, reply.answer, turns)
            if not reply.question or reply.question in turns.asked:
                turns.steps.append(Step("stop", f"asked before: {reply.question or 'no other question'}"))
                return turns.ended(query, "no_evidence")
            turns.asked.append(reply.question)
        return turns.ended(query, "max_turns", f"{self.max_turns} turns without an answer")

    def _turn(self, query: Query, turns: Turns) -> AnswerOrRefineReply:
        now = self._found(query, turns)
        start = time.perf_counter()
        lines = dict.fromkeys(item.text for item in (*now, *turns.found.values()))
        task = AnswerOrRefine(question=query.text, facts=tuple(lines), asked=tuple(turns.asked[:-1]))
        reply = self.llm(task)
        said = f"answer: {reply.answer}" if reply.answer is not None else f"ask: {reply.question}"
        turns.steps.append(Step("refine", f"{query.text}\n{said}\n{reply.evidence}", time.perf_counter() - start))
        return reply

    def _found(self, query: Query, turns: Turns) -> list[Retrieved]:
        gathered = [gather(query, {"facts": self.facts}, self.k_facts)]
        if self.passages is not None:
            gathered.append(gather(query, {"passages": self.passages}, self.k))
        now = [item for found in gathered for ranking in found.rankings for item in ranking]
        turns.steps += [step for found in gathered for step in found.steps]
        turns.found.update({item.id: item for item in now if item.id not in turns.found})
        return now

    def _answer(self, query: Query, text: str, turns: Turns) -> Answer:
        text = text.strip() or ABSTENTION
        if text == ABSTENTION:
            return turns.ended(query, "no_evidence")
        evidence = grounded(turns.evidence, turns.support, self.corpus)
        return Answer(query.id, text, evidence, turns.support, trace=tuple(turns.steps))


@dataclass
class Turns:
    """What was asked and found for one question."""

    asked: list[str]
    found: dict[str, Retrieved] = field(default_factory=dict)
    evidence: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def support(self) -> tuple[Retrieved, ...]:
        return tuple(self.found.values())

    def ended(self, query: Query, stop: Stop, error: str = "") -> Answer:
        return Answer(query.id, ABSTENTION, support=self.support, stop=stop, error=error, trace=tuple(self.steps))
