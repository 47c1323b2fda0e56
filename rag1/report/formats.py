"""What an organiser wants of a submission file, as data: one yaml of `conf/submission/` a format."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from omegaconf import OmegaConf

from rag1.build import Workshop
from rag1.errors import ConfigError, InputError
from rag1.types import ABSTENTION, NO_EVIDENCE, Answer, Query

WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
"""An index of a submission, without leading zeros: pandas reads no longer one back as a whole number."""

FORMATS = Path(__file__).resolve().parents[2] / "conf" / "submission"


@dataclass(frozen=True, slots=True)
class Row:
    """One question's line. `sources` and `scores` are text for people; a failed question has `stop` "error"."""

    index: str
    answer: str
    evidence: str = NO_EVIDENCE
    question: str = ""
    sources: str = ""
    scores: str = ""
    stop: str = "answered"
    error: str = ""

    @classmethod
    def of(cls, answer: Answer, query: Query, scores: Mapping[str, float | None] | None = None) -> Row:
        """The line of an answer; its words are fitted to a format only when it is written."""
        return cls(
            answer.query_id,
            answer.text,
            answer.evidence,
            query.text,
            " ".join(item.id for item in answer.support),
            " ".join(
                f"{name}={'unread' if value is None else f'{value:.3g}'}" for name, value in (scores or {}).items()
            ),
            answer.stop,
            answer.error,
        )


@dataclass(frozen=True)
class SubmissionFormat:
    """A format. `columns` names fields of `Row` in order, each with its title in the file's header.

    `first_index` is the index of the first line (None: an index may be any text). `max_tokens` limits fields in
    o200k_base tokens. `text_columns` may not be numeric all the way down, because pandas would read them as numbers.
    `false_premise` is the verdict on a question that is itself wrong ("": the format has none, so abstain).
    `refused` are words that stand for an empty cell in any case. `list_mark` joins the items of a list ("": no
    rule). `units`: a quantity carries its unit where the question asks for one. `guard_formulas`: for spreadsheets.
    """

    name: str
    columns: Mapping[str, str]
    header: bool = False
    encoding: str = "utf-8"
    first_index: int | None = 1
    max_tokens: Mapping[str, int] = field(default_factory=dict)
    text_columns: Sequence[str] = ()
    refused: Sequence[str] = ()
    abstention: str = ABSTENTION
    no_evidence: str = NO_EVIDENCE
    false_premise: str = ""
    list_mark: str = ""
    units: bool = False
    guard_formulas: bool = False
    file: str = "predictions.csv"
    archive: str = ""
    member: str = ""

    def __post_init__(self) -> None:
        known = [one.name for one in fields(Row)]
        wrong = [name for name in [*self.columns, *self.max_tokens, *self.text_columns] if name not in known]
        if wrong:
            raise ConfigError(f"submission format {self.name}: no field {wrong[0]!r}; there are {', '.join(known)}")
        if next(iter(self.columns), "") != "index":
            raise ConfigError(f"submission format {self.name}: the first column must be index")

    def check_indexes(self, indexes: Sequence[str]) -> None:
        """Raises InputError where this format could not carry these questions: before the first is asked."""
        wrong = [] if self.first_index is None else [one for one in indexes if not WHOLE.fullmatch(one)]
        if wrong:
            shown = ", ".join(map(repr, wrong[:10])) + (", …" if len(wrong) > 10 else "")
            raise InputError(
                f"index {shown}: submission={self.name} takes whole numbers from 0 up; renumber them, "
                "or choose submission=table"
            )

    def empty(self, column: str) -> str:
        """What stands in a cell that has nothing to say; "" for columns that may be empty."""
        return {"answer": self.abstention, "evidence": self.no_evidence}.get(column, "")


def load_format(name: str, folder: Path = FORMATS) -> SubmissionFormat:
    """The format of that name, or of that yaml file."""
    path = Path(name) if name.endswith((".yaml", ".yml")) else folder / f"{name}.yaml"
    if not path.is_file():
        known = sorted(one.stem for one in folder.glob("*.yaml"))
        raise ConfigError(f"no submission format {name!r}; there are {', '.join(known)}")
    made = Workshop()(OmegaConf.load(path))
    if not isinstance(made, SubmissionFormat):
        raise ConfigError(f"{path} describes no submission format: its _target_ is not SubmissionFormat")
    return made
