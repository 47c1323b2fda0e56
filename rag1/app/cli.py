"""The command line around Hydra: faults in one line, exit codes, resume, sweeps.

Exit codes: 0 complete, 1 some questions failed or a budget is spent, 2 bad input, 3 provider, 4 storage, 5 graph,
130 interrupted.
"""

from __future__ import annotations

import atexit
import errno
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from rag1.app.finish import shortest
from rag1.app.job import Job, run_job
from rag1.app.names import check_overrides
from rag1.app.recipe import read_recipe, refuse_secrets, resumed
from rag1.errors import InputError, Rag1Error, StorageError
from rag1.report.comparison import compare_runs, print_comparison, write_comparison
from rag1.run.batch import WORKER

ROOT = Path(__file__).resolve().parents[2]
CONF = ROOT / "conf"
INTERRUPTED = 130

WRITTEN = ("outputs", "hydra.run.dir", "hydra.sweep.dir")
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
"""What a full, read-only or broken disk answers: no bug of ours."""

log = logging.getLogger("rag1")


@dataclass(frozen=True, slots=True)
class Ended:
    """A job's run folder and exit code."""

    folder: Path
    code: int


def register_resolvers() -> None:
    """`${root:}`: the project's folder, so that its own data is found from wherever the command is given.
    `${context_limit:N}`: how much evidence fits a context window of N tokens.
    """
    OmegaConf.register_new_resolver("root", lambda: str(ROOT), replace=True)
    OmegaConf.register_new_resolver("context_limit", context_limit, replace=True)


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
    overrides = [a for a in arguments if not a.startswith("-")]
    try:
        refuse_secrets(overrides)
        check_overrides(CONF, overrides)
        resume = _resume_folder(overrides)
        check_writable([*overrides, *resume])
    except Rag1Error as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    ended: list[Ended] = []
    # Hydra's parser takes the overrides in one piece: `pipeline=bm25 -m limit=1,2` would be refused as it stands.
    sys.argv[1:] = [*sorted(arguments, key=lambda a: a not in ("-m", "--multirun")), *resume]
    code = 0
    try:
        hydra.main(version_base="1.3", config_path=str(CONF), config_name="config")(
            lambda config: ended.append(_task(config))
        )()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except KeyboardInterrupt:  # out of a sweep: its other jobs are not begun
        return INTERRUPTED
    _compare([one.folder for one in ended if one.code in (0, 1)])
    return max([code, *(one.code for one in ended)])


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


def _task(config: DictConfig) -> Ended:
    return Ended(Path(HydraConfig.get().runtime.output_dir), _code(config))


def _code(config: DictConfig) -> int:
    """One job. A fault of ours is one line and a code: in a sweep the other jobs go on."""
    try:
        return run_job(_job(config))
    except Rag1Error as error:
        _say(str(error), resumable=not isinstance(error, InputError))
        return error.exit_code
    except OSError as error:
        if error.errno not in DISK:
            raise
        _say(f"{error.filename or 'the disk'}: {error.strerror}; make room, or name another folder")
        return StorageError.exit_code
    except KeyboardInterrupt:
        _say("interrupted")
        if HydraConfig.get().mode == RunMode.MULTIRUN:
            raise
        return INTERRUPTED


def _job(config: DictConfig) -> Job:
    settings = HydraConfig.get()
    folder = Path(settings.runtime.output_dir)
    sweep = settings.sweep.dir if settings.mode == RunMode.MULTIRUN else ""
    if config.resume:
        kept = resumed(str(config.resume), list(settings.overrides.task), config)
        return Job(kept, folder, str(kept.meta.pipeline), sweep, resumes=True)
    return Job(config, folder, settings.runtime.choices["pipeline"], sweep)


def _say(message: str, resumable: bool = True) -> None:
    """One line of what stopped the run and, once there is something to go on with, how to go on."""
    log.error(message)
    folder = Path(HydraConfig.get().runtime.output_dir)
    if resumable and (folder / "journal.jsonl").exists():
        log.error("what is answered is kept; go on with: python run.py resume='%s'", folder)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """The first press ends the run in order; a second one ends it at once: what is answered is on disk already."""
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, lambda *_: os._exit(INTERRUPTED))
    raise KeyboardInterrupt


def has_scores(folder: Path) -> bool:
    """True when the run was scored against gold."""
    path = folder / "scores.json"
    return path.is_file() and bool(json.loads(path.read_text(encoding="utf-8"))["rows"])
