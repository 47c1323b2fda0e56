"""run.yaml: the recipe of a run, as it was composed. Interpolations stay unresolved, so no key is ever in it."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

import rag1
from rag1.errors import ConfigError, InputError
from rag1.text.secrets import is_secret

RECIPE = "run.yaml"
RESUMABLE = (
    "executor",
    "outputs",
    "artifacts",
    "cache_dir",
    "budget",
    "limit",
    "tracker",
    "llm.max_in_flight",
    "llm.rpm",
    "llm.tpm",
    "llm.patience",
)
"""Settings that a resumed run may change: none of them changes an answer."""


def refuse_secrets(overrides: Sequence[str]) -> None:
    """Raises ConfigError when an override looks like a key: overrides end in logs, folder names and histories."""
    for override in overrides:
        name, _, value = override.partition("=")
        if is_secret(name, value.strip("'\"")):
            raise ConfigError(f"{name}=… looks like a key; put it in an environment variable or .env and name that")


def write_recipe(config: DictConfig, facts: Mapping[str, Any], folder: Path) -> Path:
    """Writes the config, unresolved, and `meta`: version, commit, time, fingerprints of the inputs."""
    folder.mkdir(parents=True, exist_ok=True)
    meta = {"version": rag1.__version__, "commit": git_commit(), "started": now(), **facts}
    text = OmegaConf.to_yaml(config, resolve=False) + OmegaConf.to_yaml({"meta": meta})
    path = folder / RECIPE
    scratch = path.with_suffix(".tmp")  # a run that is killed here must not leave half a recipe
    scratch.write_text(text, encoding="utf-8")
    os.replace(scratch, path)
    return path


def read_recipe(folder: str) -> DictConfig:
    """The recipe of a run folder."""
    path = Path(folder) / RECIPE
    if not path.is_file():
        raise InputError(f"{folder!r} is not a run folder: it holds no {RECIPE}")
    try:
        loaded = OmegaConf.load(path)
    except (OSError, ValueError, YAMLError, OmegaConfBaseException) as error:
        raise InputError(f"{path} cannot be read: {' '.join(str(error).split())}; start a new run") from error
    if not isinstance(loaded, DictConfig) or "pipeline" not in (loaded.get("meta") or {}):
        raise InputError(f"{path} is no recipe of a run: it names no meta.pipeline; start a new run")
    return loaded


def resumed(folder: str, overrides: Sequence[str], given: DictConfig) -> DictConfig:
    """The recipe of `folder` with those overrides that change no answer.

    `given` is what the overrides were composed to. One that says what the recipe says already is no change; any
    other is refused with ConfigError.
    """
    config = read_recipe(folder)
    kept, wanted = (OmegaConf.to_container(one, resolve=False) for one in (config, given))
    for override in overrides:
        group, _, package = override.lstrip("+~").partition("=")[0].partition("@")
        name = package or group.replace("/", ".")
        value = _at(wanted, name)
        if name == "resume" or value == _at(kept, name):
            continue
        if not any(f"{name}.".startswith(f"{free}.") for free in RESUMABLE):
            raise ConfigError(f"resume keeps the recipe of {folder}: {name!r} cannot change; start a new run for that")
        OmegaConf.update(config, name, value, merge=False, force_add=True)
    return config


def _at(plain: Any, name: str) -> Any:
    for key in name.split("."):
        plain = plain.get(key) if isinstance(plain, dict) else None
    return plain


def file_fingerprint(path: str | None) -> str:
    """The first 16 hex digits of the SHA-256 of a file; empty for no file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] if path else ""


def git_commit() -> str:
    """The commit of the project, with `+` when the tree has changes; empty outside a checkout."""
    root = Path(__file__).resolve().parents[2]
    try:
        commit = _git(root, "rev-parse", "--short=12", "HEAD")
        return commit + ("+" if _git(root, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(  # noqa: S603 - our own constant arguments
        ["git", *arguments],  # noqa: S607
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
    )
    return done.stdout.strip()


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
