"""What an OpenAI-shaped endpoint answered, read strictly: a `Completion`, or a `Fault` that says what to do next.

The wire format is that of "Create chat completion" in OpenAI's API reference. A 200 is not trusted: an error body,
`choices: null`, an empty list, HTML and half a JSON text are all faults.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

FaultKind = Literal["fatal", "rate", "again", "refused", "unsupported", "bad"]
"""fatal: the run cannot go on (key, model, quota). rate: 429. again: worth another attempt. refused: the model will
not answer. unsupported: the endpoint does not know the response format. bad: this request is wrong for good."""

ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-_]")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
SURROGATE = re.compile(r"[\ud800-\udfff]")
CUT = ("length", "max_tokens", "MAX_TOKENS")
"""What vendors call a reply that ended at its token limit."""


class Fault(Exception):
    """One attempt failed. `wait`: seconds the provider asked for; `maybe_paid`: it may have worked for nothing."""

    def __init__(self, kind: FaultKind, message: str, wait: float | None = None, maybe_paid: bool = False) -> None:
        self.kind: FaultKind = kind
        self.wait = wait
        self.maybe_paid = maybe_paid
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token counts of one reply, as the provider states them; `stated` is False when it stated none."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0
    stated: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply. `text` is free of control characters; `finish` is the provider's `finish_reason`."""

    text: str
    finish: str
    tokens: Tokens
    tool_calls: tuple[dict[str, Any], ...] = ()

    def dump(self) -> str:
        """JSON for the cache."""
        kept = {"text": self.text, "finish": self.finish}
        return json.dumps({**kept, "tool_calls": self.tool_calls} if self.tool_calls else kept, ensure_ascii=False)

    @classmethod
    def load(cls, dumped: str) -> Completion:
        """A reply from the cache: its tokens were paid for before, so they count nothing now."""
        kept = json.loads(dumped)
        return cls(kept["text"], kept["finish"], Tokens(), tuple(kept.get("tool_calls", ())))


def clean(text: str) -> str:
    """Text without ANSI sequences and control characters (tab and line ends stay); lone surrogates become U+FFFD."""
    if text.isascii() and text.isprintable():
        return text
    return SURROGATE.sub("\ufffd", CONTROL.sub("", ANSI.sub("", text)))


def clean_json(value: Any) -> Any:
    """`clean` on every text of a JSON value, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean_json(each) for each in value]
    return {clean(key): clean_json(each) for key, each in value.items()} if isinstance(value, dict) else value


def scrub(text: str, key: str = "") -> str:
    """`text` without a key, whole or in the shortened form that some providers echo."""
    text = text.replace(key, "[key]") if key else text
    return re.sub(r"\b(sk|key|Bearer)[-_ ][\w*.-]{6,}", "[key]", text)


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds that `Retry-After` asks for (RFC 9110, 10.2.3: seconds or HTTP date); None when absent or nonsense."""
    exact = _number(headers.get("retry-after-ms") or "")
    if exact is not None:
        return exact / 1000
    value = headers.get("Retry-After") or headers.get("retry-after") or ""
    seconds = _number(value)
    if seconds is not None or re.fullmatch(r"[-+\d.\s]*", value):
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - (time.time() if now is None else now))
    except (ValueError, TypeError, OverflowError):
        return None


def _number(text: str) -> float | None:
    """A finite number that is not negative; None for any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def read_completion(status: int, headers: Mapping[str, str], raw: bytes) -> Completion:
    """The reply in a response. Raises Fault."""
    body = read_body(status, headers, raw)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Fault("again", f"200 without a choice: {_short(raw)}", maybe_paid=True)
    return _completion(choices[0], read_tokens(body.get("usage")))


def read_body(status: int, headers: Mapping[str, str], raw: bytes) -> dict[str, Any]:
    """The JSON object of a good response. Raises Fault for every other status, shape, or an error in the body."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        body = None
    error = body.get("error") if isinstance(body, dict) else None
    if status != 200:
        raise fault_of(status, error, headers, _short(raw))
    if error:
        code = error.get("code") if isinstance(error, dict) else None
        raise fault_of(code if isinstance(code, int) else 500, error, headers, _short(raw))
    if not isinstance(body, dict):
        raise Fault("again", f"200 that is not a JSON object: {_short(raw)}", maybe_paid=True)
    return body


