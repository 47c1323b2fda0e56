"""An artifact is built once, by one process, and again only when its files are not what was written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rag1.artifacts import fingerprint, get_or_build, intact
from rag1.errors import StorageError


def test_built_once_then_opened(tmp_path: Path) -> None:
    built = []

    def build(folder: Path) -> None:
        built.append(folder)
        (folder / "data.txt").write_text("x")

    first = get_or_build(tmp_path, "bm25", "abc", build)
    assert get_or_build(tmp_path, "bm25", "abc", build) == first
    assert len(built) == 1


@pytest.mark.parametrize("damage", ["truncate", "alter", "remove", "manifest"])
def test_a_damaged_one_is_built_again(tmp_path: Path, damage: str) -> None:
    def build(folder: Path) -> None:
        (folder / "data.txt").write_text("four")

    folder = get_or_build(tmp_path, "bm25", "abc", build)
    path = folder / "data.txt"
    match damage:
        case "truncate":
            path.write_text("fo")
        case "alter":
            path.write_text("flour"[:4])
        case "remove":
            path.unlink()
        case "manifest":
            (folder / "manifest.json").write_text("{")
    assert not intact(folder)
    assert (get_or_build(tmp_path, "bm25", "abc", build) / "data.txt").read_text() == "four"


def test_a_build_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half.txt").write_text("x")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        get_or_build(tmp_path, "bm25", "abc", fail)
    assert [p.name for p in (tmp_path / "bm25").iterdir()] == [".abc.lock"]


def test_processes_that_come_together_build_once(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from rag1.artifacts import get_or_build\n"
        "def build(folder):\n"
        "    time.sleep(0.5); (folder / 'x').write_text('x'); print('built')\n"
        f"get_or_build(Path({str(tmp_path)!r}), 'k', 'f', build)\n"
    )
    command = [sys.executable, "-c", program]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert sorted(p.communicate(timeout=60)[0] for p in running) == ["", "", "", "built\n"]


def test_a_full_or_closed_disk_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError):
        get_or_build(tmp_path / "file", "k", "f", lambda folder: None)


def test_fingerprints_tell_recipes_apart() -> None:
    assert fingerprint("a", {"k": 1}) == fingerprint("a", {"k": 1})
    assert len({fingerprint("a", 1), fingerprint("a", "1"), fingerprint("a1"), fingerprint("あ", 1)}) == 4
