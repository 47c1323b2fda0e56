"""Every router on the sample, on the seven novels, and (tuning-free check) on books made of JSQuAD's articles.

    python bench/router.py [--novels data/novels] [--jsquad FILE] [--routers bm25,fused] [OVERRIDE …]

Right: the first document is among the gold ones. Whole: all gold documents are in the scope that the pipeline is
given, with the mean number of documents in it. Times are CPU time of one thread, first question left out (it loads).
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rag1.build import Workshop  # noqa: E402
from rag1.corpus.questions import read_golds, read_questions  # noqa: E402
from rag1.route.scope import kept  # noqa: E402
from rag1.types import Query, Route  # noqa: E402

ROUTERS = ("keyword", "bm25", "dense", "llm", "fused")
SEED = 7
Asked = tuple[Query, frozenset[str]]
"""A question without its scope, and the documents that its gold names."""


@dataclass(frozen=True)
class Bench:
    name: str
    asked: Sequence[Asked]
    overrides: Sequence[str]


def from_files(name: str, questions: Path, overrides: Sequence[str]) -> Bench:
    queries = read_questions(str(questions))
    golds = {gold.query_id: gold for gold in read_golds(str(questions.with_name("gold.csv")), queries)}
    asked = [(Query(q.id, q.text), golds[q.id].doc_ids) for q in queries if q.id in golds and golds[q.id].doc_ids]
    return Bench(name, asked, overrides)


def from_jsquad(path: Path, folder: Path, books: int, limit: int = 500) -> Bench:
    """Articles dealt out to `books` documents; a question belongs to its article's book. No titles, no authors."""
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    random.Random(SEED).shuffle(articles)
    texts: list[list[str]] = [[] for _ in range(books)]
    asked: list[Asked] = []
    for number, article in enumerate(articles):
        book = number % books
        for paragraph in article["paragraphs"]:
            texts[book].append(paragraph["context"].split("[SEP]")[-1].strip())
            asked += [(Query(qa["id"], qa["question"]), frozenset([f"b{book}"])) for qa in paragraph["qas"]]
    random.Random(SEED).shuffle(asked)
    folder.mkdir()
    for book, parts in enumerate(texts):
        (folder / f"b{book}.txt").write_text("\n".join(parts), encoding="utf-8")
    return Bench(f"jsquad, {books} books", asked[:limit], ["corpus=folder", f"corpus.path={folder}"])


def measure(bench: Bench, router: str, extra: Sequence[str]) -> str:
    config = compose("config", overrides=[*bench.overrides, f"router={router}", *extra])
    start = time.process_time()
    route = Workshop()(config.router.router)
    route(bench.asked[0][0])
    built, start = time.process_time() - start, time.process_time()
    routes = [route(query) for query, _ in bench.asked]
    spent = time.process_time() - start
    return _row(bench, router, routes, config.router, (built, spent / len(routes)))


def _row(bench: Bench, router: str, routes: Sequence[Route], setting: object, seconds: tuple[float, float]) -> str:
    gold = [documents for _, documents in bench.asked]
    right = [bool(r.ranking[0][1] > 0 and r.ranking[0][0] in g) for r, g in zip(routes, gold, strict=True)]
    scopes = [kept(r, setting.top, setting.margin) for r in routes]  # type: ignore[attr-defined]
    whole = [not scope or wanted <= scope for scope, wanted in zip(scopes, gold, strict=True)]
    everything = len(routes[0].ranking)
    size = statistics.mean(len(scope) or everything for scope in scopes)
    margins = [[r.margin for r, ok in zip(routes, right, strict=True) if ok is side] for side in (True, False)]
    wrong = " ".join(query.id for (query, _), ok in zip(bench.asked, right, strict=True) if not ok)
    means = " / ".join(f"{statistics.mean(m):.2f}" if m else "–" for m in margins)
    return (
        f"| {bench.name} | {router} | {sum(right)}/{len(right)} = {sum(right) / len(right):.1%} | {means} "
        f"| {sum(whole)}/{len(whole)} ({size:.2f}) | {seconds[0]:.1f} s, {1000 * seconds[1]:.1f} ms "
        f"| {wrong if len(wrong) < 80 else wrong[:77] + '…'} |"
    )


def benches(args: argparse.Namespace, work: Path) -> list[Bench]:
    found = [
        from_files("sample", ROOT / "data/sample/questions.csv", ["corpus=sample"]),
        from_files(
            "novels", ROOT / "bench/novels/questions.csv", ["corpus=novels", f"corpus.path={args.novels.resolve()}"]
        ),
    ]
    if args.jsquad:
        found += [from_jsquad(args.jsquad, work / f"books{n}", n) for n in (7, 30)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--novels", type=Path, default=ROOT / "data/novels")
    parser.add_argument("--jsquad", type=Path)
    parser.add_argument("--routers", default=",".join(ROUTERS))
    parser.add_argument("overrides", nargs="*")
    args = parser.parse_args()
    OmegaConf.register_new_resolver("root", lambda: str(ROOT), replace=True)
    print("| set | router | right | margin right / wrong | whole (documents) | build, a question | wrong |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work, initialize_config_dir(str(ROOT / "conf"), version_base=None):
        for bench in benches(args, Path(work)):
            for router in args.routers.split(","):
                print(measure(bench, router, args.overrides), flush=True)


if __name__ == "__main__":
    main()
