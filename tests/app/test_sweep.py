"""Sweeps: what a pattern matched and cannot run here is skipped, with the reason; what was named is a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.command import run

FEW = ["limit=1", 'corpus.pattern="kiri.txt"']


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outputs")


def test_all_pipelines_run_at_once_without_a_model(outputs: Path, root: Path) -> None:
    done = run("-m", "pipeline=glob(*)", *FEW, f"hydra.sweep.dir={outputs}/all", outputs=outputs)
    assert done.returncode == 0, done.stderr
    names = {path.stem for path in (root / "conf" / "pipeline").glob("*.yaml")}
    ran = {path.parent.name.partition("-")[2] for path in (outputs / "all").rglob("predictions.csv")}
    assert names - ran == {"agent_langchain", "cypher_langchain"}
    assert f"skipped 2 of {len(names)} jobs" in done.stdout
    assert "-agent_langchain: agent_langchain: OfflineLlm cannot serve LangChain's own prompts" in done.stdout
    (log,) = (outputs / "all").glob("*-cypher_langchain/run.log")
    assert "skipped: cypher_langchain: OfflineLlm cannot serve" in log.read_text(encoding="utf-8")


def test_what_is_named_is_not_skipped(outputs: Path) -> None:
    alone = run("pipeline=agent_langchain", *FEW, outputs=outputs)
    assert (alone.returncode, "choose a real model" in alone.stderr) == (2, True)
    listed = run("-m", "pipeline=zero_shot,agent_langchain", *FEW, outputs=outputs)
    assert (listed.returncode, "skipped" in listed.stdout) == (2, False)
    other = run("-m", "pipeline=glob(zero*)", "llm=openai", *FEW, outputs=outputs)
    assert (other.returncode, "OPENAI_API_KEY is not set" in other.stderr) == (2, True)


def test_a_sweep_of_which_nothing_can_run_has_not_succeeded(outputs: Path) -> None:
    done = run("-m", "pipeline=glob(*_langchain)", *FEW, outputs=outputs)
    assert (done.returncode, "skipped 2 of 2 jobs" in done.stdout) == (2, True)
