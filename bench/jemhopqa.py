"""Text to Cypher on JEMHopQA's compositional questions, over a graph of their gold triples; by number of hops.

    python bench/jemhopqa.py TRAIN.json [--limit N] [--off relations|direction|repairs]

All compositional questions share one graph. A question counts as reached where the answer, or one value of it, is the
gold answer or the gold triples' last value (but for spelling); `held` also counts an answer that holds the gold one
(青森県八戸市 for 八戸市). Run it twice for other stores: `--store neo4j --uri bolt://…`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rag1.answer.context import Context
from rag1.answer.reader import Reader
from rag1.answer.rows import RowsAnswer
from rag1.corpus.corpus import Corpus
from rag1.cypher.relations import Relations
from rag1.embed.use import UseEmbedder
from rag1.graph.falkordb import OpenFalkorDB
from rag1.graph.model import Triple
from rag1.graph.neo4j import OpenNeo4j
from rag1.graph.store import GraphStore
from rag1.llm.offline import OfflineLlm
from rag1.llm.rules.words import fold
from rag1.pipelines.cypher import TextToCypher
from rag1.retrieve.cypher import RunCypher
from rag1.retrieve.facts import open_facts
from rag1.retrieve.link import Linker
from rag1.retrieve.schema import SchemaText
from rag1.types import Query

Question = Mapping[str, Any]


def questions(path: Path) -> list[Question]:
    return [q for q in json.loads(path.read_text(encoding="utf-8")) if q["type"] == "compositional"]


def triples(found: Sequence[Question]) -> Iterator[Triple]:
    for question in found:
        for head, relation, tails in question["derivations"]:
            for tail in tails:
                line = f"{head} {relation} {tail.strip()}"
                yield Triple(head.strip(), relation.strip(), tail.strip(), doc_id="jemhopqa", evidence=line)


def pipeline(store: GraphStore, artifacts: str, off: str) -> TextToCypher:
    llm = OfflineLlm()
    relations = None if off == "relations" else Relations(UseEmbedder(), llm)
    reader = Reader(llm, Context(Corpus(())))
    return TextToCypher(
        llm,
        SchemaText(store, Linker(store, open_facts(store, artifacts), llm)),
        RunCypher(store, relations, direction=off != "direction"),
        RowsAnswer(reader, Corpus(())),
        repairs=off != "repairs",
    )


def reached(answer: str, question: Question) -> tuple[bool, bool]:
    """(equal, equal or holding): the gold answer, or the last value of the gold triples."""
    golds = {fold(question["answer"]), *(fold(tail) for tail in question["derivations"][-1][2])}
    values = {fold(answer), *(fold(value) for value in answer.split("、"))}
    equal = bool(golds & values)
    return equal, equal or any(gold and gold in fold(answer) for gold in golds)


def hops(question: Question) -> int:
    return len(question["derivations"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--off", choices=["relations", "direction", "repairs", ""], default="")
    parser.add_argument("--store", choices=["falkordb", "neo4j"], default="falkordb")
    parser.add_argument("--uri", default="bolt://127.0.0.1:7687")
    parser.add_argument("--misses", action="store_true", help="show what was not reached")
    options = parser.parse_args()
    asked = questions(options.file)
    with tempfile.TemporaryDirectory() as folder:
        opener = OpenFalkorDB() if options.store == "falkordb" else OpenNeo4j(options.uri, replace=True)
        store = opener(Path(folder) / "graph", "jemhopqa")
        store.prepare()
        store.write_triples(triples(asked))
        show(run(pipeline(store, folder, options.off), asked[: options.limit], options.misses), options)
        store.close()


def run(answer: TextToCypher, asked: Sequence[Question], misses: bool) -> Counter[tuple[int, str]]:
    counts: Counter[tuple[int, str]] = Counter()
    for question in asked:
        said = answer(Query(question["qid"], question["question"]))
        equal, held = reached(said.text, question)
        counts.update(
            {(hops(question), "questions"): 1, (hops(question), "equal"): equal, (hops(question), "held"): held}
        )
        counts[hops(question), said.stop] += 1
        if misses and not held:
            print(question["question"], "|", question["answer"], "|", said.text, "|", question["derivations"])
            print("   ", [step.detail.splitlines()[:2] for step in said.trace][:2])
    return counts


def show(counts: Counter[tuple[int, str]], options: argparse.Namespace) -> None:
    print(f"store={options.store} llm=offline off={options.off or 'nothing'}")
    print("hops  questions  reached      held  no_evidence  error")
    for hop in [*sorted({hop for hop, _ in counts}), 0]:
        total = {key: sum(n for (h, k), n in counts.items() if k == key and hop in (h, 0)) for _, key in counts}
        n = total["questions"]
        label = hop or "all"
        print(
            f"{label!s:>4}  {n:>9}  {total['equal']:>3} {total['equal'] / n:>4.0%}  {total['held']:>3} "
            f"{total['held'] / n:>4.0%}  {total.get('no_evidence', 0):>11}  {total.get('error', 0):>5}"
        )


if __name__ == "__main__":
    main()
