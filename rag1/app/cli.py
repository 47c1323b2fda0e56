"""The command line around Hydra: faults in one line, exit codes, resume, sweeps.

Exit codes: 0 complete, 1 some questions failed or a budget is spent, 2 bad input, 3 provider, 4 storage, 5 graph,
130 interrupted.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

import hydra
from omegaconf import OmegaConf
from rich.console import Console

from rag1.app.finish import shortest
from rag1.app.flags import CommandLine, read_command_line
from rag1.app.jobs import INTERRUPTED, Jobs, told
from rag1.app.names import Overrides
from rag1.app.recipe import read_recipe, refuse_secrets
from rag1.errors import InputError, Rag1Error, StorageError
from rag1.llm.address import export_dotenv
from rag1.report.comparison import compare_runs, print_comparison, write_comparison
from rag1.run.batch import WORKER

ROOT = Path(__file__).resolve().parents[2]
CONF = ROOT / "conf"
WRITTEN = ("outputs", "hydra.run.dir", "hydra.sweep.dir")


def register_resolvers() -> None:
    """`${root:}`: the project's folder, so that its own data is found from wherever the command is given.
    `${context_limit:N}`: how much evidence fits a context window of N tokens. `${at_least:A,B}`: the greater number.
    `${oc.env:NAME}` finds what stands in `.env`.
    """
    export_dotenv()
    OmegaConf.register_new_resolver("root", lambda: str(ROOT), replace=True)
    OmegaConf.register_new_resolver("context_limit", context_limit, replace=True)
    OmegaConf.register_new_resolver("at_least", max, replace=True)


def context_limit(window: int | None) -> int:
    """o200k tokens of evidence a question: three fifths of a model's context window, 24,000 where none is stated.

    The rest is for the prompt, the answer, and for tokenizers that need more tokens than o200k does.
    """
    return 24_000 if window is None else window * 3 // 5


def main(arguments: Sequence[str]) -> int:
    """Runs what the command line asks for and gives the exit code."""
    register_resolvers()
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, _interrupt)
    logging.raiseExceptions = False  # on a full disk every line for run.log would show a traceback
    given = read_command_line(arguments)
    try:
        refuse_secrets(given.overrides)
        overrides = _overrides(given)
        overrides.check()
        resume = _resume_folder(given.overrides)
        check_writable([*given.overrides, *resume])
        jobs = Jobs(overrides.globbed)
    except Rag1Error as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    sys.argv[1:] = [*given.words("--config-path", "--config-name"), *resume]
    code = 0
    try:
        hydra.main(version_base="1.3", config_path=str(overrides.conf), config_name=overrides.name)(
            lambda config: jobs(config)
        )()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except KeyboardInterrupt:  # out of a sweep: its other jobs are not begun
        return INTERRUPTED
    _compare([one.folder for one in jobs.ended if one.code in (0, 1)])
    return max(code, told(jobs.ended))


def _overrides(given: CommandLine) -> Overrides:
    """Folders of configs are named as seen from here, not from a file of ours. Raises InputError where one is none."""
    for flag in ("--config-path", "--config-dir"):
        if (folder := given.value(flag)) and not Path(folder).is_dir():
            raise InputError(f"{flag}={folder} is not a folder; name one that holds yaml files as conf/ does")
    also = given.value("--config-dir")
    return Overrides(
        given.overrides,
        Path(given.value("--config-path") or CONF).absolute(),
        given.value("--config-name").removesuffix(".yaml") or "config",
        Path(also).absolute() if also else None,
        multirun=any(word in ("-m", "--multirun") or word.startswith("hydra.mode=") for word in given.words()),
    )


def leave(code: int) -> NoReturn:
    """Ends the process with `code`, at once where a question is still in hand: interrupted, or given up as hanging.

    Python's own end would stop such a thread inside native code (a tokenizer, a matrix product), which aborts the
    process: exit code 134 instead of ours.
    """
    if any(thread.name == WORKER for thread in threading.enumerate()):
        atexit._run_exitfuncs()  # servers that we started are stopped, logs are written
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _compare(folders: Sequence[Path]) -> None:
    """At the end of a sweep: which run is better, and whether that is real."""
    scored = [folder for folder in folders if has_scores(folder)]
    if len(scored) < 2:
        return
    found = compare_runs(scored)
    print_comparison(found, Console(width=max(100, Console().width)))
    for path in write_comparison(found, scored[0].parent / "comparison"):
        print(shortest(path))


def check_writable(overrides: Sequence[str]) -> None:
    """Raises StorageError where the outputs or the run's folder could not be made: Hydra would show its traceback."""
    named = {name: value.strip("'\"") for name, _, value in (o.partition("=") for o in overrides) if name in WRITTEN}
    for name, value in {"outputs": "outputs", **named}.items():
        path = Path(value).absolute()
        there = next(one for one in (path, *path.parents) if one.exists())
        if "${" not in value and not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
            raise StorageError(f"{name}={value}: {there} is no folder that can be written; name another one")


def _resume_folder(overrides: Sequence[str]) -> list[str]:
    """A resumed run writes into its own folder, its log too. Raises InputError where that holds no run."""
    folder = next((o.partition("=")[2].strip("'\"") for o in overrides if o.startswith("resume=")), "")
    if not folder or folder == "null":
        return []
    read_recipe(folder)
    return [f"hydra.run.dir='{folder}'"]


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """The first press ends the run in order; a second one ends it at once: what is answered is on disk already."""
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, lambda *_: os._exit(INTERRUPTED))
    raise KeyboardInterrupt


def has_scores(folder: Path) -> bool:
    """True when the run was scored against gold."""
    path = folder / "scores.json"
    return path.is_file() and bool(json.loads(path.read_text(encoding="utf-8"))["rows"])
