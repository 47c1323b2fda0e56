"""The jobs of one command, as Hydra calls them: each ends with a code of its own, and in a sweep the others go on."""

from __future__ import annotations

import errno
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from rag1.app.job import Job, run_job
from rag1.app.recipe import resumed
from rag1.errors import InputError, Rag1Error, StorageError, Unavailable

INTERRUPTED = 130
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
"""What a full, read-only or broken disk answers: no bug of ours."""

log = logging.getLogger("rag1")


@dataclass(frozen=True, slots=True)
class Ended:
    """A job's run folder and exit code; `skipped`: what it would have needed, where it was not begun."""

    folder: Path
    code: int
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Jobs:
    """Hydra's task. `globbed`: roles of which a pattern chose, not a name; `shared`: what the jobs have in common."""

    globbed: frozenset[str] = frozenset()
    ended: list[Ended] = field(default_factory=list)
    shared: dict[str, Any] = field(default_factory=dict)

    def __call__(self, config: DictConfig) -> None:
        self.ended.append(self._ended(config, Path(HydraConfig.get().runtime.output_dir)))

    def _ended(self, config: DictConfig, folder: Path) -> Ended:
        """A fault of ours is one line and a code. What only a pattern matched and cannot run here is skipped."""
        try:
            return Ended(folder, run_job(self._job(config, folder)))
        except Rag1Error as error:
            if isinstance(error, Unavailable) and self.globbed.intersection(error.roles):
                log.warning("skipped: %s", error)
                return Ended(folder, 0, str(error))
            _say(str(error), folder, resumable=not isinstance(error, InputError))
            if config.resume and type(error) is InputError:
                log.warning("where its files were named as seen from another folder, resume the run from there")
            self.shared.clear()  # a store that was lost is opened anew by the next job
            return Ended(folder, error.exit_code)
        except OmegaConfBaseException as error:  # a setting that was taken away, or refers to one that is not there
            _say(f"the config lacks what a run needs: {str(error).splitlines()[0]}", folder, resumable=False)
            return Ended(folder, InputError.exit_code)
        except OSError as error:
            if error.errno not in DISK:
                raise
            _say(f"{error.filename or 'the disk'}: {error.strerror}; make room, or name another folder", folder)
            return Ended(folder, StorageError.exit_code)
        except KeyboardInterrupt:
            _say("interrupted", folder)
            if HydraConfig.get().mode == RunMode.MULTIRUN:
                raise
            return Ended(folder, INTERRUPTED)

    def _job(self, config: DictConfig, folder: Path) -> Job:
        settings = HydraConfig.get()
        sweep = settings.sweep.dir if settings.mode == RunMode.MULTIRUN else ""
        if config.resume:
            kept = resumed(str(config.resume), list(settings.overrides.task), config)
            return Job(kept, folder, str(kept.meta.pipeline), sweep, resumes=True, shared=self.shared)
        return Job(config, folder, settings.runtime.choices["pipeline"], sweep, shared=self.shared)


def _say(message: str, folder: Path, resumable: bool = True) -> None:
    """One line of what stopped the run and, once there is something to go on with, how to go on."""
    log.error(message)
    if resumable and (folder / "journal.jsonl").exists():
        log.error("what is answered is kept; go on with: python run.py resume='%s'", folder)


def told(ended: Sequence[Ended]) -> int:
    """Prints what was skipped and why, and gives the highest exit code: 2 where nothing of a sweep could run."""
    skipped = [one for one in ended if one.skipped]
    if skipped:
        print(f"skipped {len(skipped)} of {len(ended)} jobs: what they need is not here")
    for one in skipped:
        print(f"  {one.folder.name}: {one.skipped}")
    if skipped and len(skipped) == len(ended):
        return InputError.exit_code
    return max((one.code for one in ended), default=0)
