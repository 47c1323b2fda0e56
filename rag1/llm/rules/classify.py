"""The kind of a question, by its wording."""

from __future__ import annotations

import re

from rag1.llm.rules.question import read_question
from rag1.llm.tasks import ClassifyQuestion, KindReply, QuestionKind

_COUNTING = re.compile(
    "何(?:回|度)(?!目)[^、。]*(?:出|登場|現|書|使|言|呼|繰|述|記|言及)|"
    "(?:いくつ|幾つ|何[人名個種本匹頭軒冊つ])[^、。]*(?:登場|出て|出る|現れ|描か|書か|挙げ|言及)|回数は"
)
_ARITHMETIC = re.compile(
    "合計|合わせて|差は|何(?:年|日|歳|円|倍|か月|時間|里|銭)(?:後|前|違|離|ちが|多|少|早|遅|年上|年下)|平均|合算|総額|足し|何割|全部でいく"
)
_LIST = re.compile(
    "すべて|全て|(?<!全部で)(?:をすべて|挙げ)|列挙|[2-9二三四五六七八九](?:つ|人|名)(?:とも)?(?:挙げ|答え|述べ|は何|は誰|の名)|何と何|誰と誰|どこと(?:どこ|どの)|それぞれ"
)
_WHY = re.compile("なぜ|何故|なにゆえ|どうして|理由|原因は|何のため(?:に|か)|なんのため")
_CHAIN = re.compile("[^、。のはがを「」『』]+の[^、。のはがを「」『』]+の[^、。のはがを「」『』]+(?:は|の)")


def classify_question(task: ClassifyQuestion) -> KindReply:
    return KindReply(kind=kind_of(task.question))


def kind_of(question: str) -> QuestionKind:
    """First rule that fits, from the most telling wording to the least."""
    asks = read_question(question).asks
    rules: tuple[tuple[bool, QuestionKind], ...] = (
        (bool(_WHY.search(question)), "why"),
        (asks == "choice", "choice"),
        (bool(_ARITHMETIC.search(question)), "arithmetic"),
        (bool(_COUNTING.search(question)), "counting"),
        (bool(_LIST.search(question)), "enumeration"),
        (asks == "yes_no", "yes_no"),
        (bool(_CHAIN.search(question)), "multi_hop"),
    )
    return next((kind for fits, kind in rules if fits), "extraction")
