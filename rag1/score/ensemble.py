"""Several answers to one question made one: by vote over normalised answers, by a model's pick, or by a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rag1.answer.repeats import most_agreed
from rag1.errors import InputError
from rag1.llm.tasks import PickAnswer
from rag1.text.normalize import normalize
from rag1.types import FAILED, Answer, Llm


def vote(answers: Sequence[Answer], weights: Sequence[float] | None = None) -> Answer:
    """The answer that most of them give; abstentions vote for abstaining, failures do not vote.

    Of the winners the first in order stands for all, so runs should come best first; equal sums go to the earlier.
    `signals["agreement"]` of the result is the winning share of the votes.
    """
    pairs = zip(answers, weights or [1.0] * len(answers), strict=True)
    voting = [(answer, weight) for answer, weight in pairs if answer.stop not in FAILED]
    if not voting:
        return answers[0]
    place, agreement = most_agreed([answer.text for answer, _ in voting], [weight for _, weight in voting])
    won = voting[place][0]
    return replace(won, signals={**won.signals, "agreement": agreement})


@dataclass(frozen=True)
class ModelPick:
    """The model picks among the different answers; where all agree, or it names none of them, the vote decides."""

    llm: Llm

    def __call__(self, question: str, answers: Sequence[Answer]) -> Answer:
        first: dict[str, Answer] = {}
        for answer in answers:
            if not answer.abstained:
                first.setdefault(normalize(answer.text), answer)
        different = list(first.values())
        if len(different) < 2:
            return vote(answers)
        reply = self.llm(PickAnswer(question=question, candidates=tuple(a.text for a in different)))
        return different[reply.index] if reply.index < len(different) else vote(answers)


def by_table(
    keys: Mapping[str, str], table: Mapping[str, str], default: str, runs: Mapping[str, Mapping[str, Answer]]
) -> dict[str, Answer]:
    """Each question's answer from the run that the table names for its key (kind or document)."""
    missing = [name for name in {default, *table.values()} if name not in runs]
    if missing:
        raise InputError(f"the table names the run {missing[0]!r}; there are {', '.join(runs)}")
    return {query_id: runs[table.get(key, default)][query_id] for query_id, key in keys.items()}
