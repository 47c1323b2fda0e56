"""What family prose tells of persons beside their kin: graves, birthplaces, trades, offices and the like.

Each noun chunk of a sentence is taken for a value of one class or of none (softmax), then for somebody's value
(`family_features.of_owner`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag1.llm.rules.family_features import of_owner
from rag1.llm.rules.family_items import Item
from rag1.llm.rules.family_state import Scene, State
from rag1.llm.rules.linear import Linear, softmax

CLASSES = ("", "墓所", "生まれ", "職業", "役職", "住居", "号", "作品", "没地", "店")
LEAST = 0.4
"""The probability from which a chunk is taken for a value."""
_BURIED = re.compile("葬|眠|墓|埋|納骨|骨|菩提|弔")
_BORN = re.compile("生まれ|生ま|出身|出の|産|生地|の出")
_VERB_WITHIN = 8


@dataclass(frozen=True, slots=True)
class Value:
    """`owner` has `text` as his `relation`, told in sentence number `at`, with the probability of both."""

    at: int
    owner: str
    relation: str
    text: str
    chance: float


def chunks(found: Sequence[Item]) -> list[tuple[int, int]]:
    """First and last item of each run of nouns."""
    runs: list[tuple[int, int]] = []
    for at, item in enumerate(found):
        if item.kind != "noun":
            continue
        if runs and runs[-1][1] == at - 1:
            runs[-1] = (runs[-1][0], at)
        else:
            runs.append((at, at))
    return runs


def text_of(found: Sequence[Item], chunk: tuple[int, int]) -> str:
    return "".join(item.text for item in found[chunk[0] : chunk[1] + 1])


def verb_behind(found: Sequence[Item], last: int, within: int = _VERB_WITHIN) -> str:
    return next((item.lemma for item in found[last + 1 : last + 1 + within] if item.kind == "verb"), "-")


def of_chunk(found: Sequence[Item], chunk: tuple[int, int], sentence: str) -> list[str]:
    """Features of a chunk: its end, what stands around it, the verb behind it."""
    first, last = chunk
    text, end = text_of(found, chunk), text_of(found, chunk)[-1:]
    before, behind = _word(found, first - 1), _word(found, last + 1)
    behind2, verb, near = _word(found, last + 2), verb_behind(found, last), verb_behind(found, last, 3)
    noun = next((item.text for item in found[last + 1 : last + 6] if item.kind == "noun"), "-")
    rest = sentence[found[last].end : found[last].end + 8]
    return [
        *("0", f"e1={end}", f"e2={text[-2:]}", f"e3={text[-3:]}", f"t={text}", f"l={min(len(text), 6)}"),
        *(
            f"b1={text[:1]}",
            f"w={found[last].text}",
            f"w1={found[first].text}",
            f"n1={behind}",
            f"n2={behind} {behind2}",
        ),
        *(f"n3={behind} {behind2} {_word(found, last + 3)}", f"p1={before}", f"p2={_word(found, first - 2)} {before}"),
        *(
            f"v={verb}",
            f"vn={near}",
            f"n1v={behind}{near}",
            f"e1n={end}{behind}",
            f"e1v={end}{verb}",
            f"e1vn={end}{near}",
        ),
        *(f"e1p={end}{before}", f"nn={noun}", f"e1nn={end}{noun}", f"pn={before}|{behind}", f"e2n={text[-2:]}{behind}"),
        *(
            f"gr={bool(_BURIED.search(sentence))}{end}",
            f"bo={bool(_BORN.search(rest))}",
            f"bo2={bool(_BORN.search(rest))}{end}",
        ),
        f"gr2={bool(_BURIED.search(sentence[found[first].start :]))}{end in set('寺院庵堂社')}",
        f"P={_word(found, last + 1) == 'person'}",
        f"quoted={sentence[found[first].start - 1 : found[first].start]}",
    ]


def _word(found: Sequence[Item], at: int) -> str:
    """How a neighbour reads: verbs by their lemma, short nouns and small words as written, persons and kin by kind."""
    if not 0 <= at < len(found):
        return "$"
    item = found[at]
    if item.kind in {"person", "kin"}:
        return "person" if item.kind == "person" else item.key
    if item.kind == "verb":
        return f"V{item.lemma}"
    return (f"N{item.text}" if len(item.text) < 4 else "N") if item.kind == "noun" else item.text


def values_of(found: Sequence[Item], sentence: str, state: State, kinds: Linear, owners: Linear) -> Iterator[Value]:
    """The values that a sentence tells."""
    for chunk in chunks(found):
        chances = softmax(kinds.scores(of_chunk(found, chunk, sentence)))
        best = max(range(1, len(CLASSES)), key=lambda at: chances[at])
        if chances[best] < LEAST:
            continue
        relation = CLASSES[best]
        rows = of_owner(Scene(found, *chunk, state), relation, verb_behind(found, chunk[1]))
        if rows:
            own = softmax([owners.score(features) for _, features in rows])
            at = max(range(len(rows)), key=lambda row: own[row])
            yield Value(state.sentence, rows[at][0], relation, text_of(found, chunk), chances[best] * own[at])
