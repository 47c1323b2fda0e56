"""Japanese text as the rules see it: words with offsets, sentences, noun phrases and quoted strings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag1.text.sentences import sentences as sentence_spans
from rag1.text.tokenize import Morpheme, morphemes


class Word(Morpheme):
    """A morpheme with what the rules ask of it: `start` and `end` are character offsets into its text."""

    __slots__ = ()

    @property
    def norm(self) -> str:
        return self.normalized

    @property
    def lemma(self) -> str:
        return self.dictionary_form

    def is_a(self, *pos: str) -> bool:
        """Does the part of speech begin with these parts (`名詞`, `固有名詞` …)?"""
        return self.pos[: len(pos)] == pos

    @property
    def is_number(self) -> bool:
        return self.is_a("名詞", "数詞")

    @property
    def is_content(self) -> bool:
        """A word that carries meaning by itself: a noun, verb, adjective or number; not する, ある, こと."""
        if self.norm in LIGHT or WH.fullmatch(self.surface):
            return False
        return self.pos[0] in {"名詞", "動詞", "形容詞", "形状詞", "接尾辞", "記号"} and not self.is_a(
            "接尾辞", "動詞的"
        )


@dataclass(frozen=True, slots=True)
class Phrase:
    """A stretch of words `first` to `last` (exclusive) that reads as one noun."""

    text: str
    start: int
    end: int
    first: int
    last: int


def wordset(spaced: str) -> frozenset[str]:
    """The set of words of a space-separated list."""
    return frozenset(spaced.split())


LIGHT = wordset(
    "為る 有る 居る 成る 言う 呼ぶ 事 物 所 為 の 者 其れ 此れ 御 様 出来る 無い 因る 於く "
    "対する くださる 下さる 教える 答える 何 頃 内"
)
WH = re.compile(
    "何(?:人|年|月|日|回|度|時|歳|個|故|処)?|誰|だれ|どこ|いつ|どれ|どちら|どなた|なに|なん|なぜ|いくつ|いくら|どう|どの|どんな|どういう"
)
_JOINS = {
    "・",
    "＝",
    "=",
    "－",
    "-",
    "‐",
    "ー",
    "／",
    "/",
    "＆",
    "&",
    "〜",
    "~",
    "～",
    ".",
    "．",
    "%",
    "％",
    "+",
    "＋",
    ",",
}
_OPEN, _CLOSE = "「『“〈《【", "」』”〉》】"


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[Word, ...]:
    """The words of a text, in order."""
    return tuple(Word._make(morpheme) for morpheme in morphemes(text))


@lru_cache(maxsize=8192)
def fine_words(text: str) -> tuple[tuple[int, int, str], ...]:
    """(start, end, normalised form) of the content words in the finest cut: 国立公園 gives 国立 and 公園."""
    return tuple((w.start, w.end, w.norm) for w in map(Word._make, morphemes(text, "A")) if w.is_content)


def fine_terms(text: str) -> tuple[str, ...]:
    """The forms alone."""
    return tuple(term for _, _, term in fine_words(text))


def content_words(text: str) -> list[Word]:
    return [word for word in words(text) if word.is_content]


@lru_cache(maxsize=16384)
def fold(text: str) -> str:
    """NFKC, lower case, without spaces and punctuation: for comparing strings."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return re.sub(r"[\s、。，．,.・「」『』（）()\[\]【】〈〉《》“”\"'’‘!?！？:：;；~〜ー‐-]", "", plain)


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences without white space around them."""
    spans = []
    for start, end in sentence_spans(text):
        body = text[start:end]
        left, right = len(body) - len(body.lstrip()), len(body.rstrip())
        if left < right:
            spans.append((start + left, start + right))
    return spans


def sentence_texts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def nounlike(word: Word) -> bool:
    """May the word be part of a compound noun?"""
    if word.is_a("接尾辞", "名詞的") or word.is_a("接頭辞") or word.pos[0] in {"名詞", "記号"}:
        return True
    return word.surface in _JOINS or word.is_a("接尾辞", "形状詞的") or word.is_a("形状詞", "一般")


def noun_phrases(found: Sequence[Word], text: str) -> list[Phrase]:
    """Maximal runs of noun-like words, without joining marks at their ends."""
    phrases: list[Phrase] = []
    at = 0
    while at < len(found):
        end = at
        while end < len(found) and nounlike(found[end]):
            end += 1
        first, last = at, end
        while first < last and found[first].surface in _JOINS:
            first += 1
        while last > first and found[last - 1].surface in _JOINS - {"%", "％"}:
            last -= 1
        if first < last:
            phrases.append(phrase(found, text, first, last))
        at = max(end, at + 1)
    return phrases


def phrase(found: Sequence[Word], text: str, first: int, last: int) -> Phrase:
    start, end = found[first].start, found[last - 1].end
    return Phrase(text[start:end], start, end, first, last)


def quoted(text: str) -> list[tuple[int, int]]:
    """Spans between quotation marks, without the marks; of nested ones the outer and the inner."""
    spans: list[tuple[int, int]] = []
    stack: list[int] = []
    for at, char in enumerate(text):
        if char in _OPEN:
            stack.append(at)
        elif char in _CLOSE and stack:
            start = stack.pop() + 1
            if at > start:
                spans.append((start, at))
    return sorted(spans)
