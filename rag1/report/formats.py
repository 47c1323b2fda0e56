"""What an organiser wants of a submission file, as data: one yaml of `conf/submission/` a format."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from omegaconf import OmegaConf

from rag1.build import Workshop
from rag1.errors import ConfigError, InputError
from rag1.score.answers import NOT_APPLICABLE
from rag1.types import ABSTENTION, NO_EVIDENCE, Answer, Gold, Query, Score

WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
"""An index of a submission, without leading zeros: pandas reads no longer one back as a whole number."""

SCORE = "scores."
"""How a column of one score is named in a layout."""

FORMATS = Path(__file__).resolve().parents[2] / "conf" / "submission"


@dataclass(frozen=True, slots=True)
class Row:
    """One question's line. What is for people alone: `sources`, `scores` by name, and `gold`, `kind` and `document` of
    the gold file. A failed question has `stop` "error"."""

    index: str
    answer: str
    evidence: str = NO_EVIDENCE
    question: str = ""
    sources: str = ""
    scores: Mapping[str, str] = field(default_factory=dict)
    stop: str = "answered"
    error: str = ""
    gold: str = ""
    kind: str = ""
    document: str = ""

    @classmethod
    def of(
        cls, answer: Answer, query: Query, scores: Mapping[str, Score] | None = None, gold: Gold | None = None
    ) -> Row:
        """The line of an answer; its words are fitted to a format only when it is written."""
        return cls(
            answer.query_id,
            answer.text,
            answer.evidence,
            query.text,
            " ".join(item.id for item in answer.support),
            {name: _shown(score) for name, score in (scores or {}).items()},
            answer.stop,
            answer.error,
            "|".join(gold.answers) if gold else "",
            gold.kind if gold else "",
            "|".join(sorted(gold.doc_ids)) if gold else "",
        )

    def cell(self, column: str) -> str:
        """The text of a column of a format's layout."""
        name = column.removeprefix(SCORE)
        return self.scores.get(name, "") if name != column else str(getattr(self, column))


def _shown(score: Score) -> str:
    """Empty where the score does not apply to the question."""
    if score.value is None:
        return "" if score.label == NOT_APPLICABLE else "unread"
    return f"{score.value:.3g}"


@dataclass(frozen=True)
class SubmissionFormat:
    """A format. `columns` names fields of `Row` in order, each with its title in the file's header; `scores` stands for
    a column a score, and an `optional` column is left out where no row has anything to say in it.

    `first_index` is the index of the first line (None: an index may be any text). `max_tokens` limits fields in
    o200k_base tokens. `text_columns` may not be numeric all the way down, because pandas would read them as numbers.
    `false_premise` is the verdict on a question that is itself wrong ("": the format has none, so abstain).
    `refused` are words that stand for an empty cell in any case. `list_mark` joins the items of a list ("": no
    rule). `units`: a quantity carries its unit where the question asks for one. `guard_formulas`: for spreadsheets.
    """

    name: str
    columns: Mapping[str, str]
    optional: Sequence[str] = ()
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
        wrong = [
            name for name in [*self.columns, *self.optional, *self.max_tokens, *self.text_columns] if name not in known
        ]
        if wrong:
            raise ConfigError(f"submission format {self.name}: no field {wrong[0]!r}; there are {', '.join(known)}")
        if next(iter(self.columns), "") != "index":
            raise ConfigError(f"submission format {self.name}: the first column must be index")

    def layout(self, rows: Sequence[Row]) -> list[str]:
        """The columns of a file of these rows: fields, and `scores.NAME` for each score that a row has."""
        names = dict.fromkeys(name for row in rows for name in row.scores)
        silent = {one for one in self.optional if not any(row.cell(one) for row in rows)}
        return self._laid_out([SCORE + name for name in names], silent)

    def layout_of(self, header: Sequence[str]) -> list[str]:
        """The columns of a file with this header; of one that is none of this format's, what it should have had."""
        known = set(self.columns.values())
        scores = [SCORE + title for title in header if title not in known]
        return self._laid_out(scores, {one for one in self.optional if self.columns.get(one) not in header})

    def _laid_out(self, scores: Sequence[str], silent: Collection[str]) -> list[str]:
        columns = (scores if one == "scores" else [one] for one in self.columns if one not in silent)
        return [column for some in columns for column in some]

    def title(self, column: str) -> str:
        """What stands over a column of a layout."""
        return self.columns.get(column, column.removeprefix(SCORE))

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
