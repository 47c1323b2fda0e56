"""Draws the knowledge graph of a corpus, or one entity's neighbourhood, as .png or as a page for the browser (.html).

    python scripts/plot_graph.py corpus=sample graph=falkordb out=outputs/graph.html
    python scripts/plot_graph.py corpus=sample entity=桃太郎 hops=2 limit=80 out=outputs/momotaro.png

Settings are those of run.py and scripts/build_graph.py; a graph that is not there yet is built first. `limit` is the
number of facts (150). The PNG needs the extra `plot`. Exit codes: 0 drawn, 2 bad input, 3 provider, 4 storage, 5 graph.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from rag1.app.cli import CONF, register_resolvers
from rag1.app.jobs import INTERRUPTED
from rag1.app.names import composed
from rag1.app.recipe import refuse_secrets
from rag1.build import Workshop
from rag1.errors import ConfigError, Rag1Error
from rag1.graph import plot

OURS = {"entity": "", "hops": "1", "limit": "150", "out": "outputs/graph.html"}


def main(arguments: Sequence[str]) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    if {"-h", "--help"} & set(arguments):
        print(__doc__)
        return 0
    register_resolvers()
    given = {a.partition("=")[0]: a.partition("=")[2] for a in arguments if a.partition("=")[0] in OURS}
    try:
        path = draw([a for a in arguments if a.partition("=")[0] not in OURS], {**OURS, **given})
    except Rag1Error as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    print(path)
    return 0


def draw(overrides: Sequence[str], ours: dict[str, str]) -> Path:
    refuse_secrets(overrides)
    hops, limit = (_count(name, ours[name], most) for name, most in (("hops", 5), ("limit", 2000)))
    store = Workshop()(composed(CONF, overrides).knowledge)
    try:
        facts = plot.facts_to_draw(store, ours["entity"], hops, limit)
    finally:
        store.close()
    return plot.write(facts, Path(ours["out"]), ours["entity"])


def _count(name: str, text: str, most: int) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise ConfigError(f"{name}={text} is not a number from 1 to {most}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
