"""`dry_run=true` needs no key, sends nothing, and counts every model that the run would ask."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.app.command import run
from tests.fake_llm import FakeLlm


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outputs")


def calls(output: str, task: str) -> int:
    """The calls of a task that a summary names; 0 where it does not."""
    found = re.search(rf"^{task} +\S+ +\S+ +(\d+)", output, re.MULTILINE)
    return int(found[1]) if found else 0


@pytest.mark.parametrize("name", ["openai", "azure", "openrouter", "langchain"])
def test_no_key_is_needed(outputs: Path, name: str) -> None:
    done = run("dry_run=true", f"llm={name}", "pipeline=bm25", "limit=3", outputs=outputs)
    assert done.returncode == 0, done.stderr
    assert "nothing was sent" in done.stdout
    assert calls(done.stdout, "answer_from") == 3


def test_embedder_and_judge_are_counted_and_nobody_is_asked(outputs: Path) -> None:
    with FakeLlm() as fake:
        done = run(
            "dry_run=true",
            "llm=custom",
            "judge=rag1",
            "embedder=openai",
            f"llm.endpoint.base_url={fake.base_url}",
            f"judge.judge.llm.endpoint.base_url={fake.base_url}",
            f"embedder.vectors.client.endpoint.http.base_url={fake.base_url}",
            "pipeline=vector",
            "limit=3",
            outputs=outputs,
        )
        assert done.returncode == 0, done.stderr
        assert fake.asked() == 0
    assert calls(done.stdout, "answer_from") == 3
    assert calls(done.stdout, "judge_answer") >= 3
    assert re.search(r"embeddings: \d+ texts", done.stdout)


def test_a_graph_that_a_model_would_extract_is_counted_each_time(outputs: Path) -> None:
    words = ["dry_run=true", "llm=openai", "graph/extractor=typed_relations", "pipeline=graph_triples", "limit=1"]
    story = 'corpus.pattern="kiri.txt"'
    first, second = (run(*words, story, outputs=outputs) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert calls(first.stdout, "extract_triples") > 5
    assert calls(first.stdout, "extract_triples") == calls(second.stdout, "extract_triples")
