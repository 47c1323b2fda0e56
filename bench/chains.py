"""Chains of two to four hops over family chronicles: how many of ten each pipeline answers, on each graph store.

    python bench/chains.py [--family folder] [--neo4j bolt://127.0.0.1:7687] [--pipelines cypher,agent] [--set llm=…]

`--family`: a folder with one .txt, questions.csv and gold.csv, instead of the sample's (whose chronicle stands among
eight other stories). The Neo4j server's database is emptied. `evidence`: answers whose every passage of evidence stands
in the corpus word for word.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from rag1.app.plan import Plan, make_plan
from rag1.score.evidence import EvidenceVerbatim
from rag1.score.match import same
from rag1.types import Answer, Gold

ALL = "vector,hybrid,fusion,graphrag,cypher,agent,refine,decompose"
SAMPLE = Path(__file__).resolve().parent.parent / "data" / "sample" / "chains"


def overrides(pipeline: str, outputs: str, options: argparse.Namespace, uri: str) -> list[str]:
    family: Path = options.family
    given = [f"pipeline={pipeline}", f"outputs={outputs}", "tracker=none", *options.set]
    given.append(f"questions.path={family.resolve() / 'questions.csv'}")
    if family != SAMPLE:
        given += ["corpus=file", f"corpus.path={next(family.resolve().glob('*.txt'))}"]
    if uri:
        given += ["graph=neo4j", f"graph.uri={uri}", "graph.replace=true"]
    return given


def measure(plan: Plan, show: bool) -> tuple[int, int, int]:
    """Right answers, answers with evidence verbatim, questions."""
    golds = {gold.query_id: gold for gold in plan.inputs.golds}
    verbatim = EvidenceVerbatim(plan.inputs.corpus)
    right = proven = 0
    for query in plan.inputs.queries:
        answer, gold = plan.pipeline(query), golds[query.id]
        good = is_right(answer, gold)
        right += good
        proven += verbatim(answer, gold).value == 1.0
        if show and not good:
            print(f"    {query.text} → {answer.text} ({answer.stop}), gold {'|'.join(gold.answers)}")
    return right, proven, len(plan.inputs.queries)


def is_right(answer: Answer, gold: Gold) -> bool:
    return any(same(answer.text, told) for told in gold.answers)


def table(pipelines: Sequence[str], options: argparse.Namespace) -> None:
    stores = [("falkordb", ""), *([("neo4j", options.neo4j)] if options.neo4j else [])]
    print("| pipeline | " + " | ".join(f"{name}: right | evidence" for name, _ in stores) + " |")
    print("|---" * (1 + 2 * len(stores)) + "|")
    with tempfile.TemporaryDirectory() as outputs:
        for pipeline in pipelines:
            cells = []
            for _, uri in stores:
                plan = make_plan(composed(CONF, overrides(pipeline, outputs, options, uri)))
                right, proven, count = measure(plan, options.misses)
                cells += [f"{right} of {count}", str(proven)]
            print(f"| {pipeline} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--family", type=Path, default=SAMPLE)
    parser.add_argument("--neo4j", default="")
    parser.add_argument("--pipelines", default=ALL)
    parser.add_argument("--set", nargs="*", default=[])
    parser.add_argument("--misses", action="store_true", help="show the questions that were not answered")
    options = parser.parse_args()
    register_resolvers()
    table(options.pipelines.split(","), options)


if __name__ == "__main__":
    main()
