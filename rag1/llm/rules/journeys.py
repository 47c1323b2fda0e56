"""Who goes along with whom, told where each one joins: 「亀は後ろについてきた」「烏が道案内に加わった」.

The one who set out is remembered; whoever joins, follows, or says that they will come along goes with that one. Those
who decline, see off or are only met do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag1.llm.rules.company import helpers, joined_by, listed, set_out_of
from rag1.llm.rules.entity_types import type_of
from rag1.llm.rules.pieces import Piece, apart, groups, is_person
from rag1.llm.rules.words import wordset

_ROLE = (
    "(?:道連れ|連れ|お?供|おとも|同行者?|仲間|なかま|一行|列|隊|道案内|案内役?|あんない|荷物持ち|"
    "荷物運び|用心棒|護衛|助っ人|旅)"
)
SHORTEST_SPEECH = 3
"""Characters of a quotation up to which it is a name or a word, not somebody's speech."""
JOINS = re.compile(
    f"{_ROLE}(?:に|へ|として)(?:と?[^、。]{{0,6}})?(?:加わ|くわわ|入[っりる]|はい[っりる]|な[っりる])|(?:加わ|"
    f"くわわ)[っりるら]|"
    "つ(?:い|き従っ|き従)て(?:来|き|行|い[っくき])|付いて(?:来|き|行|い[っくき])|後(?:を追っ|に続い|に従っ)|"
    "(?:付|つ)き(?:添|そ)[っいう]|(?:同行|同道|随行|お供|おとも|同伴|同乗)(?:を?(?:し|す|いた|申し出|願い出))|"
    "供を(?:し|す|いた|申し出|願い出|つとめ|務め)|"
    "(?:一緒|いっしょ)に(?:行|来|い[っくき]|き[たまて]|歩|旅|出|登|のぼ|下|渡|乗|つい)|(?:共|とも)に(?:行|来|歩|"
    "し[たま]|す)|(?:道|行|旅)を(?:共|とも)に|"
    "合流し|先頭に立|乗り合わせ|同じ道を(?:行|歩|たど)|(?:列|一行|みんな|後ろ|うしろ|"
    "あと)[^、。]{0,4}[にへ](?:つ[いくっ]|付[いくっ]|続[いくっ]|並[んび])|"
    f"連れ(?:立|だ)っ|{_ROLE}を(?:買って|かって|申し)出"
)
_SAYS = re.compile("(?:言|いっ|いい|申|叫|答|聞|笑|頼|つぶや|呼)")
_WILL_COME = re.compile("(?:行|い)(?:く|こ|き)|(?:お供|供|案内)(?:し|いた|を)|つい(?:て|とっ)")
_SETS_OUT = re.compile(
    "(?:出発し|出かけ|出掛け|旅立|旅に出|向かっ|向かい|めざし|目指し|[をから](?:出|発)(?:た|て|ま)|(?:へ|に|"
    "まで)(?:行っ|行き|行く|のぼっ|登っ|出かけ|急い|歩|下り|入っ|渡っ)|[へに]歩いて|越え[たてる]|(?:見|取り|詫び|買い|売り|もらい|迎え|届け|探し|尋ね|"
    "釣り|手伝い|知らせ)に(?:行|出|登|下|ゆ|い[っく]))"
)
_MET = re.compile("(?P<who>[^、。のはがをにでと]{1,12})に(?:[^、。に]*)(?:もら[いっ]|いただ)")
_TARGET = re.compile(
    "(?P<whom>[^、。はがをにでの]{1,12}?)(?:の(?:お?供|後|あと|連れ|旅)|に(?:つい|付い|付き添|つきそ|同行|従|"
    "続い)|と(?:一緒|いっしょ|連れ|とも))"
)
_NOBODY = re.compile(
    "^(?:一行|みんな|みな|皆|だれ|誰|.*[二三四五六七八九2-9](?:人|匹|ひき|名|頭|羽)|[ふ二]たり|それ|これ|そこ)$|"
    "^(?:店|日|話|仕事|水|風|雨|雪|霧|声|音|道)$"
)
_SELF = wordset("わたし 私 ぼく 僕 おれ 俺 わし あたし うち 自分")
_TITLES = wordset("先生 じいさん ばあさん おじさん おばさん 爺さん 婆さん 婆 爺 和尚 さん")


@dataclass(frozen=True, slots=True)
class Joining:
    """`head` goes with `tail`, told in sentence `at`."""

    head: str
    tail: str
    at: int


@dataclass(frozen=True)
class _Scene:
    """`traveller`: who set out; `speaker`: whom the last sentence let speak; `topic`: of whom it was told last; `near`:
    somebody set out in the last sentence or the one before."""

    traveller: str = ""
    speaker: str = ""
    topic: str = ""
    near: bool = False


def joinings(sentences: Sequence[str]) -> list[Joining]:
    """Everyone who joins the one who set out, in the order of the text."""
    found: list[Joining] = []
    scene = _Scene()
    for at, sentence in enumerate(sentences):
        following = sentences[at + 1] if at + 1 < len(sentences) else ""
        for whom, who in _of_sentence(sentence, following, scene):
            told = "".join(sentences[: at + 1])
            companion, traveller = titled(who, told), titled(whom, told)
            if traveller and companion and companion != traveller and not _NOBODY.search(companion):
                found.append(Joining(traveller, companion, at))
        scene = _after(scene, sentence)
    return list({(each.head, each.tail): each for each in reversed(found)}.values())[::-1]


