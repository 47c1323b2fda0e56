"""Named places, countries and kinds of animals in a document, by their endings and by the dictionary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from rag1.llm.rules.words import Word, words, wordset
from rag1.retrieve.count_person_merge import Named
from rag1.retrieve.count_persons import persons
from rag1.text.tokenize import morphemes
from rag1.types import Span

ENDINGS = {
    "寺": "寺|院", "神社": "神社|大社", "村": "村", "駅": "駅", "灯台": "灯台",
    "町": "町", "島": "島", "川": "川|河", "山": "山|岳", "橋": "橋",
}  # fmt: skip
"""What a named place of a class ends in."""
_COMMON = frozenset("町島川山橋")
"""Classes of which many are spoken of without a name: one of these is a name by the dictionary, or stands twice."""
_GENERIC = (
    "[隣近両全寒農漁各他同当山本母帰離廃過小大新古旧町市谷奥裏表前後上下"
    "中東西南北別某諸末尼禅石鉄木土丸火鉱登向対内外孤無列半浮病医入退通]"
)
"""What any place can have before its ending."""
_HOUSES = re.compile("(?:病|医|学|書|議|養老|孤児|修道|少年|寺)院$")
_COUNTRIES = {
    spelled: name
    for name, others in {
        "アメリカ": "米国 アメリカ合衆国 合衆国 亜米利加", "イギリス": "英国 英吉利", "ドイツ": "独国 独逸",
        "フランス": "仏国 仏蘭西", "ロシア": "露国 露西亜", "イタリア": "伊国 イタリー", "ソ連": "ソ連邦 ソビエト",
        "中国": "中華人民共和国", "韓国": "大韓民国", "日本": "日本国",
    }.items()
    for spelled in others.split()
}  # fmt: skip
_KIND_WORDS = {
    "魚": wordset(
        "鮒 鯉 金魚 鮎 鰻 泥鰌 鯰 鮭 鱒 岩魚 山女魚 鮠 鯛 鯖 鰯 鰺 鮪 鰹 鰤 鱈 鰊 鮃 鰈 鯔 鱸 鱧 河豚 秋刀魚 "
        "太刀魚 鰆 細魚 飛魚 鱚 鰍 目高 鮟鱇 虎魚 眼張 鯊 公魚 白魚 柳葉魚"
    ),
    "鳥": wordset(
        "雀 烏 鴉 燕 鶏 鳩 鶯 雲雀 鷹 鷲 鳶 梟 木菟 雉 鴨 家鴨 鵞鳥 雁 白鳥 鶴 鷺 鵜 鴎 千鳥 鶫 四十雀 郭公 時鳥 "
        "杜鵑 百舌 鵯 椋鳥 目白 頬白 鶺鴒 翡翠 鴛鴦 鶉 孔雀 鸚鵡 鶍 鷽 啄木鳥 水鶏 七面鳥 鳰 山雀 鶸 鷦鷯 懸巣 隼"
    ),
}
"""Kinds by Sudachi's normal forms."""
KINDS = frozenset(_KIND_WORDS)


def named_places(kind: str, text: str) -> Named:
    """Places whose name ends as that of a `kind` does, 国, or kinds of 魚 and 鳥; empty for any other kind."""
    if kind == "国":
        return _countries(text)
    if kind in KINDS:
        return _kinds(text, _KIND_WORDS[kind])
    found = _by_ending(text, ENDINGS[kind]) if kind in ENDINGS else {}
    return {n: p for n, p in found.items() if kind not in _COMMON or len(p) > 1 or any(map(_proper, words(n)))}


def _proper(word: Word) -> bool:
    return word.is_proper_noun


