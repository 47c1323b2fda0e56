"""One key for the many spellings of the same Japanese words: for matching, never for showing."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rag1.text.numbers import NUMBER, number_value

Piece = tuple[str, int]
"""A piece of the key and the place in the source that it came from."""

_CLUSTER = re.compile(r"[\s\S][\u0300-\u036f\u3099\u309a\uff9e\uff9f]*")
_KATAKANA_TO_HIRAGANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
_MARKS = str.maketrans(
    {
        "『": "「", "』": "」", "“": "「", "”": "」", "〝": "「", "〟": "」", "‘": "「", "’": "」", '"': "「",
        "，": "、", ",": "、", "．": "。", "･": "・", "—": "―", "─": "―", "–": "―", "‐": "-", "−": "-",
        "〜": "~", "～": "~", "‥": "…", "゠": "=", "〈": "「", "〉": "」",
    }
)  # fmt: skip
_OLD = "舊國學會體聲實經濟氣來寫眞當黨應歸歲戀發變邊邉櫻澤濱廣龍假價驛圓鹽奧奥櫻橫溫畫繪關觀樂陷狹擴覺獻顯驗嚴效峽曉區惠繼鷄藝擊缺劍險圈檢權獨讀縣號恆黃碎齋劑殘絲辭兒濕壽收從澁縱肅處敍將稱燒證條狀乘淨剩疊孃讓釀觸寢愼盡粹醉隨數聲靜齊攝竊專戰淺潛纖禪祖雙壯搜插巢爭總莊騷增臟屬續墮對帶滯臺瀧擇擔單團彈斷遲蟲晝鑄廳懲敕鎭遞鐵轉點傳燈盜稻鬪德屆難貳惱腦霸廢拜賣麥髮拔蠻祕濱拂佛竝變辯瓣辨寶豐沒萬滿默彌藥譯與餘譽搖樣謠來賴覽亂兩獵綠壘淚勵禮靈齡爐勞樓灣錄祿隱榮衞圍醫壹飮歐毆橫假禍懷壞慨殼嶽寬歡罐勸卷器戲犧舊據擧虛狹勳薰徑莖輕螢藝"
_NEW = "旧国学会体声実経済気来写真当党応帰歳恋発変辺辺桜沢浜広竜仮価駅円塩奥奥桜横温画絵関観楽陥狭拡覚献顕験厳効峡暁区恵継鶏芸撃欠剣険圏検権独読県号恒黄砕斎剤残糸辞児湿寿収従渋縦粛処叙将称焼証条状乗浄剰畳嬢譲醸触寝慎尽粋酔随数声静斉摂窃専戦浅潜繊禅祖双壮捜挿巣争総荘騒増臓属続堕対帯滞台滝択担単団弾断遅虫昼鋳庁懲勅鎮逓鉄転点伝灯盗稲闘徳届難弐悩脳覇廃拝売麦髪抜蛮秘浜払仏並変弁弁弁宝豊没万満黙弥薬訳与余誉揺様謡来頼覧乱両猟緑塁涙励礼霊齢炉労楼湾録禄隠栄衛囲医壱飲欧殴横仮禍懐壊慨殻岳寛歓缶勧巻器戯犠旧拠挙虚狭勲薫径茎軽蛍芸"
OLD_TO_NEW = dict(zip(_OLD, _NEW, strict=True))
"""Old forms of characters and the forms of the 1946 and 1981 lists."""

_REPEAT = frozenset("々〻ゝヽ")
_VOICED_REPEAT = frozenset("ゞヾ")


@lru_cache(maxsize=65536)
def _folded(cluster: str, old_to_new: bool) -> str:
    """One character (with its combining marks) as it stands in a key; "" for white space."""
    text = unicodedata.normalize("NFKC", cluster.translate(_MARKS)).translate(_MARKS).casefold()
    if old_to_new:
        text = "".join(OLD_TO_NEW.get(c, c) for c in text)
    return "".join(text.translate(_KATAKANA_TO_HIRAGANA).split())


def normalize(text: str, *, old_to_new: bool = True) -> str:
    """The key of `text`: texts that differ in spelling only have the same key. No white space remains.

    NFKC, case, katakana as hiragana, old characters as new ones, 々 ゝ ゞ written out, long vowel marks and
    dashes of one kind, kanji numerals as digits, brackets and punctuation of one kind.
    """
    return normalize_with_offsets(text, old_to_new=old_to_new)[0]


def normalize_with_offsets(text: str, *, old_to_new: bool = True) -> tuple[str, list[int]]:
    """The key, and for each of its characters the offset in `text` it came from; one more offset for the end."""
    key: list[str] = []
    offsets: list[int] = []
    place = 0
    for match in NUMBER.finditer(text):
        _fold(text, place, match.start(), key, offsets, old_to_new)
        _fold_number(text, match, key, offsets, old_to_new)
        place = match.end()
    _fold(text, place, len(text), key, offsets, old_to_new)
    offsets.append(len(text))
    return "".join(key), offsets


def _fold(text: str, start: int, end: int, key: list[str], offsets: list[int], old_to_new: bool) -> None:
    for match in _CLUSTER.finditer(text, start, end):
        cluster = match.group()
        if key and cluster in _REPEAT:
            folded = key[-1]
        elif key and cluster in _VOICED_REPEAT:
            folded = unicodedata.normalize("NFC", key[-1] + "\u3099")
        elif key and cluster in "ー－―—‐" and "ぁ" <= key[-1] <= "ん":
            folded = "ー"
        else:
            folded = _folded(cluster, old_to_new)
        key.extend(folded)
        offsets.extend([match.start()] * len(folded))


def _fold_number(text: str, match: re.Match[str], key: list[str], offsets: list[int], old_to_new: bool) -> None:
    value = number_value(match.group())
    if value is None or value.denominator != 1:
        _fold(text, match.start(), match.end(), key, offsets, old_to_new)
        return
    digits = str(value.numerator)
    key.extend(digits)
    offsets.extend([match.start()] * len(digits))
