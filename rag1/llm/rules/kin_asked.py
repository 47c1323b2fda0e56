"""Questions along kin: 「Xの母方の祖父の号は何か」 is X, then 母, then 父, then what is asked of that person."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from rag1.llm.rules.kin_steps import PLAIN, STEPS

_UNDER = {
    "祖父": "父", "祖母": "母", "曾祖父": "父方の祖父", "曾祖母": "父方の祖母",
    "伯父": "兄", "叔父": "弟", "おじ": "兄弟", "伯母": "姉", "叔母": "妹", "おば": "姉妹",
}  # fmt: skip
"""What a father's side's relative is to the father."""
_WHO = "(?:人物?|者|方|男性?|女性?|相手|先|[一-龥]{0,6}の?(?:主人?|当主))"
_REST = f"(?={_WHO}?[のはがをにもと、]|$)"
_KIN = "|".join(sorted(STEPS, key=len, reverse=True))
_STEP = re.compile(
    rf"(?:の|から見て|から見た|にとっての?)(?:(?P<side>[父母])方の)?(?:実の(?=祖))?(?P<kin>{_KIN})"
    r"(?=[のはがをにもとで、]|だ|から|方の|$)(?!に(?:ちな|関す))"
)
_SAID: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (rf"を養(?:子|女|嗣子)に(?:迎え|取っ|とっ|し|もらっ)た{_WHO}", "の養父"),
        (rf"を(?:養っ|育て|引き取っ)た{_WHO}", "の養父"),
        (
            rf"[がの](?:養子に)?(?:入った|行った)養家(?:の{_WHO})?|[がの]養子に(?:入った|行った)(?:先|家|{_WHO})|の養子先",
            "の養父",
        ),
        (rf"を(?:産|生|う)んだ{_WHO}", "の母"),
        (rf"[がの](?:嫁いだ|嫁した|縁づいた|輿入れした)(?:家の)?{_WHO}|の嫁ぎ先(?:の{_WHO})?", "の夫"),
        (rf"[がの](?:妻に迎えた|娶った|めとった|嫁にもらった){_WHO}", "の妻"),
        (rf"(?:と|が|の)(?:結婚した|結ばれた|連れ添った){_WHO}|の結婚相手", "の配偶者"),
        (rf"(?<=[父母子男女娘孫兄弟姉妹妻夫])(?:に[あ当]たる|である|だった|であった|という)(?:養家の)?{_WHO}", ""),
    )
)
"""Kin that is told by what was done: 「Xが嫁いだ相手」 is Xの夫."""
_HINT = re.compile(rf"^で(?P<hint>[^、。]{{2,24}}?(?:[たるだ])){_WHO}(?=[のはがを])")
_IS = re.compile(
    "^(?:は|とは|って)?[、,]?(?:誰|だれ|どなた|何という(?:名の)?(?:人|者|男|女|太夫|[一-龥]*[師家人者])(?:物|性)?(?:でし|だっ|です|か|の名))|^の(?:名前?|氏名)(?:は|を)?(?:何|誰|$|。)"
)


@dataclass(frozen=True, slots=True)
class AskedKin:
    """`start` as the question names it; `steps` from there; `final` the rest, with its particle first.

    `hints`: what is said of the person at the end of the step of that number (兄で絵師になった人).
    """

    start: str
    steps: tuple[str, ...]
    final: str
    hints: tuple[tuple[int, str], ...] = ()
    sided: bool = False

    @property
    def who(self) -> bool:
        """Is the person at the end the answer?"""
        return bool(_IS.match(self.final))


@lru_cache(maxsize=4096)
def asked_kin(question: str) -> AskedKin | None:
    """The chain of kin of a question; None where it has none."""
    text = question.strip()
    for pattern, plain in _SAID:
        text = pattern.sub(plain, text)
    first = _STEP.search(text)
    start = _start(text[: first.start()]) if first else ""
    if first is None or not start:
        return None
    asked = AskedKin(start, (), text[first.start() :])
    while (step := _STEP.match(asked.final)) is not None:
        asked = _onward(asked, step)
    return asked


def _onward(asked: AskedKin, step: re.Match[str]) -> AskedKin:
    kin = PLAIN.get(step["kin"], step["kin"])
    steps: tuple[str, ...] = (kin,)
    if step["side"]:
        steps = (step["side"], _UNDER[kin]) if kin in _UNDER else (step["side"], kin)
    made = replace(asked, steps=(*asked.steps, *steps), final=asked.final[step.end() :])
    made = replace(made, sided=asked.sided or bool(step["side"]))
    hint = _HINT.match(made.final)
    if hint is None:
        return made
    return replace(made, final=made.final[hint.end() :], hints=(*made.hints, (len(made.steps), hint["hint"])))


def _start(before: str) -> str:
    """The name or description that the chain starts from."""
    text = before if re.search("[」』]$", before) else re.split("[。、]", before)[-1]
    return text.strip("「」『』 　")


def parts_of(asked: AskedKin) -> list[str]:
    """One question a step: 「Xの母は誰か」「{1}の父は誰か」 …, the last one the rest of the question."""
    subject, parts = asked.start, []
    last = len(asked.steps) - asked.who
    for at in range(last):
        parts.append(f"{subject}{_said(asked, at)}は誰か")
        subject = f"{{{at + 1}}}"
    return [*parts, after(asked, subject, last)]


def after(asked: AskedKin, name: str, done: int) -> str:
    """The question about whoever was reached by the first `done` steps."""
    return name + "".join(_said(asked, at) for at in range(done, len(asked.steps))) + asked.final


def next_of(asked: AskedKin, name: str, done: int) -> str:
    """The next step alone, or the rest of the question behind the last one."""
    return f"{name}{_said(asked, done)}は誰か" if done < len(asked.steps) else name + asked.final


def _said(asked: AskedKin, at: int) -> str:
    hint = dict(asked.hints).get(at + 1, "")
    return f"の{asked.steps[at]}" + (f"で{hint}人" if hint else "")
