"""The question in parts: sub-questions answered in order, each by a pipeline of its own: `pipeline=decompose`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag1.answer.rows import JOINT
from rag1.errors import ConfigError
from rag1.llm.tasks import Decompose
from rag1.retrieve.stepwise import spread
from rag1.types import ABSTENTION, NO_EVIDENCE, Answer, Llm, Pipeline, Query, Retrieved, Step


@dataclass(frozen=True)
class InParts:
    """`inner` answers each part with evidence of its own. `most`: parts at most; a part over it is an error.

    A part about a list that an earlier one gave is asked of each item. One that gets no answer ends the question with
    that part's stop.
    """

    llm: Llm
    inner: Pipeline
    most: int = 6

    def __post_init__(self) -> None:
        if self.most < 1:
            raise ConfigError(f"pipeline.most {self.most} must be 1 or more")

    def __call__(self, query: Query) -> Answer:
        start = time.perf_counter()
        parts = [part for part in self.llm(Decompose(question=query.text)).questions if part.strip()] or [query.text]
        steps = [Step("decompose", "\n".join(parts), time.perf_counter() - start)]
        flags = [] if len(parts) <= self.most else ["parts_cut"]
        done: list[Answer] = []
        for part in parts[: self.most]:
            answers = []
            for asked in spread(part, [answer.text for answer in done]):
                answer = self.inner(replace(query, text=asked))
                steps += [Step("part", f"{asked} → {answer.text}"), *answer.trace]
                answers.append(answer)
            told = [answer for answer in answers if answer.stop == "answered" and not answer.abstained]
            done.append(_listed(_sure(told)) if told else answers[0])
            if not told:
                break
        return _joined(query, done, steps, flags)


def _sure(told: Sequence[Answer]) -> list[Answer]:
    """Without the answers that are less than half as sure as the surest: of two daughters one may have no husband."""
    best = max((answer.confidence or 0.0 for answer in told), default=0.0)
    return [answer for answer in told if answer.confidence is None or answer.confidence * 2 >= best]


def _listed(told: Sequence[Answer]) -> Answer:
    """Several answers to one part as one: a list."""
    if len(told) == 1:
        return told[0]
    return replace(
        told[0],
        text="、".join(dict.fromkeys(answer.text for answer in told)),
        evidence=JOINT.join(dict.fromkeys(answer.evidence for answer in told if answer.evidence != NO_EVIDENCE)),
        support=tuple(item for answer in told for item in answer.support),
        flags=tuple(flag for answer in told for flag in answer.flags),
        confidence=_least_sure(told),
    )


def _least_sure(answers: Sequence[Answer]) -> float | None:
    return min((a.confidence for a in answers if a.confidence is not None), default=None)


def _joined(query: Query, done: Sequence[Answer], steps: Sequence[Step], flags: Sequence[str]) -> Answer:
    last = done[-1]
    support = {f"{item.id} {item.text}": item for answer in done for item in answer.support}
    evidence = dict.fromkeys(answer.evidence for answer in done if answer.evidence != NO_EVIDENCE)
    return Answer(
        query.id,
        last.text,
        NO_EVIDENCE if last.text == ABSTENTION else JOINT.join(evidence) or NO_EVIDENCE,
        tuple[Retrieved, ...](support.values()),
        last.stop,
        last.error,
        trace=tuple(steps),
        flags=tuple(dict.fromkeys([*flags, *(flag for answer in done for flag in answer.flags)])),
        confidence=_least_sure(done),
        signals=last.signals,
    )
