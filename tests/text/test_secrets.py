"""What looks like a key, by its form or by the name it stands under."""

from __future__ import annotations

import pytest

from rag1.text.secrets import is_secret


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("llm.model", "sk-abcdefghijklmnopqrstuvwx"),
        ("note", "a key: gsk_abcdefghijklmnop"),
        ("note", "hf_abcdefghijklmnop"),
        ("note", "ghp_abcdefghijklmnop"),
        ("note", "AIzaabcdefghijklmnop"),
        ("header", "Bearer abcdefghijklmnop"),
        ("graph.url", "falkor://me:word@example.org"),
        ("llm.endpoint.chat.api_key", "plain"),
        ("llm.endpoint.headers.Authorization", "plain"),
        ("graph.password", "plain"),
        ("x.access_token", "plain"),
        ("x.y", "${oc.env:KEY,sk-abcdefghijklmnop}"),
    ],
)
def test_a_secret(name: str, value: str) -> None:
    assert is_secret(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("llm.endpoint.key_env", "OPENAI_API_KEY"),
        ("graph.password_env", "NEO4J_PASSWORD"),
        ("graph.node_key", "name_and_type"),
        ("llm.sampling.max_tokens", "1024"),
        ("budget.tokens", "1000"),
        ("llm.api_key", "${oc.env:OPENAI_API_KEY}"),
        ("llm.api_key", "null"),
        ("hydra.run.dir", "outputs/runs/task-one-of-many"),
        ("llm.endpoint.base_url", "http://127.0.0.1:8000/v1"),
        ("questions.path", "my/questions.csv"),
    ],
)
def test_no_secret(name: str, value: str) -> None:
    assert not is_secret(name, value)
