"""Self-consistency: the answer that most of several samples agree on (Wang et al. 2023, "Self-Consistency Improves
Chain of Thought Reasoning in Language Models", ICLR)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rag1.llm.tasks import AnswerReply
from rag1.text.normalize import normalize


def most_agreed(replies: Sequence[AnswerReply]) -> tuple[AnswerReply, float]:
    """The first reply of the answer that most give after normalisation, and their share (0 to 1); of equal shares the
    earlier one."""
    keys = [normalize(reply.answer) for reply in replies]
    key, votes = Counter(keys).most_common(1)[0]
    return replies[keys.index(key)], votes / len(replies)
