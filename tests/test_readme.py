"""README.md does what it says: every command runs in a copy of the project; README.ja.md has the same content.

Commands that need a network, a key's owner, Docker or a long build are listed below with the reason: those of run.py
among them are composed, the others are checked against the files that they name. Figures are not compared.
"""

from __future__ import annotations

import csv
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from tests.fake_llm import FakeLlm

ROOT = Path(__file__).resolve().parents[1]
ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
JAPANESE = (ROOT / "README.ja.md").read_text(encoding="utf-8")
NOVELS = ROOT.parent / "shared" / "data" / "novels"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

COMPOSED = {
    "llm=openai": "asks a paid endpoint",
    "llm=azure": "asks a paid endpoint",
    "llm=openrouter": "asks a paid endpoint",
    "llm=langchain": "asks a paid endpoint",
    "llm=ollama": "needs Ollama's server",
    "llm=vllm": "needs vLLM's server",
    "llm=llama_cpp": "needs llama.cpp's server",
    "llm=local": "needs the extra local, and minutes",
    "corpus=html": "needs the network",
    "corpus=wikipedia": "needs the network",
    "graph=neo4j": "needs the server; tests/graph runs that store",
}
NAMED = {
    "uv run pytest": ("tests", "is this very suite"),
    "just check": ("Justfile", "is run beside this suite"),
    ".ci/run": (".ci/run", "runs this very suite"),
    "scripts/neo4j_local.sh": ("scripts/neo4j_local.sh", "fetches 120 MB; .ci/run starts it"),
    "docker compose": ("compose.yaml", "needs Docker"),
}
FEW = ["limit=4", "tracker=none"]
ONE_STORY = ['corpus.pattern="kiri.txt"', "tracker=none"]
LIGHTER = {
    "corpus=novels": ['corpus.pattern="[47].txt"', "tracker=none"],
    "sweeps/three": ["limit=20", "tracker=none"],
    "sweeps/routes": [*ONE_STORY, "limit=10"],
    "glob(*)": [*ONE_STORY, "limit=1"],
    "pipeline=routed": [*ONE_STORY, "limit=4"],
    "pipeline=agent": [*ONE_STORY, "limit=2"],
    "chunker=": [*ONE_STORY, "limit=2"],
    "experiment=": [*ONE_STORY, "limit=2"],
    "python run.py": FEW,
}
"""What is added for speed, by the first of these that a command holds; `uv run python run.py` stays as it is."""


SWEEPS = ("Many pipelines at once", "Which run to submit", "Figures")
"""Sections whose commands need those before them; the others need only those of their own lane."""


def blocks(text: str, language: str) -> list[str]:
    return [body for name, body in FENCE.findall(text) if name == language]


def section(text: str, title: str) -> str:
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def commands(text: str) -> list[str]:
    lines = "".join(blocks(text, "sh") + blocks(text, "bash")).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def first_held(command: str, table: Mapping[str, object]) -> str:
    return next((part for part in table if part in command), "")


def is_run(command: str) -> bool:
    dry = "dry_run=true" in command
    return not first_held(command, NAMED) and (dry or not first_held(command, COMPOSED))


