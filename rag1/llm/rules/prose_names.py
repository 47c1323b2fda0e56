"""Who is named in a text: full names, given names alone, women's kana names, by what stands around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rag1.llm.rules.kin_marks import is_titled
from rag1.llm.rules.prose_roles import NOT_AFTER, ROLE_WORDS
from rag1.llm.rules.words import nounlike, sentence_texts, words, wordset

_STEMS = wordset(
    "あい あき あさ いし いそ いと いく いち いね いよ いわ うめ うた うの えい えつ "
    "えん かつ かね かめ かよ かな かず きく きぬ きみ きよ きわ きち きし くに くら "
    "くり くめ くま くみ けい けん こう こと こま この さき さく さと さだ さよ さわ "
    "さい さち さつ しか しげ しず しづ しな しの しま しん しも すえ すが すず すみ "
    "すま すて すぎ せい せき せつ せん その そで そよ そめ たか たき たけ たつ たね "
    "たま たみ たよ たえ ちか ちよ ちせ ちえ ちづ つぎ つね つや つる つゆ つた てい "
    "てる てつ とき とく とし とみ とめ とよ とら とわ とせ とね なお なか なつ なみ "
    "なを なよ ぬい のぶ のり はつ はな はま はる はや ひさ ひで ひな ひろ ふき ふく "
    "ふさ ふじ ふで ふみ ふゆ ふね まき まさ ます まち まつ まん みえ みさ みち みつ "
    "みね みや みよ みわ みき みの みな むめ むら もと もよ もん やえ やす やよ やゑ "
    "ゆう ゆき ゆり ゆみ よし よね よの よそ りう りえ りき りつ りよ りん りせ りく "
    "るい るん れい れん ろく わか わき わさ わく ちよの きくの さくら つばき すみれ "
    "かほる かおる しづえ みつえ やすえ はるえ ふみえ としえ きみえ "
)
"""Women's names of old, in kana."""
_KATA = str.maketrans({chr(c): chr(c + 96) for c in range(ord("ぁ"), ord("ゖ") + 1)})
KANA = _STEMS | {name.translate(_KATA) for name in _STEMS}
_ENDS_MALE = re.compile(
    "(?:左衛門|右衛門|兵衛|衛門|之助|之丞|之進|之介|之輔|太郎|次郎|二郎|三郎|四郎|五郎|六郎|七郎|八郎|九郎|十郎|郎|吉|蔵|平|助|介|作|之|信|政|正|忠|"
    "義|重|貞|斎|庵|軒|雄|夫|男|彦|三|造|治|樹|斗|七|八|六|悦|光|長|国|宗|清|成|高|綱|次|吾|馬|記|弥|門|丸|松|房|明|直|英|敬|篤|季|勝|弘|泉|山|月|雲|石|堂)$"
)
_SURELY_MALE = re.compile(
    "[一-龥](?:左衛門|右衛門|兵衛|衛門|之助|之丞|之進|之介|之輔|太夫|太郎|次郎|三郎|四郎|五郎|六郎|七郎|八郎|九郎|十郎)$"
)
_ENDS_FEMALE = re.compile("(?:子|江|代|美|枝|乃|恵|香|奈|尼|姫|世|路|野|緒|栄|寿|千|葉|花|雪|院|の方|の局|の前|御前)$")
_NO_NAME = re.compile(
    "(?:家|村|町|寺|藩|国|城|川|橋|堂|館|学校|会|社|業|商|師|者|方|年|月|日|郡|県|市|府|里|浜|島|湖|港|谷|峠|坂|屋敷|奉行|大名|藩主|城主|"
    "当主|庄屋|名主|組頭|問屋|番頭|頭取|校長|教師|教授|医者|医師|画家|職人|農家|商人|町人|武士|浪人|儒者|神職|住職|和尚|代目|代|人|問|所|堀|簀|紅|"
    "役|守|職|頃|間|後|前|中|内|外|上|下|気|心|手|目|口|事|物|時|者|論|書|絵|園|庵|派|図|集|記|録|石|歳|才|男|女|的|性|業|式|流|派|科|区|丁目|番|号|線|店|場|院殿|士|棟梁|杜氏|船頭|網元|豪農|豪商|旧家|本家|分家|宿|旅籠|氏|局長|機関長|社長|部長|課長|屋号|芸者)$"
)
_TITLE = re.compile("(?:さん|さま|様|殿|どの|氏|翁|公|君|先生|ちゃん|はん|刀自|嬢|師匠|和尚|上人)$")
_HOUSE = re.compile("(?:寺|院|庵|城|家|派|藩|村|町|堂|堀|園|地|守|山|川)$")
_LEAD = re.compile("^(?:初代|先代|当代|[一二三四五六七八九十]代(?:目)?|第[0-9０-９一二三四五六七八九十]+代)")
_PARTICLE = "はがをのにともでへや、。・）」』さ"
_KIN = "|".join(map(re.escape, ROLE_WORDS))
_RUN = "[一-龥々ヶ〆]{1,7}"
_CALLED = (
    "(?:いう[てのん。、]|いいま|いうん|いいよ|という|といい|といった|と云|と申|とい|と名づけ|と名付け|と号|と称|と呼)"
)
_FULL = re.compile("(?<![一-龥])(?P<n>[一-龥]{1,3}[ァ-ヴー]{2,4})(?=さん|は|が|の|と|を|も)")
_DAUGHTER = re.compile(rf"(?P<n>{_RUN})の女(?=、|の|で|を|と|が|に|。)")
_PEN = re.compile(rf"(?:法名|法諱|戒名|院号|雅号|俳号|幼名|号)[をは](?P<n>{_RUN})と")
_STATED = (
    _PEN,
    re.compile(
        r"(?:[初二三四五六七八九十]代(?:目|社長|当主)?|社長|当主|会長)(?:・|の|、)(?P<n>[一-龥々ヶ]{2,7})(?=は|が|の|（|、|。|で)"
    ),
    re.compile(r"(?P<n>[一-龥々]{1,5}|お?[ぁ-ん]{2,3}|[ァ-ヴー]{2,5})と申(?:し|す)"),
    re.compile(r"(?<![一-龥])末の(?P<n>[一-龥]{1,2}|[ぁ-ん]{2,3}|[ァ-ヴー]{2,4})(?=は|が)"),
    re.compile(
        rf"(?:{_KIN}|初代|二代|三代|四代|祖|元祖|開祖|主人公|当主|創業者|名|本名|幼名|実名|諱)[はをが、](?P<n>{_RUN}|[ァ-ヴー]{{2,6}}|お?[ぁ-ん]{{2,4}}?){_CALLED}"
    ),
    re.compile(
        r"[【■●◆○◎〔](?P<n>[一-龥々]{1,5}(?:[ぁ-ん]{2,3}|[ァ-ヴー]{2,4})?|[一-龥々]{1,7}|[ァ-ヴー]{2,6})(?:】|"
        r"〕|$|[ 　（])"
    ),
    re.compile(rf"(?P<n>{_RUN})という(?:人|者|男|女|娘|方|百姓|職人|商人|若者|老人|医者|僧|侍)"),
    re.compile(
        rf"(?P<n>{_RUN}|[ぁ-ん]{{2,4}}?|[ァ-ヴー]{{2,6}})と(?:名づけ|名付け|命名し|号し|称し|名のっ|名乗っ|名のり|名乗り|改名し|改め)"
    ),
    re.compile(rf"名[はを](?P<n>{_RUN}|お?[ぁ-ん]{{2,3}}|[ァ-ヴー]{{2,6}})(?=。|、|とい|である|だっ|と云|と申)"),
    re.compile(rf"(?:{_KIN})(?:の|、|・|である|であった|だった)?「(?P<n>{_RUN}|[ァ-ヴー]{{2,6}}|[ぁ-ん]{{2,4}})」"),
)
_AFTER_ROLE = re.compile(
    rf"(?:{_KIN})(?=(?P<j>の|、|・|である|であった|だった|で|は|が)?(?P<n>[おこ][ぁ-ん]{{1,3}}|[ぁ-ん]{{2,4}}|[ァ-ヴー]{{2,6}}|{_RUN}))"
)
_IS_KIN = re.compile(
    rf"^[　 ]*(?P<n>[一-龥々]{{2,4}})は、?[^、。]*の(?:{_KIN})(?:である|であった|だった|だ|です|でした|で、|。|にあた)"
)
_NOT_KIN = re.compile(
    "(?:相手|花嫁|新婦|新郎|本人|当主|後継|養母|養父|先方|当人|彼女|両親|家族|一家|跡目|初代|創業者)$"
)
_ONE = re.compile(
    r"(?:妻|室|正室|嫁|娘|長女|次女|三女|妹|姉|母|孫娘|姪|連れ合い|女房|内室|室|夫|兄|弟|長男|次男|三男|息子)(?:の|は|を|・)(?P<n>[一-龥])(?=は|と[^のも]|で|、|。|・)"
)
_NO_ONE = frozenset(
    "父母兄弟姉妹夫妻子娘家里墓死手姿顔声名命身心方前後上下中間時年春夏秋冬元許側傍口目話形絵像歌詩書文力金血縁孫甥姪実顔骨親人男女他別今昔皆誰何此彼国村町寺店"
)
_MARRIES = re.compile(
    rf"(?P<n>{_RUN}|お[ぁ-ん]{{1,3}}?|[ァ-ヴー]{{2,6}})(?:(?:に|へ|の(?:もと|許|ところ|所|家)[にへ])(?:嫁|縁づ|縁付|輿入|片付|かたづ)|を(?:娶|めと|妻|室|夫|婿|養子|養女|迎え|むかえ|後妻|嫁)|と(?:結婚|結ばれ|夫婦|祝言|所帯|連れ添|一緒にな|婚))"
)
_BEFORE_ROLE = re.compile(rf"(?P<n>{_RUN}|お[ぁ-ん]{{1,3}}?|[ァ-ヴー]{{2,6}})(?:の|と)(?={_KIN})")
_LADY = re.compile(
    "(?:(?<![一-龥ぁ-ん])|(?<=[のとはがをにもや]))お(?:[一-龥]{1,2}[ぁ-ん]??|[ぁ-ん]{1,3}?)(?:の方|の局)?(?=[はがをのにともで、。・」）])|(?<![一-龥])[一-龥]{1,2}(?:姫|の方|の局|御前)(?=[はがをのにともで、。・」）])"
)


