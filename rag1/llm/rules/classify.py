"""The kind of a question, by its wording."""

from __future__ import annotations

import re

from rag1.llm.rules.chains import is_chain
from rag1.llm.rules.question import WORD, read_question
from rag1.llm.tasks import ClassifyQuestion, KindReply, QuestionKind

_UNIT = "[人名個つ本枚匹頭羽軒台冊通件着箱俵両円銭里尺寸間丈町歩杯駅箇か所字語行段種年月日週時分秒歳才倍割缶メ点]"
_COUNTING = re.compile(
    f"何(?:回|度)(?!目)|(?:全部|みな|合計)で何{_UNIT}|何人(?:いま|いた|出て|登場)|"
    f"(?:いくつ|幾つ|何{_UNIT}(?:箇?所)?)(?:あり|ある|出て|登場|書か|描か|使わ)|回数は"
)
_ARITHMETIC = re.compile(
    "合わせて(?:何|いく)|計算|合計|差は|差を|平均|合算|総額|何割|(?:いくら|何[円銭両])(?:足り|余|残|増|減)|"
    f"何{_UNIT}(?:以上|以下|ほど|くらい)?(?:速|早|遅|多|少|高|低|長|短|重|軽|大き|小さ|年上|年下|後|違|離れ|ちが)"
)
_LIST = re.compile(
    "すべて|全て|(?:全員|全部|残らず)(?:を|挙|答|述|の名)|列挙|順に(?:[^、。]*)(?:挙げ|答え|述べ)|"
    "[2-9二三四五六七八九](?:つ|人|名|組)[^、。]*(?:挙げ|答え|述べ|は誰|はどんな|は何)|何と何|誰と誰|どことどこ"
)
_WHY = re.compile(
    "なぜ|何故|なにゆえ|どうして|理由(?:は|を)(?!.*[2-9二三四五])|原因|何のため(?:に|か)|なんのため|"
    "(?:何|どんな|どの)[^。]*(?:から|ため)(?:です|でしょう|だろう)?か"
)


def classify_question(task: ClassifyQuestion) -> KindReply:
    return KindReply(kind=kind_of(task.question))


def kind_of(question: str) -> QuestionKind:
    """First rule that fits, from the most telling wording to the least."""
    asks = read_question(question).asks
    rules: tuple[tuple[bool, QuestionKind], ...] = (
        (asks == "choice", "choice"),
        (bool(_WHY.search(question)), "why"),
        (bool(_ARITHMETIC.search(question)), "arithmetic"),
        (bool(_LIST.search(question)), "enumeration"),
        (bool(_COUNTING.search(question)), "counting"),
        (asks == "yes_no", "yes_no"),
        (is_chain(question) or _asks_twice(question), "multi_hop"),
    )
    return next((kind for fits, kind in rules if fits), "extraction")


def _asks_twice(question: str) -> bool:
    """Two question words, or one asked of each: 「何で、いつ…か」, 「それぞれ」."""
    asked = [match for match in WORD.finditer(question) if not question[match.end() :].startswith(("か", "も"))]
    apart = len(asked) > 1 and "、" in question[asked[0].end() : asked[-1].start()]
    return apart or (bool(asked) and "それぞれ" in question)
