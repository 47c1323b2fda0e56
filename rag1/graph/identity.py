"""What a graph's fingerprint says of the model and the rules that made it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import rag1.llm.rules
from rag1.artifacts import fingerprint
from rag1.llm.client import Client
from rag1.llm.offline import OfflineLlm
from rag1.llm.prompts import PromptSet
from rag1.llm.roles import model_for
from rag1.llm.tasks import TaskModel
from rag1.types import Llm


def llm_identity(llm: Llm, *tasks: type[TaskModel]) -> str:  # type: ignore[type-arg]
    """Changes when another answer is to be expected: endpoint, model, sampling or prompts; for rules, their source."""
    if isinstance(llm, OfflineLlm):
        return f"offline {rules_digest()}"
    if not isinstance(llm, Client):
        return str(getattr(llm, "name", type(llm).__qualname__))
    chosen = [model_for(llm.roles, task.task_name(), llm.model) for task in tasks]
    models = [each if isinstance(each, str) else llm_identity(each, *tasks) for each in chosen]
    names = [task.task_name() for task in tasks]
    return " ".join([llm.endpoint.identity, *models, fingerprint(repr(llm.sampling)), _prompts(llm.prompts, names)])


def _prompts(prompts: PromptSet, tasks: list[str]) -> str:
    """A digest of the prompt files of these tasks, all variants."""
    from rag1.llm.prices import in_project

    folder = in_project(prompts.folder)
    files = sorted(path for task in tasks for path in folder.glob(f"{task}*.md"))
    return fingerprint([(path.name, path.read_text(encoding="utf-8")) for path in files])


@lru_cache(maxsize=1)
def rules_digest() -> str:
    """A digest of the offline rules' source: a graph made by other rules is another graph."""
    folder = Path(rag1.llm.rules.__file__).parent
    return fingerprint([(path.name, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py"))])
