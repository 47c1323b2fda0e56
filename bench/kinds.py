"""The question-type classifier against the kinds that gold names: one confusion matrix a set; needs no corpus.

    python bench/kinds.py [--count]

Rows are gold, columns what the rules say. false_premise and unanswerable are no wordings: the classifier cannot say
them, and they are left out of the share. --count: the same for "is a count asked for that can be made exactly?"
(`read_count_question`), against gold's counting questions.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rag1.corpus.questions import read_golds, read_questions  # noqa: E402
from rag1.llm.offline import OfflineLlm  # noqa: E402
from rag1.llm.tasks import ClassifyQuestion  # noqa: E402
from rag1.retrieve.count_question import read_count_question  # noqa: E402

SETS = {"sample": ROOT / "data/sample/questions.csv", "novels": ROOT / "bench/novels/questions.csv"}
UNSAID = ("false_premise", "unanswerable")
Pair = tuple[str, str, str]
"""Question, gold kind, the kind that the rules say."""


def classified(questions: Path) -> list[Pair]:
    llm = OfflineLlm()
    queries = read_questions(str(questions))
    golds = {gold.query_id: gold for gold in read_golds(str(questions.with_name("gold.csv")), queries)}
    return [(q.text, golds[q.id].kind, llm(ClassifyQuestion(question=q.text)).kind) for q in queries if q.id in golds]


def matrix(pairs: Sequence[Pair]) -> list[str]:
    cells = Counter((gold, said) for _, gold, said in pairs)
    rows = sorted({gold for _, gold, _ in pairs}, key=lambda kind: (kind in UNSAID, kind))
    columns = sorted({said for _, _, said in pairs})
    lines = ["| gold \\ said | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for row in rows:
        lines.append(f"| {row} | " + " | ".join(str(cells[row, column] or "") for column in columns) + " |")
    return lines


def counts(pairs: Sequence[Pair]) -> str:
    read = [(gold == "counting", read_count_question(text, loose=True) is not None) for text, gold, _ in pairs]
    table = Counter(read)
    return (
        f"counting and read: {table[True, True]}, counting and left alone: {table[True, False]}, "
        f"other but read: {table[False, True]}, other and left alone: {table[False, False]}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", action="store_true")
    args = parser.parse_args()
    for name, questions in SETS.items():
        pairs = classified(questions)
        said = [gold == kind for _, gold, kind in pairs if gold not in UNSAID]
        print(f"\n{name}: {sum(said)} of {len(said)} right ({sum(said) / len(said):.0%})\n")
        print("\n".join(matrix(pairs)))
        if args.count:
            print(f"\n{counts(pairs)}")


if __name__ == "__main__":
    main()