@lru_cache(maxsize=64)
def _by_ending(text: str, endings: str) -> Named:
    pattern = re.compile(
        f"(?<![一-龥々ァ-ヴー])((?:[一-龥々]+[ヶケツノ])?(?:[一-龥々]{{1,4}}?|[ァ-ヴー]{{2,8}}|[Ａ-ＺA-Z])(?:{endings}))(?![一-龥々ァ-ヴー])"
    )
    people = {text[start:end] for places in persons(text).values() for start, end in places}
    found: dict[str, list[Span]] = {}
    for match in pattern.finditer(text):
        name = _without_adverb(match[1])
        if name not in people and _is_name(name, re.sub(f"(?:{endings})$", "", name)):
            found.setdefault(name, []).append((match.end(1) - len(name), match.end(1)))
    for longer in [n for n in found if any(n != other and n.endswith(other) for other in found)]:
        other = next(n for n in found if n != longer and longer.endswith(n))
        found[other] = sorted([*found[other], *((end - len(other), end) for _, end in found.pop(longer))])
    return found


def _without_adverb(name: str) -> str:
    """長光寺 of 矢張長光寺."""
    first = words(name)[0]
    timely = first.is_a("副詞") or first.pos[2] == "副詞可能"
    return name[first.end :] if timely and len(name) - first.end > 1 else name


@lru_cache(maxsize=4096)
def _is_name(name: str, head: str) -> bool:
    """No word of the dictionary or family name, no ending after a word that suits any place (隣村, 山寺)."""
    whole = words(name)
    if not head or (len(whole) == 1 and not (whole[0].is_proper_noun and (whole[0].pos[2] != "人名" or len(name) > 2))):
        return False
    if re.fullmatch(_GENERIC, head) or any(word.is_number for word in words(head)):
        return False
    if len(head) == 1 and not re.match("[Ａ-ＺA-Z]", head):
        return any(word.is_proper_noun for word in whole)
    house = len(words(head)) == 1 and not words(head)[0].is_proper_noun
    return not (name.endswith("院") and (house or _HOUSES.search(name)))


@lru_cache(maxsize=64)
def _countries(text: str) -> Named:
    """露西亜 and ロシア are one. None of one character, which is also a word or a name; none in 日本人, 日本海."""
    found: dict[str, list[Span]] = {}
    for word in morphemes(text):
        glued = re.match("[一-龥]", text[word.end : word.end + 1])
        if word.pos[3] == "国" and len(word.surface) > 1 and not glued and not word.surface.isascii():
            name = _COUNTRIES.get(word.surface, _COUNTRIES.get(word.normalized, word.normalized))
            found.setdefault(name, []).append((word.start, word.end))
    return _as_written(text, found)


def _kinds(text: str, known: frozenset[str]) -> Named:
    """In kanji as a word of its own, in kana where it can be no other word; no name of a boat or a cat."""
    found: dict[str, list[Span]] = {}
    for word in morphemes(text):
        if re.search("[一-龥]", word.surface) and word.normalized in known:
            found.setdefault(word.normalized, []).append((word.start, word.end))
    for name in known:
        spelled = [match.span() for match in _in_kana(name).finditer(text)]
        if len(spelled) > 1 or (spelled and spelled[0][1] - spelled[0][0] > 2):
            found.setdefault(name, []).extend(spelled)
    sorted_places = {name: sorted(places) for name, places in found.items()}
    return {n: p for n, p in _as_written(text, sorted_places).items() if not _only_a_name(n, text)}


@lru_cache(maxsize=512)
def _in_kana(name: str) -> re.Pattern[str]:
    """Two katakana and more apart from others; three hiragana and more between particles."""
    katakana = "".join(word.reading for word in words(name))
    hiragana = "".join(chr(ord(c) - 96) if "ァ" <= c <= "ヶ" else c for c in katakana)
    apart = f"(?<![ァ-ヴー]){katakana}(?![ァ-ヴー])" if len(katakana) > 1 else "(?!)"
    if len(hiragana) < 3:
        return re.compile(apart)
    return re.compile(f"{apart}|(?<=[のとやはが、。「\\n　]){hiragana}(?=[はがもとの])")


def _only_a_name(name: str, text: str) -> bool:
    return (
        re.search(f"名[はを][「『]?{re.escape(name)}[」』]?と|{re.escape(name)}というのは[^。]*(?:ではない|の名)", text)
        is not None
    )


def _as_written(text: str, found: Mapping[str, Sequence[Span]]) -> dict[str, Sequence[Span]]:
    """Under the spelling that stands first."""
    return {text[slice(*places[0])]: places for places in found.values()}
