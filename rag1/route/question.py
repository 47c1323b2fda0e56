"""A question's own words: what it says of its document, without the words that only ask."""

from __future__ import annotations

import re
from functools import lru_cache

from rag1.llm.rules.names import names_in
from rag1.llm.rules.words import wordset
from rag1.text.tokenize import morphemes

_ASKING = wordset(
    "為る 有る 居る 成る 言う 呼ぶ 事 物 所 為 の 者 様 出来る 無い 因る 於く 対する 下さる 教える 答える "
    "述べる 挙げる 選ぶ 何 頃 内 其々 何れ 幾つ 全部 全て 計算 名 理由 問い 質問 次 以下 "
    "小説 物語 作品 作中 文中 本文 話 登場 回 箇所"
)
"""Normalised forms of words that a question has as a question, or as one about a text."""

_FUNCTIONAL = frozenset({"代名詞", "副詞", "連体詞", "感動詞"})
_ASKS = re.compile("何|誰|どこ|どれ|どの|いつ|いくつ|なぜ|どう")


@lru_cache(maxsize=4096)
def question_terms(text: str) -> tuple[str, ...]:
    """Normalised content words in the finest cut (Sudachi A), each once, in order: what a document can answer to."""
    return tuple(
        dict.fromkeys(
            m.normalized
            for m in morphemes(text, "A")
            if m.is_content_word
            and m.pos[0] not in _FUNCTIONAL
            and m.pos[1] != "非自立可能"
            and m.normalized not in _ASKING
            and not _ASKS.match(m.surface)
        )
    )


@lru_cache(maxsize=4096)
def question_names(text: str) -> tuple[str, ...]:
    """Quoted strings, proper nouns and compounds of two characters or more, as written."""
    return tuple(name for name in names_in(text) if len(name) > 1 and not _ASKS.match(name))
