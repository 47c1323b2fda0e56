"""Who goes along, told as a list: 「甥の与吉と、炭焼きの源蔵を連れて」「供をしたのは音吉と留造である」."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag1.llm.rules.entity_types import type_of
from rag1.llm.rules.pieces import is_person
from rag1.llm.rules.words import Word, nounlike, words

LONGEST = 10
"""Characters of a companion's name."""
_TOPIC = re.compile(
    "^(?:[^、。がを「」]{1,16}(?:[にで]?(?:なると|は)?|から|とき)、)?(?:そこで|やがて|しかたなく)?"
    "(?P<who>[^、。はがをにで「」]{1,20})[はが](?![るなじ]|が)、?(?P<rest>.*)$"
)
_TAKES = re.compile(
    "を(?:いっしょに|一緒に|とも(?:な|に)|お?供に|道連れに)?(?:[^、。を]{0,6})?(?:連れ|つれ|伴|従え|"
    "誘(?:って|い)|ともな)|をお?供に|を道連れに|を案内に"
)
_WITH = re.compile(
    "と、?(?:い?っしょ|一緒|共|とも)に|と(?:[二三四五]人|ふたり|さんにん)(?:連れ)?(?:で|して)|"
    "と連れ[だ立]|と(?:手を取り|並んで|肩を並べ|"
    "道連れ)|と同じ(?:[^、。を]{0,4}[車船舟馬橇]|便|列車|道)(?:に|で|を)"
)
_CLEFT = re.compile(
    "(?:^|、)(?:[^、。]{0,16}の)?(?:連れ|お?供|道連れ|同行者?|同行したの|供をしたの|供についたの|"
    "供に(?:立|選ば|加わ)っ?れ?たの|一行|"
    "[^。]{0,20}(?:ついて(?:来|き|行|い)[っ]?た|付き添った|名[のの乗]り出た|手を(?:挙|あ)げた|同行した|"
    "加わった|いっしょに[^、。]{1,6}た|"
    "一緒に[^、。]{1,6}た|そう言っ[^。]*た)の)は、?(?P<list>[^。]+?)(?:である|だった|であった|でした|だ|です)?。?$"
)
_HELPS = re.compile(
    "(?:漕|案内し|案内をし|手を引|道を教え|送っ|乗せ|背負|荷を[^、。]{1,4})[いっ]?[てで]くれ|(?:櫓|櫂|"
    "手綱|舵|梶)(?:は|を)[^、。]*(?:取|と|握|漕)"
)
_FIRST_OUT = re.compile(
    "^[^。]*(?:[へにをら](?:[^、。]{0,6})?(?:行っ|下り|登っ|出|向かっ|出かけ|"
    "発っ)た)のは、?(?P<list>[^。]+?)(?:である|だった|であった|でした|だ|です)。?$"
)
_DENIES = re.compile("(?:置い|残し|見送|断|振り切|帰さ|ことわ)")
_COMMON = frozenset(
    {"馬", "荷", "荷物", "弁当", "道具", "一行", "三人", "二人", "四人", "みんな", "村人", "人", "代わり"}
)


def listed(sentence: str) -> Iterator[tuple[str, str]]:
    """(whom, who): each one that a sentence tells to go with its subject; `whom` is "" where it tells none."""
    topic = _TOPIC.match(sentence)
    cleft = _CLEFT.search(sentence)
    if cleft:
        yield from (("", who) for who in names(cleft["list"]))
        return
    rest = topic["rest"] if topic else sentence
    whom = last_name(topic["who"]) if topic else ""
    for pattern in (_TAKES, _WITH):
        match = pattern.search(rest)
        if match and not _DENIES.search(rest[match.start() : match.end() + 4]):
            found = names(_before(rest[: match.start()]))
            yield from ((whom, who) for who in found)
            if found:
                return


def set_out_of(sentence: str) -> str:
    """千鶴 of 「真っ先に浜へ下りたのは、船大工の娘の千鶴である」."""
    match = _FIRST_OUT.match(sentence)
    found = names(match["list"]) if match else []
    return found[0] if len(found) == 1 else ""


def helpers(sentence: str) -> list[str]:
    """Who rows, leads or carries somebody on the way."""
    if not _HELPS.search(sentence):
        return []
    marked = re.findall("([^、。はをにで「」]{1,16})が", sentence)
    return [name for text in marked[-1:] if (name := last_name(text)) and _somebody(name, text)]


def joined_by(text: str) -> list[str]:
    """The names of a list that ends before が or も: 「弟の誠と、隣の家の久子」."""
    return names(_before(text))


def names(text: str) -> list[str]:
    """Each of a list joined by と, や or 、, without what stands before its の."""
    found: list[str] = []
    part = ""
    for word in words(text):
        if (word.pos[0] == "助詞" and word.surface in {"と", "や"}) or word.surface in {"、", "・", "および"}:
            found.append(part)
            part = ""
        else:
            part += word.surface
    heads = [(last_name(each), each) for each in (*found, part)]
    return [name for name, whole in heads if name and _somebody(name, whole)]


def last_name(text: str) -> str:
    """源蔵 of 炭焼きの源蔵, 藤兵衛 of 藤兵衛という竿師 is left as it stands."""
    bare = text.strip("、。 　")
    if re.fullmatch("[ぁ-ん]{2,4}", bare):
        return bare
    found = list(words(bare))
    start = len(found)
    while start > 0 and (nounlike(found[start - 1]) or _kana(found[start - 1])):
        start -= 1
    name = "".join(word.surface for word in found[start:])
    return name if len(name) <= LONGEST else ""


def _kana(word: Word) -> bool:
    """Names in hiragana are cut to pieces: なぎさ, はる."""
    return bool(re.fullmatch("[ぁ-ん]{2,4}", word.surface)) and word.pos[0] in {
        "副詞",
        "形状詞",
        "感動詞",
        "動詞",
        "代名詞",
    }


def _before(text: str) -> str:
    """The list at the end of a text, without the clauses before it."""
    parts = re.split("(?<=[、])", text)
    taken = ""
    for n, part in enumerate(reversed(parts)):
        bare = part.rstrip("、")
        clause = (
            re.search("[^とや]$", bare)
            and n
            and not re.search("(?:[^、]の)?[^ぁ-ん、]{1,8}$|(?:^|の)[ぁ-ん]{2,4}$", bare)
        )
        if n and (clause or re.search("[てでにはがを]$", bare)):
            break
        taken = part + taken
    return re.sub("^.*(?:[^、]は(?![るな])|が(?!る)|を|には|では)", "", taken)


def _somebody(name: str, whole: str) -> bool:
    if name in _COMMON or re.search("[一二三四五六七八九十何数]+[人匹頭羽名台艘]$", name):
        return False
    if is_person(name) or type_of(name) == "Person" or re.search("(?:さん|君|くん|ちゃん|様|先生|殿)$", name):
        return True
    titled = bool(re.search(f"の{re.escape(name)}$", whole))
    short = bool(re.fullmatch("[ぁ-ん]{2,4}|[\u4e00-\u9fff]{1,4}|[ァ-ヴー]{2,}", name))
    return short and (titled or type_of(name) != "Place")
