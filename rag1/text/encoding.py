"""Bytes of a text file to text: the encodings that Japanese corpora come in, tried in a fixed order."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from rag1.errors import DataError

_TRIED = ("utf-8", "cp932")


@dataclass(frozen=True, slots=True)
class Decoded:
    """`text` keeps its newlines as they were; a byte order mark is not part of it."""

    text: str
    encoding: str


def decode(data: bytes, name: str) -> Decoded:
    """Decodes a file by its byte order mark, else as UTF-8, else as cp932 (Shift_JIS with ① 髙 ㈱).

    `name` is for the message. Raises `DataError` with file, line and byte offset where no encoding fits.
    """
    marked = _by_mark(data)
    faults = []
    for encoding in (marked,) if marked else _TRIED:
        try:
            return Decoded(data.decode(encoding), encoding)
        except UnicodeDecodeError as error:
            faults.append(_fault(data, encoding, error))
    raise DataError(f"{name}: cannot be read as text; save the file as UTF-8 or cp932", faults)


def _by_mark(data: bytes) -> str | None:
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return None


def _fault(data: bytes, encoding: str, error: UnicodeDecodeError) -> str:
    at = error.start + len(data) - len(error.object)
    line = data.count(b"\n", 0, at) + 1
    return f"{encoding}: line {line}, byte {at} (0x{data[at : at + 1].hex()}): {error.reason}"
