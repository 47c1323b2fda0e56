"""Judging by rule: does an answer match the expected one, and which of several answers is the common one?"""

from __future__ import annotations

import re
from collections import Counter

from rag1.llm.rules.words import fold
from rag1.llm.tasks import JudgeAnswer, Label, PickAnswer, PickReply, Verdict
from rag1.text.normalize import normalize

_ABSTAIN = re.compile("分かりません|わかりません|不明|わからない|分からない|該当なし")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def judge_answer(task: JudgeAnswer) -> Verdict:
    """Perfect: equal after folding; Acceptable: the whole expected answer inside, or most of it; else Incorrect."""
    if not task.answer.strip() or _ABSTAIN.search(task.answer):
        return Verdict(label="Missing", reason="the answer abstains")
    gold, answer = _plain(task.ground_truth), _plain(task.answer)
    if _same(gold, answer, task.ground_truth, task.answer):
        return Verdict(label="Perfect", reason="equal after normalisation")
    strict = task.rules == "strict2026"
    return Verdict(label=_partial(gold, answer, strict), reason="compared by shared text")


def _plain(text: str) -> str:
    return re.sub("(?:です|である|だ|でした|だった)$", "", fold(normalize(text)))


def _same(gold: str, answer: str, raw_gold: str, raw_answer: str) -> bool:
    if gold == answer or _items(raw_gold) == _items(raw_answer):
        return True
    numbers = _NUMBER.findall(gold)
    bare = re.fullmatch(r"\d+(?:\.\d+)?\D{0,4}", answer)
    return bool(
        bare
        and len(numbers) == 1
        and re.fullmatch(r"\d+(?:\.\d+)?\D{0,4}", gold)
        and numbers == _NUMBER.findall(answer)
        and ("" in _units(gold, answer))
    )


def _units(*texts: str) -> set[str]:
    return {_NUMBER.sub("", text) for text in texts}


def _items(text: str) -> frozenset[str]:
    return frozenset(_plain(part) for part in re.split("[、,，・]|と(?=[^、]+$)", text) if part.strip())


def _partial(gold: str, answer: str, strict: bool) -> Label:
    if _NUMBER.findall(gold) != _NUMBER.findall(answer):
        return "Incorrect"
    if gold and gold in answer and len(answer) <= 4 * len(gold) + 10:
        return "Acceptable"
    if not strict and answer and answer in gold and len(answer) * 2 >= len(gold):
        return "Acceptable"
    return "Acceptable" if not strict and _f1(gold, answer) >= 0.75 else "Incorrect"


def _f1(gold: str, answer: str) -> float:
    common = sum((Counter(gold) & Counter(answer)).values())
    return 2 * common / (len(gold) + len(answer)) if common else 0.0


def pick_answer(task: PickAnswer) -> PickReply:
    """The first of the most frequent answers; an abstention wins only where nothing else was said."""
    votes = Counter(fold(text) for text in task.candidates if not _ABSTAIN.search(text))
    if not votes:
        return PickReply(index=0)
    best = max(votes.values())
    winners = {text for text, count in votes.items() if count == best}
    return PickReply(index=next(at for at, text in enumerate(task.candidates) if fold(text) in winners))
