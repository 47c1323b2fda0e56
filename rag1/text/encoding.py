"""Bytes of a text file to text: the encodings that Japanese corpora come in, tried in a fixed order."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from rag1.errors import DataError

_TRIED = ("utf-8", "cp932")
_REMEDY = "save the file as UTF-8 or cp932"
_OTHERS = (
    (b"PK\x03\x04", "a zip or a spreadsheet (xlsx)"),
    (b"\xd0\xcf\x11\xe0", "an old Office file (xls, doc)"),
    (b"%PDF", "a PDF"),
    (b"\x1f\x8b", "a gzip file"),
)
"""How files begin that people rename or export by mistake."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """`text` keeps its newlines as they were; a byte order mark is not part of it."""

    text: str
    encoding: str


def decode(data: bytes, name: str) -> Decoded:
    """Decodes a file by its byte order mark, else as UTF-8, else as cp932 (Shift_JIS with ① 髙 ㈱).

    `name` is for the message. Raises `DataError` with file, line and byte offset where no encoding fits.
    """
    for start, what in _OTHERS:
        if data.startswith(start):
            raise DataError(f"{name} is {what}, whatever its name; open it and {_REMEDY}")
    marked = _by_mark(data)
    faults = []
    for encoding in (marked,) if marked else _TRIED:
        try:
            return Decoded(_without_nul(data.decode(encoding), name), encoding)
        except UnicodeDecodeError as error:
            faults.append(_fault(data, encoding, error))
    raise DataError(f"{name}: cannot be read as text; {_REMEDY}", faults)


def _without_nul(text: str, name: str) -> str:
    """No text holds a NUL: it is a binary file that happens to decode, or UTF-16 without its mark."""
    at = text.find("\0")
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        raise DataError(f"{name}: line {line} holds a NUL: a binary file, or UTF-16 without its mark; {_REMEDY}")
    return text


def _by_mark(data: bytes) -> str | None:
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):  # before UTF-16, whose mark it begins with
        return "utf-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return None


def _fault(data: bytes, encoding: str, error: UnicodeDecodeError) -> str:
    at = error.start + len(data) - len(error.object)
    line = data.count(b"\n", 0, at) + 1
    return f"{encoding}: line {line}, byte {at} (0x{data[at : at + 1].hex()}): {error.reason}"