@dataclass(frozen=True)
class People:
    """`canonical`: every form that names somebody → the longest one."""

    canonical: dict[str, str]

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        if not self.canonical:
            return None
        forms = sorted(self.canonical, key=len, reverse=True)
        return re.compile("|".join(map(_bounded, forms)))


def _bounded(form: str) -> str:
    """A form where it can be a name: kana with particles around, one character alone."""
    name = re.escape(form)
    if re.fullmatch("[ぁ-ん]+", form):
        return (
            rf"(?:(?<![ぁ-ん])|(?<=[のとはがもやをに、。「・]))(?<!ん){name}(?=[はがをのにともで、。"
            rf"・」）さへや（ 　]|から|より|$)"
        )
    if re.fullmatch("[ァ-ヴー]+", form):
        return rf"(?<![ァ-ヴー]){name}(?![ァ-ヴー])"
    if len(form) == 1:
        return rf"(?<![一-龥々ァ-ヴ0-9０-９]){name}(?=[はがをのにともで、。・」）（]|から|より|さん|$)"
    return rf"{name}(?![一-龥々]*(?:寺|院|藩|橋|堀|川|山|村|町|城|新田|台場|学校|会社|商店)(?![一-龥]))"


@lru_cache(maxsize=64)
def people_of(text: str) -> People:
    """The names of a text and their short forms."""
    found: dict[str, None] = dict.fromkeys(_of_house(text))
    for line in sentence_texts(text):
        for name in _of_line(line):
            if not re.fullmatch("[ぁ-ん]+", name) or name in KANA or (name[0] == "お" and name[1:] in KANA):
                found.setdefault(name)
    for name in _beside(found, text):
        found.setdefault(name)
    names = [
        _LEAD.sub("", _untitled(name, text))
        for name in found
        if not re.fullmatch("[一二三四五六七八九十]+[女男子人]", name)
    ]
    return People(_short_forms(text, [name for name in names if name]))


