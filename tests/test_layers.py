"""A room imports only rooms to its left: held over every import of the package, lazy ones included."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

# fmt: off
ORDER = [
    "types", "errors", "artifacts", "build", "text", "corpus", "chunk", "llm", "embed", "index", "graph",
    "cypher", "retrieve", "fuse", "route", "answer", "pipelines", "run", "score", "report", "app",
]
# fmt: on

FILES = sorted((Path(__file__).resolve().parents[1] / "rag1").rglob("*.py"))


def room(path: Path) -> str:
    """`rag1/text/numbers.py` → text; `rag1/types.py` → types."""
    parts = path.relative_to(path.parents[[p.name for p in path.parents].index("rag1")]).parts
    return parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The rooms of ours that a file imports, imports inside functions included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "rag1" else [f"rag1.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("rag1.")}
    return found


@pytest.mark.parametrize(
    "path", [f for f in FILES if f.name != "__init__.py"], ids=lambda p: f"{p.parent.name}/{p.name}"
)
def test_imports_go_left(path: Path) -> None:
    own = room(path)
    assert own in ORDER, f"{own} has no place in the order of rooms"
    later = {name for name in imported(path) if name in ORDER and ORDER.index(name) > ORDER.index(own)}
    assert not later, f"{own} imports {', '.join(sorted(later))}, which stand to its right"


def test_types_import_nothing_of_ours() -> None:
    assert imported(next(f for f in FILES if f.name == "types.py" and f.parent.name == "rag1")) == set()