FATAL_STATUS = (401, 402, 403, 404, 405, 410, 501)
"""A wrong key, model or address: no other question would fare better."""


def fault_of(status: int, error: object, headers: Mapping[str, str], short: str) -> Fault:
    """What an error status means for the call."""
    code, message = _error_words(error)
    said = f"{status} {message or short}".strip()
    words = f"{code} {message or short}".lower()
    if 300 <= status < 400:
        moved = headers.get("Location") or headers.get("location") or "elsewhere"
        return Fault("fatal", f"{status} the endpoint has moved to {clean(moved)[:200]}; set llm.endpoint.base_url")
    if status in FATAL_STATUS or "insufficient_quota" in words:
        return Fault("fatal", said)
    if status == 429:
        return Fault("rate", said, retry_after(headers))
    if "content_filter" in words or "content management policy" in words:
        return Fault("refused", said)
    if status in (400, 422) and re.search(r"response_format|json_schema|json_object|structured", words):
        return Fault("unsupported", said)
    if status >= 500 or status in (408, 409, 425):
        return Fault("again", said, retry_after(headers), maybe_paid=status in (408, 504))
    return Fault("bad", said)


def _error_words(error: object) -> tuple[str, str]:
    if isinstance(error, dict):
        message = clean(str(error.get("message") or ""))
        return f"{error.get('code')} {error.get('type')}", " ".join(message.split())[:300]
    return "", clean(str(error))[:300] if error else ""


def _completion(choice: dict[str, Any], tokens: Tokens) -> Completion:
    message, finish = choice.get("message"), clean(str(choice.get("finish_reason") or ""))
    if choice.get("error") or finish == "error":
        raise Fault("again", f"200 whose reply broke off: {_error_words(choice.get('error'))[1]}", maybe_paid=True)
    if not isinstance(message, dict):
        raise Fault("again", "200 whose choice has no message", maybe_paid=True)
    text, calls = _content(message.get("content")), message.get("tool_calls")
    tools = tuple(clean_json(call) for call in calls if isinstance(call, dict)) if isinstance(calls, list) else ()
    if message.get("refusal") or finish == "content_filter":
        raise Refusal(clean(str(message.get("refusal") or "stopped by the provider's content filter")), tokens)
    finish = "length" if finish in CUT else finish
    if not tools and not text.strip() and finish != "length":
        raise Empty(tokens)
    return Completion(clean(text), finish, tokens, tools)


class Refusal(Fault):
    """The model declined, and was paid for it."""

    def __init__(self, said: str, tokens: Tokens) -> None:
        self.tokens = tokens
        super().__init__("refused", f"refused: {said[:300]}")


class Empty(Fault):
    """A reply without text, paid for."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        super().__init__("again", "200 with an empty reply")


def _content(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def read_tokens(usage: object) -> Tokens:
    """Counts of a `usage` object; nonsense counts as not stated."""
    if not isinstance(usage, dict):
        return Tokens()
    return Tokens(
        _count(usage, "prompt_tokens"),
        _count(usage, "completion_tokens"),
        _count(usage.get("prompt_tokens_details"), "cached_tokens"),
        _count(usage.get("completion_tokens_details"), "reasoning_tokens"),
        stated=_count(usage, "prompt_tokens") > 0,
    )


def _count(holder: object, name: str) -> int:
    value = holder.get(name) if isinstance(holder, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _short(raw: bytes) -> str:
    text = " ".join(clean(raw[:400].decode("utf-8", "replace")).split())
    return text[:160] or "(nothing)"