RUN = [command for command in commands(ENGLISH) if is_run(command)]
NOT_RUN = [command for command in commands(ENGLISH) if not is_run(command)]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the README's own pipeline in it, fewer questions over the novels, and the novels."""
    folder = tmp_path_factory.mktemp("readme") / "rag1"
    folder.mkdir()
    for name in ("conf", "data", "docs", "rag1", "scripts"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "novels"))
    for name in ("run.py", "pyproject.toml", "uv.lock", "README.md", "README.ja.md"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("questions.csv", "gold.csv"):
        copy_rows(ROOT / "bench" / "novels" / name, folder / "bench" / "novels" / name, 8)
    for body in blocks(ENGLISH, "python") + blocks(ENGLISH, "yaml"):
        (folder / body.splitlines()[0].removeprefix("# ")).write_text(body, encoding="utf-8")
    if NOVELS.is_dir():
        (folder / "data" / "novels").mkdir()
        for path in NOVELS.glob("*.txt"):
            (folder / "data" / "novels" / path.name).write_bytes(path.read_bytes())
    return folder


def copy_rows(source: Path, target: Path, number: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open(encoding="utf-8", newline="") as rows, target.open("w", encoding="utf-8", newline="") as copy:
        csv.writer(copy, lineterminator="\n").writerows(itertools.islice(csv.reader(rows), number + 1))


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """The address of an OpenAI-shaped endpoint, for the command that asks one."""
    with FakeLlm() as fake:
        yield fake.base_url


def as_run(command: str, model: str) -> str:
    """The command with what makes it lighter, and with the address of the tests' endpoint."""
    command = command.replace("http://127.0.0.1:8000/v1", model)
    if "python run.py" not in command or "uv run" in command:
        return command if shutil.which("uv") else command.removeprefix("uv run ")
    if "--cfg" in command or "resume=" in command:
        return command
    return " ".join([command, *(f"'{extra}'" for extra in LIGHTER[first_held(command, LIGHTER)])])


def cannot_run(command: str) -> str:
    """Why this machine cannot run a command; empty where it can."""
    if "novels" in command and not NOVELS.is_dir():
        return "the novels of ../shared/data are not here"
    if "graph.png" in command and find_spec("matplotlib_fontja") is None:
        return "needs the extra plot"
    return ""


def run(command: str, project: Path, model: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(project),
        "UV_PROJECT_ENVIRONMENT": sys.prefix,
        "UV_NO_SYNC": "1",
        "MY_KEY": "not-a-key",
    }
    return subprocess.run(
        ["bash", "-c", as_run(command, model)],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.fixture(scope="module")
def ran(project: Path, model: str) -> dict[str, subprocess.CompletedProcess[str]]:
    """Every command, in the order of the README: the first alone, for it builds the indexes; then two at a time."""
    order = [command for command in RUN if not cannot_run(command)]
    sweeps = commands("".join(section(ENGLISH, title) for title in SWEEPS))
    lanes = [[c for c in order[1:] if c in sweeps], [c for c in order[1:] if c not in sweeps]]
    done = {order[0]: run(order[0], project, model)}
    with ThreadPoolExecutor(len(lanes)) as pool:
        for made in pool.map(lambda lane: {command: run(command, project, model) for command in lane}, lanes):
            done |= made
    return done


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("command", RUN)
def test_a_command_runs(command: str, ran: dict[str, subprocess.CompletedProcess[str]]) -> None:
    if reason := cannot_run(command):
        pytest.skip(reason)
    done = ran[command]
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", NOT_RUN)
def test_a_command_that_is_not_run_names_what_is_there(command: str) -> None:
    if name := first_held(command, NAMED):
        path = ROOT / NAMED[name][0]
        words = command.removeprefix(name).split()
        assert path.exists()
        assert all(word in path.read_text(encoding="utf-8") for word in words if word.isalpha() and path.is_file())
        return
    register_resolvers()
    program, *overrides = words_of(command)
    assert program == "run.py"
    composed(CONF, overrides)


def words_of(command: str) -> list[str]:
    """The words of a command after `python`, as a shell splits them."""
    split = subprocess.run(["bash", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True, check=True)
    return split.stdout.splitlines()[1:]


@pytest.mark.usefixtures("ran")
def test_the_commands_left_behind_what_the_readme_says(project: Path) -> None:
    for name in (
        "report.html",
        "predictions.csv",
        "submit.zip",
        "table.csv",
        "answers.jsonl",
        "scores.json",
        "run.yaml",
    ):
        assert (project / "outputs" / "runs" / "mine" / name).is_file(), name
    assert (project / "outputs" / "sweeps" / "three" / "comparison" / "comparison.html").is_file()
    assert "cytoscape" in (project / "outputs" / "graph.html").read_text(encoding="utf-8")
    for name in ("README.md", "README.ja.md"):
        made = (project / name).read_text(encoding="utf-8").partition("<!-- table: sample_kinds -->\n")[2]
        assert re.search(r"^\| `hybrid` \| -?\d+ \(-?\d+…-?\d+\) \|", made.partition("<!-- end -->")[0], re.MULTILINE)


# --- the two languages, and links --------------------------------------------------------------------------


def table_shapes(text: str) -> list[tuple[int, int]]:
    """Lines and columns of each table."""
    found = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    return [(table.count("\n"), len(re.findall(r"(?<!\\)\|", table.splitlines()[0])) - 1) for table in found]


def spans(text: str) -> list[str]:
    """What stands in backticks outside code blocks: names and settings that no translation may change."""
    return sorted(re.findall(r"`([^`\n]+)`", FENCE.sub("", text)))


def test_both_languages_have_the_same_content() -> None:
    for language in ("sh", "bash", "python", "yaml", "text"):
        assert blocks(JAPANESE, language) == blocks(ENGLISH, language)
    assert re.findall(r"^#+", FENCE.sub("", JAPANESE), re.MULTILINE) == re.findall(
        r"^#+", FENCE.sub("", ENGLISH), re.MULTILINE
    )
    assert table_shapes(JAPANESE) == table_shapes(ENGLISH)
    assert spans(JAPANESE) == spans(ENGLISH)
    for pattern in (r"<!-- .*? -->", r"\]\(([^)#]+)\)", r"^ *- ", r"^\d+\. "):
        mine, other = (
            sorted(found for found in re.findall(pattern, text, re.MULTILINE) if "README" not in found)
            for text in (JAPANESE, ENGLISH)
        )
        assert mine == other


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("text", [ENGLISH, JAPANESE], ids=["en", "ja"])
def test_links_lead_somewhere(text: str) -> None:
    slugs = {slug(heading) for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)}
    for target in re.findall(r"\]\(([^)]+)\)", FENCE.sub("", text)):
        if target.startswith("#"):
            assert target[1:] in slugs
        elif not target.startswith("http"):
            assert (ROOT / target).exists()


def test_every_choice_of_the_main_roles_is_named() -> None:
    names = set(spans(ENGLISH))
    for role in (
        "pipeline",
        "llm",
        "corpus",
        "chunker",
        "embedder",
        "router",
        "judge",
        "submission",
        "fuser",
        "windows",
    ):
        for path in (CONF / role).glob("*.yaml"):
            assert path.stem in names or path.stem == "judge", f"{role}={path.stem}"
