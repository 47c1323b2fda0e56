"""scripts/fetch_novels.py against a server on loopback that has the real texts under the real paths."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.corpus.loopback import Reply, Server, serving


def zipped(*members: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in members:
            bundle.writestr(name, data)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def site(shared_data: Path) -> dict[str, bytes]:
    """Path to zip: the seven texts as Aozora Bunko packs them, a picture beside one of them."""
    paths = [
        "000111/files/1485_ruby_16680", "000280/files/1706_ruby_5169", "000025/files/204_ruby_3382",
        "001151/files/43799_ruby_24134", "000158/files/839_ruby", "001779/files/56680_ruby_62768",
        "000258/files/52335_ruby_41383",
    ]  # fmt: skip
    texts = [(shared_data / "novels" / f"{n}.txt").read_bytes() for n in range(1, 8)]
    packed = {f"/cards/{p}.zip": zipped(("work.txt", text)) for p, text in zip(paths, texts, strict=True)}
    packed["/cards/000258/files/52335_ruby_41383.zip"] = zipped(("fig1.png", b"x"), ("work.txt", texts[6]))
    return packed


def run(root: Path, tmp_path: Path, server: Server, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "scripts" / "fetch_novels.py"), "--site", server.url]
    command += ["--folder", str(tmp_path / "novels"), "--cache", str(tmp_path / "cache"), *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=root)


def files(site: dict[str, bytes], changed: dict[str, Reply]) -> Callable[[str, int], Reply]:
    return lambda path, n: changed.get(path) or (Reply(site[path]) if path in site else Reply(b"", 404))


def test_seven_novels_byte_for_byte_and_only_once(
    root: Path, tmp_path: Path, site: dict[str, bytes], shared_data: Path
) -> None:
    with serving(files(site, {})) as server:
        first, again = run(root, tmp_path, server), run(root, tmp_path, server)
    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    for n in range(1, 8):
        assert (tmp_path / "novels" / f"{n}.txt").read_bytes() == (shared_data / "novels" / f"{n}.txt").read_bytes()
    assert len(server.asked) == 7
    assert again.stdout.count(": there") == 7


def test_every_fault_is_named_and_nothing_wrong_is_kept(root: Path, tmp_path: Path, site: dict[str, bytes]) -> None:
    changed = {
        "/cards/000158/files/839_ruby.zip": Reply(zipped(("mebae.txt", "別の本文".encode("cp932")))),
        "/cards/000280/files/1706_ruby_5169.zip": Reply(b"", 404),
        "/cards/000025/files/204_ruby_3382.zip": Reply(b"<html>"),
    }
    with serving(files(site, changed)) as server:
        done = run(root, tmp_path, server)
    assert done.returncode == 2
    assert "3 of 7 novels are not there" in done.stderr
    assert "HTTP 404" in done.stderr
    assert "is not a zip" in done.stderr
    assert "holds another text than expected" in done.stderr
    assert sorted(p.name for p in (tmp_path / "novels").iterdir()) == ["1.txt", "4.txt", "6.txt", "7.txt"]


def test_a_revised_text_is_taken_on_request(root: Path, tmp_path: Path, site: dict[str, bytes]) -> None:
    text = "改訂した本文".encode("cp932")
    changed = {"/cards/000158/files/839_ruby.zip": Reply(zipped(("mebae.txt", text)))}
    with serving(files(site, changed)) as server:
        done = run(root, tmp_path, server, "--accept-changed")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "novels" / "5.txt").read_bytes() == text
    assert "5.txt 芽生: 12 bytes, changed" in done.stdout
