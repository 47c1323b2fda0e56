"""Prompt files: a task's wording for a model, with `{slots}` and no code.

A file `<task>.md`, or `<task>.<variant>.md`, holds `# system` and `# user` parts. A slot is a field of the task. A
paragraph whose slots are all empty is left out. Any other brace stands as it is, so JSON needs no escapes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from rag1.errors import ConfigError
from rag1.llm.prices import in_project
from rag1.llm.tasks import DocumentCard, Observation, Passage, ToolSpec

SLOT = re.compile(r"\{([a-z][a-z_]*)\}")
VARIANT_FIELDS = ("style", "rules", "dialect")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered task: messages as the wire wants them."""

    messages: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class Template:
    """The parts of a prompt file, each a list of paragraphs."""

    parts: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(name for _, paragraphs in self.parts for text in paragraphs for name in SLOT.findall(text))

    def fill(self, values: Mapping[str, str]) -> Prompt:
        messages = []
        for role, paragraphs in self.parts:
            kept = [filled for text in paragraphs if (filled := _filled(text, values)) is not None]
            messages.append({"role": role, "content": "\n\n".join(kept)})
        return Prompt(tuple(messages))


@dataclass(frozen=True)
class PromptSet:
    """The prompt files of one folder (as seen from the working folder, else from the project's)."""

    folder: str
    language: str = "ja"
    _read: dict[str, Template] = field(init=False, default_factory=dict, repr=False, compare=False)

    def __call__(self, task: BaseModel) -> Prompt:
        """The messages for a task. Raises ConfigError when its file is missing or names an unknown slot."""
        return self.template(file_name(task), type(task)).fill(slot_values(task))

    def template(self, name: str, task_type: type[BaseModel]) -> Template:
        if name not in self._read:
            template = read_template(in_project(self.folder) / f"{name}.md")
            unknown = template.slots - set(task_type.model_fields)
            if unknown:
                known = ", ".join(task_type.model_fields)
                raise ConfigError(f"prompt {self.folder}/{name}.md: no slot {sorted(unknown)[0]!r}; it may use {known}")
            self._read[name] = template
        return self._read[name]


def file_name(task: BaseModel) -> str:
    """`judge_answer.strict2026`, `answer_from.zero_shot`, `decompose` …: a task's variant is in its fields."""
    name: str = task.task_name()  # type: ignore[attr-defined]
    if name == "answer_from" and not getattr(task, "context", ()):
        return f"{name}.zero_shot"
    variant = next((str(getattr(task, each)) for each in VARIANT_FIELDS if hasattr(task, each)), "")
    return f"{name}.{variant}" if variant else name


def read_template(path: Path) -> Template:
    """A prompt file. Raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise ConfigError(f"prompt {path}: {error.strerror}; each task needs its file there") from error
    pieces = re.split(r"^# (system|user|assistant)\s*$", text, flags=re.MULTILINE)
    parts = tuple(
        (role, tuple(re.split(r"\n{2,}", body.strip()))) for role, body in zip(pieces[1::2], pieces[2::2], strict=True)
    )
    if not parts or pieces[0].strip():
        raise ConfigError(f"prompt {path} must begin with a line '# system' or '# user'")
    return Template(parts)


def _filled(text: str, values: Mapping[str, str]) -> str | None:
    names = SLOT.findall(text)
    if names and not any(values[name] for name in names):
        return None
    return SLOT.sub(lambda match: values[match[1]], text)


def slot_values(task: BaseModel) -> dict[str, str]:
    """Each field of a task as the text that stands in its slot."""
    return {name: _as_text(name, getattr(task, name)) for name in type(task).model_fields}


def _as_text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        blocks = bool(value) and isinstance(value[0], Passage | Observation)
        marks = (f"[{n}]" if name == "candidates" else "-" for n in range(len(value)))
        return ("\n\n" if blocks else "\n").join(_item(mark, item) for mark, item in zip(marks, value, strict=True))
    return str(value)


def _item(mark: str, item: object) -> str:
    match item:
        case Passage():
            return f"[{item.id}] {item.label}".rstrip() + f"\n{item.text}"
        case ToolSpec():
            return f"- {item.name}({item.argument}): {item.description}"
        case Observation():
            return f"{item.tool}({item.argument})\n{item.result}"
        case DocumentCard():
            return f"- {item.id}: {item.title}" + (f"({'、'.join(item.names)})" if item.names else "")
        case _:
            return f"{mark} {item}"
