"""Files to documents: a folder, one file, or a zip, in any of the encodings that Japanese texts come in."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from rag1.corpus.corpus import Corpus
from rag1.corpus.notation import Aozora, Read, read_text
from rag1.errors import DataError, InputError
from rag1.text.encoding import decode
from rag1.types import Document

MAX_FILE = 64 * 1024 * 1024
"""Bytes one text file may have, also inside a zip: far above any novel, far below what fills the memory."""

MAX_TOTAL = 256 * 1024 * 1024
"""Bytes of all files of a corpus together: text, offsets and index of more would not fit a common memory."""

_UNREADABLE = (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError)
"""What zipfile raises over a broken, encrypted or strangely packed member."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

Notation = Literal["auto", "aozora", "plain"]

NAME_IT = "name the folder that holds the text files"


@dataclass(frozen=True, slots=True)
class RawFile:
    name: str
    data: bytes


def folder(
    path: str, aozora: Aozora, notation: Notation = "auto", pattern: str = "*.txt", remedy: str = NAME_IT
) -> Corpus:
    """Every file of a folder that matches `pattern`, sub-folders left out, in the order of their names.

    `remedy`: what a person is told to do where there is no such folder.
    """
    base = Path(path)
    if not base.is_dir():
        raise InputError(f"corpus.path {path!r} is not a folder; {remedy}")
    names = {p: _plain_name(p.name) for p in _matching(base, pattern)}
    if not names:
        held = sorted(_plain_name(p.name) for p in base.iterdir())[:3]
        if not held:
            raise InputError(f"corpus.path {path!r} is an empty folder; put text files there, or name another one")
        shown = ", ".join(held)
        raise InputError(
            f"corpus.path {path!r} holds no file like {pattern!r} (it holds {shown} …); set corpus.pattern"
        )
    _check_total(path, sum(p.stat().st_size for p in names))
    files = sorted(names, key=lambda p: _natural(names[p]))
    return assemble((RawFile(names[p], _read(p)) for p in files), aozora, notation)


def file(path: str, aozora: Aozora, notation: Notation = "auto") -> Corpus:
    """One text file as a corpus of one document."""
    source = Path(path)
    if not source.is_file():
        raise InputError(f"corpus.path {path!r} is not a file; name one text file")
    return assemble([RawFile(source.name, _read(source))], aozora, notation)


def archive(path: str, aozora: Aozora, notation: Notation = "auto", pattern: str = "*.txt") -> Corpus:
    """The files of a zip that match `pattern`, whatever folder of the zip they lie in."""
    try:
        with zipfile.ZipFile(path) as bundle:
            members = _members(bundle, pattern)
            _check_total(path, sum(info.file_size for info in members))
            files = [RawFile(_member_name(info), _member(bundle, info)) for info in members]
    except _UNREADABLE as error:
        raise InputError(f"corpus.path {path!r} cannot be read as a zip: {error}") from error
    if not files:
        raise InputError(f"corpus.path {path!r} holds no file like {pattern!r}; set corpus.pattern")
    return assemble(sorted(files, key=lambda f: _natural(f.name)), aozora, notation)


def assemble(files: Iterable[RawFile], aozora: Aozora, notation: Notation = "auto") -> Corpus:
    """Decodes and reads files into a corpus; every unreadable file is named at once."""
    read: dict[str, Read] = {}
    faults: list[str] = []
    for raw in files:
        doc_id = PurePosixPath(raw.name).stem
        if doc_id in read:
            faults.append(f"{raw.name}: another file has the id {doc_id!r} too; rename one of them")
        try:
            read[doc_id] = read_text(doc_id, decode(raw.data, raw.name).text, aozora, notation)
        except DataError as error:
            faults.append(str(error))
    if faults:
        raise DataError("the corpus cannot be read:", faults)
    return corpus_of(read)


def corpus_of(read: dict[str, Read]) -> Corpus:
    empty = [doc_id for doc_id, item in read.items() if not item.text.strip()]
    if empty:
        raise DataError("the corpus has documents without text:", empty)
    return Corpus(
        tuple(Document(doc_id, item.title, item.text, item.meta) for doc_id, item in read.items()),
        {doc_id: item.readings for doc_id, item in read.items()},
        {doc_id: item.offsets for doc_id, item in read.items()},
        tuple(f"{doc_id}: {notice}" for doc_id, item in read.items() for notice in item.notices),
    )


def _matching(base: Path, pattern: str) -> list[Path]:
    """The files of a folder that match; hidden ones, which systems leave behind, are passed over."""
    try:
        return [p for p in base.glob(pattern) if p.is_file() and not p.name.startswith(".")]
    except (NotImplementedError, ValueError) as error:
        raise InputError(f"corpus.pattern {pattern!r} is no pattern of file names such as '*.txt': {error}") from error


def _plain_name(name: str) -> str:
    """A name that is no UTF-8 (made under cp932) as its author reads it; control characters become "_"."""
    data = os.fsencode(name)
    for encoding in ("utf-8", "cp932"):
        try:
            return _CONTROL.sub("_", data.decode(encoding))
        except UnicodeDecodeError:
            continue
    return _CONTROL.sub("_", data.decode("utf-8", "replace"))


def _check_total(path: str, size: int) -> None:
    if size > MAX_TOTAL:
        raise InputError(
            f"corpus.path {path!r}: {size:,} bytes of text, over the limit of {MAX_TOTAL:,}; take fewer files"
        )


def _read(path: Path) -> bytes:
    size = path.stat().st_size
    if size > MAX_FILE:
        raise InputError(f"{path.name}: {size:,} bytes, over the limit of {MAX_FILE:,}; split the file")
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}") from error


def _natural(name: str) -> tuple[int, int | str, str]:
    """Sorts 2.txt before 10.txt."""
    stem = PurePosixPath(name).stem
    return (0, int(stem), name) if stem.isascii() and stem.isdigit() else (1, stem, name)


def _members(bundle: zipfile.ZipFile, pattern: str) -> list[zipfile.ZipInfo]:
    if not pattern:
        raise InputError("corpus.pattern '' is no pattern of file names such as '*.txt'")
    found = []
    for info in bundle.infolist():
        name = PurePosixPath(info.filename.replace("\\", "/"))
        if not info.is_dir() and "__MACOSX" not in name.parts and name.name[:1] != "." and name.match(pattern):
            found.append(info)
    return found


def _member_name(info: zipfile.ZipInfo) -> str:
    """Windows zips carry cp932 names without the UTF-8 flag; zipfile reads those as cp437."""
    name = info.filename
    if not info.flag_bits & 0x800:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("cp932")
    return _CONTROL.sub("_", PurePosixPath(name.replace("\\", "/")).name)


def _member(bundle: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with bundle.open(info) as handle:
        data = handle.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InputError(f"{info.filename}: over the limit of {MAX_FILE:,} bytes once unpacked; split the file")
    return data