def _beside(known: dict[str, None], text: str) -> list[str]:
    """「浜崎弘と由美である」: a name next to one that is known."""
    names = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    if not names:
        return []
    pattern = re.compile(
        rf"(?:{names})(?:と|、)(?P<n>{_RUN}|[ァ-ヴー]{{2,5}}|[ぁ-ん]{{2,3}})"
        "(?=である|です|だ|の(?:[二三四五2-5]|ふた|兄|姉|あいだ|間|子|娘|長)|が(?:い|生)|。)"
    )
    found = [match["n"] for match in pattern.finditer(text)]
    return [
        name
        for name in found
        if name in KANA or re.fullmatch("[ァ-ヴー]+", name) or (re.fullmatch(_RUN, name) and _likely(name, strong=True))
    ]


def _untitled(name: str, text: str) -> str:
    """浜崎氏 as 浜崎, but 日下部宗氏 as it is where the text goes on about a 宗氏."""
    if name.endswith("氏") and len(name) > 3 and re.search(rf"(?<![一-龥]){name[-2:]}(?=[はがもの])", text):
        return name
    return _TITLE.sub("", name)


def _of_house(text: str) -> Iterator[str]:
    """東雲玄蕃 where the text speaks of a 東雲家."""
    houses = {
        match[1] for match in re.finditer("(?<![一-龥])([一-龥々]{1,4}?)家(?=[のはがにを、。・へ代三四二の]|$)", text)
    }
    for house in houses:
        if len(house) < 2 or house in {
            "分",
            "本",
            "実",
            "旧",
            "名",
            "商",
            "農",
            "民",
            "武",
            "大",
            "一",
            "両",
            "養",
            "婚",
        }:
            continue
        for match in re.finditer(rf"{house}([一-龥々]{{1,5}}|[ぁ-ん]{{2,3}})(?=[はがをのにともで、。・（])", text):
            if not re.match("家|氏|一族|代々|方|の", match[1]) and not re.search("家$|家の|氏$", match[1]):
                yield house + match[1]


