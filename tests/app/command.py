"""The command line as a person gives it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(
    *words: str, outputs: Path, cwd: Path = ROOT, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """`python run.py` with `words`, without a tracker. Keys of this machine are not passed on; `env` is added."""
    command = [sys.executable, str(ROOT / "run.py"), "tracker=none", f"outputs='{outputs}'", *words]
    inherited = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return subprocess.run(
        command,
        cwd=cwd,
        env={**inherited, **(env or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=280,
        check=False,
    )
