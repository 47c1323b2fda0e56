"""Builds the objects that a config describes. Equal descriptions give one object.

A node with `_target_` becomes a call of that target with its other keys as keyword arguments, children first.
`_target_: null` is None: the way a role says "none". Two nodes that resolve to the same text share one object, so
that `llm: ${llm}` in five places is one client with one cache and one limiter. Targets outside `ALLOWED` are
refused: a config is data, not code.
"""

from __future__ import annotations

import inspect
import json
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from hydra.utils import get_object
from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rag1.errors import ConfigError

T = TypeVar("T")

ALLOWED = (
    "rag1",
    "langchain",
    "langchain_openai",
    "langchain_core",
    "langchain_experimental",
    "langchain_neo4j",
)
PARTNERS = "langchain_"
"""LangChain's integrations, a package a vendor: any chat model of theirs may be named."""

OWN = (
    "rag1.llm.ledger.Ledger",  # counts what one run spends
    "rag1.graph.neo4j.OpenNeo4j",  # a database holds one graph: another job may have put its own there
    "rag1.retrieve.store_hybrid.open_store_hybrid",  # a store holds the vectors of one embedder, likewise
)
"""Targets whose objects serve one run, and so does all that holds one."""


@dataclass
class Workshop:
    """Builds nodes of one run's config, remembering each by its resolved text.

    `given` are objects handed in by name: a node `{_given_: llm}` becomes `given["llm"]`. `shared` is handed from run
    to run: what holds no `own` target is the same in every run (corpus, indexes, embedder, graph) and is built once.
    """

    given: Mapping[str, object] = field(default_factory=dict)
    allowed: tuple[str, ...] = ALLOWED
    shared: dict[str, Any] = field(default_factory=dict)
    own: tuple[str, ...] = OWN
    _made: dict[str, Any] = field(default_factory=dict)

    def __call__(self, node: object) -> Any:
        """The object that `node` (a config node or plain containers) describes."""
        if isinstance(node, DictConfig | ListConfig):
            try:
                node = OmegaConf.to_container(node, resolve=True, throw_on_missing=True)
            except OmegaConfBaseException as error:
                raise ConfigError(str(error).splitlines()[0]) from error
        return self._build(node)

    def _build(self, node: object) -> Any:
        if isinstance(node, list):
            return [self._build(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "_given_" in node:
            return self.given[node["_given_"]]
        if node.get("_target_", "") is None:
            return None
        if "_target_" not in node:
            return {key: self._build(value) for key, value in node.items()}
        key = json.dumps(node, sort_keys=True, ensure_ascii=False, default=str)
        made = self._made if self._is_own(node) else self.shared
        if key not in made:
            made[key] = self._call(node)
        return made[key]

    def made(self, kind: type[T]) -> list[T]:
        """The objects of a kind that belong to this run alone, in the order in which they were built."""
        return [one for one in self._made.values() if isinstance(one, kind)]

    def _is_own(self, node: object) -> bool:
        if isinstance(node, list):
            return any(map(self._is_own, node))
        if not isinstance(node, dict):
            return False
        return "_given_" in node or node.get("_target_") in self.own or any(map(self._is_own, node.values()))

    def _call(self, node: dict[str, Any]) -> Any:
        target = self._target(str(node["_target_"]))
        keywords = {name: self._build(value) for name, value in node.items() if name != "_target_"}
        try:
            inspect.signature(target).bind(**keywords)
        except TypeError as error:
            raise ConfigError(f"{node['_target_']}: {error}; it takes {_parameters(target)}") from error
        fitted = {name: fitting(target, name, value) for name, value in keywords.items()}
        try:
            return target(**fitted)
        except Exception as error:
            if (getattr(target, "__module__", None) or "rag1").split(".", 1)[0] == "rag1":
                raise  # a mistake in words of ours, or a bug with its traceback
            # pydantic shows its whole input behind this, keys included
            words = " ".join(str(error).partition("[type=")[0].split()) or type(error).__name__
            raise ConfigError(f"{node['_target_']} cannot be made: {words[:300]}") from error

    def _target(self, path: str) -> Callable[..., Any]:
        package = path.split(".", 1)[0]
        if package not in self.allowed and not package.startswith(PARTNERS):
            raise ConfigError(
                f"_target_ {path!r} is outside the allowed packages: {', '.join(self.allowed)}, {PARTNERS}…"
            )
        try:
            found = get_object(path)
        except Exception as error:
            raise ConfigError(f"_target_ {path!r} cannot be loaded: {error}") from error
        if not callable(found):
            raise ConfigError(f"_target_ {path!r} is not callable")
        return found  # type: ignore[no-any-return]


def fitting(target: Callable[..., Any], name: str, value: Any) -> Any:
    """`value` for a parameter of plain type (numbers, text, choices); a number stands for its own text.

    Raises ConfigError for a value of another type. Parameters of any other type take what they are given.
    """
    hint = _hint(target, name)
    plain = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if not all(one in _PLAIN or get_origin(one) is Literal for one in plain):
        return value
    if any(_is(value, one) for one in plain):
        return value
    if str in plain and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    wanted = " or ".join(_told(one) for one in plain)
    raise ConfigError(f"{name}={value!r} of {target.__module__}.{target.__qualname__} must be {wanted}")


_PLAIN = {int: "a whole number", float: "a number", bool: "true or false", str: "text", type(None): "null"}


def _hint(target: Callable[..., Any], name: str) -> Any:
    parameter = inspect.signature(target).parameters.get(name)
    hint = parameter.annotation if parameter else Any
    if not isinstance(hint, str):
        return hint
    module = sys.modules.get(getattr(target, "__module__", ""), None)
    try:
        return get_type_hints(SimpleNamespace(__annotations__={name: hint}), vars(module) if module else {})[name]
    except NameError:  # a name that the module imports for type checkers only: no plain type
        return Any


def _is(value: Any, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return type(value) is hint


def _told(hint: Any) -> str:
    return " or ".join(map(repr, get_args(hint))) if get_origin(hint) is Literal else _PLAIN[hint]


def _parameters(target: Callable[..., Any]) -> str:
    return ", ".join(inspect.signature(target).parameters)
