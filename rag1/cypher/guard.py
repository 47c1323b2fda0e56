"""The guard: a statement runs only where every clause, function and procedure in it is known to read.

It decides on the parse, so that a word in a string, a comment, a property or a backticked name is nothing to it. And
it refuses whatever two readers of Cypher could read differently (escapes that a server decodes before it reads,
unusual white space, comments within comments), for the server's reading is the one that counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from rag1.cypher.allowed import CLAUSES, DIALECTS, FUNCTIONS, PROCEDURES, WRITING_WORDS
from rag1.cypher.parse import parse
from rag1.cypher.tokens import NAME, QUOTED, STRING, Tokens
from rag1.cypher.tree import Parsed
from rag1.errors import ConfigError, CypherSyntax, UnsafeCypher

Doubt = tuple[int, str]
"""Position and reason."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_ODD_SPACE = re.compile(r"[^\S \t\r\n]")
_ESCAPE = re.compile(r"\\[uU]++([0-9a-fA-F]{0,4})")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)


def check_read_only(query: str, dialect: str = "neo4j") -> None:
    """Return where `query` only reads; raise UnsafeCypher with the reason and the position where it may not.

    A statement that cannot be read is refused too. Time and rows are the caller's to limit: a statement that reads
    can still read for hours.
    """
    if dialect not in DIALECTS:
        raise ConfigError(f"dialect {dialect!r} is not known: use one of {', '.join(DIALECTS)}")
    try:
        parsed = parse(query)
    except CypherSyntax as fault:
        raise UnsafeCypher(f"refused: {fault}", fault.position) from fault
    tokens = parsed.tokens
    doubts = [*_letters(tokens), *_gaps(tokens), *_quotes(tokens, dialect)]
    doubts += [*_uses(parsed, dialect), *_torn(parsed)]
    if doubts:
        position, reason = min(doubts)
        raise UnsafeCypher(f"refused: {reason} at {position}", position)


def _uses(parsed: Parsed, dialect: str) -> Iterator[Doubt]:
    """Clauses, functions and procedures that are not on the lists."""
    for clause in parsed.clauses:
        if clause.text not in CLAUSES[dialect]:
            yield clause.start, f"{clause.text} is not a reading clause"
    for function in parsed.functions:
        if function.text.lower() not in FUNCTIONS[dialect]:
            yield function.start, f"the function {function.text} is not on the list of those that only read"
    for procedure in parsed.procedures:
        if procedure.text.lower() not in PROCEDURES[dialect]:
            yield procedure.start, f"the procedure {procedure.text} is not on the list of those that only read"
    wrappers = [clause for clause in parsed.clauses if clause.text in ("EXPLAIN", "PROFILE")]
    for wrapper in wrappers[1:]:
        yield wrapper.start, f"a second {wrapper.text}"


def _torn(parsed: Parsed) -> Iterator[Doubt]:
    """Dotted names with something between their parts: a comment there ends FalkorDB's server (4.x)."""
    tokens = parsed.tokens
    for name in (*parsed.functions, *parsed.procedures):
        row = name.row
        while tokens.ends[row] < name.end:
            if tokens.ends[row] != tokens.starts[row + 1]:
                yield name.start, f"white space or a comment within the name {name.text}"
                break
            row += 1


def _letters(tokens: Tokens) -> Iterator[Doubt]:
    """Control characters anywhere, escapes that hide one letter behind another, names that look like keywords."""
    for match in _CONTROL.finditer(tokens.text):
        yield match.start(), f"the control character U+{ord(match[0]):04X}"
    for match in _ESCAPE.finditer(tokens.text):
        if not _harmless_escape(match[1]):
            yield match.start(), f"the unicode escape {match[0]!r} (write the character itself)"
    for kind, start, end in zip(tokens.kinds, tokens.starts, tokens.ends, strict=True):
        raw = tokens.text[start:end]
        if kind == NAME and not raw.isascii() and _plain(raw) in WRITING_WORDS:
            yield start, f"the name {raw!r}, which spells {_plain(raw)} (put it in backticks)"


def _harmless_escape(digits: str) -> bool:
    """A letter stays a letter wherever it is decoded; a quote, a line end or a backslash would end something."""
    return len(digits) == 4 and chr(int(digits, 16)).isalpha() and int(digits, 16) not in (ord("u"), ord("U"))


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).upper()


def _gaps(tokens: Tokens) -> Iterator[Doubt]:
    """White space and comments that another reader may end elsewhere."""
    for start, gap in tokens.gaps():
        for match in _COMMENT.finditer(gap):
            comment, at = match[0], start + match.start()
            if "/*" in comment[1:] or comment.startswith("/*/"):
                yield at, "a comment within a comment"
            if comment.startswith("//") and _broken_line(gap, match.end(), comment):
                yield at, "a line comment whose end is not plain"
        for odd in _ODD_SPACE.finditer(_COMMENT.sub("", gap)):
            yield start, f"the white space U+{ord(odd[0]):04X} (write an ordinary space)"


def _broken_line(gap: str, end: int, comment: str) -> bool:
    """A lone carriage return, or a Unicode line end: a new line to some readers, part of the comment to others."""
    lone = gap[end : end + 1] == "\r" and gap[end + 1 : end + 2] != "\n"
    return lone or len(comment.splitlines()) > 1


def _quotes(tokens: Tokens, dialect: str) -> Iterator[Doubt]:
    """Backticked names that another reader may end elsewhere, and escapes outside strings."""
    for kind, start, end in zip(tokens.kinds, tokens.starts, tokens.ends, strict=True):
        raw = tokens.text[start:end]
        if "\\" in raw and kind != STRING:
            yield start, "a backslash in a name"
        if kind == QUOTED and dialect != "neo4j" and "`" in raw[1:-1]:
            yield start, "a backtick within a backticked name"
