"""Logging to a real MLflow on SQLite: what is there afterwards, what is never there, what happens without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rag1.report.mlflow import MlflowTracker, log_run, params, safe
from tests.report.made import make_run

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"
)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One database for the module: making one takes MLflow seconds. Its path holds Japanese."""
    return tmp_path_factory.mktemp("出力")


def client(tracker: MlflowTracker):  # type: ignore[no-untyped-def]
    from mlflow import MlflowClient

    return MlflowClient(tracker.tracking_uri)


def runs(tracker: MlflowTracker):  # type: ignore[no-untyped-def]
    talk = client(tracker)
    return talk.search_runs([talk.get_experiment_by_name(tracker.experiment).experiment_id])


def test_a_run_is_logged_with_params_metrics_and_artifacts_and_no_secret(tmp_path: Path, out: Path) -> None:
    run = make_run(tmp_path / "20260101-hybrid")
    tracker = MlflowTracker(str(out))
    run_id = log_run(run.folder, tracker)
    logged = client(tracker).get_run(run_id)
    assert logged.info.status == "FINISHED"
    assert logged.data.params["pipeline._target_"] == "rag1.pipelines.hybrid.Hybrid"
    assert logged.data.params["llm.key_env"] == "OPENAI_API_KEY"
    assert "llm.api_key" not in logged.data.params
    assert logged.data.metrics["crag"] == pytest.approx((1 - 1 + 1 + 0.5 + 1) / 5)
    assert logged.data.metrics["kind/extraction/exact_match"] == pytest.approx(2 / 3)
    assert logged.data.metrics["failed"] == 1
    assert logged.data.metrics["usd"] == pytest.approx(5 * 0.0004)
    assert logged.data.tags["rag1.commit"] == "abc123def456"
    names = {one.path for one in client(tracker).list_artifacts(run_id)}
    assert names == {"answers.jsonl", "questions.json", "run.yaml", "scores.json"}
    assert (out / "mlflow.db").is_file()
    assert any((out / "mlruns").rglob("answers.jsonl"))


def test_logging_again_replaces_and_a_sweep_has_one_parent(tmp_path: Path, out: Path) -> None:
    first, second = make_run(tmp_path / "a"), make_run(tmp_path / "b")
    tracker = MlflowTracker(str(out), "sweeps")
    log_run(first.folder, tracker)
    for run in (first, second):
        log_run(run.folder, tracker, sweep="outputs/sweeps/20260101")
    logged = runs(tracker)
    parents = [one for one in logged if "mlflow.parentRunId" not in one.data.tags]
    children = [one for one in logged if "mlflow.parentRunId" in one.data.tags]
    assert [one.info.run_name for one in parents] == ["20260101"]
    assert sorted(one.info.run_name for one in children) == ["a", "b"]
    assert {one.data.tags["mlflow.parentRunId"] for one in children} == {parents[0].info.run_id}


def test_three_processes_may_log_to_a_fresh_database_at_once(tmp_path: Path, root: Path) -> None:
    folders = [make_run(tmp_path / f"run{number}").folder for number in range(3)]
    command = [sys.executable, str(root / "scripts" / "log_run.py"), "--folder", str(tmp_path / "out")]
    started = [
        subprocess.Popen([*command, str(one)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root)
        for one in folders
    ]
    for process in started:
        _, errors = process.communicate(timeout=200)
        assert process.returncode == 0, errors
    assert len(runs(MlflowTracker(str(tmp_path / "out")))) == 3


def test_a_dead_tracker_says_what_to_do_and_loses_nothing(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mlflow.db").write_bytes(b"this is no database" * 100)
    logged = MlflowTracker(str(tmp_path / "out"))(run.folder)
    assert logged.run_id == ""
    assert logged.problem.startswith("MLflow: ")
    assert logged.problem.endswith(f"python scripts/log_run.py {run.folder}")
    assert (run.folder / "answers.jsonl").is_file()


def test_params_are_flat_safe_and_short() -> None:
    assert params({"a": {"b@c": [1, 2], "é?": "x" * 900}, "n": None}) == {
        "a.b_at_c": "[1, 2]",
        "a.é_": "x" * 499 + "…",
        "n": "None",
    }
    assert safe("recall@8") == "recall_at_8"


@pytest.mark.parametrize(
    "recipe",
    [
        {"llm": {"api_key": "plain"}},
        {"llm": {"password": "plain"}},
        {"note": "sk-abcdefghijklmnop1234"},
        {"url": "https://me:word@example.org"},
        {"header": "Bearer abcdefghijklmnop"},
    ],
)
def test_what_looks_like_a_secret_is_left_out(recipe: dict[str, object]) -> None:
    assert params(recipe) == {}


def test_names_of_secrets_are_not_secrets() -> None:
    assert params({"api_key": "${oc.env:KEY}", "max_tokens": 5, "key_env": "KEY"}) == {
        "api_key": "${oc.env:KEY}",
        "max_tokens": "5",
        "key_env": "KEY",
    }
