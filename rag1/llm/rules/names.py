"""Names: which a question mentions, whether two mean one entity, which document they point to."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rag1.llm.rules.words import WH, Word, fold, noun_phrases, quoted, words, wordset
from rag1.llm.tasks import ExtractEntities, Names, RouteTitle, SameEntity, SameReply, TitleReply

_HONORIFIC = re.compile("(?:さん|様|さま|君|くん|ちゃん|氏|殿|先生|翁|嬢|夫人|公|卿)$")
_COMMON = wordset(
    "作者 主人公 名前 物語 小説 作品 場面 理由 原因 時 人 人物 場所 方 話 作中 文中 本文 登場人物 最初 最後 際 中 何"
)


def extract_entities(task: ExtractEntities) -> Names:
    return Names(names=tuple(names_in(task.question)))


def names_in(text: str) -> list[str]:
    """Quoted strings, proper nouns and compounds as written, in text order, without repeats."""
    spans = [(start, end) for start, end in quoted(text)]
    inside = list(spans)
    found = words(text)
    for phrase in noun_phrases(found, text):
        if any(start <= phrase.start and phrase.end <= end for start, end in inside):
            continue
        spans.extend(_parts(found[phrase.first : phrase.last]))
    names = [text[start:end] for start, end in sorted(set(spans))]
    return list(dict.fromkeys(name for name in names if name and name not in _COMMON))


def _parts(run: tuple[Word, ...]) -> Iterable[tuple[int, int]]:
    """The compound itself unless it asks, counts or is a bare common word of one character."""
    run = tuple(word for word in run if not WH.fullmatch(word.surface))
    if not run or all(
        word.is_number or word.is_a("接尾辞") or word.is_a("名詞", "普通名詞", "助数詞可能") for word in run
    ):
        return
    start, end = run[0].start, run[-1].end
    text = "".join(word.surface for word in run)
    if end - start != len(text):
        return
    yield start, end


def same_entity(task: SameEntity) -> SameReply:
    """Equal after folding, equal but for an honorific, or a family or given name inside the full name."""
    return SameReply(same=same_name(task.a, task.b))


def same_name(a: str, b: str) -> bool:
    a, b = (_HONORIFIC.sub("", fold(name)) for name in (a, b))
    if not a or not b:
        return False
    if a == b or _reading(a) == _reading(b):
        return True
    short, long = sorted((a, b), key=len)
    return len(short) >= 2 and _is_part_of_name(short, long)


def _reading(text: str) -> str:
    return "".join(word.reading or word.surface for word in words(text))


def _is_part_of_name(short: str, long: str) -> bool:
    """綱重 in 徳川綱重: both parts must look like names (東京 in 東京駅 and 銀行 in 日本銀行 do not)."""
    if long.startswith(short):
        rest = words(long.removeprefix(short))
        return bool(rest) and all(word.is_a("名詞", "固有名詞", "人名") for word in rest)
    if not long.endswith(short):
        return False
    return _has_proper_noun(long.removesuffix(short)) and any(w.is_a("名詞", "固有名詞", "人名") for w in words(short))


def _has_proper_noun(text: str) -> bool:
    return any(word.is_proper_noun for word in words(text))


def route_title(task: RouteTitle) -> TitleReply:
    """The document whose title stands in the question, or else whose names overlap it the most; a tie is None."""
    question = fold(task.question)
    for card in sorted(task.documents, key=lambda card: -len(card.title)):
        if len(fold(card.title)) >= 2 and fold(card.title) in question:
            return TitleReply(id=card.id)
    scores = sorted(((_shared(question, card.names), card.id) for card in task.documents), reverse=True)
    if not scores or scores[0][0] == 0 or (len(scores) > 1 and scores[0][0] == scores[1][0]):
        return TitleReply(id=None)
    return TitleReply(id=scores[0][1])


def _shared(question: str, names: Iterable[str]) -> int:
    return sum(len(folded) for folded in {fold(name) for name in names} if len(folded) >= 2 and folded in question)
