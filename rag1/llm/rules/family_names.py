"""Who is named in family prose: characters are tagged as beginning, inside or outside of a name, twice.

The first tagger sees a sentence, the second also what the first found elsewhere in the text, so that a name is cut
alike wherever it stands. Both are linear (softmax over three tags, Viterbi); their weights are fitted by
`bench/fit_family.py`. Forms of one name (西沢弥一郎, 弥一郎) are then made one.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from rag1.llm.rules.family_items import Span, kin_words, script
from rag1.llm.rules.family_kana import KANA
from rag1.llm.rules.linear import Linear, softmax, viterbi
from rag1.llm.rules.words import Word, words

OUTSIDE, BEGIN, INSIDE = 0, 1, 2
_NEVER = frozenset({(OUTSIDE, INSIDE)})
_AROUND = (-2, -1, 0, 1, 2)
_ENDS = "はがをにのともで、。・）」』さへや（と"
_MALE = (
    "兵衛",
    "衛門",
    "之助",
    "之丞",
    "之進",
    "太郎",
    "次郎",
    "三郎",
    "四郎",
    "五郎",
    "六郎",
    "七郎",
    "八郎",
    "九郎",
    "十郎",
)
_KANJI_ENDS = frozenset("江子代枝乃美恵世野")
_HONORIFIC = re.compile("(?:さん|さま|様|氏|先生|殿)$")
PASSES = 2

Votes = dict[str, float]
"""A name → how many places speak for it, each by its probability."""


@lru_cache(maxsize=4096)
def features(sentence: str) -> tuple[tuple[str, ...], ...]:
    """What the first tagger sees of each character."""
    found = words(sentence)
    at_word: list[int] = [-1] * len(sentence)
    for number, word in enumerate(found):
        at_word[word.start : word.end] = [number] * (word.end - word.start)
    kin = kin_words(sentence)
    kana = _kana(sentence, frozenset(end for _, end in kin))
    return tuple(
        (
            *_of_characters(sentence, at),
            *_of_words(found, at_word[at], at),
            *_of_kin(kin, at),
            *_of_run(sentence, at),
            *kana[at],
        )
        for at in range(len(sentence))
    )


def _of_characters(sentence: str, at: int) -> Iterator[str]:
    near = [sentence[at + by] if 0 <= at + by < len(sentence) else "^" for by in _AROUND]
    for by, character in zip(_AROUND, near, strict=True):
        yield f"c{by}={character}"
        yield f"t{by}={script(character)}"
    yield f"b-={near[1]}{near[2]}"
    yield f"b+={near[2]}{near[3]}"
    yield f"b++={near[3]}{near[4]}"
    yield "tt=" + "".join(map(script, near))


def _of_words(found: Sequence[Word], number: int, at: int) -> Iterator[str]:
    if number < 0:
        return
    word = found[number]
    first, last = word.start == at, word.end == at + 1
    own, before, after = _pos(found, number), _pos(found, number - 1), _pos(found, number + 1)
    yield f"p={own},{first}{last}"
    yield f"p-p={before}>{own},{first}"
    yield f"pn={own}>{after},{first}"
    yield f"ppn={before}>{own}>{after}"
    yield f"prevtok={found[number - 1].surface if number else '^'},{first}"
    yield f"nexttok={found[number + 1].surface if number + 1 < len(found) else '$'},{last}"
    yield f"toklen={min(4, word.end - word.start)},{first}{last}{own[:2]}"
    yield f"tok={word.surface}"


def _pos(found: Sequence[Word], number: int) -> str:
    if not 0 <= number < len(found):
        return "-"
    pos = found[number].pos
    fine = "/" + pos[1] if pos[0] in {"名詞", "接尾辞", "助詞", "接頭辞"} else ""
    return pos[0] + fine + (f"/{pos[2]}{pos[3]}" if pos[1] == "固有名詞" else "")


def _of_kin(kin: Sequence[tuple[int, int]], at: int) -> Iterator[str]:
    starts, ends = any(start == at for start, _ in kin), any(end == at for _, end in kin)
    inside = any(start <= at < end for start, end in kin)
    yield f"rs={starts},re={ends},in={inside}"


def _of_run(sentence: str, at: int) -> Iterator[str]:
    """The run of characters of one script around a character."""
    kind = script(sentence[at])
    first, last = at, at
    while last < len(sentence) and script(sentence[last]) == kind and last - at < 8:
        last += 1
    while first > 0 and script(sentence[first]) == kind and at - first < 8:
        first -= 1
    run = sentence[first:last]
    after = sentence[last] if last < len(sentence) else "^"
    yield f"run={kind}{min(last - first, 7)},{min(at - first, 5)},{after}"
    yield f"runend={run[-1:]},{min(last - at, 4)}"
    yield f"runend2={run[-2:]},{min(last - at, 4)}"
    if run.endswith(_MALE):
        yield f"male,{min(last - at, 6)}"


def _kana(sentence: str, kin_ends: frozenset[int]) -> list[list[str]]:
    """Where a woman's name in kana may stand: behind a particle or a word of kin, a particle behind it."""
    begins, inside = [""] * len(sentence), [False] * len(sentence)
    for at in range(len(sentence)):
        open_before = (
            at == 0 or script(sentence[at - 1]) != "h" or sentence[at - 1] in "のとはがもやをに" or at in kin_ends
        )
        for length in (5, 4, 3, 2) if open_before else ():
            name = sentence[at : at + length]
            if len(name) == length and _is_womans(name) and sentence[at + length : at + length + 1] in _ENDS:
                begins[at] = f"{length}{name[:1] == 'お'}"
                inside[at + 1 : at + length] = [True] * (length - 1)
                break
    return [
        [f"kana={begin},{within}", f"kana={begin},{sentence[at - 1] if at else '^'}"]
        for at, (begin, within) in enumerate(zip(begins, inside, strict=True))
    ]


