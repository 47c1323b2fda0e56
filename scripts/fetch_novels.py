"""Brings the seven novels of the RAG-1 Grand Prix from Aozora Bunko into data/novels/ as 1.txt … 7.txt.

    python scripts/fetch_novels.py [--folder data/novels] [--accept-changed]

The raw files as they are (cp932, CRLF, notation), each checked against its sha256. The file names in the addresses
are those under which a public mirror of Aozora Bunko's texts holds these very texts (same length in characters, same
colophon); the site itself was not reachable when this was written, so the first real run is the proof. Aozora Bunko
may give a revised file another name or content; then this says which: look the work up on its card, and pass
--accept-changed to take a new text, knowing that figures measured on the old one no longer compare.
7.txt is under CC BY-ND 2.1 JP: pass it on unmodified only.
Exit codes: 0 all there, 2 not all there (each fault on a line), 4 disk.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rag1.corpus.fetch import Fetcher
from rag1.errors import DataError, InputError, Rag1Error, StorageError

SITE = "https://www.aozora.gr.jp"
LARGEST = 4 * 1024 * 1024
"""Bytes of a text: ten times the longest of the seven."""


@dataclass(frozen=True, slots=True)
class Novel:
    number: int
    title: str
    path: str
    sha256: str


NOVELS = (
    Novel(
        1,
        "流行暗殺節",
        "cards/000111/files/1485_ruby_16680.zip",
        "1dca269fd1c0a4b2a1e76c71c9ca8aaa6091090606d262223da26e41ded20068",
    ),
    Novel(
        2,
        "小説　不如帰",
        "cards/000280/files/1706_ruby_5169.zip",
        "e4c17b966cdbab6733b86a7b291cad27996fd35e19fc197b6bd5a294e946e588",
    ),
    Novel(
        3,
        "カインの末裔",
        "cards/000025/files/204_ruby_3382.zip",
        "c478211aae151241801c48aa09c6d3fb9268ea1612a67fd245690ea66fafe211",
    ),
    Novel(
        4,
        "競漕",
        "cards/001151/files/43799_ruby_24134.zip",
        "4fb64b1d9668116be57234394555ad58328606731579570db1e8e78353c31fd8",
    ),
    Novel(
        5,
        "芽生",
        "cards/000158/files/839_ruby.zip",
        "e06facc08910175118c507142726e8732981379979e3fa92e5b85200bf870d75",
    ),
    Novel(
        6,
        "サーカスの怪人",
        "cards/001779/files/56680_ruby_62768.zip",
        "d2df1f03b0657e76618f9ace087b36faacee7154a893708e224bc17f3a13f02e",
    ),
    Novel(
        7,
        "死生に関するいくつかの断想",
        "cards/000258/files/52335_ruby_41383.zip",
        "76dd529c585bbcd34be699f3ac257489ea629fff769dcbd5722636a1d7cf3846",
    ),
)


def fetch(folder: Path, site: str, fetcher: Fetcher, accept_changed: bool = False) -> list[str]:
    """Writes what is missing or differs; gives a line for each novel. All faults are raised at once."""
    lines: list[str] = []
    faults: list[str] = []
    for novel in NOVELS:
        try:
            lines.append(_one(novel, folder / f"{novel.number}.txt", site, fetcher, accept_changed))
        except InputError as error:
            faults.append(f"{novel.number}.txt {novel.title}: {error}")
    if faults:
        raise DataError(f"{len(faults)} of {len(NOVELS)} novels are not there:", faults)
    return lines


def _one(novel: Novel, target: Path, site: str, fetcher: Fetcher, accept_changed: bool) -> str:
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == novel.sha256:
        return f"{target.name} {novel.title}: there"
    address = f"{site}/{novel.path}"
    text = unpacked(fetcher(address).body, address)
    changed = hashlib.sha256(text).hexdigest() != novel.sha256
    if changed and not accept_changed:
        raise InputError(f"{address} holds another text than expected (sha256); see --accept-changed")
    _write(target, text)
    return f"{target.name} {novel.title}: {len(text):,} bytes{', changed' if changed else ''}"


def unpacked(body: bytes, address: str) -> bytes:
    """The one text of a zip."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as bundle:
            texts = [info for info in bundle.infolist() if info.filename.lower().endswith(".txt")]
            if len(texts) != 1:
                raise InputError(f"{address} holds {len(texts)} texts, one was expected")
            with bundle.open(texts[0]) as handle:
                text = handle.read(LARGEST + 1)
    except zipfile.BadZipFile as error:
        raise InputError(f"{address} is not a zip: {error}") from error
    if len(text) > LARGEST:
        raise InputError(f"{address}: over the limit of {LARGEST:,} bytes once unpacked")
    return text


def _write(target: Path, text: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = target.with_suffix(".tmp")
        scratch.write_bytes(text)
        os.replace(scratch, target)
    except OSError as error:
        raise StorageError(f"{target}: {error}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parent.parent
    parser.add_argument("--folder", type=Path, default=root / "data" / "novels")
    parser.add_argument("--site", default=SITE, help="another address of the same files")
    parser.add_argument("--cache", type=Path, default=root / "outputs" / "cache" / "pages")
    parser.add_argument("--accept-changed", action="store_true")
    args = parser.parse_args(arguments)
    try:
        lines = fetch(args.folder, args.site.rstrip("/"), Fetcher(str(args.cache)), args.accept_changed)
    except Rag1Error as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
