"""The rule extractor's engines side by side: `python bench/rules_engines.py`.

Sudachi patterns, GiNZA's dependencies, and both, on two stories of the sample: triples, entities, CPU seconds, and how
many of the facts that the sample's chain, companion and maker questions stand on are in the resolved, composed graph.
"""

from __future__ import annotations

import time
from pathlib import Path

from rag1.chunk.chunkers import Recursive
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.corpus.load import folder
from rag1.corpus.notation import Aozora
from rag1.graph.build import unique
from rag1.graph.compose import Composer
from rag1.graph.extract_rules import Rules
from rag1.graph.merge import applied
from rag1.graph.resolve import Resolver
from tests.graph.building import Memory, said
from tests.graph.test_build import CHRONICLE

FACTS = CHRONICLE | {
    ("良念", "一緒", "おふじ"),
    ("源造", "一緒", "藤兵衛"),
    ("与茂七", "作る", "撞木の綱"),
    ("おまつ", "作る", "祝いの餅"),
    ("杉谷銀右衛門", "鋳る", "鐘"),
}


def main() -> None:
    whole = folder(str(Path(__file__).resolve().parent.parent / "data/sample/stories"), Aozora())
    corpus = Corpus(tuple(d for d in whole if d.id in {"ukaidani", "kane"}), whole.readings)
    chunks = Chunks(corpus, Recursive())
    Rules("both")(corpus["kane"], chunks.of_document["kane"][:1], Memory())  # loads what is loaded once
    for engine in ("sudachi", "ginza", "both"):
        start = time.process_time()
        rules = Rules(engine)  # type: ignore[arg-type]
        triples = unique([r for d in corpus for r in rules(d, chunks.of_document[d.id], Memory())])
        seconds = time.process_time() - start
        resolved = applied(triples, Resolver()(triples, corpus))
        found = said([*resolved, *Composer()(resolved)])
        names = len({name for t in resolved for name in (t.head, t.tail)})
        print(
            f"{engine:8} {len(triples):5} triples {names:5} entities  {len(FACTS & found)}/{len(FACTS)} facts"
            f"  {seconds:5.1f} CPU s"
        )


if __name__ == "__main__":
    main()