def _is_womans(name: str) -> bool:
    """おとせ, こふじ, みね, かつ江."""
    if name[-1] in _KANJI_ENDS and len(name) > 2:
        name = name[:-1]
    return name in KANA or (name[:1] in "おこ" and len(name) > 2 and name[1:] in KANA)


def of_text(sentences: Sequence[str], votes: Votes) -> list[list[tuple[str, ...]]]:
    """What the second tagger sees: the first one's features, and the names found so far in the whole text."""
    names = sorted(
        (name for name, vote in votes.items() if len(name) > 1 or vote > 1), key=lambda name: (-len(name), name)
    )
    houses = set(re.findall("(?<![一-龥])([一-龥々]{2,4}?)家(?![一-龥])", "".join(sentences)))
    rows = []
    for sentence in sentences:
        extra: list[list[str]] = [[] for _ in sentence]
        for name in names:
            _mark(sentence, name, min(int(votes[name] + 0.5), 3), names, extra)
        for house in houses:
            _mark_house(sentence, house, extra)
        rows.append([(*own, *more) for own, more in zip(features(sentence), extra, strict=True)])
    return rows


def _mark(sentence: str, name: str, votes: int, names: Sequence[str], extra: list[list[str]]) -> None:
    at = sentence.find(name)
    while at >= 0:
        longer = any(name != other and name in other for other in names)
        part = any(name != other and other in name for other in names)
        end = at + len(name)
        after = sentence[end : end + 1]
        kind = script(after) if after else "$"
        extra[at] += [
            f"dB{votes}",
            f"dB{votes}|{min(len(name), 4)}|{longer}{part}",
            f"dBn|{votes}|{after}",
            f"dBt|{votes}|{kind}",
        ]
        for inside in range(at + 1, end):
            extra[inside] += [f"dI{votes}", f"dI{votes}|{longer}{part}"]
        if after:
            extra[end] += [f"dE{votes}", f"dE{votes}|{kind}|{longer}{part}", f"dEc|{after}"]
        at = sentence.find(name, at + 1)


