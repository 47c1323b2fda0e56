"""How sure an answer is, from what can be seen of it; and pipelines that rather say 「分かりません」.

A wrong answer costs a point in the contest, an abstention nothing: an answer is worth giving where its chance of
being right is high enough. What a signal is worth is learnt from scored runs by `scripts/tune_abstention.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import get_args

from rag1.answer.context import KINDS as ROADS
from rag1.errors import DataError
from rag1.llm.rules.chains import is_chain
from rag1.llm.rules.classify import kind_of
from rag1.llm.rules.facts import suits
from rag1.llm.rules.question import read_question
from rag1.llm.tasks import QuestionKind
from rag1.text.normalize import normalize
from rag1.types import ABSTENTION, FAILED, NO_EVIDENCE, Answer, Pipeline, Query

CHAIN = "chain"
KINDS: tuple[str, ...] = (*get_args(QuestionKind), CHAIN)
SOURCES = tuple(ROADS)
SIGNALS = (
    "own", "agreement", "quoted", "told", "place", "margin", "mended", "fits", "long",
    *(f"from_{source}" for source in SOURCES), *(f"kind_{kind}" for kind in KINDS),
)  # fmt: skip
MOST_ODDS = 5.0
LONG = 40
"""Characters from which an answer counts as long altogether."""


def signals(answer: Answer, question: str) -> dict[str, float]:
    """Each in [0, 1], but `own` in [−1, 1].

    own: the model's own word as log-odds over 5, cut at ±5 (0 where it gave none). agreement: of repeated samples (1
    where there was one). quoted: it has evidence. told: the answer stands in its evidence. place: 1 / rank of the
    passage that holds the evidence. margin: how far the first retrieved leads the second. mended: its evidence had to
    be snapped or dropped. fits: it is of the type that the question asks for (a number, a list). long: its length.
    from_…: the evidence is a count or a graph's. kind_…: the kind of question by its wording; a chain of relations is a
    kind of its own.
    """
    kind = CHAIN if is_chain(question) else kind_of(question)
    return {
        "own": _odds(answer.confidence),
        "agreement": answer.signals.get("agreement", 1.0),
        "quoted": float(answer.evidence != NO_EVIDENCE),
        "told": float(bool(answer.text) and normalize(answer.text) in normalize(answer.evidence)),
        "place": _place(answer),
        "margin": _margin(answer),
        "mended": float(any(flag.startswith("evidence_") for flag in answer.flags)),
        "fits": float(suits(read_question(question), answer.text)),
        "long": min(1.0, len(answer.text) / LONG),
        **{f"from_{source}": answer.signals.get(f"from_{source}", 0.0) for source in SOURCES},
        **{f"kind_{name}": float(name == kind) for name in KINDS},
    }


def _odds(own: float | None) -> float:
    if own is None:
        return 0.0
    least = 1 / (1 + math.exp(MOST_ODDS))
    chance = min(1 - least, max(least, own))
    return math.log(chance / (1 - chance)) / MOST_ODDS


def _place(answer: Answer) -> float:
    if answer.evidence == NO_EVIDENCE:
        return 0.0
    return next((1 / rank for rank, item in enumerate(answer.support, 1) if answer.evidence in item.text), 0.0)


def _margin(answer: Answer) -> float:
    """(first − second) / first of the retrieval scores; 0 where there are not two, or they are not positive."""
    scores = [item.score for item in answer.support[:2]]
    return max(0.0, (scores[0] - scores[1]) / scores[0]) if len(scores) == 2 and scores[0] > 0 else 0.0


@dataclass(frozen=True)
class Calibration:
    """A logistic model of being right: weights by signal, and the confidence under which it is better to abstain."""

    weights: Mapping[str, float]
    bias: float
    threshold: float
    source: str = ""

    def confidence(self, answer: Answer, question: str) -> float:
        """The chance, 0 to 1, that the answer is right; 0 for an abstention."""
        if answer.abstained:
            return 0.0
        values = signals(answer, question)
        total = self.bias + sum(weight * values.get(name, 0.0) for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, total))))

    def apply(self, answer: Answer, question: str) -> Answer:
        """The answer with its confidence; one under the threshold becomes an abstention that keeps what it was."""
        confidence = round(self.confidence(answer, question), 6)
        if answer.abstained or answer.stop in FAILED or confidence >= self.threshold:
            return replace(answer, confidence=confidence)
        return replace(
            answer,
            text=ABSTENTION,
            evidence=NO_EVIDENCE,
            stop="no_evidence",
            confidence=confidence,
            flags=(*answer.flags, "abstained_unsure"),
        )

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_calibration(path: str) -> Calibration:
    """A calibration that `scripts/tune_abstention.py` wrote."""
    try:
        return Calibration(**json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise DataError(f"{path}: no calibration ({error}); make one with scripts/tune_abstention.py RUN") from error


@dataclass(frozen=True)
class Abstaining:
    """A pipeline whose unsure answers become 「分かりません」."""

    pipeline: Pipeline
    calibration: Calibration

    def __call__(self, query: Query) -> Answer:
        return self.calibration.apply(self.pipeline(query), query.text)
