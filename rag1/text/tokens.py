"""Token counts in o200k_base, the vocabulary that the competition counts answers in."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def _encoding() -> Any:
    import bpe_openai

    return bpe_openai.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """How many o200k_base tokens `text` has; special tokens in it count as plain text."""
    return len(_encoding().encode(text, disallowed_special=()))


def truncate_tokens(text: str, limit: int) -> str:
    """The longest beginning of `text` within `limit` tokens that ends on a whole character.

    Cutting the token list may split a character: then that character is left out.
    """
    tokens = _encoding().encode(text, disallowed_special=())
    if len(tokens) <= limit:
        return text
    start: str = _encoding().decode_bytes(tokens[: max(limit, 0)]).decode("utf-8", errors="ignore")
    while count_tokens(start) > limit:
        start = start[:-1]
    return start