def _mark_house(sentence: str, house: str, extra: list[list[str]]) -> None:
    """The family name of a house that the text speaks of, and the given name behind it."""
    for match in re.finditer(f"{house}([一-龥々]{{1,5}}|[ぁ-ん]{{2,3}}|)", sentence):
        given = match[1]
        after = sentence[match.end() : match.end() + 1]
        extra[match.start()].append(f"hB|{script(given[0]) if given else '-'}|{given[:1] == '家'}|{after in _ENDS}")
        for at in range(match.start() + 1, match.end()):
            extra[at].append(f"hI|{at >= match.start() + len(house)}|{given[:1] == '家'}|{after in _ENDS}")


def _tagged(model: Linear, rows: Sequence[Sequence[str]]) -> Iterator[tuple[int, int, float]]:
    """(start, end, probability of the beginning) of each name."""
    chances = [softmax(model.scores(row)) for row in rows]
    tags = viterbi([[math.log(chance + 1e-9) for chance in row] for row in chances], _NEVER)
    start = -1
    for at, tag in enumerate([*tags, OUTSIDE]):
        if start >= 0 and tag != INSIDE:
            yield start, at, chances[start][BEGIN]
            start = -1
        if tag == BEGIN:
            start = at


def names_of(sentences: Sequence[str], first: Linear, second: Linear) -> Votes:
    """The names of a text by both taggers."""
    votes = votes_of(sentences, [list(features(sentence)) for sentence in sentences], first)
    for _ in range(PASSES):
        votes = votes_of(sentences, of_text(sentences, votes), second)
    return votes


def votes_of(sentences: Sequence[str], rows: Sequence[Sequence[Sequence[str]]], model: Linear) -> Votes:
    votes: Votes = defaultdict(float)
    for sentence, row in zip(sentences, rows, strict=True):
        for start, end, chance in _tagged(model, row):
            first, last = _whole(sentence, start, end)
            votes[sentence[first:last]] += chance
    return dict(votes)


_NO_BEGINNING = frozenset("妻夫娘姉妹兄弟父母子孫甥姪婿嫁室女男代年月日頃後前方翁故亡同旧実養")
_NO_END = frozenset("家氏様殿寺院庵方村屋町藩城公翁女男娘妻子長的代目側")


def _whole(sentence: str, start: int, end: int) -> tuple[int, int]:
    """A name that cuts a word of the dictionary, or leaves one character of its run, taken as a whole."""
    for word in words(sentence):
        noun = word.pos[0] == "名詞" and script(word.surface[0]) == "K" and len(word.surface) < 4
        if noun and word.start < start < word.end and not kin_words(word.surface):
            start = word.start
        if noun and word.start < end < word.end:
            end = word.end
    if start and script(sentence[start - 1]) == "K" and script(sentence[start]) == "K":
        alone = start == 1 or script(sentence[start - 2]) != "K"
        start -= (
            1
            if alone and (start - 1, start) not in kin_words(sentence) and sentence[start - 1] not in _NO_BEGINNING
            else 0
        )
    if sentence[max(0, start - 1) : start + 1] == "代目" and end - start > 2:
        start += 1
    rest, after = sentence[end : end + 1], sentence[end + 1 : end + 2]
    if rest and script(rest) == "K" and script(sentence[end - 1]) == "K" and after in _ENDS and rest not in _NO_END:
        joined = word_at(sentence, end)
        end += 1 if joined is not None and joined.end - joined.start == 1 else 0
    return start, end


def word_at(sentence: str, at: int) -> Word | None:
    return next((word for word in words(sentence) if word.start == at), None)


_BEHIND_NEW = re.compile(
    "(?:」|』|の名)?(?:と(?:も(?:い|呼|称|号)|名のり|名のっ|名乗|称|号|改|詰め|縮め|略)|で(?:通|知られ)|を(?:名の|名乗|号|称|通称|襲)|に(?:改|名を改|変))"
)


