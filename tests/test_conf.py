"""Every config composes, holds no `???`, names only allowed targets; every pipeline answers a question offline."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from omegaconf import DictConfig, OmegaConf

from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from rag1.app.plan import make_plan
from rag1.build import ALLOWED
from rag1.errors import Unavailable

PIPELINES = sorted(p.stem for p in (CONF / "pipeline").glob("*.yaml"))
EXPERIMENTS = sorted(p.stem for p in (CONF / "experiment").glob("*.yaml"))
FILES = sorted(CONF.rglob("*.yaml"))


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One outputs folder for the module: indexes are built once."""
    register_resolvers()
    return tmp_path_factory.mktemp("outputs")


def compose(outputs: Path, *overrides: str) -> DictConfig:
    return composed(CONF, [f"outputs={outputs}", "tracker=none", *overrides])


def missing(config: DictConfig) -> list[str]:
    """The keys a run would read that are still `???`."""
    keys = ("pipeline", "corpus", "questions", "llm", "router", "scorer", "submission", "executor")
    return sorted(str(key) for name in keys for key in OmegaConf.missing_keys(config[name]))


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_answers_a_question_of_the_sample_offline(outputs: Path, name: str) -> None:
    config = compose(outputs, f"pipeline={name}", "limit=1")
    assert missing(config) == []
    if "needs:" in (CONF / "pipeline" / f"{name}.yaml").read_text(encoding="utf-8").splitlines()[0]:
        with pytest.raises(Unavailable, match="choose a real model"):
            make_plan(config)
        return
    plan = make_plan(config)
    answer = plan.pipeline(plan.inputs.queries[0])
    assert answer.query_id == plan.inputs.queries[0].id
    assert answer.text
    assert answer.stop != "error"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_composes(outputs: Path, name: str) -> None:
    assert missing(compose(outputs, f"experiment={name}")) == []


def targets(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("_target_"), str):
            yield node["_target_"]
        for value in node.values():
            yield from targets(value)
    elif isinstance(node, list):
        for value in node:
            yield from targets(value)


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_a_config_names_only_allowed_targets_and_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in targets(OmegaConf.to_container(OmegaConf.load(path), resolve=False)):
        assert target.split(".")[0] in ALLOWED, target
    assert not re.search(r"\bsk-[A-Za-z0-9]{8,}", text)


def test_all_pipelines_run_in_one_sweep_of_the_command_line(outputs: Path, root: Path) -> None:
    command = [
        sys.executable,
        "run.py",
        "-m",
        "pipeline=bm25,zero_shot",
        "limit=2",
        "tracker=none",
        f"outputs={outputs}",
    ]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    folders = sorted(p.parent.name for p in (outputs / "sweeps").rglob("predictions.csv"))
    assert folders == ["0-bm25", "1-zero_shot"]
