"""A client of ours at the fake endpoint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag1.llm.cache import Cache
from rag1.llm.client import Client
from rag1.llm.exchange import Patience
from rag1.llm.http import HttpEndpoint
from rag1.llm.ledger import Budget, Ledger
from rag1.llm.prompts import PromptSet
from rag1.llm.tasks import AnswerFrom, Passage
from tests.fake_llm import FakeLlm

QUICK = Patience(max_retries=3, attempt_seconds=2.0, deadline=4.0, retry_after_cap=10.0, first_backoff=0.02)


def ask(question: str) -> AnswerFrom:
    """A question over one passage."""
    return AnswerFrom(question=question, context=(Passage(id="p", text="むかし、竹取の翁がいた。"),))


@pytest.fixture
def client_for(tmp_path: Path, root: Path) -> Callable[..., Client]:
    def make(fake: FakeLlm, **changes: Any) -> Client:
        settings: dict[str, Any] = {
            "endpoint": HttpEndpoint(fake.base_url, key_env=changes.pop("key_env", "")),
            "model": "gpt-4.1-mini",
            "prompts": PromptSet(str(root / "conf/prompt/ja")),
            "cache": Cache(str(tmp_path / "cache"), changes.pop("mode", "on")),
            "ledger": Ledger(str(root / "conf/prices.yaml"), changes.pop("budget", Budget())),
            "patience": QUICK,
        }
        return Client(**{**settings, **changes})

    return make
