"""The build that test_build kills: a document of 30 sentences, a model call each. Arguments: endpoint, folder."""

from __future__ import annotations

import sys
from pathlib import Path

from rag1.graph.build import Recipe, get_built
from rag1.graph.compose import Composer
from rag1.graph.extract_run import Effort
from rag1.graph.extract_tasks import TypedRelations
from rag1.graph.resolve import Resolver
from tests.graph.building import client, one_sentence_chunks

COUNT = 15


def recipe(url: str, folder: Path) -> Recipe:
    """Two documents, so that two workers are at it. The client keeps no cache: only the journal saves calls."""
    texts = {name: "".join(f"{name}{n}は{name}{n + 1}の子である。" for n in range(COUNT)) for name in "ab"}
    return Recipe(one_sentence_chunks(**texts), TypedRelations(client(url, folder)), Resolver(), Composer())


if __name__ == "__main__":
    get_built(recipe(sys.argv[1], Path(sys.argv[2])), sys.argv[2], Effort(trial=2, workers=2))
    print("done", flush=True)
