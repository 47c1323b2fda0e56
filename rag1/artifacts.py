"""Get-or-build by fingerprint: what is dear to make (indexes, vectors, graphs) is made once.

An artifact is a folder `<root>/<kind>/<fingerprint>/` of plain data files (npy, json, safetensors: never pickle)
and a `manifest.json` with each file's size and sha256. A folder that does not match its manifest is built again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rag1.errors import StorageError

MANIFEST = "manifest.json"


def fingerprint(*parts: object) -> str:
    """16 hex digits of SHA-256 over the JSON of `parts` (dataclasses and models: pass their plain values)."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds an exclusive lock on `path` (made if absent) across processes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)


def get_or_build(root: Path, kind: str, key: str, build: Callable[[Path], None]) -> Path:
    """The folder of artifact `key`, built by `build(empty_folder)` unless a whole one is there.

    Safe to call from several processes at once: one builds, the others wait for it.
    """
    folder = root / kind / key
    try:
        with locked(root / kind / f".{key}.lock"):
            if not intact(folder):
                _build_into(folder, build)
    except OSError as error:
        raise StorageError(f"artifact {folder}: {error}") from error
    return folder


def _build_into(folder: Path, build: Callable[[Path], None]) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    work = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
    try:
        build(work)
        write_manifest(work)
        os.replace(work, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def write_manifest(folder: Path) -> None:
    files = {p.relative_to(folder).as_posix(): _facts(p) for p in sorted(folder.rglob("*")) if p.is_file()}
    (folder / MANIFEST).write_text(json.dumps(files, indent=1), encoding="utf-8")


def intact(folder: Path) -> bool:
    """True when every file that the manifest names is there with its size and hash."""
    try:
        files: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return all(_facts(folder / name) == facts for name, facts in files.items())
    except (OSError, ValueError, AttributeError):
        return False


def _facts(path: Path) -> dict[str, Any]:
    with path.open("rb") as handle:
        return {"size": path.stat().st_size, "sha256": hashlib.file_digest(handle, "sha256").hexdigest()}
