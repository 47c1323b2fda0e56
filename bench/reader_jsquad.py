"""Exact match and character F1 of the offline reader on a file in JSQuAD's format (gold paragraph given).

    python bench/reader_jsquad.py FILE [--half held_out|tuning] [--limit N]

JSQuAD (Kurihara et al., 2022, JGLUE) scores as SQuAD does (Rajpurkar et al., 2016, section 4.3), on characters
instead of words: the best value over a question's reference answers, averaged over the questions.
"""

from __future__ import annotations

import argparse
import json
import random
import string
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import AnswerFrom, Passage

SEED = 7
Example = tuple[str, str, tuple[str, ...]]
"""Paragraph, question, reference answers."""


def normalise(text: str) -> str:
    """NFKC, lower case, without white space, punctuation and quotation marks; the ・ of foreign names stays."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(char for char in folded if char == "・" or not (char.isspace() or _is_mark(char)))


def _is_mark(char: str) -> bool:
    return char in string.punctuation or unicodedata.category(char).startswith("P")


def char_f1(answer: str, gold: str) -> float:
    common = sum((Counter(answer) & Counter(gold)).values())
    return 2 * common / (len(answer) + len(gold)) if common else float(answer == gold)


def score(answer: str, golds: Sequence[str]) -> tuple[float, float]:
    """(exact match, F1), each the best over the references."""
    said, wanted = normalise(answer), [normalise(gold) for gold in golds]
    return float(said in wanted), max(char_f1(said, gold) for gold in wanted)


def examples(path: Path) -> Iterator[Example]:
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            for qa in paragraph["qas"]:
                if qa.get("answers"):
                    yield paragraph["context"], qa["question"], tuple(a["text"] for a in qa["answers"])


def half(path: Path, name: str) -> list[Example]:
    """One of two halves of the file, cut by article so that no paragraph stands in both; `whole` is all of it."""
    found = list(examples(path))
    if name == "whole":
        return found
    titles = sorted({context.split(" [SEP] ")[0] for context, _, _ in found})
    random.Random(SEED).shuffle(titles)
    tuning = set(titles[: len(titles) // 2])
    return [example for example in found if (example[0].split(" [SEP] ")[0] in tuning) == (name == "tuning")]


def passage(context: str) -> Passage:
    """`title [SEP] text` becomes a heading line above the text."""
    return Passage(id="p", text=context.replace(" [SEP] ", "\n"))


def run(found: Sequence[Example]) -> tuple[float, float, float]:
    """(EM, F1) in percent, and CPU milliseconds a question."""
    llm = OfflineLlm(abstain_below=0.0)
    exact = f1 = 0.0
    start = time.process_time()
    for context, question, golds in found:
        em, value = score(llm(AnswerFrom(question=question, context=(passage(context),))).answer, golds)
        exact, f1 = exact + em, f1 + value
    spent = 1000 * (time.process_time() - start) / max(1, len(found))
    return 100 * exact / len(found), 100 * f1 / len(found), spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--half", choices=("whole", "tuning", "held_out"), default="whole")
    parser.add_argument("--limit", type=int, default=None)
    options = parser.parse_args()
    found = half(options.file, options.half)[: options.limit]
    if not found:
        raise SystemExit(f"{options.file}: no question with an answer in it")
    exact, f1, spent = run(found)
    print(f"questions {len(found)}  EM {exact:.2f}  F1 {f1:.2f}  {spent:.1f} ms CPU a question")


if __name__ == "__main__":
    main()
