"""A floor under the hop recall of each graph retriever, on a part of JEMHopQA; bench/graph_hops.py has the whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.graph_hops import Question, hop_recall, read_jemhopqa, retrievers
from rag1.graph.falkordb import OpenFalkorDB
from rag1.types import Retriever

QUESTIONS = 60


@pytest.fixture(scope="module")
def loaded(
    shared_data: Path, falkordb_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[dict[str, Retriever], list[Question]]]:
    questions, triples = read_jemhopqa(shared_data / "jemhopqa" / "train_ver1.2.json", 300)
    store = OpenFalkorDB()(falkordb_folder, "hops")
    store.prepare()
    store.write_triples(triples)
    yield retrievers(store, str(tmp_path_factory.mktemp("artifacts"))), questions[:QUESTIONS]
    store.close()


@pytest.mark.parametrize("name", ["structured", "nodes", "triples", "subgraph"])
def test_the_facts_of_a_derivation_are_among_twenty_lines(
    loaded: tuple[dict[str, Retriever], list[Question]], name: str
) -> None:
    found, questions = loaded
    assert hop_recall(found[name], questions) >= 0.9
