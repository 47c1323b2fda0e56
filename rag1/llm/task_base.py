"""What every typed task and its reply are made of."""

from __future__ import annotations

import re
from typing import ClassVar, Generic

from pydantic import BaseModel, ConfigDict

from rag1.types import ReplyT


class Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class TaskModel(BaseModel, Generic[ReplyT]):
    """Base of the tasks: a frozen value whose subclass names its reply in `reply`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    reply: ClassVar[type[BaseModel]]

    @classmethod
    def task_name(cls) -> str:
        """snake_case of the class name: the name of its prompt file and its row in the ledger."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    @classmethod
    def reply_type(cls) -> type[ReplyT]:
        return cls.reply  # type: ignore[return-value]
