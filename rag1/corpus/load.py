"""Files to documents: a folder, one file, or a zip, in any of the encodings that Japanese texts come in."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
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

Notation = Literal["auto", "aozora", "plain"]


@dataclass(frozen=True, slots=True)
class RawFile:
    name: str
    data: bytes


def folder(path: str, aozora: Aozora, notation: Notation = "auto", pattern: str = "*.txt") -> Corpus:
    """Every file of a folder that matches `pattern`, sub-folders left out, in the order of their names."""
    base = Path(path)
    if not base.is_dir():
        raise InputError(f"corpus.path {path!r} is not a folder; name the folder that holds the text files")
    files = sorted((p for p in base.glob(pattern) if p.is_file()), key=lambda p: _natural(p.name))
    if not files:
        raise InputError(f"corpus.path {path!r} holds no file like {pattern!r}; set corpus.pattern")
    return assemble((RawFile(p.name, _read(p)) for p in files), aozora, notation)


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
            files = [RawFile(_member_name(info), _member(bundle, info)) for info in _members(bundle, pattern)]
    except (OSError, zipfile.BadZipFile) as error:
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


def _read(path: Path) -> bytes:
    size = path.stat().st_size
    if size > MAX_FILE:
        raise InputError(f"{path.name}: {size:,} bytes, over the limit of {MAX_FILE:,}; split the file")
    return path.read_bytes()


def _natural(name: str) -> tuple[int, int | str, str]:
    """Sorts 2.txt before 10.txt."""
    stem = PurePosixPath(name).stem
    return (0, int(stem), name) if stem.isascii() and stem.isdigit() else (1, stem, name)


def _members(bundle: zipfile.ZipFile, pattern: str) -> list[zipfile.ZipInfo]:
    return [
        info
        for info in bundle.infolist()
        if not info.is_dir()
        and not info.filename.startswith("__MACOSX")
        and PurePosixPath(info.filename).match(pattern)
    ]


def _member_name(info: zipfile.ZipInfo) -> str:
    """Windows zips carry cp932 names without the UTF-8 flag; zipfile reads those as cp437."""
    if info.flag_bits & 0x800:
        return PurePosixPath(info.filename).name
    try:
        return PurePosixPath(info.filename.encode("cp437").decode("cp932")).name
    except UnicodeError:
        return PurePosixPath(info.filename).name


def _member(bundle: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with bundle.open(info) as handle:
        data = handle.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InputError(f"{info.filename}: over the limit of {MAX_FILE:,} bytes once unpacked; split the file")
    return data
