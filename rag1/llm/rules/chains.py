"""Chains of の: 「XのAのBはどこか」 is X, then A, then B. Decompose reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag1.llm.rules.kin_asked import asked_kin, parts_of
from rag1.llm.rules.kin_marks import is_titled
from rag1.llm.rules.kinship import PERSON_RELATIONS
from rag1.llm.rules.question import read_question
from rag1.llm.rules.words import WH, Word, nounlike, quoted, words
from rag1.llm.tasks import Decompose, SubQuestions

_ASKS_ONLY = re.compile(
    r"^(?:は|とは|って)?[、,]?(?:誰|だれ|何|なん|どこ|いつ|どの|どんな|いくつ|いくら|どれ)?[^はがを]*(?:か|です|ます|の)?[。？?.．\s]*$"
)

_BURIED = re.compile("^は、?(?:どこ|どの寺|何という寺|なんという寺|どこの寺|どちらの寺|何寺)に(?:葬|埋葬|埋め|眠)")
"""A tail that asks for a grave by its verb."""
_ASKED_FIRST = re.compile("誰|だれ|どこ|何")


@dataclass(frozen=True, slots=True)
class Chain:
    """`start` の `relations[0]` の `relations[1]` … then `tail`, the rest of the question (はどこか)."""

    start: str
    relations: tuple[str, ...]
    tail: str
    lead: str = ""

    @property
    def asks_last(self) -> bool:
        """Is the last relation's value the answer (はどこか), or does a predicate follow (が生まれた町は)?"""
        return bool(_ASKS_ONLY.match(self.tail))


def read_chain(question: str) -> Chain | None:
    """The longest の-chain of the question with at least one relation, 母方の祖父 read as 母の父."""
    best: Chain | None = None
    found = words(question)
    at = 0
    while at < len(found):
        chain, after = _chain_at(question, found, at)
        if chain and (best is None or len(chain.relations) > len(best.relations)):
            best = chain
        at = max(after, at + 1)
    return best


def _chain_at(question: str, found: tuple[Word, ...], at: int) -> tuple[Chain | None, int]:
    links: list[str] = []
    start, end = found[at].start, at
    while (link := _link(question, found, end)) is not None:
        text, end = link
        links.append(text)
        if end + 1 < len(found) and found[end].surface == "の" and _link(question, found, end + 1):
            end += 1
            continue
        break
    if len(links) > 1 and is_titled(links[0], links[1]):
        links[:2] = [f"{links[0]}の{links[1]}"]
    tail = question[found[end].start :] if end < len(found) else ""
    if _BURIED.match(tail):
        links, tail = [*links, "墓所"], "はどこか"
    if len(links) < 2:
        return None, end
    relations = _expand(links[1:])
    return Chain(links[0], relations, tail, question[:start]), end


def _link(question: str, found: tuple[Word, ...], at: int) -> tuple[str, int] | None:
    """One noun of a chain: a compound, or a quoted title."""
    if at >= len(found):
        return None
    for start, end in quoted(question):
        if found[at].end == start:
            after = next((i for i, word in enumerate(found) if word.start >= end + 1), len(found))
            return question[start:end], after
    end_at = at
    while end_at < len(found) and nounlike(found[end_at]) and not WH.fullmatch(found[end_at].surface):
        end_at += 1
    if end_at == at:
        return None
    return question[found[at].start : found[end_at - 1].end], end_at


def _expand(links: list[str]) -> tuple[str, ...]:
    """母方, 祖父 → 母, 父."""
    relations: list[str] = []
    for at, link in enumerate(links):
        side = links[at - 1] if at else ""
        if link in {"父方", "母方"} and at + 1 < len(links):
            relations.append(link[0])
        elif side in {"父方", "母方"} and link in {"祖父", "祖母"}:
            relations.append("父" if link == "祖父" else "母")
        else:
            relations.append(link)
    return tuple(relations)


def splits(question: str) -> Chain | None:
    """The chain of a question that is worth splitting: several relations, or one before a predicate of its own."""
    chain = read_chain(question)
    if chain is None or read_question(question).asks == "why":
        return None
    if chain.asks_last:
        return chain if len(chain.relations) > 1 else None
    related = all(relation in PERSON_RELATIONS for relation in chain.relations)
    return chain if related and not _ASKED_FIRST.search(chain.lead) else None


def is_chain(question: str) -> bool:
    """Several relations in a row whose middle ones are between persons (妻, 父): 明照寺の猫の玉虫 is none."""
    chain = splits(question)
    return chain is not None and all(relation in PERSON_RELATIONS for relation in chain.relations[:-1])


def decompose(task: Decompose) -> SubQuestions:
    """One question a link; a question without a chain stays whole."""
    asked = asked_kin(task.question)
    if asked is not None and read_question(task.question).asks != "why":
        return SubQuestions(questions=tuple(parts_of(asked)))
    chain = splits(task.question)
    return SubQuestions(questions=tuple(steps(chain)) if chain else (task.question,))


def steps(chain: Chain) -> list[str]:
    """「XのAは誰か」「{1}のBは何か」 …; the last carries the question's own tail."""
    subject, questions = chain.start, []
    asked = chain.relations[:-1] if chain.asks_last else chain.relations
    for at, relation in enumerate(asked, start=1):
        questions.append(f"{subject}の{relation}は{'誰' if relation in PERSON_RELATIONS else '何'}か")
        subject = f"{{{at}}}"
    last = f"{subject}の{chain.relations[-1]}" if chain.asks_last else subject
    return [*questions, f"{chain.lead}{last}{chain.tail}"]