def _of_sentence(sentence: str, following: str, scene: _Scene) -> Iterator[tuple[str, str]]:
    """(whom, who) of the sentence itself, then of what is said in it."""
    rest, said = apart(sentence, SHORTEST_SPEECH)
    told = list(listed(rest)) if rest else []
    if told:
        yield from ((whom or scene.traveller or scene.topic, who) for whom, who in told)
        return
    if scene.near and scene.traveller:
        yield from ((scene.traveller, who) for who in helpers(rest))
    for parts, _ in groups(rest) if rest else ():
        joins = [piece for piece in parts if JOINS.search(piece.text) and not piece.negated]
        if joins:
            yield from _joined(parts, joins[-1], scene)
    speaker = _subject_of_saying(rest) if rest else scene.speaker or _subject_of_saying(following)
    for speech in said:
        if speaker and _offers(speech):
            yield scene.traveller, speaker


def _joined(parts: Sequence[Piece], piece: Piece, scene: _Scene) -> Iterator[tuple[str, str]]:
    who = _nearest(parts, piece)
    asked = _MET.search(piece.text)
    if asked:
        yield scene.traveller or who, asked["who"]
        return
    target = _TARGET.search(piece.text)
    whom = target["whom"] if target and is_person(target["whom"]) and target["whom"] != who else scene.traveller
    if who and who not in _SELF:
        match = JOINS.search(piece.text)
        before = re.match(f"^(?P<list>.*{re.escape(who)})[がもは]", piece.text[: match.start()] if match else "")
        others = joined_by(before["list"]) if before else []
        yield from ((whom, other) for other in (others if who in others else [who]))


def _nearest(parts: Sequence[Piece], piece: Piece) -> str:
    """The subject nearest before the words of joining: 「姉が家を出たあと、徳次さんが供を申し出た」."""
    match = JOINS.search(piece.text)
    marked = re.findall("([^、。のはがをにでと]{1,12})[がはも](?!ら)", piece.text[: match.start()] if match else "")
    last = next((name for name in reversed(marked) if is_somebody(name) or type_of(name) == "Person"), "")
    return last or next((each.subject for each in parts if each.subject), "")


def _offers(speech: str) -> bool:
    """「わたしも行く」「お供しましょう」, and no question or refusal."""
    body = speech.strip("。！ ")
    if re.search("(?:ない|ません)(?:か|よ|ね)?$|[？?]$|(?:か|な)$", body):
        return False
    return bool(JOINS.search(body)) or bool(
        re.search("(?:わたし|私|ぼく|僕|おれ|俺|わし|あたし)も", body) and _WILL_COME.search(body)
    )


_GOES = re.compile(
    "(?:行って|行き|いって|出かけて|見て|もらって|取って|とって|探して|さがして)(?:き|く|来|まい|参)|行きます|"
    "行こう|行くよ$|行く$"
)


def _subject_of_saying(sentence: str) -> str:
    """Who says, asks or answers in the sentence; "" where nobody does."""
    rest, _ = apart(sentence, SHORTEST_SPEECH)
    for parts, _ in groups(rest) if rest else ():
        text = "".join(piece.text for piece in parts)
        who = next((piece.subject for piece in parts if piece.subject), "")
        if who and _SAYS.search(text):
            return who
    return ""


def _after(scene: _Scene, sentence: str) -> _Scene:
    rest, said = apart(sentence, SHORTEST_SPEECH)
    traveller, topic = scene.traveller, scene.topic
    set_out = False
    for parts, _ in groups(rest) if rest else ():
        text = "".join(piece.text for piece in parts)
        who = next((piece.subject for piece in parts if piece.subject), "")
        if not who or not (is_somebody(who) or type_of(who) == "Person"):
            continue
        topic = who
        if _SETS_OUT.search(text) and not any(p.negated for p in parts) and not JOINS.search(text):
            traveller, set_out = who, True
    if rest and (first := set_out_of(rest)):
        traveller, topic, set_out = first, first, True
    speaker = _subject_of_saying(sentence)
    if any(_GOES.search(speech.strip("。！")) and not _offers(speech) for speech in said):
        traveller = speaker or topic or traveller
    return _Scene(traveller, speaker, topic, set_out)


def is_somebody(name: str) -> bool:
    return is_person(name) or (
        not _NOBODY.search(name) and bool(re.fullmatch("[ァ-ヴー]{2,}|[\u4e00-\u9fff]{2,4}(?:さん|君|ちゃん)?", name))
    )


def titled(name: str, told: str) -> str:
    """野口先生 for 先生, モグじいさん for じいさん: the last one that the text named so."""
    if name not in _TITLES:
        return name
    longer = re.findall(f"(?:[ァ-ヴー]+|[\u4e00-\u9fff々]{{1,4}}){name}", told)
    return longer[-1] if longer else name
