"""Chains of two to four hops over a family that the rules were not made for, on both stores, by rules alone.

The family (`family/sakazuki.txt`) has other names, two names for wife and for burial place, a name cut short, and a
mother who is told of only as her husband's wife.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from rag1.app.plan import make_plan
from rag1.graph.neo4j import OpenNeo4j
from rag1.graph.store import OpenGraph
from rag1.score.evidence import EvidenceVerbatim
from rag1.score.match import same

FAMILY = Path(__file__).with_name("family")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    register_resolvers()
    return tmp_path_factory.mktemp("outputs")


def settings(opener: tuple[OpenGraph, Path], outputs: Path, pipeline: str) -> list[str]:
    graph = opener[0]
    store = ["graph=neo4j", f"graph.uri={graph.uri}", "graph.replace=true"] if isinstance(graph, OpenNeo4j) else []
    return [
        f"pipeline={pipeline}", f"outputs={outputs}", "tracker=none", "corpus=file", *store,
        f"corpus.path={FAMILY / 'sakazuki.txt'}", f"questions.path={FAMILY / 'questions.csv'}",
    ]  # fmt: skip


@pytest.mark.parametrize("pipeline", ["cypher", "agent", "refine", "decompose"])
def test_all_ten_are_answered_with_evidence_from_the_text(
    opener: tuple[OpenGraph, Path], outputs: Path, pipeline: str
) -> None:
    config = composed(CONF, settings(opener, outputs, pipeline))
    plan = make_plan(config)
    verbatim = EvidenceVerbatim(plan.inputs.corpus)
    for query, gold in zip(plan.inputs.queries, plan.inputs.golds, strict=True):
        answer = plan.pipeline(query)
        assert any(same(answer.text, told) for told in gold.answers), f"{query.text} → {answer.text}"
        assert verbatim(answer, gold).value == 1.0, answer.evidence
    plan.workshop(config.knowledge).close()