def _of_line(line: str) -> Iterator[str]:
    for pattern in _STATED:
        for match in pattern.finditer(line):
            if match["n"] in ROLE_WORDS:
                continue
            if not _NO_NAME.search(match["n"]) or _has_person(match["n"]):
                yield match["n"]
    for match in _FULL.finditer(line):
        if words(match["n"])[0].pos[3] == "姓":
            yield match["n"]
    for match in _AFTER_ROLE.finditer(line):
        name = _after_role(match, line)
        if name:
            yield name
    yield from (match["n"] for match in _ONE.finditer(line) if match["n"] not in _NO_ONE)
    for match in re.finditer(rf"女(?:、名を|の|、)(?P<n>{_RUN}|お?[ぁ-ん]{{2,3}})(?=と|で|を|が|は|。|、)", line):
        if _likely(match["n"], strong=True):
            yield match["n"]
    for match in _DAUGHTER.finditer(line):
        if _likely(match["n"], strong=True):
            yield match["n"]
    about = _IS_KIN.match(line)
    if about and about["n"] not in ROLE_WORDS and not _NO_NAME.search(about["n"]) and not _NOT_KIN.search(about["n"]):
        yield about["n"]
    for match in _MARRIES.finditer(line):
        found = words(match["n"])
        if len(found) == 1 and found[0].pos[3] == "姓":
            continue
        if _likely(match["n"], strong=True):
            yield match["n"]
    for match in _BEFORE_ROLE.finditer(line):
        listed = 3 <= len(match["n"]) <= 5 and line[match.start("n") - 1 : match.start("n")] in {"、", "・"}
        if _likely(match["n"], strong=True) or (
            listed and not _NO_NAME.search(match["n"]) and not _is_word(match["n"])
        ):
            yield match["n"]
    for match in _LADY.finditer(line):
        if _lady(match[0]):
            yield match[0]
    yield from _of_runs(line)


def _lady(text: str) -> bool:
    stem = re.sub("(?:の方|の局)$", "", text)
    if text.startswith("お"):
        bare = stem[1:]
        if text in _NO_LADY or (len(bare) == 1 and "ぁ" <= bare <= "ん"):
            return False
        return bare in KANA or bool(re.search("の方|の局", text)) or not _is_word(stem)
    title = text.removeprefix(stem).removeprefix("の")
    return len(stem) > 1 or text.endswith(("の局", "御前")) or is_titled(stem, title)


