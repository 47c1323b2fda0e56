"""A question along kin answered from facts: the person it starts from, each step, then what is told of the last one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rag1.llm.rules.asked_kin import AskedKin, asked_kin, named_after
from rag1.llm.rules.facts import Fact
from rag1.llm.rules.final_part import CLAUSE, Final, best_told, final_of
from rag1.llm.rules.kinship import compositions, presumed
from rag1.llm.rules.prose_roles import ROLE_OF
from rag1.llm.rules.words import fold, wordset

WIDEST = 6
"""Persons of one step (two daughters) that are followed on."""
SAME_STEP: dict[str, frozenset[str]] = {
    "妻": wordset("妻 室 正室 側室 夫人 後妻 配偶者 内室"),
    "夫": wordset("夫 配偶者"),
    "配偶者": wordset("夫 妻 室 正室 側室 配偶者"),
    "室": wordset("室 妻 正室 継室"),
    "娘": wordset("娘 長女 次女 三女 四女 末娘 一人娘 養女"),
    "息子": wordset("息子 長男 次男 三男 四男 五男 嫡男 末子 養子"),
    "子": wordset("子 息子 娘 長男 次男 三男 四男 長女 次女 三女 嫡男 末子"),
    "父": wordset("父 父親 実父"),
    "母": wordset("母 母親 実母 生母"),
    "長男": wordset("長男 嫡男"),
    "嫡男": wordset("嫡男 長男"),
    "次男": wordset("次男 二男"),
    "師": wordset("師 師匠 恩師 先生"),
    "弟子": wordset("弟子 門人 門弟"),
    "舅": wordset("舅 義父 岳父"),
    "義父": wordset("舅 義父 岳父"),
    "岳父": wordset("舅 義父 岳父"),
    "姑": wordset("姑 義母"),
}
MORE: dict[str, tuple[tuple[str, ...], ...]] = {
    "舅": (("配偶者", "父"),),
    "岳父": (("妻", "父"),),
    "姑": (("配偶者", "母"),),
    "孫": (("子", "子"),),
    "孫娘": (("子", "娘"),),
    "娘婿": (("娘", "夫"),),
    "婿": (("娘", "夫"),),
    "嫁": (("息子", "妻"),),
    "大叔父": (("父", "父", "弟"), ("母", "父", "弟")),
    "大叔母": (("父", "父", "妹"), ("母", "父", "妹")),
    "大伯父": (("父", "父", "兄"),),
    "大伯母": (("父", "父", "姉"),),
    "甥": (("兄", "息子"), ("弟", "息子"), ("姉", "息子"), ("妹", "息子")),
    "姪": (("兄", "娘"), ("弟", "娘"), ("姉", "娘"), ("妹", "娘")),
}
KIN_FACTS = frozenset(ROLE_OF) | frozenset().union(*SAME_STEP.values())


@dataclass(frozen=True, slots=True)
class Solved:
    """`names`: the start and the persons after it, as far as the facts lead; `answer` "" where they do not reach it.

    `open`: the step that is not told, "" where the last person was reached.
    """

    asked: AskedKin
    names: tuple[str, ...]
    used: tuple[Fact, ...]
    answer: str = ""
    told: Fact | None = None
    open: str = ""

    @property
    def lines(self) -> list[str]:
        """The facts of every step, the answer's own last."""
        return list(dict.fromkeys(fact.line for fact in (*self.used, *((self.told,) if self.told else ()))))

    @property
    def ends(self) -> bool:
        """Was the last person reached?"""
        return not self.open and len(self.names) == len(self.asked.steps) + 1

    @property
    def rest(self) -> str:
        """What is still to be asked, of the last person that was reached."""
        done = len(self.names) - 1
        steps = "".join(f"の{step}" for step in self.asked.steps[done:])
        return f"{self.names[-1]}{steps}{self.asked.final}"


def solve(question: str, facts: Sequence[Fact]) -> Solved | None:
    """None where the question is no chain of kin, or the facts do not know whom it starts from."""
    asked = asked_kin(question) or _of_one(question, facts)
    if asked is None:
        return None
    asked = named_after(asked, frozenset(name for fact in facts for name in (fact.head, fact.tail)))
    starts = starts_of(asked.start, facts)
    tried = [_from(asked, start, facts) for start in starts[:3]]
    return max(tried, key=lambda found: (bool(found.answer), len(found.names)), default=None)


def _of_one(question: str, facts: Sequence[Fact]) -> AskedKin | None:
    """「与吉が名のった俳号」: what is asked of somebody of whom the facts tell clause by clause."""
    told = {fact.head for fact in facts if CLAUSE in fact.properties}
    name = max((name for name in told if question.startswith(name)), key=len, default="")
    rest = question[len(name) :]
    return AskedKin(name, (), rest) if name and re.match("[はがのをにも]", rest) else None


