"""The reply cache at a million entries: get, put one by one, put in batches.

    python bench/cache.py [--entries 1000000]

Entries are a kilobyte of text. `get` goals 0.2 ms; `put` waits for the disk, so its figure is the disk's.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rag1.llm.cache import Cache

BATCH = 10_000


def key(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


def body(number: int) -> str:
    return f"{number} " + "竹" * 340


def fill(cache: Cache, entries: int) -> float:
    began = time.perf_counter()
    for start in range(0, entries, BATCH):
        cache.put_many([(key(n), body(n)) for n in range(start, min(start + BATCH, entries))])
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--entries", type=int, default=1_000_000)
    entries = parser.parse_args().entries
    Path("outputs").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir="outputs") as folder:
        cache = Cache(folder)
        seconds = fill(cache, entries)
        size = (Path(folder) / "llm.sqlite").stat().st_size / 2**20
        print(f"put in batches: {entries} entries in {seconds:.1f} s, {entries / seconds:.0f} a second, {size:.0f} MiB")

        chance = random.Random(0)
        wanted = [chance.randrange(2 * entries) for _ in range(20_000)]
        began, cpu = time.perf_counter(), time.process_time()
        found = sum(cache.get(key(n)) is not None for n in wanted)
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
        wall, cpu = wall / len(wanted) * 1e3, cpu / len(wanted) * 1e3
        print(f"get: {wall:.4f} ms ({cpu:.4f} ms CPU), {found} of {len(wanted)} there")

        began = time.perf_counter()
        with ThreadPoolExecutor(32) as workers:
            list(workers.map(lambda n: cache.put(key(-n), body(n)), range(1, 2001)))
        print(f"put from 32 threads, each waiting for its commit: {2000 / (time.perf_counter() - began):.0f} a second")
        began = time.perf_counter()
        for n in range(50):
            cache.put(key(-10_000 - n), body(n))
        print(f"put one by one: {(time.perf_counter() - began) / 50 * 1e3:.1f} ms")
        cache.close()


if __name__ == "__main__":
    main()