_NO_LADY = wordset(
    "お前 おれ おら お宅 お墓 お寺 お宮 お上 お城 お店 お金 お茶 お酒 お客 お家 お互い おじ おば おい お腹 "
    "お陰 お菓子 お蔵 お礼 お経 お盆 お坊 おかげ おなじ おそらく お国 お殿 お方 お供 お産 お里 おさと"
)


@lru_cache(maxsize=4096)
def _is_word(text: str) -> bool:
    found = words(text)
    return len(found) == 1 and not found[0].is_proper_noun


def _after_role(match: re.Match[str], line: str) -> str:
    """The name behind 妻の, 長男・, 妹: kana by the list of names, kanji by its look."""
    name, join = match["n"], match["j"] or ""
    if re.fullmatch("お?[ぁ-ん]+", name):
        found = _kana(line[match.end() :])
        if found and found not in {"とし", "とせ", "とも"}:
            return found
        found = _kana(line[match.start("n") :])
        return "" if not join and found in {"とし", "とせ", "とも"} else found
    after = line[match.end("n") : match.end("n") + 1]
    if re.fullmatch("[ァ-ヴー]+", name):
        return name if (name in KANA or len(name) <= 4) and (after in _PARTICLE or not after) else ""
    if not join and name[0] in NOT_AFTER:
        return ""
    if (
        join in {"は", "が"}
        and after not in {"。", "、", ""}
        and line[match.end("n") : match.end("n") + 2] not in {"とい", "であ", "だっ", "です", "とな", "と云"}
    ):
        return ""
    return (
        name
        if (not after or after in _PARTICLE or after == "（") and _likely(name, strong=join in {"の", "は", "が", "で"})
        else ""
    )


def _kana(rest: str) -> str:
    """The kana name that a text begins with: its end is where a particle begins."""
    for length in (2, 3, 4):
        part, after = rest[:length], rest[length : length + 1]
        bare = part[1:] if part.startswith("お") and len(part) > 2 else part
        if bare in KANA and len(part) == length and (not after or after in _PARTICLE):
            return part
    return ""


def _of_runs(line: str) -> Iterator[str]:
    """Runs of nouns that the dictionary knows as names of persons."""
    found = words(line)
    at = 0
    while at < len(found):
        if not nounlike(found[at]):
            at += 1
            continue
        last = at
        while last < len(found) and nounlike(found[last]) and found[last].surface not in {"・", "＝"}:
            last += 1
        run = found[at:last]
        first = next((i for i, w in enumerate(run) if w.is_a("名詞", "固有名詞", "人名")), None)
        if first is not None:
            name = line[run[first].start : run[-1].end]
            bare = len(run) - first == 1 and run[first].pos[3] in {"姓", "一般"} and run[first].pos[3] != "名"
            if re.fullmatch("[ぁ-ん]+", name) or (bare and line[run[-1].end : run[-1].end + 2] != "さん"):
                at = max(last, at + 1)
                continue
            if _HOUSE.search(name) and not (name[-1] in "庵山川守" and len(name) > 3 and _surname_and_given(name)):
                at = max(last, at + 1)
                continue
            if 2 <= len(name) <= 8 and _likely(name, strong=False) and (first == 0 or not run[first - 1].is_number):
                yield name
        at = max(last, at + 1)


@lru_cache(maxsize=8192)
def _has_person(text: str) -> bool:
    return any(word.is_a("名詞", "固有名詞", "人名") for word in words(text))


