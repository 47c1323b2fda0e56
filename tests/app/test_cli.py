"""The command as a person gives it: a clear line and the right exit code for each mistake, resume after a kill."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from rag1.app.job import claimed
from rag1.errors import StorageError
from tests.app.command import ROOT, run


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outputs")


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("pipeline=hybird", "no pipeline named 'hybird'; did you mean 'hybrid'?"),
        ("pipeline.kk=3", "no setting 'pipeline.kk'; did you mean 'k'?"),
        ("pipelin=bm25", "did you mean 'pipeline'?"),
        ("questions.path=日本語.csv", "Japanese needs quotes inside quotes: 'questions.path=\"日本語.csv\"'"),
        ("limit=0", "limit=0 is no whole number of questions from 1 up"),
        ("questions.path=nowhere.csv", "'nowhere.csv' is not a file"),
        ("corpus=folder", "corpus.path is not set"),
        ("executor.workers=1.5", "workers=1.5 of rag1.run.batch.Executor must be a whole number"),
        ("pipeline.k=abc", "must be a whole number"),
        ("-m pipeline=glob(x*)", "no pipeline is named so; there are: agent"),
        ("pipeline=bm25,vector", "pipeline=bm25,vector names several values: add -m to run each"),
        ("index=null", "index=null: index is chosen by name; there are: bm25, rank_bm25"),
        ("~judge", "the config lacks what a run needs: Key 'judge' is not in struct"),
        ("pipeline.k=0", "pipeline.k=0 must be a whole number from 1 up"),
        ("pipeline.reader.near=5", "pipeline.reader is ${reader}; set reader.near instead"),
        ("executor.workers=0", "executor.workers 0 must be at least 1"),
        ("chunker.overlap=600", "chunker.overlap 600 must be at least 0 and under chunker.size 512"),
        ("llm.model=sk-abcdefghijklmnopqrstuvwx", "looks like a key"),
        ("resume=outputs/nothing", "is not a run folder"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(outputs: Path, override: str, message: str) -> None:
    done = run(*override.split(), outputs=outputs)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "abcdefghijklmnop" not in done.stderr


def test_a_mistake_in_one_job_of_a_sweep_leaves_the_others(outputs: Path) -> None:
    done = run("-m", "pipeline=zero_shot", "limit=1,0", outputs=outputs)
    assert done.returncode == 2
    assert "limit=0" in done.stderr
    assert len(list((outputs / "sweeps").rglob("predictions.csv"))) == 1


def test_a_sweep_over_all_that_match(outputs: Path) -> None:
    done = run("-m", "pipeline=glob(zero*)", "limit=1", f"hydra.sweep.dir={outputs}/all", outputs=outputs)
    assert done.returncode == 0, done.stderr
    assert [path.parent.name for path in (outputs / "all").rglob("predictions.csv")] == ["0-zero_shot"]


def test_a_run_folder_is_complete_and_holds_no_secret(outputs: Path) -> None:
    folder, key = outputs / "complete", {"OPENAI_API_KEY": "sk-test-this-must-not-appear"}
    done = run("pipeline=bm25", "limit=3", f"hydra.run.dir={folder}", outputs=outputs, env=key)
    assert done.returncode == 0, done.stderr
    names = {p.name for p in folder.iterdir()}
    wanted = {"predictions.csv", "submit.zip", "answers.jsonl", "scores.json", "run.yaml", "table.csv", "report.html"}
    assert wanted <= names
    first = json.loads((folder / "answers.jsonl").read_text().splitlines()[0])
    fixed = {"index", "answer", "evidence", "stop", "error", "retrieved", "usage", "seconds"}
    assert fixed <= set(first)
    assert {"document", "span", "text", "by", "score"} <= set(first["retrieved"][0])
    recipe = yaml.safe_load((folder / "run.yaml").read_text())
    assert recipe["pipeline"]["name"] == "bm25"
    assert len(recipe["meta"]["questions"]) == 16
    for path in folder.iterdir():
        assert b"this-must-not-appear" not in path.read_bytes()


def test_a_run_from_another_folder_finds_the_sample(outputs: Path, tmp_path: Path) -> None:
    assert run("pipeline=bm25", "limit=1", outputs=outputs, cwd=tmp_path).returncode == 0


def start(folder: Path, outputs: Path, *overrides: str) -> subprocess.Popen[str]:
    command = [
        sys.executable, "run.py", "pipeline=bm25", "tracker=none", f"outputs={outputs}",
        f"hydra.run.dir={folder}", "executor.workers=2", *overrides,
    ]  # fmt: skip
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_lines(path: Path, number: int, seconds: float = 60) -> None:
    due = time.monotonic() + seconds
    while time.monotonic() < due:
        if path.exists() and path.read_bytes().count(b'"answer"') >= number:
            return
        time.sleep(0.005)
    raise TimeoutError(path)


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda s: s.name)
def test_a_stopped_run_resumes_to_the_same_bytes(outputs: Path, tmp_path: Path, blow: signal.Signals) -> None:
    unbroken = outputs / "unbroken"
    if not unbroken.exists():
        assert run("pipeline=bm25", f"hydra.run.dir={unbroken}", outputs=outputs).returncode == 0
    folder = tmp_path / "broken"
    process = start(folder, outputs)
    wait_for_lines(folder / "journal.jsonl", 3)
    process.send_signal(blow)
    _, errors = process.communicate(timeout=60)
    if process.returncode == 0:
        pytest.skip("the run ended before it could be stopped")
    assert process.returncode == (-9 if blow == signal.SIGKILL else 130)
    if blow != signal.SIGKILL:
        assert f"resume='{folder}'" in errors
    settled = {json.loads(line)["index"] for line in whole_lines(folder) if '"answer"' in line}
    done = run(f"resume={folder}", outputs=outputs)
    assert done.returncode == 0, done.stderr
    assert (folder / "predictions.csv").read_bytes() == (unbroken / "predictions.csv").read_bytes()
    started = [json.loads(line).get("started") for line in whole_lines(folder)]
    asked_twice = {i for i in settled if started.count(i) > 1}
    assert asked_twice == set()


@pytest.mark.parametrize("pause", [0.0, 0.3])
def test_an_impatient_person_presses_twice(outputs: Path, tmp_path: Path, pause: float) -> None:
    folder = tmp_path / "broken"
    process = start(folder, outputs)
    wait_for_lines(folder / "journal.jsonl", 1)
    process.send_signal(signal.SIGINT)
    time.sleep(pause)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors


def whole_lines(folder: Path) -> list[str]:
    data = (folder / "journal.jsonl").read_bytes()
    return data[: data.rfind(b"\n") + 1].decode().splitlines()


def test_resume_refuses_another_recipe_or_other_questions(outputs: Path, tmp_path: Path) -> None:
    questions = tmp_path / "q.csv"
    questions.write_text("index,problem\n1,鐘を鋳たのは誰か。\n", encoding="utf-8")
    folder = tmp_path / "run"
    first = run("pipeline=bm25", f"questions.path={questions}", f"hydra.run.dir={folder}", outputs=outputs)
    assert first.returncode == 0, first.stderr
    again = run("pipeline=vector", f"questions.path={questions}", f"hydra.run.dir={folder}", outputs=outputs)
    assert (again.returncode, "holds a run already; resume it" in again.stderr) == (2, True)
    same = run(
        f"resume={folder}", "pipeline=bm25", f"questions.path={questions}", "executor.workers=3", outputs=outputs
    )
    assert same.returncode == 0, same.stderr
    (folder / "journal.jsonl").unlink()  # as if it had been killed before its first question
    for _ in range(2):
        assert run(f"resume={folder}", outputs=outputs).returncode == 0
    other = run(f"resume={folder}", "pipeline.k=3", outputs=outputs)
    assert (other.returncode, "'pipeline.k' cannot change" in other.stderr) == (2, True)
    questions.write_text("index,problem\n1,鐘を鋳たのはどこか。\n", encoding="utf-8")
    changed = run(f"resume={folder}", outputs=outputs)
    assert (changed.returncode, "the questions changed" in changed.stderr) == (2, True)


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    blocked = tmp_path / "outputs"
    blocked.write_text("a file where a folder should be")
    done = run("pipeline=bm25", "limit=1", f"hydra.run.dir={tmp_path}/run", outputs=blocked)
    assert done.returncode == 4, done.stderr


def test_two_runs_cannot_have_one_folder_not_even_before_the_first_question(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with claimed(folder), pytest.raises(StorageError, match="is being written by another run"), claimed(folder):
        pass
    with claimed(folder):
        pass


@pytest.mark.parametrize(
    "words",
    [
        ["--cfg", "job", "pipeline=fusion"],
        ["pipeline=fusion", "--cfg=job"],
        ["-c", "job", "-cn", "config", "pipeline=fusion"],
    ],
)
def test_the_config_is_shown_in_every_form_of_the_flag(tmp_path: Path, words: list[str]) -> None:
    done = run(*words, outputs=tmp_path)
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load(done.stdout)["pipeline"]["_target_"] == "rag1.pipelines.fusion.Fusion"


def test_a_part_of_the_config_and_hydras_own_pages(tmp_path: Path) -> None:
    part = run("--cfg", "job", "--package", "reader", "--resolve", outputs=tmp_path)
    assert (part.returncode, "rag1.answer.reader.Reader" in part.stdout) == (0, True), part.stderr
    info = run("--info", "defaults", "pipeline=bm25", outputs=tmp_path)
    assert (info.returncode, "pipeline/bm25" in info.stdout) == (0, True), info.stderr
    wrong = run("--config-name", "confg", outputs=tmp_path)
    assert (wrong.returncode, "Traceback" in wrong.stderr) == (2, False)
    assert "confg" in wrong.stderr


def test_another_folder_of_configs_is_looked_in_first(tmp_path: Path) -> None:
    (tmp_path / "mine" / "pipeline").mkdir(parents=True)
    text = (ROOT / "conf" / "pipeline" / "zero_shot.yaml").read_text(encoding="utf-8")
    (tmp_path / "mine" / "pipeline" / "my_own.yaml").write_text(text, encoding="utf-8")
    done = run("--config-dir", "mine", "pipeline=my_own", "limit=1", outputs=tmp_path / "o", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    wrong = run("--config-dir", "nowhere", "pipeline=my_own", outputs=tmp_path / "o", cwd=tmp_path)
    assert (wrong.returncode, "--config-dir=nowhere is not a folder" in wrong.stderr) == (2, True)
