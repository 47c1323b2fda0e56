"""The browser fixture, and the token table loaded once: its loader uses a call that newer Pythons deprecate."""

from __future__ import annotations

import warnings

import pytest

from rag1.text.tokens import count_tokens
from tests.browser import page

__all__ = ["page"]


@pytest.fixture(scope="session", autouse=True)
def _token_table() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        count_tokens("")
