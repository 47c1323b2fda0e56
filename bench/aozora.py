"""Speed of the Aozora parser: MB of raw file per second of processor time, on one core.

    python bench/aozora.py FILE_OR_FOLDER [--repeat 5]

Two figures a file: `text` is `parse` alone, as a chunker sees it; `all` also asks for offsets, cuts and warnings.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from rag1.text.aozora import parse
from rag1.text.encoding import decode


def _everything(raw: str) -> None:
    parsed = parse(raw)
    _ = parsed.offsets, parsed.dropped


def _best(work: Callable[[str], object], raw: str, repeat: int) -> float:
    """The least processor time of several runs, in seconds: other work on the machine only adds to it."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work(raw)
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("path", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    files = sorted(options.path.glob("*.txt")) if options.path.is_dir() else [options.path]
    total, text_time, all_time = 0, 0.0, 0.0
    print(f"{'file':28} {'kB':>7} {'marks/kB':>9} {'text MB/s':>10} {'all MB/s':>9}")
    for file in files:
        data = file.read_bytes()
        raw = decode(data, file.name).text
        marks = raw.count("《") + raw.count("［＃")
        text, full = _best(parse, raw, options.repeat), _best(_everything, raw, options.repeat)
        size = len(data) / 1e6
        total, text_time, all_time = total + len(data), text_time + text, all_time + full
        rates = f"{size / text:10.1f} {size / full:9.1f}"
        print(f"{file.name:28} {size * 1e3:7.0f} {marks / size / 1e3:9.1f} {rates}")
    print(f"all files: {total / 1e6:.2f} MB, {total / 1e6 / text_time:.1f} MB/s text, {total / 1e6 / all_time:.1f} all")


if __name__ == "__main__":
    main()
