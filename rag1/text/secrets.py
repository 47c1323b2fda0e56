"""What looks like a key: never in a recipe, a folder's name, a log or a tracker."""

from __future__ import annotations

import re

_NAME = re.compile(
    r"(?:^|[._])(?:(?:api|access|secret|private)_?key|secret|password|passwd|(?:[a-z]+_)?token|authorization)$",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\b(?:sk|gsk|hf|xox[a-z]|ghp)[-_][A-Za-z0-9_-]{12,}|\bAIza[A-Za-z0-9_-]{12,}|\bBearer\s+\S{12,}|://[^/\s:@]+:[^/\s@]+@"
)


def is_secret(name: str, value: str) -> bool:
    """True for a value in the form of a key or an address with a password, and for any under a name such as `api_key`.

    Such a name with a reference (`${oc.env:NAME}`) or null behind it holds no secret.
    """
    if _VALUE.search(value):
        return True
    written_out = bool(value) and not value.startswith("${") and value.lower() not in ("null", "none")
    return written_out and _NAME.search(name) is not None
