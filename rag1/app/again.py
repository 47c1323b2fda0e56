"""A new run folder from a finished one whose answers were changed afterwards: abstained, combined, picked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from rag1.app.finish import Ending, make_scorers
from rag1.app.plan import read_inputs
from rag1.app.recipe import read_recipe, write_recipe
from rag1.build import Workshop
from rag1.errors import InputError
from rag1.report.runs import Run
from rag1.report.submission import SubmissionFormat
from rag1.types import Answer


def write_again(source: Run, answers: Sequence[Answer], folder: Path, facts: Mapping[str, object]) -> Path:
    """Submission, scores and report of `answers` in `folder`, under the recipe of `source`; no model is asked."""
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty; name another folder")
    config = read_recipe(str(source.folder))
    workshop = Workshop()
    inputs = read_inputs(config, workshop)
    format = workshop(config.submission)
    assert isinstance(format, SubmissionFormat)
    meta = {**OmegaConf.to_container(config.meta), "made_from": str(source.folder), **facts}  # type: ignore[dict-item]
    plain = OmegaConf.masked_copy(config, [str(key) for key in config if key != "meta"])
    assert isinstance(plain, DictConfig)
    write_recipe(plain, meta, folder)
    by_id = {answer.query_id: answer for answer in answers}
    Ending(format, make_scorers(config, workshop), None)(folder, inputs, [by_id[q.id] for q in inputs.queries])
    return folder
