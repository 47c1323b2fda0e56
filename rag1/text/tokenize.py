"""Morphemes of Japanese text (Sudachi), and two tokenizers that turn text into index terms.

Sudachi's own tokenizer object is not thread safe and refuses inputs over 49,149 bytes: here each thread has its
own, and long text is cut at line or sentence ends first, so offsets always count in the whole text.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple

Mode = Literal["A", "B", "C"]

_PIECE = 8_000
"""Characters a piece may have: 32,000 bytes at most, under Sudachi's limit of 49,149 (before normalisation)."""

_FUNCTION_WORDS = frozenset({"助詞", "助動詞", "補助記号", "空白", "接続詞"})
_SPACES = frozenset({"空白"})
_CUT = re.compile(r"\n|(?<=[。！？!?」』])")
_local = threading.local()
_load_lock = threading.Lock()


class Morpheme(NamedTuple):
    """One word. `start` and `end` are character offsets into the text; `pos` has Sudachi's six levels."""

    surface: str
    start: int
    end: int
    pos: tuple[str, ...]
    normalized: str
    reading: str
    dictionary_form: str

    @property
    def is_proper_noun(self) -> bool:
        return self.pos[:2] == ("名詞", "固有名詞")

    @property
    def is_noun(self) -> bool:
        return self.pos[0] == "名詞"

    @property
    def is_content_word(self) -> bool:
        return self.pos[0] not in _FUNCTION_WORDS


@lru_cache(maxsize=1)
def _dictionary() -> Any:
    from sudachipy import Dictionary  # type: ignore[import-untyped]

    return Dictionary(dict="core")


def _sudachi(mode: Mode) -> Any:
    """This thread's tokenizer for a split mode."""
    tokenizers: dict[str, Any] = _local.__dict__.setdefault("tokenizers", {})
    if mode not in tokenizers:
        from sudachipy import SplitMode

        with _load_lock:
            tokenizers[mode] = _dictionary().create(mode=getattr(SplitMode, mode))
    return tokenizers[mode]


def _pieces(text: str, longest: int = _PIECE) -> Iterator[tuple[int, str]]:
    """`text` in order as (offset, piece): cut after a line or sentence end where there is one."""
    start = 0
    while len(text) - start > longest:
        ends = [m.end() for m in _CUT.finditer(text, start + longest // 2, start + longest)]
        end = ends[-1] if ends else start + longest
        yield start, text[start:end]
        start = end
    if start < len(text):
        yield start, text[start:]


def _analyse(text: str, mode: Mode) -> Iterator[tuple[int, Any]]:
    """Sudachi's morphemes with the offset of the piece each one stands in."""
    for offset, piece in _pieces(text):
        yield from _analyse_piece(offset, piece, _sudachi(mode))


def _analyse_piece(offset: int, piece: str, tokenizer: Any) -> Iterator[tuple[int, Any]]:
    """Halves a piece that grows over Sudachi's limit when normalised (㍿ becomes four characters)."""
    from sudachipy.errors import SudachiError  # type: ignore[import-untyped]

    try:
        found = tokenizer.tokenize(piece)
    except SudachiError:
        if len(piece) < 2:
            raise
        half = len(piece) // 2
        yield from _analyse_piece(offset, piece[:half], tokenizer)
        yield from _analyse_piece(offset + half, piece[half:], tokenizer)
        return
    for morpheme in found:
        yield offset, morpheme


@lru_cache(maxsize=4096)
def _kind(pos_id: int) -> str:
    """The first level of a part of speech. Much cheaper than asking each morpheme for all six."""
    return str(_dictionary().pos_of(pos_id)[0])


@lru_cache(maxsize=4096)
def _morphemes(text: str, mode: Mode) -> tuple[Morpheme, ...]:
    return tuple(
        Morpheme(
            m.surface(),
            offset + m.begin(),
            offset + m.end(),
            m.part_of_speech(),
            m.normalized_form(),
            m.reading_form(),
            m.dictionary_form(),
        )
        for offset, m in _analyse(text, mode)
    )


def morphemes(text: str, mode: Mode = "C") -> list[Morpheme]:
    """The words of `text` in order; their surfaces joined are `text`. Recent short texts are remembered."""
    if len(text) > _PIECE:
        return list(_morphemes.__wrapped__(text, mode))
    return list(_morphemes(text, mode))


@dataclass(frozen=True)
class SudachiTokenizer:
    """Terms by Sudachi. `normalized` takes 附属 and 付属 as one term; `content_words` leaves particles out."""

    mode: Mode = "C"
    normalized: bool = True
    content_words: bool = True

    @property
    def name(self) -> str:
        form = "normalized" if self.normalized else "surface"
        return f"sudachi-{self.mode}-{form}-{'content' if self.content_words else 'all'}"

    def __call__(self, text: str) -> list[str]:
        left_out = _FUNCTION_WORDS if self.content_words else _SPACES
        found = (m for _, m in _analyse(text, self.mode) if _kind(m.part_of_speech_id()) not in left_out)
        return [m.normalized_form() for m in found] if self.normalized else [m.surface() for m in found]


@dataclass(frozen=True)
class BigramTokenizer:
    """Pairs of neighbouring characters after NFKC, within runs of letters and digits; a lone character stays."""

    @property
    def name(self) -> str:
        return "bigram-nfkc"

    def __call__(self, text: str) -> list[str]:
        runs = re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower())
        return [gram for run in runs for gram in _bigrams(run)]


def _bigrams(run: str) -> list[str]:
    return [a + b for a, b in pairwise(run)] or [run]
