"""Cause and effect between events: 「BのはAからである」「AのでB」「A。そのためB」."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from rag1.llm.rules.words import Word, words, wordset
from rag1.text.tokenize import morphemes

CAUSE = "原因"
INFERRED = {"根拠": "前後の文"}
"""Properties of a cause that no clause states: two sentences tell of one thing."""
FIRST = "大もと"
"""Property of a cause: the first of all behind its effect."""
LEAD = re.compile(
    "^(?:しかし|そして|ところが|ところで|すると|また|それから|それでも|けれども|けれど|だが|なのに|さて|幸い|"
    "そのため|それで(?!も)|"
    "だから|こうして|やがて|ついに|なので|おかげで|と(?=、))、?"
)
"""What a sentence begins with and no event is about."""
_CLEFT = re.compile(
    "^(?P<effect>.+?)のは、?(?P<cause>.+?)(?:から|ため|せい|おかげ|ゆえ)(?:である|であった|だった|です|でした|だ)?"
    "(?:と(?:わかった|分かった|判明した|知れた|いう|のことだ|聞いた|いわれる|される|考えられる|みられる))?。?$"
)
_BECAUSE = re.compile(
    "(?P<cause>[^、。]{2,60}?(?:、[^、。]{1,40}?)?)(?<!もの)(?:せいで|おかげで|ことが原因で|ことがもとで|"
    "ことによって|ことにより|(?<!の)ことで|ことから|"
    "(?<!の)ために|(?<!の)ため(?!息|し|ら|る|た)|ので|(?<=[たるいだうくぐすつぬむ])から)、?"
    "(?P<effect>[^、。][^。]{2,}?)。?$"
)
_NOUN = re.compile(
    "^(?P<cause>[^、。はが]{2,20})(?:の(?:せいで|おかげで|ために?)|が原因で|がもとで|により|"
    "によって)、(?P<effect>[^。]{4,}?)。?$"
)
_REASON = re.compile("^(?P<cause>.+?)(?:から|ため|せい|おかげ)(?:である|であった|だった|です|でした|だ)。?$")
_THEREFORE = re.compile(
    "^(?:そのため|それで|だから|このため|その結果|それゆえ|したがって|おかげで|そのせいで|こうして|それが原因で|"
    "それがもとで|これにより|このせいで|そこで)[、に]?(?P<effect>.+?)。?$"
)
_SINCE = re.compile(
    "^(?P<topic>[^、。はがを]{1,15}は、?)?(?P<cause>[^、。]{3,40}[てで])以来、(?P<effect>[^。]{4,}?)。?$"
)
_FEELING = re.compile(
    "^(?P<cause>[^、。]*?(?:怒|腹を立て|悲し|喜|驚|恐れ|怖が|恨|憎|憐れ|哀れ|心配し|嫉妬し|惚れ|"
    "恥じ)[^、。]*?[てで])、(?P<effect>[^。]+?)。?$"
)
_HAPPENED = re.compile(
    "^(?P<cause>[^、。はを]*?が[^、。を]{1,12}?[てでり])、(?P<effect>[^、。をは]*?(?:が|も)[^、。]+?)。?$"
)
_WHEN = re.compile(
    "^(?:(?:ある|その|同じ|次の)?[^、。はがをも]{0,12}?(?:年|月|日|晩|夜|朝|昼|夕方|春|夏|秋|冬|週|暮れ|"
    "明け方|ころ|頃|とき|時|終わり|初め|はじめ|末|半ば)(?:に|は)?、)+"
)
_ARRIVES = re.compile("(?:来|き|行っ|出|入っ|帰っ|戻っ)て$")
_TOPIC = re.compile("^((?:[^、。はがを]{1,12}、)?[^、。はがを]{1,15})(?<![にでへとらの])は、?(?![^、]*(?<!な)が(?!ら))")
_VOICE = frozenset({"れる", "られる", "せる", "させる"})
_ENDING = re.compile(
    "(?<=[たるいだう])(?:から|ため)?(?:の|(?<=[たないる])ん)?(?:だ|である|だった|であった|です|でした|でしょう|"
    "だろう)?(?:という|そうだ)?$"
)
_PURPOSE = re.compile("[うくぐすつぬむるい](?:ために|ため)")


def causes(sentence: str, previous: str) -> Iterator[tuple[str, str]]:
    """(effect, cause) as plain events. `previous` is the sentence before, which そのため and からである lean on."""
    if match := _NOUN.match(sentence.strip()):
        yield event(match["effect"]), match["cause"]
        return
    for effect, cause in _stated(_plain(sentence), _plain(previous)):
        if is_event(effect) and is_event(cause) and effect != cause:
            yield effect, cause


def _plain(sentence: str) -> str:
    """The speech alone where the sentence is speech, else the sentence without what is said in it."""
    body = sentence.strip()
    if body.startswith("「") and body.endswith("」") and body.count("「") == 1:
        return body[1:-1]
    return "" if "「" in body and "。" in body[body.index("「") : body.rfind("」")] else body


def is_event(text: str) -> bool:
    """A noun with a particle and a predicate: not ある alone, not a torn piece."""
    opens = words(text)[:1]
    whole = bool(opens) and opens[0].pos[0] in {"名詞", "代名詞", "連体詞", "副詞", "接頭辞", "形容詞"}
    return whole and len(text) >= 4 and bool(re.search("[がをにもで]", text)) and not re.search("[「」？]", text)


def _stated(body: str, previous: str) -> Iterator[tuple[str, str]]:
    if match := _CLEFT.match(body):
        yield event(match["effect"]), event(match["cause"])
    elif match := _SINCE.match(body):
        yield event((match["topic"] or "") + match["effect"]), event(match["cause"])
    elif match := _THEREFORE.match(body):
        yield event(match["effect"]), event(previous)
    elif match := _REASON.match(body):
        yield event(previous), event(match["cause"])
    elif (match := _BECAUSE.search(body)) and not _PURPOSE.search(match[0]):
        yield event(match["effect"]), event(match["cause"])
    elif (match := _FEELING.match(body) or _HAPPENED.match(body)) and not _ARRIVES.search(match["cause"]):
        yield _with_subject(event(match["effect"]), event(match["cause"])), event(match["cause"])


def _with_subject(effect: str, cause: str) -> str:
    """和尚が怒る + 玉虫を寺から出す → 和尚が玉虫を寺から出す."""
    subject = re.match("[^、。がを]{1,12}が", cause)
    return effect if not subject or re.search("が", effect) else subject[0] + effect


def event(text: str) -> str:
    """The event in plain form: 「川があふれてしまったので」 → 「川があふれる」; its topic marked with が."""
    text = LEAD.sub("", text.strip("、。「」 　\n"))
    text = _ENDING.sub("", text) or text
    found = list(words(text))
    negated = False
    while found and (found[-1].pos[0] in {"助動詞", "助詞", "補助記号"} or _is_auxiliary(found, text)):
        if found[-1].norm in _VOICE:
            break
        negated |= found[-1].norm in {"ない", "無い", "ず", "ぬ"}
        found.pop()
    if not found:
        return text
    last = found[-1]
    inflects = last.pos[0] in {"動詞", "形容詞"} or last.norm in _VOICE
    stem = text[: last.start] + (last.lemma if inflects else last.surface)
    stem = _TOPIC.sub(r"\1が", stem)
    return stem + ("(ない)" if negated else "")


_COMMON_VERBS = wordset(
    "行く 来る 出る 入る 見る 思う 聞く 持つ 付く 付ける 取る 掛かる 掛ける 居る 立つ 出す 遣る 置く 始める 切る"
)
_TO_A = str.maketrans("うくぐすつぬぶむる", "わかがさたなばまら")


def links(event_text: str) -> frozenset[str]:
    """What joins one event to the next: nouns and verbs in normal form, without numbers, times and light verbs."""
    return frozenset(
        word.norm
        for word in map(Word._make, morphemes(event_text, "A"))
        if word.is_content and word.pos[0] in {"名詞", "動詞"} and not word.is_number
        if word.norm not in _COMMON_VERBS and word.pos[2] not in {"副詞可能", "助数詞可能"}
    )


def without_time(event_text: str) -> str:
    """「ある秋の夜、天狗が大杉を蹴り倒す」 without when it was."""
    return _WHEN.sub("", event_text) or event_text


def as_happening(event_text: str) -> str:
    """「天狗が大杉を蹴り倒すこと」; a thing that is told to be something 「…であること」, a noun alone as it stands."""
    found = words(event_text)
    if not found or found[-1].pos[0] not in {"名詞", "接尾辞"}:
        return f"{event_text}こと"
    return f"{event_text}であること" if any(w.pos[0] == "助詞" and w.surface in "がはを" for w in found) else event_text


def negated(event_text: str) -> str:
    """「種をまく(ない)」 as one says it: 種をまかない."""
    stem = event_text.removesuffix("(ない)")
    found = words(stem)
    if stem == event_text or not found:
        return event_text
    if found[-1].norm == "無い":
        return stem
    if found[-1].surface in {"ある", "有る"}:
        return stem[:-2] + "ない"
    if found[-1].norm in {"為る", "来る"}:
        return stem[:-2] + {"為る": "しない", "来る": "来ない"}[found[-1].norm]
    if "五段" in found[-1].pos[4]:
        return stem[:-1] + stem[-1].translate(_TO_A) + "ない"
    return stem.removesuffix("る") + "ない"


def _is_auxiliary(found: list, text: str) -> bool:  # type: ignore[type-arg]
    word = found[-1]
    follows = len(found) > 1 and found[-2].surface in {"て", "で"}
    return bool(word.is_a("動詞", "非自立可能") and follows) or (word.surface == "の" and word.end == len(text))


_TELLS_WHY = re.compile(
    "(?:から|ため|せい|の|ん)(?:だ|である|だった|であった|です|でした|でしょう|だろう)(?:という|そうだ|とか)?[。」]?$"
)
_BECAUSE_OF_BEFORE = re.compile(
    "(?:(?<=[ただないるうくすむぬ])の|(?<=[たないる])ん)(?:だ|である|だった|であった|です|でした|でしょう|"
    "だろう)(?:という|そうだ)?[。」]?$"
)
_HABIT = re.compile("(?:毎[年日朝晩月週]|いつも|代々).*(?:てい|でい)た")
_STATE = re.compile("(?:てい|でい|(?<!では)なかっ)た[。]?$|(?:てい|でい)る[。]?$")
_USUALLY = re.compile(
    "^(?:いつもなら|いつもは|ふだんなら|ふだんは|普段は|普段なら|例年なら|例年は|これまでは|それまでは|本来なら|"
    "もともとは|以前は|昔は|毎年)"
)
_BREAKS = re.compile("^(?:その|それ|ところが|だが|しかし)")
_INTRODUCES = re.compile("(?:である|だった|であった|だ|です|でした|という)[。]?$")


def explained(sentences: Sequence[str], opens: Collection[int]) -> Iterator[tuple[int, str, str]]:
    """(place of the cause, effect, cause) that the order of sentences tells.

    「XはYなのである」 explains the sentence before, or, where it begins a paragraph, what the paragraph before began
    with. 「いつもならA。そのAがなかった」 explains what stands before. A state of what an explanation just named
    (勘助が返さないのである。勘助は店を焼かれていた) explains it. `opens`: sentences that begin a paragraph.
    """
    last = -9
    for at, sentence in enumerate(sentences):
        body = _plain(sentence)
        for effect in _explains(sentences, opens, at, last):
            pair = event(_plain(sentences[effect])), event(body)
            if all(is_event(each) for each in pair):
                yield at, *pair
        if at and (_TELLS_WHY.search(body) or any(_explains(sentences, opens, at, last))):
            last = at


def _explains(sentences: Sequence[str], opens: Collection[int], at: int, last: int) -> list[int]:
    """The sentences that this one gives the cause of; `last`: the last one that gave a cause."""
    if not at:
        return []
    sentence = _plain(sentences[at])
    if _BECAUSE_OF_BEFORE.search(sentence) and not _HABIT.search(sentence):
        begins = max((place for place in opens if place < at), default=0)
        if at in opens:
            return sorted(
                {begins, max(range(begins, at), key=lambda place: len(links(sentences[place]) & links(sentence)))}
            )
        both = at - begins == 2 and not _INTRODUCES.search(sentences[begins])
        return [begins, at - 1] if both else [at - 1]
    if at > 1 and _USUALLY.match(sentences[at - 1]) and _BREAKS.match(sentence):
        return [at - 2]
    introduced = at - last == 2 and bool(_INTRODUCES.search(sentences[at - 1]))
    if _STATE.search(sentence) and (at - last == 1 or introduced) and _goes_on(sentence, sentences[at - 1]):
        return [last]
    return []


def _goes_on(sentence: str, previous: str) -> bool:
    """Does the sentence begin with something that the one before names?"""
    topic = re.match("[^、。はがを]{1,15}(?=[はが])", sentence)
    return bool(topic) and any(
        word.surface in previous
        for word in words(topic[0] if topic else "")
        if word.pos[0] == "名詞" and not word.is_number
    )
