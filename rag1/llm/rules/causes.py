"""Cause and effect between events: 「BのはAからである」「AのでB」「A。そのためB」."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag1.llm.rules.words import words

CAUSE = "原因"
_CLEFT = re.compile(
    "^(?P<effect>.+?)のは、?(?P<cause>.+?)(?:から|ため|せい|おかげ|ゆえ)(?:である|であった|だった|です|でした|だ)?。?$"
)
_BECAUSE = re.compile(
    "(?P<cause>[^、。]{2,60}?(?:、[^、。]{1,40}?)?)(?<!もの)(?:せいで|おかげで|ことが原因で|ことがもとで|ことによって|ことにより|ことで|ことから|ために|ため|ので|(?<=[たるいだうくぐすつぬむ])から)、?"
    "(?P<effect>[^、。][^。]{2,}?)。?$"
)
_NOUN = re.compile(
    "^(?P<cause>[^、。はが]{2,20})(?:の(?:せいで|おかげで|ために?)|が原因で|がもとで|により|によって)、(?P<effect>[^。]{4,}?)。?$"
)
_REASON = re.compile("^(?P<cause>.+?)(?:から|ため|せい|おかげ)(?:である|であった|だった|です|でした|だ)。?$")
_THEREFORE = re.compile(
    "^(?:そのため|それで|だから|このため|その結果|それゆえ|したがって|おかげで|そのせいで|こうして|それが原因で|それがもとで|これにより|このせいで|そこで)[、に]?(?P<effect>.+?)。?$"
)
_FEELING = re.compile(
    "^(?P<cause>[^、。]*?(?:怒|腹を立て|悲し|喜|驚|恐れ|怖が|恨|憎|憐れ|哀れ|心配し|嫉妬し|惚れ|恥じ)[^、。]*?[てで])、(?P<effect>[^。]+?)。?$"
)
_HAPPENED = re.compile(
    "^(?P<cause>[^、。はを]*?が[^、。を]{1,12}?[てでり])、(?P<effect>[^、。をは]*?(?:が|も)[^、。]+?)。?$"
)
_PURPOSE = re.compile("[うくぐすつぬむるい](?:ために|ため)")


def causes(sentence: str, previous: str) -> Iterator[tuple[str, str]]:
    """(effect, cause) as plain events. `previous` is the sentence before, which そのため and からである lean on."""
    if match := _NOUN.match(sentence.strip()):
        yield event(match["effect"]), match["cause"]
        return
    for effect, cause in _stated(_plain(sentence), _plain(previous)):
        if _is_event(effect) and _is_event(cause) and effect != cause:
            yield effect, cause


def _plain(sentence: str) -> str:
    """The speech alone where the sentence is speech, else the sentence without what is said in it."""
    body = sentence.strip()
    if body.startswith("「") and body.endswith("」") and body.count("「") == 1:
        return body[1:-1]
    return "" if "「" in body and "。" in body[body.index("「") : body.rfind("」")] else body


def _is_event(text: str) -> bool:
    """A noun with a particle and a predicate: not ある alone, not a torn piece."""
    opens = words(text)[:1]
    whole = bool(opens) and opens[0].pos[0] in {"名詞", "代名詞", "連体詞", "副詞", "接頭辞", "形容詞"}
    return whole and len(text) >= 4 and bool(re.search("[がをにもで]", text)) and not re.search("[「」？]", text)


def _stated(body: str, previous: str) -> Iterator[tuple[str, str]]:
    if match := _CLEFT.match(body):
        yield event(match["effect"]), event(match["cause"])
    elif match := _THEREFORE.match(body):
        yield event(match["effect"]), event(previous)
    elif match := _REASON.match(body):
        yield event(previous), event(match["cause"])
    elif (match := _BECAUSE.search(body)) and not _PURPOSE.search(match[0]):
        yield event(match["effect"]), event(match["cause"])
    elif match := _FEELING.match(body) or _HAPPENED.match(body):
        yield _with_subject(event(match["effect"]), event(match["cause"])), event(match["cause"])


def _with_subject(effect: str, cause: str) -> str:
    """和尚が怒る + 玉虫を寺から出す → 和尚が玉虫を寺から出す."""
    subject = re.match("[^、。がを]{1,12}が", cause)
    return effect if not subject or re.search("が", effect) else subject[0] + effect


def event(text: str) -> str:
    """The event in plain form: 「川があふれてしまったので」 → 「川があふれる」; its topic marked with が."""
    text = re.sub(
        "^(?:しかし|そして|ところが|すると|また|それから|だが|そのため|それで|だから|こうして|やがて|ついに)、?",
        "",
        text.strip("、。「」 　\n"),
    )
    found = list(words(text))
    negated = False
    while found and (found[-1].pos[0] in {"助動詞", "助詞", "補助記号"} or _is_auxiliary(found, text)):
        negated |= found[-1].norm in {"ない", "無い", "ず", "ぬ"}
        found.pop()
    if not found:
        return text
    last = found[-1]
    stem = text[: last.start] + (last.lemma if last.pos[0] in {"動詞", "形容詞"} else last.surface)
    stem = re.sub("^([^、。はがを]{1,15})は、?", r"\1が", stem)
    return stem + ("(ない)" if negated else "")


def _is_auxiliary(found: list, text: str) -> bool:  # type: ignore[type-arg]
    word = found[-1]
    follows = len(found) > 1 and found[-2].surface in {"て", "で"}
    return bool(word.is_a("動詞", "非自立可能") and follows) or (word.surface == "の" and word.end == len(text))
