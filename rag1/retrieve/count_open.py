"""Questions for how many persons, places or kinds a text names at all, none of them listed in the question.

Only a question whose whole wording is known is read: one word more (旅の供は何人, 殺された人は何人) narrows the set by
what is told, and that is for a reader, not for a count.
"""

from __future__ import annotations

import re
from functools import lru_cache

_NAME = "(?:固有の)?(?:名前?|姓名|名称|呼び名|実名)"
_SHOWN = (
    "(?:出て(?:くる|来る|いる)|出る|登場する|挙がる|あがる|(?:挙が|あが|載)っている|挙げられ(?:る|ている)|現れる|現われる|"
    "(?:記|書か|示さ|明かさ|言及さ|与えら|呼ば|付けら|つけら)(?:され|れ)?(?:る|ている|た)|見える|ある|わかる|分かる|付いている)"
)
_TOTAL = "(?:、|全部で|合わせて|合計で?|みんなで|のべでなく|異なりで)*"
_END = (
    "(?:分)?(?:(?:の(?:人物|人|登場人物))?の?(?:名前?)?が)?(?:出て(?:き|い)|出|登場し(?:てい)?|い|あり|あ|挙がり?(?:ってい)?|あがり|"
    "挙げられ(?:てい)?|現れ|記されてい|になり|見られ)?(?:ます|る|です|でしょう)?(?:か)?[。？?]*"
)
_PERSON = "(?:登場人物|人物|人間|人|者)"
_PLACES = {
    "お寺": "寺", "寺院": "寺", "寺": "寺", "神社": "神社", "村": "村", "町": "町", "島": "島",
    "川": "川", "河川": "川", "山": "山", "橋": "橋", "駅": "駅", "灯台": "灯台", "国": "国",
}  # fmt: skip
_KINDS = frozenset("魚鳥")
_PLACE = "(?:" + "|".join(sorted(_PLACES, key=len, reverse=True)) + ")"
_KIND = "[魚鳥]"
_HOW_MANY = "(?:いくつ|幾つ|何(?:か|カ|ヵ|ヶ|ケ|箇|個)?(?:国|寺|村|町|所|駅)|何[つ軒城山])"

_SCOPE = re.compile(
    "^(?:[「『][^「」『』]*[」』](?:という(?=小説|物語|作品|話))?|小説|物語|作品|短編|童話|この|本文|作中|文中|作品中|物語中|会話文|会話|台詞|せりふ|セリフ|"
    "地の文|第[〇一二三四五六七八九十百0-9０-９]+[章節回話部]|章|節|話|全体|全編|全文|を通して|を通じて|だけ|のみ|の中|において|中|[にでのはも、])+"
)
_PERSONS = re.compile(
    f"(?:{_NAME}[のがもを]{_SHOWN}{_PERSON}|(?:{_SHOWN})?人名|{_NAME}[のが]{_SHOWN}の)(?:の数)?[はが]{_TOTAL}(?:何[人名]|いくつ){_END}"
    f"|(?:何人|何名)の(?:{_PERSON}の)?{_NAME}が{_END}"
)
_OF_PLACES = re.compile(
    f"(?:(?:地名として|{_NAME}[のが])?{_SHOWN}(?P<a>{_PLACE})|(?P<b>{_PLACE})の{_NAME})(?:の数)?[はが]{_TOTAL}{_HOW_MANY}{_END}"
    f"|(?P<c>{_PLACE})(?:の{_NAME})?[はが]{_TOTAL}{_HOW_MANY}(?:出て|登場|挙が|挙げ|現れ|記され)[^、。何]{{0,8}}[。？?]*"
    f"|(?:何か国|いくつの(?P<d>{_PLACE}))の{_NAME}が{_END}"
)
_OF_KINDS = re.compile(
    f"何種類?の(?P<a>{_KIND})(?:の{_NAME})?が{_END}|(?:{_NAME}[のが])?{_SHOWN}(?P<b>{_KIND})(?:の種類)?[はが]{_TOTAL}(?:何種類?|いくつ){_END}"
    f"|(?P<c>{_KIND})[はが]{_TOTAL}何種類?(?:出て|登場|挙が|現れ|記され)[^、。何]{{0,8}}[。？?]*"
)
_SAME = re.compile("[（(](?:同じ|別名|異名|呼び名|略称)[^（）()]*(?:一人|ひとり|一つ|同じ)[^（）()]*[）)]")


@lru_cache(maxsize=4096)
def open_class(text: str) -> str:
    """人物, 寺, 国, 魚 …: what the question counts all of; "" where it narrows the set, or asks for something else."""
    asked = _SCOPE.sub("", _SAME.sub("", text.strip()))
    if _PERSONS.fullmatch(asked):
        return "人物"
    if found := _OF_PLACES.fullmatch(asked):
        return _PLACES[next((name for name in found.groupdict().values() if name), "国")]
    if found := _OF_KINDS.fullmatch(asked):
        return found["a"] or found["b"] or found["c"]
    return ""


def unit_of(kind: str) -> str:
    return {"人物": "人", "国": "か国"}.get(kind, "種類" if kind in _KINDS else "か所")
