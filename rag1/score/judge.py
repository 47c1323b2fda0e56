"""A model as judge: the contest's four labels for an answer, as points.

`rag1` is the organiser's way: the judge sees the expected answer and the given one, nothing else. `strict2026` wants
numbers exact, ignores units, and takes a partial list for wrong. `evidence` sees question and evidence too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rag1.errors import BudgetSpent, ProviderError, UnreadableReply
from rag1.llm.tasks import JudgeAnswer
from rag1.score.answers import POINTS
from rag1.types import Answer, Gold, Llm, Query, Score

UNREAD = "unread"


@dataclass(frozen=True)
class LlmJudge:
    """A `Scorer` named `judge_{rules}`. Of several accepted golds the kindest verdict counts.

    A reply that cannot be read is asked for again, up to `tries` times in all; then the score's value is None, which
    the table counts and shows. With `repeats` above 1 the judge is asked independently that often: the most frequent
    label counts (of equals, the worse), and `note` holds them all: the judge's own noise.
    """

    llm: Llm
    rules: Literal["rag1", "strict2026", "evidence"] = "rag1"
    questions: Iterable[Query] = ()
    tries: int = 3
    repeats: int = 1

    @property
    def name(self) -> str:
        return f"judge_{self.rules}"

    def __call__(self, answer: Answer, gold: Gold) -> Score:
        verdicts = [self._best(answer, gold, repeat) for repeat in range(self.repeats)]
        labels = [label for label, _ in verdicts if label in POINTS]
        note = " ".join(label for label, _ in verdicts) if self.repeats > 1 else verdicts[0][1]
        if not labels:
            return Score(self.name, None, "", note)
        counts = Counter(labels)
        label = max(counts, key=lambda one: (counts[one], -POINTS[one]))
        return Score(self.name, POINTS[label], label, note)

    def _best(self, answer: Answer, gold: Gold, repeat: int) -> tuple[str, str]:
        """The kindest label over the accepted golds, with the judge's reason; `unread` only where all are."""
        best, why = UNREAD, ""
        for one in gold.answers:
            label, reason = self._asked(answer, one, repeat)
            if best == UNREAD or (label in POINTS and POINTS[label] > POINTS[best]):
                best, why = label, reason
            if best == "Perfect":
                break
        return best, why

    def _asked(self, answer: Answer, ground_truth: str, repeat: int) -> tuple[str, str]:
        task = self._task(answer, ground_truth)
        reason = ""
        for attempt in range(self.tries):
            try:
                verdict = self.llm(task, repeat=repeat * self.tries + attempt)
            except UnreadableReply as error:
                reason = str(error)
                continue
            except (ProviderError, BudgetSpent) as error:
                return UNREAD, str(error)
            return verdict.label, verdict.reason
        return UNREAD, f"{self.tries} unreadable replies: {reason}"

    def _task(self, answer: Answer, ground_truth: str) -> JudgeAnswer:
        if self.rules != "evidence":
            return JudgeAnswer(ground_truth=ground_truth, answer=answer.text, rules=self.rules)
        question = self._texts.get(answer.query_id, "")
        return JudgeAnswer(
            ground_truth=ground_truth,
            answer=answer.text,
            question=question,
            evidence=answer.evidence,
            rules=self.rules,
        )

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        return {query.id: query.text for query in self.questions}
