"""Checks a command line before any work: an unknown name gets one line with the nearest one, and exit code 2."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override, QuotedString, ValueType
from hydra.errors import HydraException, MissingConfigException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rag1.errors import ConfigError

_NON_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Overrides:
    """The overrides of a command line over the config `name` of the folder `conf`; `also`: another folder, looked in
    first. Without `multirun` no override may name several values.
    """

    words: Sequence[str]
    conf: Path
    name: str = "config"
    also: Path | None = None
    multirun: bool = True

    def check(self) -> None:
        """Composes the config for each value of each swept override; raises ConfigError on the first that fails."""
        if self.swept and not self.multirun:
            raise ConfigError(f"{self.swept[0]} names several values: add -m to run each, or quote one with a comma")
        self._check_choices()
        folders = [f"hydra.searchpath=['{self.also}']"] if self.also else []
        for one in self._expanded():
            composed(self.conf, [*folders, *one], self.name)

    @property
    def swept(self) -> list[str]:
        return [word for word in self.words if _parse(word).is_sweep_override()]

    @property
    def globbed(self) -> frozenset[str]:
        """The roles whose choices are all that match a pattern: nobody asked for each of them by name."""
        parsed = [_parse(word) for word in self.words]
        return frozenset(o.key_or_group for o in parsed if o.value_type == ValueType.GLOB_CHOICE_SWEEP)

    def _expanded(self) -> Iterator[list[str]]:
        parsed = [_parse(word) for word in self.words]
        fixed = [o.input_line or "" for o in parsed if not o.is_sweep_override() and not _is_hydra(o)]
        swept = [o for o in parsed if o.is_sweep_override()]
        yield fixed
        for override in swept:
            if override.value_type == ValueType.GLOB_CHOICE_SWEEP:
                self._check_glob(override)  # gives names that exist, if any
            elif override.is_choice_sweep():
                for value in override.sweep_string_iterator():
                    yield [*fixed, f"{override.get_key_element()}={value}"]

    def _choices(self, role: str) -> list[str]:
        folders = [folder / role for folder in (self.conf, self.also) if folder]
        return sorted({path.stem for folder in folders for path in folder.glob("*.yaml")})

    def _check_choices(self) -> None:
        """A role is chosen by a name; null or a number would be Hydra's traceback."""
        for override in map(_parse, self.words):
            names = self._choices(override.key_or_group)
            fits = override.is_sweep_override() or isinstance(override.value(), str | QuotedString | list)
            if names and not fits and not override.is_delete():
                raise ConfigError(
                    f"{override.input_line}: {override.key_or_group} is chosen by name; there are: {', '.join(names)}"
                )

    def _check_glob(self, override: Override) -> None:
        names = self._choices(override.key_or_group)
        glob = override.value()
        assert isinstance(glob, Glob)
        if not glob.filter(names):
            raise ConfigError(
                f"{override.input_line}: no {override.key_or_group} is named so; there are: {', '.join(names)}"
            )


def composed(conf: Path, overrides: Sequence[str], name: str = "config") -> DictConfig:
    """The config that these overrides (none of them swept) give."""
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(conf), version_base="1.3"):
            return compose(name, list(overrides))
    except MissingConfigException as error:
        raise ConfigError(_missing(error)) from error
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(_explained(error, conf, overrides, name)) from error


def _parse(override: str) -> Override:
    try:
        return OverridesParser.create().parse_override(override)
    except HydraException as error:
        if _NON_ASCII.search(override):
            name, _, value = override.partition("=")
            raise ConfigError(f"{override!r}: Japanese needs quotes inside quotes: '{name}=\"{value}\"'") from error
        raise ConfigError(f"{override!r} is not NAME=VALUE: {_first_line(error)}") from error


def _is_hydra(override: Override) -> bool:
    return override.key_or_group == "hydra" or override.key_or_group.startswith(("hydra.", "hydra/"))


def _missing(error: MissingConfigException) -> str:
    wanted = error.missing_cfg_file or ""
    role, _, name = wanted.rpartition("/")
    if not role:  # the whole config, by --config-name
        return _first_line(error)
    options = [option for option in error.options or [] if option]
    return f"no {role} named {name!r}; {_nearest(name, options)}there are: {', '.join(options)}"


def _explained(error: Exception, conf: Path, overrides: Sequence[str], name: str) -> str:
    """Hydra's first line, with the nearest key for a key that does not exist."""
    found = re.search(r"Could not override '([^']+)'", str(error))
    others = [o for o in overrides if not found or not o.startswith(found[1])]
    if not found or len(others) == len(overrides):
        return _first_line(error)
    parent, _, key = found[1].rpartition(".")
    node = composed(conf, others, name)
    if whole := _reference(node, parent):
        return f"no setting {found[1]!r} of its own: {parent} is {whole}; set {whole[2:-1]}.{key} instead"
    inner = OmegaConf.select(node, parent) if parent else node
    known = [str(k) for k in inner] if isinstance(inner, DictConfig) else []
    shown = ", ".join(k for k in known if k != "_target_")
    return f"no setting {found[1]!r}; {_nearest(key, known)}there are: {shown}"


def _reference(node: DictConfig, path: str) -> str:
    """`${reader}` where the setting is a reference to a whole other one, else ""."""
    above, _, name = path.rpartition(".")
    holder = OmegaConf.select(node, above) if above else node
    if not name or not isinstance(holder, DictConfig) or not OmegaConf.is_interpolation(holder, name):
        return ""
    value = str(OmegaConf.to_container(holder, resolve=False)[name])  # type: ignore[call-overload,index]
    return value if re.fullmatch(r"\$\{[a-z_]+\}", value) else ""


def _nearest(name: str, options: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, options, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}? " if near else ""


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
