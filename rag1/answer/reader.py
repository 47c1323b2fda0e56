"""Evidence to answer: the last step of every pipeline that reads."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag1.answer.context import KINDS, Context
from rag1.answer.evidence import check_evidence
from rag1.answer.repeats import most_agreed
from rag1.errors import ConfigError
from rag1.llm.tasks import AnswerFrom, AnswerReply, Passage
from rag1.types import ABSTENTION, NO_EVIDENCE, Answer, Llm, Query, Retrieved, Retriever, Step, Stop

MOST_COUNTS = 3
"""Lines of counts that are read before the passages."""


@dataclass(frozen=True)
class Reader:
    """Asks the model to answer from what was retrieved, and holds its evidence against it.

    `near`: how like the true passage (0 to 1) a misquotation must be to be snapped to it. `closed_book`: answer
    from the model's own knowledge when nothing was retrieved; else the answer is 「分かりません」 without a call.
    `counter`: what it counts for a counting question is read before everything that the pipeline retrieved.
    `repeats`: samples of the answer, of which the most agreed one stands, `signals["agreement"]` its share of them;
    more than one needs a temperature above 0, and costs as many calls.
    """

    llm: Llm
    context: Context
    near: float = 0.8
    closed_book: bool = False
    counter: Retriever | None = None
    repeats: int = 1

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise ConfigError(f"reader.repeats={self.repeats} must be a whole number from 1 up")

    def __call__(
        self, query: Query, support: Sequence[Retrieved], steps: Sequence[Step] = (), flags: Sequence[str] = ()
    ) -> Answer:
        start = time.perf_counter()
        counts = self.counter(query, MOST_COUNTS) if self.counter else []
        if counts:
            support = [*counts, *support]
            steps = (
                *steps,
                Step("count", "; ".join(c.text.split("（")[0] for c in counts), time.perf_counter() - start),
            )
        passages = self.context(support)
        if not passages and not self.closed_book:
            return Answer(
                query.id, ABSTENTION, support=tuple(support), stop="no_evidence", trace=tuple(steps), flags=tuple(flags)
            )
        task = AnswerFrom(question=query.text, context=passages)
        replies = [self.llm(task, repeat=n) for n in range(self.repeats)]
        place, agreement = most_agreed([reply.answer for reply in replies])
        agreed = f", {agreement:.0%} of {self.repeats} samples agree" if self.repeats > 1 else ""
        step = Step("read", f"{len(passages)} passages{agreed}", time.perf_counter() - start)
        answer = finish(query, replies[place], passages, support, (*steps, step), tuple(flags), self.near)
        return replace(answer, signals={**answer.signals, "agreement": agreement}) if self.repeats > 1 else answer


def finish(
    query: Query,
    reply: AnswerReply,
    passages: Sequence[Passage],
    support: Sequence[Retrieved],
    steps: tuple[Step, ...],
    flags: tuple[str, ...] = (),
    near: float = 0.8,
) -> Answer:
    """A model's reply as an Answer: an abstention carries no evidence, other evidence is checked.

    `signals["from_…"]` is 1 for the road that brought the evidence, where that is not a passage.
    """
    text = reply.answer.strip() or ABSTENTION
    if text == ABSTENTION:
        stop: Stop = "no_evidence"
        evidence = NO_EVIDENCE
    else:
        stop = "answered"
        checked = check_evidence(reply.evidence, passages, near)
        evidence = checked.text
        flags = (*flags, checked.flag) if checked.flag else flags
    return Answer(
        query.id,
        text,
        evidence,
        tuple(support),
        stop,
        trace=steps,
        flags=flags,
        confidence=reply.confidence,
        signals=_source(evidence, support),
    )


def _source(evidence: str, support: Sequence[Retrieved]) -> dict[str, float]:
    roads = (item.by.partition(":")[0] for item in support if evidence != NO_EVIDENCE and evidence in item.text)
    road = next(roads, "")
    return {f"from_{road}": 1.0} if road in KINDS else {}
