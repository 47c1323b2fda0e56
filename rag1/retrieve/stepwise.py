"""Facts for a question in parts: each part's own, an earlier part's answer filling the next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag1.llm.tasks import AnswerFrom, Decompose, Passage
from rag1.types import ABSTENTION, Llm, Query, Retrieved, Retriever

_SLOT = re.compile(r"\{(\d+)\}")
MOST_EACH = 4
"""Items of a list that a later part is asked of, one by one."""


@dataclass(frozen=True)
class Stepwise:
    """`inner` brings `depth` facts a part; a part that they do not answer is the last one asked, `most` at most.

    First come the facts that answered a part, in the order of the parts, then the others by rank. A question that
    stays whole is one search, without another call.
    """

    llm: Llm
    inner: Retriever
    depth: int = 120
    most: int = 6

    def __call__(self, query: Query, k: int) -> list[Retrieved]:
        parts = self.llm(Decompose(question=query.text)).questions
        if len(parts) < 2:
            return self.inner(query, k)
        answers: list[str] = []
        told: dict[str, Retrieved] = {}
        others: dict[str, Retrieved] = {}
        for part in parts[: self.most]:
            asked = filled(part, answers)
            found = self.inner(replace(query, text=asked), self.depth)
            reply = self.llm(AnswerFrom(question=asked, context=_passages(found)))
            told |= {item.id: item for item in found if item.text in reply.evidence}
            others |= {item.id: item for item in found[:k] if item.id not in others}
            if reply.answer == ABSTENTION:
                break
            answers.append(reply.answer)
        return list({**told, **others}.values())[:k]


def _passages(found: Sequence[Retrieved]) -> tuple[Passage, ...]:
    return tuple(Passage(id=item.id, text=item.text, label="関係") for item in found)


def filled(part: str, answers: Sequence[str]) -> str:
    """`{1}` as the first answer; a slot whose answer is not there yet stays as it is."""
    return _SLOT.sub(lambda m: answers[int(m[1]) - 1] if 0 < int(m[1]) <= len(answers) else m[0], part)


def spread(part: str, answers: Sequence[str]) -> list[str]:
    """The part, filled; where its one slot's answer is a list of at most `MOST_EACH`, once for each item."""
    slots = {int(number) for number in _SLOT.findall(part)}
    slot = slots.pop() if len(slots) == 1 else 0
    items = answers[slot - 1].split("、") if 0 < slot <= len(answers) else []
    if not 1 < len(items) <= MOST_EACH:
        return [filled(part, answers)]
    return [filled(part, [*answers[: slot - 1], item]) for item in items]
