"""Questions along kin: 「Xの母方の祖父の号」 is X, then 母, then 父, then what is asked of that person."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from rag1.llm.rules.prose_roles import ROLE_OF, ROLE_WORDS

SIDES = {"父方": "父", "母方": "母"}
_GREAT = {"曾祖父": "父", "曾祖母": "母"}
_UNDER = {"祖父": "父", "祖母": "母", "伯父": "兄", "叔父": "弟", "伯母": "姉", "叔母": "妹"}
_KIN = "|".join(
    map(
        re.escape,
        sorted({*ROLE_WORDS, "親", "両親", "孫息子", "ひ孫", "曾孫", "義理の父", "義理の母"}, key=len, reverse=True),
    )
)
_HEAD = r"(?:の|にとっての?|から見て|から見た|からみて)、?"
_LINK = re.compile(rf"{_HEAD}(?:(?P<side>父方|母方)の|実の)?(?P<kin>{_KIN})(?![一-龥々](?!が|を|は|の)|方の)")
_NEXT = re.compile(
    rf"(?:の|である|であった|だった|で、?その|、その)(?:(?P<side>父方|母方)の|実の)?(?P<kin>{_KIN})(?=[はがのをにもと、]|には|から|とは|であ|だっ|に[あ当]た|$)"
)
_IS = re.compile("(?:にあたる|に当たる|だった|である|という)(?:人物?|方|男|女性?|男性)?|本人|自身|その人")
_HAS = re.compile(
    rf"(?:には|に)、?(?:一人の|二人の)?(?P<kin>{_KIN})が(?:い|あ|居)(?:た|る|ます|まし|っ)[^、]*、(?:その|この)(?:人物?|者|{_KIN})?(?=[はがのをに])"
)
_THEN = re.compile(
    rf"[はがも][^、。]*?(?:が|て|で|り|ており|し|けれど|けれども)、(?:その|この|彼の|彼女の)(?:(?P<side>父方|母方)の)?(?P<kin>{_KIN})(?=[はがのをに])"
)
_WED_THEN = re.compile(
    r"[はが][^。]*?(?:と(?:結ばれ|結婚し|夫婦)|に(?:嫁い|嫁し|縁づい|輿入れし)|へ(?:嫁い|嫁し))[^。、]*[。、](?:が、)?(?:その|この)(?:男|人|人物|相手|夫|主人|女性?|妻|方)(?=[はがのをにも])"
)
_WED = re.compile(
    r"(?:[がのは]、?(?:嫁いだ|嫁した|嫁に(?:行|い)った|縁づいた|輿入れした|結婚した|結ばれた|連れ添った|娶った|妻に迎えた|めとった|婿に入った|添った)|と(?:結婚|結ば)[^、。]{0,4}?|の(?:結婚|嫁ぎ|嫁ぎ先の|縁組の?))"
    r"(?P<who>相手|先|人物?|男性?|女性?|当主|主人?|[一-龥]{1,6}?(?:師|屋|者|士|家|商|主|医者|人|守|匠))(?=[はがのをにも、]|$)"
)
_BORE = re.compile(r"を(?:産んだ|生んだ|うんだ)(?P<who>女性|人|母|方)(?=[はがのをにも、])")
_LEARNT = re.compile(r"[がの](?:学んだ|師事した|入門した|教わった)(?P<who>師匠?|先生|人|学者)(?=[はがのをにも、])")
_TITLED = re.compile(r"^(?:語り手|主人公|作者)(?:の|・|である)?(?=.)")
_NAME_AFTER = re.compile(r"^(?:・|である|、)?(?P<name>[一-龥々]{1,6}|[ぁ-ん]{2,4}?|[ァ-ヴー]{2,6})(?=の|が|は|を|に)")


@dataclass(frozen=True, slots=True)
class AskedKin:
    """`start` as the question names it; `steps` the relations from there; `final` the rest, with its particle first."""

    start: str
    steps: tuple[str, ...]
    final: str

    @property
    def who(self) -> bool:
        """Is the person at the end the answer?"""
        return bool(
            re.match(
                r"^(?:は|とは|って)?[、,]?(?:誰|だれ|どなた|何という(?:人|名の人|人物|名前の人)|何者|どういう人の名)",
                self.final,
            )
        ) or bool(re.match(r"^の(?:名前?|名|氏名)(?:は|を)?(?:何|誰|$|。|答|教|、|？|\?)", self.final))


@lru_cache(maxsize=4096)
def asked_kin(question: str) -> AskedKin | None:
    """The chain of kin of a question; None where it has none."""
    question = question.strip()
    match = next((m for m in _LINK.finditer(question) if _fits(question, m)), None)
    deed = next((m for m in (p.search(question) for p in (_BORE, _LEARNT)) if m), None)
    if match is None or (deed is not None and deed.start() < match.start()):
        return _by_deed(question)
    start = _start(question[: match.start()])
    if not start:
        return None
    return _along(AskedKin(start, _steps(match), question[match.end() :]))


def _fits(question: str, match: re.Match[str]) -> bool:
    """Not the 子 of 子供たち, the 母 of 母国; a plain word after it must be a particle or a name."""
    after = question[match.end() :]
    return not re.match("方[^の]|国|校|屋|港|船|弟|婦|子|達|たち|親[^はがのをに]|系", after)


def _start(before: str) -> str:
    """The name or description that the chain starts from."""
    text = (
        re.split(r"[。、](?=[^、。]*$)", before)[-1] if "、" in before and not re.search("[」』]", before) else before
    )
    text = _TITLED.sub("", text.strip())
    return text.strip("「」『』 　、")


def _steps(match: re.Match[str]) -> tuple[str, ...]:
    side = match.groupdict().get("side") or ""
    kin = match["kin"]
    for prefix, parent in SIDES.items():
        if kin.startswith(prefix + "の"):
            side, kin = prefix, kin[len(prefix) + 1 :]
        del parent
    role = (
        ROLE_OF[kin].relation
        if kin in ROLE_OF
        else {"孫息子": "孫", "ひ孫": "曾孫", "義理の父": "義父", "義理の母": "義母"}.get(kin, kin)
    )
    if side and role in _GREAT:
        return (SIDES[side], "父", _GREAT[role])
    if side and role in _UNDER:
        return (SIDES[side], _UNDER[role])
    return (SIDES[side], role) if side else (role,)


def _by_deed(question: str) -> AskedKin | None:
    """「Xを産んだ女性は…」「Xが嫁いだ相手は…」: no word of kin at all."""
    for pattern, step in ((_BORE, "母"), (_WED, "配偶者"), (_LEARNT, "師")):
        match = pattern.search(question)
        start = _start(question[: match.start()]) if match else ""
        if match and start:
            return _along(AskedKin(start, (step,), question[match.end() :]))
    return None


def _along(asked: AskedKin) -> AskedKin:
    """Further steps at the front of the rest, one after another."""
    for _ in range(8):
        further = _further(asked)
        if further is None:
            return asked
        asked = further
    return asked


def _further(asked: AskedKin) -> AskedKin | None:
    rest = asked.final
    if (match := _IS.match(rest)) and match.end():
        return replace(asked, final=rest[match.end() :])
    for pattern in (_NEXT, _HAS, _THEN):
        if match := pattern.match(rest):
            return AskedKin(asked.start, (*asked.steps, *_steps(match)), rest[match.end() :])
    if (match := _INTO.match(rest)) and asked.steps and asked.steps[-1] != "配偶者":
        return AskedKin(asked.start, (*asked.steps, "配偶者"), f"{match['what']}か。")
    if (match := _BORN_TO.match(rest)) and asked.steps:
        return AskedKin(asked.start, (*asked.steps, "父"), f"{match['what']}人か。")
    for pattern, step in ((_WED, "配偶者"), (_BORE, "母"), (_LEARNT, "師"), (_WED_THEN, "配偶者")):
        if match := pattern.match(rest):
            return AskedKin(asked.start, (*asked.steps, step), rest[match.end() :])
    return None


_INTO = re.compile(
    r"^(?P<what>[はが]、?[^。]*(?:何|どこ|どんな|どの|誰)[^。、]*?)(?:に|へ|のもとに|のもとへ|の家に|のところへ)(?:嫁|縁づ|縁付|輿入|片付)[^。]*。?$"
)
_BORN_TO = re.compile(
    r"^(?P<what>[はが]、?[^。]*(?:何|どこ|どんな|どの)[^。、]*?)(?:の家|家)の(?:娘|息子|子)(?:だっ|でし|です|であ|か|で)[^。]*。?$"
)


def named_after(asked: AskedKin, known: frozenset[str]) -> AskedKin:
    """「長尾源之丞の娘トヨの夫が…」: a name right after the kin says who it is, and the chain starts anew from it."""
    at = _NAME_AFTER.match(asked.final)
    if at is None or at["name"] not in known:
        return asked
    return _along(AskedKin(at["name"], (), asked.final[at.end() :]))


def parts_of(asked: AskedKin) -> list[str]:
    """One question a step: 「Xの母は誰か」「{1}の父は誰か」 …, the last one the rest of the question."""
    subject, parts = asked.start, []
    steps = asked.steps[:-1] if asked.who else asked.steps
    for at, step in enumerate(steps, start=1):
        parts.append(f"{subject}の{step}は誰か")
        subject = f"{{{at}}}"
    last = f"の{asked.steps[-1]}" if asked.who else ""
    return [*parts, f"{subject}{last}{asked.final}"]