def _from(asked: AskedKin, start: str, facts: Sequence[Fact]) -> Solved:
    best = Solved(asked, (start,), (), open=asked.steps[0] if asked.steps else "")
    final = final_of(asked.final)
    for names, used in walks(start, asked.steps, facts):
        whole = len(names) == len(asked.steps) + 1
        found = (
            _ending(asked, names, used, facts, final)
            if whole
            else Solved(asked, names, used, open=asked.steps[len(names) - 1])
        )
        if found.answer and final.counts(facts, names[-1]) >= 0:
            return found
        if len(found.names) > len(best.names) or (len(found.names) == len(best.names) and best.open and not found.open):
            best = found
    return best


def _ending(
    asked: AskedKin, names: tuple[str, ...], used: tuple[Fact, ...], facts: Sequence[Fact], final: Final
) -> Solved:
    if asked.who:
        return Solved(asked, names, used, names[-1], used[-1] if used else None)
    told = best_told(final, names[-1], facts)
    return Solved(asked, names, used, told[0] if told else "", told[1] if told else None)


def walks(
    start: str, steps: Sequence[str], facts: Sequence[Fact]
) -> Iterator[tuple[tuple[str, ...], tuple[Fact, ...]]]:
    """Every way along the steps, the likeliest first; one that ends early where no way leads on."""
    if not steps:
        yield (start,), ()
        return
    further = step(start, steps[0], facts)
    if not further:
        yield (start,), ()
        return
    for name, used in further[:WIDEST]:
        for names, more in walks(name, steps[1:], facts):
            yield (start, *names), (*used, *more)


def step(name: str, relation: str, facts: Sequence[Fact]) -> list[tuple[str, tuple[Fact, ...]]]:
    """Who is the `relation` of somebody: as told, by what it is made of, or as it is presumed."""
    found = _told(name, relation, facts)
    for chain in () if found else (*MORE.get(relation, ()), *compositions(relation), *presumed(relation)):
        found = _chained(name, chain, facts)
        if found:
            break
    return found


def _told(name: str, relation: str, facts: Sequence[Fact]) -> list[tuple[str, tuple[Fact, ...]]]:
    same = SAME_STEP.get(relation, frozenset((relation,)))
    exact = [fact for fact in facts if fact.relation == relation and fact.head == name]
    near = exact or [fact for fact in facts if fact.relation in same and fact.head == name]
    first: dict[str, Fact] = {}
    for fact in near:
        first.setdefault(fact.tail, fact)
    return [(tail, (fact,)) for tail, fact in first.items()]


def _chained(name: str, chain: Sequence[str], facts: Sequence[Fact]) -> list[tuple[str, tuple[Fact, ...]]]:
    reached: list[tuple[str, tuple[Fact, ...]]] = [(name, ())]
    for part in chain:
        reached = [
            (tail, (*used, *more)) for at, used in reached for tail, more in _told(at, part, facts) if tail != name
        ]
    return list({tail: (tail, used) for tail, used in reached[::-1]}.values())[::-1]


def starts_of(text: str, facts: Sequence[Fact]) -> list[str]:
    """Whom a question's beginning means: a name, the end of one, a title, or who did what it says."""
    people = list(
        dict.fromkeys(fact.head for fact in facts if fact.relation in KIN_FACTS or fact.relation in {"である", "墓所"})
    )
    people += [fact.tail for fact in facts if fact.relation in KIN_FACTS and fact.tail not in people]
    people = list(dict.fromkeys(people))
    text = re.split("・|である", text)[-1] or text if not re.search("[「『]", text) else text
    plain = re.sub("(?:さん|さま|様|氏|殿|翁|公)$", "", text)
    exact = [name for name in people if name in {text, plain}]
    alias = [
        fact.head
        for fact in facts
        if fact.relation in {"別名", "号", "である", "俳号", "通称"} and fact.tail in {text, plain}
    ]
    ends = [name for name in people if len(plain) > 1 and (name.endswith(plain) or name.startswith(plain))]
    inside = sorted((name for name in people if len(name) > 1 and plain.endswith(name)), key=len, reverse=True)
    titled = [
        fact.head
        for fact in facts
        if fact.relation == "である" and len(fact.tail) > 1 and (plain.endswith(fact.tail) or fact.tail.endswith(plain))
    ]
    found = (
        list(dict.fromkeys([*exact, *alias]))
        or list(dict.fromkeys([*ends, *inside[:1]]))
        or list(dict.fromkeys(titled))
    )
    single = [name for name in people if len(plain) == 1 and name.endswith(plain)]
    found = found or (single if len(single) == 1 else [])
    if not found and 2 < len(plain) < 6:
        found = [name for name in people if len(name) == 1 and plain.endswith(name)]
    return found or [name for name, _ in _by_deed(plain, facts)]


def _by_deed(text: str, facts: Iterable[Fact]) -> list[tuple[str, float]]:
    """「藩校「養正館」を設けた藩主」: of whom a work that it names is told."""
    folded = fold(text)
    scores: dict[str, float] = {}
    for fact in facts:
        tail = fold(fact.tail)
        if len(tail) > 1 and tail in folded and fact.relation not in KIN_FACTS:
            scores[fact.head] = max(scores.get(fact.head, 0.0), len(tail) + 2 * (fact.relation in text))
    return sorted(scores.items(), key=lambda entry: -entry[1])
