"""What a question asks for: the kind of answer, the noun it names (`何という寺` → 寺), and its content words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag1.llm.rules.why import WHY
from rag1.llm.rules.words import WH, Word, nounlike, words, wordset

Asks = Literal["person", "time", "place", "quantity", "choice", "list", "yes_no", "why", "how", "name", "thing"]

_TIME = wordset("年 月 日 時 時代 世紀 年代 時期 期間 曜日 頃 年月日 日付 季節 何時 時間 年度")
_UNITS = re.compile(
    "何(?:人|名|個|つ|本|枚|匹|頭|羽|軒|台|冊|回|度|倍|割|パーセント|%|％|円|銭|里|町|尺|寸|間|丈|升|斗|石|俵|貫|匁|キロ|メートル|歳|才|"
    "つ|通り|種|種類|カ所|箇所|か所|か国|カ国|ヶ国|階|位|番|番目|条|代|代目|分|秒|時間|日間|年間|か月|カ月|ヶ月|週間|トン|グラム|リットル|点|件|両|文|杯|足|着|足|組|隻|艘|棟|戸|票)"
)
_PERSON = wordset(
    "人 人物 者 作者 著者 作家 監督 選手 皇帝 国王 王 大統領 首相 父 母 夫 妻 兄 弟 姉 妹 子 "
    "息子 娘 長男 次男 長女 次女 祖父 祖母 師匠 弟子 主人公 建築家 作曲家 画家 学者 将軍 天皇 武将 "
    "主人 友人 恋人"
)
_PLACE = wordset("国 都市 場所 地域 県 市 町 村 州 島 地 地方 街 駅 大陸 首都 山 川 港 国家 所")


@dataclass(frozen=True, slots=True)
class Question:
    """`asked` is the span of the question word; `noun` what it names, or "" (何という寺: 寺; 何人: 人)."""

    text: str
    asks: Asks
    noun: str
    asked: tuple[int, int] | None
    options: tuple[str, ...] = ()


WORD = re.compile(
    "なぜ|何故|なにゆえ|どうして|誰|だれ|どなた|いつ(?!も)|どこ|何処|いくつ|いくら|どれ(?:くらい|ぐらい|ほど|だけ)?|"
    "どの(?:くらい|ぐらい|程度|ような|様な)?|どんな|どういった|どういう|どう|何(?!らか|も)|なに|なん(?=と|で|の|です|か|年|人)"
)
_LINK = re.compile("^(?:と(?:い|言|云)う|といった|の種類の|種類の|の|ような|な)(?=[^かはがをにで])")

_COPULAR = re.compile(r"(?:です|でしょう|だろう|でした|だった|なの)?か?[。？?.．\s]*$|と(?:いい|言い|いう)")
_END = re.compile(
    r"(?:の(?:名前?|名称|呼び名|こと|種類))?"
    r"(?:(?:です|でしょう)か|と?は|か|を(?:挙|あ)げ(?:よ|てください)|を答えよ|を述べよ)?[。？?.．\s]*$"
)


@lru_cache(maxsize=4096)
def read_question(text: str) -> Question:
    """The question understood; a text without a question word asks for what its last noun names."""
    options = _options(text)
    if options or re.search("どちら(?!も)|どっち", text):
        return Question(text, "choice", "", None, options)
    places = list(WORD.finditer(text))
    if _LIST.search(text):
        return Question(text, "list", "", places[-1].span() if places else None)
    if not places:
        return _without_word(text)
    last = places[-1]
    noun = _noun_after(text, last)
    if not noun and re.search("[^の]は$", text[: last.start()]) and _COPULAR.match(text[last.end() :]):
        noun = _last_run(words(_END.sub("", text[: last.start()])))
    return Question(text, _asks(text, text[last.start() :], noun), noun, last.span())


def _noun_after(text: str, word: re.Match[str]) -> str:
    """The noun right after the question word, or after という / の: どの国, 何という条約, 何年."""
    if word[0] in {"誰", "だれ", "いつ", "なぜ", "どう", "いくつ", "いくら", "どうして", "どなた"}:
        return ""
    rest = text[word.end() :]
    return _run(words(_LINK.sub("", rest)), 0)


def _run(found: tuple[Word, ...], at: int) -> str:
    end = at
    while end < len(found) and nounlike(found[end]) and not WH.fullmatch(found[end].surface):
        end += 1
    return "".join(word.surface for word in found[at:end])


def _asks(text: str, tail: str, noun: str) -> Asks:
    if re.match("なぜ|何故|なにゆえ|どうして", tail) or WHY.search(text):
        return "why"
    if re.match("誰|だれ|どなた", tail):
        return "person"
    if re.match("いくつ|いくら|ど[れの](?:くらい|ぐらい|だけ|ほど|程度)", tail) or _UNITS.match(tail):
        return "quantity"
    if re.match("いつ", tail) or (noun and any(noun.endswith(unit) for unit in _TIME)):
        return "time"
    if re.match("どこ|何処", tail):
        return "place"
    if re.match("どう(?!い)|どのように", tail):
        return "how"
    return _by_noun(noun)


def _by_noun(noun: str) -> Asks:
    if any(noun.endswith(head) for head in _PERSON):
        return "person"
    if any(noun.endswith(head) for head in _PLACE):
        return "place"
    return "name" if noun else "thing"


def _without_word(text: str) -> Question:
    if re.search("(?:理由|原因)(?:は|を)", text):
        return Question(text, "why", "", None)
    noun = _last_run(words(_END.sub("", text)))
    if noun and re.search(r"(?:は|とは|を[^を]*)[。？?.．\s]*$", text):
        return Question(text, _named(noun), noun, None)
    if re.search(r"(?:か|だろう|のか)[。？?.．\s]*$", text):
        return Question(text, "yes_no", "", None)
    return Question(text, "thing", "", None)


def _named(noun: str) -> Asks:
    if any(noun.endswith(unit) for unit in _TIME):
        return "time"
    if re.search("(?:数|人口|面積|高さ|長さ|距離|割合|率|額|値段|価格|年齢|重さ|量|人数|回数)$", noun):
        return "quantity"
    return _by_noun(noun)


def _last_run(found: tuple[Word, ...]) -> str:
    start = len(found)
    while start > 0 and nounlike(found[start - 1]):
        start -= 1
    return "".join(word.surface for word in found[start:])


_LIST = re.compile(
    "(?:すべて|全て|全部|全員)(?!の|で)(?=[^。]*(?:挙げ|答え|述べ|教え|書い|何|誰|どこ|どの))|すべて挙げ|列挙|[2-9二三四五六七八九](?:つ|人|名|組)[^、。]*(?:挙げ|答え|述べ)|と何と"
)
_EITHER = "(?:のどちら|のうち|の内|とでは|では|とで|で|は?、?どちら|のどっち|は、どっち|、)"
_PAIR = re.compile(f"(?P<a>[^、。はがを]+)と(?:、(?:その)?)?(?P<b>[^、。はがを]+?)、?{_EITHER}")
_AFTER_COMMA = re.compile(f"、{_PAIR.pattern}")
_ONE_OF = re.compile("[。？?](?P<all>[^。？?]+、[^。？?]+?)の?(?:中|うち)?から(?:一つ|ひとつ|1つ)?(?:選|えら)")
_EITHER_OR = re.compile(
    "(?:は|が)、?(?P<a>[^、。はがを何誰どか]{1,15})か、?(?P<b>[^、。はがを何誰どか]{1,15})か[。？?]?$"
)
_IS_IT = re.compile("(?:^|は、?)(?P<a>[^、。はがを]+?)(?:です)?か、?(?:それとも、?)?(?P<b>[^、。はがを]+?)(?:です)?か")


def _options(text: str) -> tuple[str, ...]:
    """The alternatives that a question gives: AとBのどちら, A、B、Cから選ぶ, AかBか; empty where it gives none."""
    if listed := _ONE_OF.search(text):
        return tuple(part.strip("「」『』 ") for part in listed["all"].split("、"))
    either = None if "それとも" in text else _EITHER_OR.search(text)
    if either and all(nounlike(words(either[side])[0]) and nounlike(words(either[side])[-1]) for side in "ab"):
        return (either["a"], either["b"])
    if not re.search("どちら(?!も)|どっち|いずれ|それとも", text):
        return ()
    marked = re.findall("[「『]([^「」『』]+)[」』]", text)
    if len(marked) == 2:
        return tuple(marked)
    pair = (_IS_IT.search(text) if "それとも" in text else None) or _AFTER_COMMA.search(text) or _PAIR.search(text)
    return (pair["a"], pair["b"]) if pair else ()
