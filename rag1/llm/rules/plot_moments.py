"""A sentence of a tale as a moment: what it tells of, and by which marks it is told as cause, effect or background."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rag1.llm.rules.events import LEAVING, alike
from rag1.llm.rules.narrative_sentence import read_sentence
from rag1.llm.rules.pieces import apart, pieces
from rag1.llm.rules.words import words, wordset
from rag1.text.tokenize import morphemes

SPEECH = 6
"""Characters from which a quotation is speech."""
_TIME = re.compile(
    "^(?:その|ある|同じ|次の|[^、。はがを]{0,10}?)(?:年|月|日|[一二三四五六七八九十]+日[目後]?|晩|夜|朝|"
    "昼|夕方|夕べ|春|夏|秋|冬|週|"
    "明け方|暮れ|末|半ば|はじめ|初め|終わり|ころ|頃|とき|時)(?:の[^、。はがを]{1,8})?(?:に|は|から|には|"
    "になると|になって)?、"
)
_LEADS = {
    "result": "こうして|そのため|それで(?!も)|だから|おかげで|その結果|そこで|すると|このため|そのせいで|やむなく|"
    "しかたなく|仕方なく|"
    "とうとう|ついに|やがて|まもなく|間もなく|しだいに|これでは",
    "contrast": "しかし|だが|けれど|けれども|ところが|それでも|とはいえ|なのに",
    "shift": "ところで|さて|その(?:ころ|頃|あいだ|間|[日夜晩]の)|一方|同じ(?:日|晩|夜|ころ|頃)|幸い|さいわい|"
    "あいにく|珍しく|この日は|"
    "ちなみに|もっとも",
    "reason": "というのも|なぜなら|じつは|実は|もとは|もともと|そもそも",
}
_LEAD = {name: re.compile(f"^(?:{pattern})") for name, pattern in _LEADS.items()}
_EXPLAINS = re.compile(
    "(?:の|(?<=[たないるうくすむぬ])ん|から|ため|せい|わけ)(?:だ|である|だった|であった|です|でした|じゃ|"
    "だそうだ|だという|だそうです)[。」]?$"
)
_LASTS = re.compile(
    "[てで](?:い|お)(?:る|た|ます|ました|ります|りました|ったの|たの)(?:だ|である|です|であった|"
    "でした)?。?$|てあ(?:る|った)。?$"
)
_DEFINES = re.compile("(?:だ|である|だった|であった|です|でした|という)。?$")
_STAYS = re.compile("(?:残[りっる]|留守|来(?:られ)?な|見送|手を振)")
_PLANNED = re.compile("(?:はず|予定|つもり|約束|決まり|しきたり)(?:に|が|で|だ|と|の)")
_META = re.compile(
    "(?:さかのぼ|遡|わけを|事情を|話し(?:はじめ|始め|てくれ)|話は|(?:きっかけ|始まり|起こり|発端|"
    "原因)[はが]|どうして|なぜ|なんで)"
)
_DONE = re.compile("[てで]しま|ちま[っう]|ちゃ[っう]")
_POINTS = re.compile("^(?:その|この|それ|これ|そこ|そんな|こんな|あの)")
_EFFECT_ENDS = re.compile("(?:よう|こと)に(?:な|決)|(?:ざるを|しか)|(?:なくな)|(?:ことにし)|(?:始め|出し)(?:た|まし)")
_FAULTS = wordset(
    "忘れる 怠る 間違える 誤る 落とす 零す 転ぶ 躓く 滑る 寝過ごす 居眠り 外れる 外す 折れる 折る 割れる "
    "割る 切れる 切る 倒れる 倒す "
    "破れる 破る 壊れる 壊す 崩れる 崩す 落ちる 噛み切る 逃げる 逃がす 怪我 捻る 痛める 火事 雷 地震 嵐 "
    "大雨 大風 洪水 盗む 酔う "
    "焼ける 焼く 燃える 漏れる 漏らす 洩れる ぶつかる ぶつける 見落とす 取り違える 消し忘れる 閉め忘れる "
    "掛け忘れる 迷う 売る 減らす 惜しむ "
    "節約 怒る 嘘 うっかり 寝惚ける"
)
_FORCES = wordset(
    "雷 地震 嵐 大雨 大雪 雪 雨 風 大風 洪水 霜 日照り 台風 高潮 大波 火事 突風 竜巻 寒波 鳥 鼠 猪 熊 狐 "
    "狸 猿 鹿 蟹 山羊 犬 猫 牛 馬"
)
_MOTIVES = wordset("決める 決まる 頼む 向かう 出掛ける 出る 発つ 出発 探す 引き受ける 申し出る 訪ねる 取り寄せる")


@dataclass(frozen=True)
class Moment:
    """`first`: nouns of its first subject; `lead`: kind of the words it begins with; `done`: told with しまう."""

    text: str
    nouns: frozenset[str]
    verbs: frozenset[str]
    kanji: frozenset[str]
    noun_kanji: frozenset[str]
    first: frozenset[str]
    marks: frozenset[str]

    def has(self, mark: str) -> bool:
        return mark in self.marks


@lru_cache(maxsize=8192)
def moment(sentence: str) -> Moment:
    rest, said = apart(sentence, SPEECH)
    spoken = bool(said)
    body = rest if len(rest) > 4 else sentence
    events, pairs = read_sentence(sentence, 0)
    nouns = frozenset(noun for event in events for noun in event.nouns)
    verbs = frozenset(verb for event in events for verb in event.verbs)
    kanji = frozenset(char for event in events for char in event.kanji)
    noun_kanji = frozenset(char for noun in nouns for char in noun)
    first = next((event.about for event in events if event.about), frozenset())
    marks = {lead for lead, pattern in _LEAD.items() if pattern.search(body)}
    found = {word.norm for word in words(body)} | {m.normalized for m in morphemes(body, "A")}
    last = pieces(body)[-1]
    tests = {
        "speech": spoken,
        "only speech": spoken and len(rest) <= 4,
        "time": bool(_TIME.search(body)),
        "explains": bool(_EXPLAINS.search(body)),
        "lasts": bool(_LASTS.search(body)),
        "defines": bool(_DEFINES.search(body)) and not _EXPLAINS.search(body),
        "done": bool(_DONE.search(body)),
        "points": bool(_POINTS.search(body)),
        "changes": bool(_EFFECT_ENDS.search(body)),
        "past": last.past,
        "negated": last.negated,
        "lacks": any(event.lacks for event in events),
        "harms": any(event.harms for event in events),
        "acts": any(event.acts for event in events),
        "person": any(event.person for event in events),
        "leaves": bool(found & LEAVING),
        "fault": bool(found & _FAULTS),
        "force": bool(found & _FORCES),
        "motive": bool(found & _MOTIVES),
        "inner": bool(pairs),
        "question": body.rstrip("」").endswith(("？", "か。", "か")),
        "stays": bool(_STAYS.search(body)),
        "planned": bool(_PLANNED.search(body)),
        "title": sentence[-1:] not in "。」！？",
        "meta": bool(_META.search(sentence)),
        "short": len(body) < 16,
        "long": len(body) > 45,
    }
    marks |= {name for name, holds in tests.items() if holds}
    return Moment(sentence, nouns, verbs, kanji, noun_kanji, first, frozenset(marks))


@lru_cache(maxsize=65536)
def share(nouns: frozenset[str], others: frozenset[str]) -> float:
    """How much of the nouns the others hold, in [0, 1]."""
    if not nouns or not others:
        return 0.0
    parts = (1.0 if noun in others else max(alike(noun, other) for other in others) for noun in nouns)
    return sum(parts) / len(nouns)


@lru_cache(maxsize=65536)
def held(nouns: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """The nouns that the others hold, whole or as a part of a compound."""
    return frozenset(noun for noun in nouns if noun in others or any(alike(noun, other) >= 0.7 for other in others))
