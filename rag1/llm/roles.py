"""Which model does which task: a role is a group of tasks."""

from __future__ import annotations

from collections.abc import Mapping

from rag1.errors import ConfigError
from rag1.types import Llm

ROLES: Mapping[str, tuple[str, ...]] = {
    "answers": ("answer_from", "answer_or_refine", "decompose", "choose_tool", "pick_answer", "answer_from_community"),
    "queries": ("extract_entities", "generate_queries", "write_passage", "classify_question", "route_title"),
    "rerank": ("rerank_passages",),
    "graph": ("extract_triples", "summarise_document", "same_entity", "summarise_community"),
    "cypher": ("write_cypher", "compose_relation"),
    "judge": ("judge_answer",),
    "agents": ("langchain",),
    "embeddings": ("embed",),
}
_ROLE_OF = {task: role for role, tasks in ROLES.items() for task in tasks}


def role_of(task: str) -> str:
    """The role that a task belongs to; a task of no role is its own."""
    return _ROLE_OF.get(task, task)


def model_for(roles: Mapping[str, str | Llm], task: str, default: str) -> str | Llm:
    """The model of a task: its own entry in `roles`, else its role's, else the default."""
    return roles.get(task) or roles.get(role_of(task)) or default


def check_roles(roles: Mapping[str, str | Llm]) -> None:
    """Raises ConfigError for a name that is neither a role nor a task, and for a model that is none."""
    for name, model in roles.items():
        if name not in ROLES and name not in _ROLE_OF:
            raise ConfigError(f"llm.roles.{name} is neither a role nor a task; roles: {', '.join(ROLES)}")
        if "embeddings" in (name, role_of(name)):
            raise ConfigError(f"llm.roles.{name}: the embedder has a model of its own; choose it by embedder=")
        if not model or not (isinstance(model, str) or callable(model)):
            raise ConfigError(f"llm.roles.{name}={model!r} is no model; give its name, or a model of conf/llm")