def renamed(sentences: Sequence[str], full: Mapping[str, str]) -> dict[str, str]:
    """New name → old name of those who are said to go by another one: 「庄兵衛で通した」「のちに観山と号した」.

    A name that stands for the first time where such words stand, in a sentence that goes on about somebody else.
    """
    found: dict[str, str] = {}
    seen: set[str] = set()
    topic = ""
    for sentence in sentences:
        named = spans(sentence, full)
        for start, end, name in named:
            earlier = [other for at, _, other in named if at < start and other != name]
            who = earlier[-1] if earlier else topic
            rest = sentence[end : end + 12]
            if name not in seen and who and _BEHIND_NEW.match(rest):
                found.setdefault(name, found.get(who, who))
        seen |= {name for _, _, name in named}
        first = next((name for _, end, name in named if sentence[end : end + 1] in {"は", "も", "が"}), "")
        topic = found.get(first, first) or topic
    return found


def in_full(votes: Mapping[str, float]) -> dict[str, str]:
    """Each form of a name → the longest form of the same person, where only one person can be meant.

    An end or a beginning of another name (庄左 of 庄左衛門) is that name; an honorific is no part of a name.
    """
    forms = {bare_name(name): vote for name, vote in votes.items()}
    names = [name for name, vote in forms.items() if len(name) > 1 or vote > 0.8]
    full = {name: name for name in names}
    for name in sorted(names, key=len, reverse=True):
        longer = [other for other in names if len(other) > len(name) and full[other] == other]
        ends = [other for other in longer if other.endswith(name)]
        begins = [other for other in longer if other.startswith(name) or _cut(other, name)]
        for found in (ends, begins):
            if len(found) == 1:
                full[name] = found[0]
                break
    return full | {name: full[bare] for name in votes if (bare := bare_name(name)) in full and name not in full}


def given_names(sentences: Sequence[str], full: Mapping[str, str]) -> dict[str, str]:
    """Given names that stand alone, of persons whose family name the text shows: 亮 for 宮下亮 where there is a 宮下家.

    A family name is one that a house has, or that two full names begin with.
    """
    text = "\n".join(sentences)
    names = {name for name in full.values() if len(name) > 2}
    houses = set(re.findall("(?<![一-龥])([一-龥々]{1,4}?)家(?![一-龥])", text))
    houses |= {name[:at] for name in names for at in (1, 2, 3) if sum(other[:at] == name[:at] for other in names) > 1}
    found: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for house in sorted((house for house in houses if name.startswith(house)), key=len)[-1:]:
            given = name[len(house) :]
            if given and given not in full and re.search(_bounded(given), text.replace(name, "")):
                found[given].add(name)
    return {given: owners.pop() for given, owners in found.items() if len(owners) == 1}


def bare_name(name: str) -> str:
    """Without an honorific; おさん is a name."""
    bare = _HONORIFIC.sub("", name)
    return bare if len(bare) > 1 or (bare and script(bare) == "K") else name


def _cut(name: str, short: str) -> bool:
    """Is it the beginning of a given name behind a family name: 庄左 of 西沢庄左衛門?"""
    return (
        len(short) > 1
        and short in name[1:]
        and not name.endswith(short)
        and bool(re.search("衛門|兵衛|郎|助|蔵", name))
    )


def spans(sentence: str, full: Mapping[str, str]) -> tuple[Span, ...]:
    """Where persons are named, the longest form first; kana and single characters only where no word goes on."""
    pattern = _pattern(tuple(sorted(full, key=lambda name: (-len(name), name))))
    if pattern is None:
        return ()
    return tuple((match.start(), match.end(), full[match[0]]) for match in pattern.finditer(sentence))


@lru_cache(maxsize=16)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str] | None:
    return re.compile("|".join(map(_bounded, names))) if names else None


def _bounded(name: str) -> str:
    text = re.escape(name)
    if re.fullmatch("[ぁ-ん]+", name):
        return (
            rf"(?:(?<![ぁ-ん])|(?<=[のとはがもやをに])){text}(?=[はがをのにともでへや、。・」）（ ]|から|より|さん|$)"
        )
    if re.fullmatch("[ァ-ヴー]+", name):
        return rf"(?<![ァ-ヴー]){text}(?![ァ-ヴー])"
    if len(name) == 1:
        alone = "(?:(?<![一-龥々])|(?<=[妻室娘女男子姉妹兄弟父母夫婿]))"
        return rf"{alone}{text}(?=[はがをのにともで、。・」）（]|から|より|さん|$)"
    return rf"{text}(?![寺院庵城])"
