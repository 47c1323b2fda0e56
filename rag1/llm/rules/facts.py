"""Graph facts in a context: reading `head - RELATION -> tail` lines, following chains over them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field

from rag1.llm.rules.causal_chain import joined
from rag1.llm.rules.causal_chain import onward as along
from rag1.llm.rules.causes import CAUSE, INFERRED, links
from rag1.llm.rules.events import event_at
from rag1.llm.rules.kinship import compositions, presumed, same_relation
from rag1.llm.rules.names import same_name
from rag1.llm.rules.question import Question
from rag1.llm.rules.why import event_of
from rag1.llm.rules.words import content_words, fine_terms, fold
from rag1.llm.tasks import Passage

_LINE = re.compile(
    r"^(?P<head>.+?) - \[?:?(?P<relation>[^>]+?)\]? ?-> (?P<tail>.+?)(?P<properties>(?:\s*\([^():]+: [^()]*\))*)\s*$"
)
LONGEST_CHAIN = 10
STATED = 0.5
WIDEST = 8
"""Values of one step that are followed on."""
_PROPERTY = re.compile(r"([^():,]+): ([^(),]+)")


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the graph; `line` is the text as given."""

    head: str
    relation: str
    tail: str
    line: str
    properties: dict[str, str] = field(default_factory=dict)


def read_facts(passages: Iterable[Passage]) -> list[Fact]:
    """Every fact line of the passages, in order; other lines are skipped."""
    return [fact for passage in passages for line in passage.text.splitlines() if (fact := read_fact(line))]


def read_fact(line: str) -> Fact | None:
    match = _LINE.match(line.strip())
    if match is None:
        return None
    properties = {key.strip(): value.strip() for key, value in _PROPERTY.findall(match["properties"])}
    return Fact(match["head"].strip(), match["relation"].strip(), match["tail"].strip(), line.strip(), properties)


def means(fact_name: str, asked: str) -> bool:
    """One name, or one the end of the other: 景治 for 鵜飼谷景治."""
    short, long = sorted((fact_name, asked), key=len)
    return (len(short) > 1 and long.endswith(short)) or same_name(short, long)


def values(facts: Sequence[Fact], name: str, relation: str) -> list[tuple[str, Fact]]:
    """What the facts give for "name の relation": the tails of its own relation, or of a composition of it."""
    direct = [(fact.tail, fact) for fact in facts if means(fact.head, name) and same_relation(fact.relation, relation)]
    if direct:
        return direct
    for chain in (*compositions(relation), *presumed(relation)):
        reached = _walk(facts, name, chain)
        if reached:
            return reached
    return []


def _walk(facts: Sequence[Fact], name: str, chain: Sequence[str]) -> list[tuple[str, Fact]]:
    reached: list[tuple[str, Fact]] = []
    names = [name]
    for step in chain:
        reached = [
            (fact.tail, fact)
            for start in names
            for fact in facts
            if means(fact.head, start) and same_relation(fact.relation, step)
        ]
        names = [tail for tail, _ in reached]
    return reached


def follow(facts: Sequence[Fact], start: str, relations: Sequence[str]) -> tuple[list[str], list[Fact]]:
    """Names reached one after another from `start`, as far as the facts go, with the fact of each step.

    Of several (two daughters) the first that leads to the end is taken, else the one that leads furthest.
    """
    if not relations:
        return [], []
    found = values(facts, start, relations[0])
    if not found:
        return [], []
    if len(relations) == 1:
        return ["、".join(dict.fromkeys(value for value, _ in found))], [found[0][1]]
    best: tuple[list[str], list[Fact]] = ([], [])
    for value, fact in list({value: (value, fact) for value, fact in reversed(found)}.values())[::-1][:WIDEST]:
        names, used = follow(facts, value, relations[1:])
        if len(names) + 1 > len(best[0]):
            best = [value, *names], [fact, *used]
        if len(best[0]) == len(relations):
            break
    return best


def causes_of(facts: Sequence[Fact], question: str) -> list[Fact]:
    """The chain of 原因 facts behind what the question asks about, nearest first.

    It begins with the cause whose effect shares the most nouns with the question, else with the first one: facts come
    ranked. On it goes to the cause whose effect is the last one's cause, or shares words with it. Words of more than
    a third of the events join nothing.
    """
    causes = [fact for fact in facts if fact.relation == CAUSE]
    events = {event for fact in causes for event in (fact.head, fact.tail)}
    counts = Counter(word for event in events for word in links(event))
    common = {word for word, count in counts.items() if count > max(3, len(events) / 3)}
    first = _brought_about(causes, links(question) - common) or next(iter(causes), None)
    chain = [first] if first else []
    if first and joined(causes):
        return max((along(causes, fact) for fact in causes if fact.head == first.head), key=len)
    while chain and len(chain) < LONGEST_CHAIN:
        told = {event for fact in chain for event in (fact.head, fact.tail)}
        open_causes = [fact for fact in causes if fact.tail not in told]
        same = next((fact for fact in open_causes if fact.head == chain[-1].tail), None)
        further = same or _brought_about(open_causes, links(chain[-1].tail) - common)
        if further is None:
            break
        chain.append(further)
    return chain