@lru_cache(maxsize=8192)
def _likely(name: str, strong: bool) -> bool:
    """Does a run of kanji look like a person's name? `strong`: its place could hold any noun (妻の実家)."""
    if name in ROLE_WORDS or any(name == role for role in ROLE_WORDS):
        return False
    found = words(name)
    person = any(word.is_a("名詞", "固有名詞", "人名") for word in found)
    if strong and re.fullmatch("[一-龥](?:代|江|乃|枝|恵|野|尾|穂|緒|衣|世|栄|子)", name) and not _is_word(name):
        return True
    if (
        strong
        and re.fullmatch("[一-龥]{1,2}(?:女|阿弥)", name)
        and name not in {"男女", "少女", "処女", "彼女", "子女", "美女", "一女"}
    ):
        return True
    if _SURELY_MALE.search(name) or re.fullmatch("於[一-龥]", name):
        return True
    if (
        strong
        and found[0].is_proper_noun
        and 3 <= len(name) <= 5
        and 1 <= len(name) - len(found[0].surface) <= 3
        and not _NO_NAME.search(name)
    ):
        return True
    if found[0].pos[3] == "姓" and 2 <= len(name) <= 6 and len(found) > 1 and not _NO_NAME.search(name):
        return True
    if len(found) == 1 and found[0].is_a("名詞", "固有名詞", "人名") and (strong or found[0].pos[3] == "名"):
        return True
    if any(w.is_number for w in found[:1]) and len(found) > 1 and not person:
        return False
    if _NO_NAME.search(name) and not (person and _surname_and_given(name)):
        return False
    place = [w for w in found if w.is_a("名詞", "固有名詞", "地名")]
    if len(found) == 1:
        word = found[0]
        if word.is_a("名詞", "固有名詞", "人名"):
            return True
        if word.is_a("名詞", "普通名詞", "副詞可能") or place:
            return False
        return not strong and word.pos[0] == "名詞" and len(name) <= 2 and bool(_ENDS_FEMALE.search(name))
    if person:
        return len(name) <= 7 and not (
            len(found) > 1 and found[-1].is_a("名詞", "普通名詞") and len(found[-1].surface) > 1
        )
    common = [w for w in found if w.is_a("名詞", "普通名詞") and len(w.surface) > 1]
    if (
        strong
        and not common
        and not place
        and 2 <= len(name) <= 3
        and not any(w.is_number or w.is_a("接尾辞") for w in found)
    ):
        return True
    if common or place:
        return len(name) > 3 and bool(_ENDS_MALE.search(name)) and not common
    return len(name) <= 6 and bool(_ENDS_MALE.search(name) or _ENDS_FEMALE.search(name) or not strong)


def _surname_and_given(name: str) -> bool:
    found = words(name)
    return len(found) > 1 and found[0].pos[3] == "姓" and len(name) - len(found[0].surface) <= 3


def _short_forms(text: str, names: list[str]) -> dict[str, str]:
    """Each name, and the ends of full names that stand alone in the text: 新左衛門 for 樫尾新左衛門."""
    unique = list(dict.fromkeys(names))
    canonical = {name: name for name in unique}
    for full in sorted(unique, key=len):
        for at in range(1, len(full)):
            short = full[at:]
            if (
                len(full) < 3
                or "の" in full
                or (len(short) == 1 and short not in canonical and not _stands_alone(text, short))
            ):
                continue
            alone = short in canonical or re.search(
                rf"(?<![一-龥々ヶ]){re.escape(short)}(?=[はがをのにともで、。])", text
            )
            if alone and len(short) >= 1:
                longer = [o for o in unique if o != short and o.endswith(short) and len(o) > len(short)]
                single = len(short) == 1 and _stands_alone(text, short)
                if len(longer) == 1 and (single or _may_cut(full, short, unique)):
                    canonical[short] = full
                break
    for full in unique:
        surname = _surname(full)
        if surname and len(full) > len(surname):
            shared = [o for o in unique if o.startswith(surname) and o != surname]
            if len(shared) == 1 and (surname in canonical or _stands_alone(text, surname, 1)):
                canonical[surname] = shared[0]
            elif surname in canonical and len(shared) > 1:
                canonical.pop(surname, None)
    return canonical


def _stands_alone(text: str, short: str, least: int = 2) -> bool:
    if re.search(rf"(?:^|[。\n　]){re.escape(short)}は", text):
        return True
    return len(re.findall(rf"(?<![一-龥々ヶァ-ヴ]){re.escape(short)}(?=[はがものに])", text)) >= least


def _may_cut(full: str, short: str, names: list[str]) -> bool:
    """Is what stands before the short form a family name: by the dictionary, or shared with others?"""
    head = full[: -len(short)]
    shared = sum(other.startswith(head) for other in names if other != full)
    if _SURELY_MALE.search(short):
        return True
    return (
        len(head) >= 1
        and (len(short) > 1 or shared > 0)
        and not (len(head) == 1 and not shared and not _has_person(head))
    )


@lru_cache(maxsize=4096)
def _surname(full: str) -> str:
    found = words(full)
    return found[0].surface if len(found) > 1 and found[0].pos[3] == "姓" else ""
