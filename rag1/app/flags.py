"""Hydra's own flags among the overrides: `--cfg job pipeline=fusion`, `pipeline=bm25,vector -m`, `--config-name=mine`.

Hydra's parser wants the overrides in one piece, and takes what follows `--info` for its value. Here the flags may stand
anywhere, with their values behind a space or `=`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

VALUED = {
    "-c": "--cfg",
    "-p": "--package",
    "-cp": "--config-path",
    "-cn": "--config-name",
    "-cd": "--config-dir",
    "--experimental-rerun": "--experimental-rerun",
}
INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """`flags`, each one word (`--cfg=job`), and `overrides`, both in their order."""

    flags: tuple[str, ...]
    overrides: tuple[str, ...]

    def value(self, flag: str) -> str:
        """The value of a flag by its long name; "" where it is not given."""
        return next((word.partition("=")[2] for word in self.flags if word.startswith(f"{flag}=")), "")

    def words(self, *without: str) -> list[str]:
        """As Hydra's parser wants them; flags `without` are left out."""
        return [*(word for word in self.flags if word.partition("=")[0] not in without), *self.overrides]


def read_command_line(arguments: Sequence[str]) -> CommandLine:
    """Tells flags from overrides. A word that is neither is left to Hydra, which names it."""
    waiting = deque(arguments)
    flags: list[str] = []
    overrides: list[str] = []
    while waiting:
        word = waiting.popleft()
        name, mark, value = word.partition("=")
        name = VALUED.get(name, name)
        if not word.startswith("-"):
            overrides.append(word)
        elif name in VALUED.values() and (mark or waiting):
            flags.append(f"{name}={value if mark else waiting.popleft()}")
        elif word in ("--info", "-i"):
            flags.append(f"--info={waiting.popleft() if waiting and waiting[0] in INFO else 'all'}")
        else:
            flags.append(word)
    return CommandLine(tuple(flags), tuple(overrides))