def _brought_about(causes: Sequence[Fact], nouns: Set[str]) -> Fact | None:
    """The cause whose effect shares the most of these nouns; of equals the first; None where none shares any."""
    scored = [(len(links(fact.head) & nouns), -at, fact) for at, fact in enumerate(causes)]
    shared, _, best = max(scored, key=lambda entry: entry[:2], default=(0, 0, None))
    return best if shared else None


def stated(event: str, question: str) -> bool:
    """Does the question itself tell most of this event, so that it is no answer?"""
    own = {word.norm for word in content_words(event) if not word.is_number and word.pos[2] != "副詞可能"}
    asked = {word.norm for word in content_words(question)}
    return len(own) > 1 and len(own & asked) > STATED * len(own)


def touches(event: str, question: str, least: int = 2) -> bool:
    """Does the question tell of the same thing: what it happens to, or `least` words of it?"""
    told, asked = event_at(event.removesuffix("(ない)"), 0), event_at(event_of(question), 0)
    if told.nouns and told.nouns <= asked.nouns:
        return True
    return bool(told.about & asked.about) or len(links(event) & links(question)) >= least


def restates(fact: Fact, chain: Sequence[Fact]) -> bool:
    """Is the cause only what another sentence tells of the same thing, with a cause of its own behind it?"""
    inferred = all(fact.properties.get(key) == value for key, value in INFERRED.items())
    one, other = (event_at(event.removesuffix("(ない)"), 0) for event in (fact.head, fact.tail))
    same = bool(one.verbs & other.verbs or one.kanji & other.kanji) and one.nouns <= other.nouns
    return inferred and same and any(further.head == fact.tail for further in chain)


def _nouns(text: str) -> set[str]:
    return {word.norm for word in content_words(text) if word.pos[0] == "名詞" and not word.is_number}


def best_fact(facts: Sequence[Fact], question: str) -> tuple[str, Fact, float] | None:
    """The fact whose one end and relation the question mentions; its other end is the answer."""
    terms, folded = set(fine_terms(question)), fold(question)
    scored = [
        (score, -at, answer, fact) for at, fact in enumerate(facts) for score, answer in _ends(fact, folded, terms)
    ]
    if not scored:
        return None
    score, _, answer, fact = max(scored, key=lambda entry: entry[:2])
    return answer, fact, score


def onward(facts: Sequence[Fact], question: str, answer: str, fact: Fact) -> tuple[str, Fact]:
    """From a first answer over further facts about it whose relation the question names: the 妻, and her 生年月日."""
    terms, used = set(fine_terms(question)), [fact]
    for _ in range(LONGEST_CHAIN):
        said = set(fine_terms(used[-1].relation))
        terms = {term for term in terms if not any(same_relation(term, told) for told in said)}
        open_facts = [
            f for f in facts if f not in used and means(f.head, answer) and fold(f.tail) not in fold(question)
        ]
        scored = [(_share(f.relation, terms), -at, f) for at, f in enumerate(open_facts)]
        best = max(scored, default=None, key=lambda entry: entry[:2])
        if best is None or best[0] <= 0:
            break
        used.append(best[2])
        answer = best[2].tail
    return answer, used[-1]


def _ends(fact: Fact, question: str, terms: set[str]) -> Iterable[tuple[float, str]]:
    relation = _share(fact.relation, terms)
    for known, answer in ((fact.head, fact.tail), (fact.tail, fact.head)):
        given = 1.0 if len(fold(known)) > 1 and fold(known) in question else 0.8 * _share(known, terms)
        given = max(given, 0.8 * _ends_a_compound(fold(known), question))
        if given and relation and fold(answer) not in question:
            yield 0.5 * given + 0.5 * relation, answer


def _ends_a_compound(known: str, question: str) -> bool:
    """「その釜」 of a text that first called it 塩釜, as the question does."""
    return bool(known) and bool(re.search(f"[\u4e00-\u9fff]{re.escape(known)}[をはがにのと]", question))


def _share(text: str, terms: set[str]) -> float:
    own = set(fine_terms(text)) or {text}
    return sum(any(term == t or same_relation(term, t) for t in terms) for term in own) / len(own)


def suits(question: Question, answer: str) -> bool:
    """False where the kind that is asked for cannot be what the answer is: a sum that is no number, a list of one."""
    found = content_words(answer)
    numeric = any(word.is_number for word in found)
    match question.asks:
        case "quantity" | "time":
            return numeric
        case "person" | "place":
            return not numeric
        case "list":
            return "、" in answer
    return True


def covers(question: Question, facts: Sequence[Fact]) -> float:
    """The share of the question's nouns that the facts' lines hold, in [0, 1]; 1 for a question without nouns."""
    asked = _nouns(question.text) - _nouns(question.noun)
    told = set().union(*(_nouns(fact.line) for fact in facts))
    ends = [end for fact in facts for end in (fact.head, fact.tail) if _ends_a_compound(fold(end), fold(question.text))]
    told |= {word.norm for word in content_words(question.text) if word.surface.endswith(tuple(ends))}
    return sum(any(noun == t or same_relation(noun, t) for t in told) for noun in asked) / len(asked) if asked else 1.0
