"""JSON inside a model's text: found anywhere, mended only where nothing is made up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_STARTS = 256
"""Places of a text at which a JSON value is looked for; braces in long prose must not cost quadratic time."""

MAX_MENDS = 4
MENDABLE = 300_000
"""Characters of a text that is mended at most."""

DECODER = json.JSONDecoder(strict=False)
START = re.compile(r"[{\[]")
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|```|[^\s"{}\[\],:`]+|["`]', re.DOTALL)
COMPLETE = re.compile(r'"(?:[^"\\]|\\.)*"|true|false|null|[}\]]', re.DOTALL)


class NoJson(ValueError):
    """`cut`: the text ended inside the value, so that what stands inside it is not the reply."""

    def __init__(self, cut: bool = False) -> None:
        self.cut = cut
        super().__init__()


def values_in(text: str) -> Iterator[Any]:
    """The outermost JSON objects and arrays of a text, in its order, mended ones among them."""
    position, mends = 0, 0
    for _ in range(MAX_STARTS):
        start = START.search(text, position)
        if start is None:
            return
        try:
            value, position = _decode(text, start.start(), mends < MAX_MENDS)
        except NoJson as failure:
            if failure.cut:
                return
            position = start.start() + 1
            mends += 1
        else:
            yield value


def _decode(text: str, at: int, may_mend: bool) -> tuple[Any, int]:
    try:
        return DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        if may_mend and (mended := mend(text, at)):
            return mended
        raise NoJson(error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip())) from None
    except (RecursionError, ValueError):  # nested too deep, or a number of more digits than Python reads
        raise NoJson from None


def mend(text: str, at: int = 0) -> tuple[Any, int] | None:
    """The value that begins at `at`, from which only closing brackets are missing, or that has commas before them.

    Also its end. None where more may be missing: inside a string, after a comma, a colon or a number (which may have
    had more digits) the rest would have to be invented, and a list that does not end may have had more items.
    """
    tokens, owed, end = _tokens(text, at) if len(text) - at <= MENDABLE else ([], [], at)
    if not tokens or "]" in owed or (owed and not COMPLETE.fullmatch(tokens[-1])):
        return None
    try:
        return json.loads("".join(tokens) + "".join(reversed(owed)), strict=False), end
    except (ValueError, RecursionError):
        return None


def _tokens(text: str, at: int) -> tuple[list[str], list[str], int]:
    """Tokens up to the value's end, a closing fence or the text's end; brackets still owed; where that was."""
    tokens: list[str] = []
    owed: list[str] = []
    end = at
    for match in TOKEN.finditer(text, at):
        lexeme = match[0]
        if lexeme == "```":
            break
        if lexeme in ("{", "["):
            owed.append("}" if lexeme == "{" else "]")
        elif lexeme in ("}", "]"):
            if not owed or owed.pop() != lexeme:
                return [], owed, end
            if tokens[-1] == ",":
                tokens.pop()
        tokens.append(lexeme)
        end = match.end()
        if not owed:
            break
    return tokens, owed, end
