"""ExtractTriples by rule: the relations and causes of each sentence, names made one, left-out subjects put back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from rag1.llm.rules.causes import CAUSE, FIRST, INFERRED, negated
from rag1.llm.rules.clauses import Clause, clauses
from rag1.llm.rules.entity_types import PRONOUNS, is_name, type_of
from rag1.llm.rules.family import TOLD, chronicle
from rag1.llm.rules.journeys import joinings
from rag1.llm.rules.kin_marks import GRAVES
from rag1.llm.rules.kinship import KIN
from rag1.llm.rules.lineage import lineage_of
from rag1.llm.rules.makers import makings
from rag1.llm.rules.names import same_name
from rag1.llm.rules.narrative import Link
from rag1.llm.rules.plot_links import plot_links
from rag1.llm.rules.relations import ALIAS, TOGETHER, Reading, Relation, cleft, entity, relations
from rag1.llm.rules.words import quoted, sentence_texts
from rag1.llm.rules.words import sentences as spans_of
from rag1.llm.tasks import ExtractTriples, TripleDraft, Triples

LONGEST_NAME = 40
LONGEST_EVENT = 60
LONGEST_PERSON = 8
SHORTEST_SPEECH = 8
LEAD = 1500
"""Characters before and after a text that its causes and effects may stand in."""
_CHILD = re.compile("^(?:長男|次男|三男|四男|長女|次女|三女|息子|娘|子|子供|嫡男|一人娘|一人息子|末子|末娘)$")
_WIFE, _HUSBAND = frozenset({"妻", "室", "正室", "女房"}), frozenset({"夫"})
_OF_PERSONS = frozenset({"墓所", "葬地", "墓", "死亡", "生まれ", "住居", "職業"})
_FEMALE = re.compile("(?:妻|室|正室|女房|母|娘|長女|次女|三女|姉|妹|祖母|叔母|伯母)$")


def extract_triples(task: ExtractTriples, before: str = "", after: str = "") -> Triples:
    """Drafts in text order; `evidence` is the sentence verbatim, `sentence` its number from 0.

    `before`, `after`: the document's text around this one, read for whom it goes on about and for what it brings about.
    """
    sentences = sentence_texts(task.text)
    topic = _first_topic(task.context)
    known = frozenset(task.known)
    told = chronicle(before, task.text, after)
    kin = _kin(sentences, before, known) if told is None else _of_chronicle(told)
    ours = KIN | GRAVES | {ALIAS} | (TOLD if told is not None else set())
    roles, why = _told_around(task.text, before, after)
    names = known | _persons([*_all(sentences, Reading(topic, known)), *kin])
    drafts = [*_joined(list(_all(sentences, Reading(topic, names))), kin, ours, told is not None), *roles]
    mentioned = {name for d in drafts for name in (d.head, d.tail) if is_name(name, names)} | known
    full = {name: _full_name(name, mentioned, names) for name in mentioned}
    renamed = _aliases(drafts)
    drafts = [_unified(draft, full, renamed) for draft in drafts]
    drafts = [*drafts, *(_inverse(drafts) if told is None else ()), *why]
    drafts = _typed(drafts)
    unique = {(d.head, d.relation, d.tail, d.sentence): d for d in reversed(drafts) if _sound(d)}
    return Triples(triples=tuple(sorted(unique.values(), key=lambda d: d.sentence or 0)))


def _told_around(text: str, before: str, after: str) -> tuple[list[TripleDraft], list[TripleDraft]]:
    """(companions and makers, causes) that are told in the text, read with what is told around it."""
    lead = before[-LEAD:]
    whole = lead + text + after[:LEAD]
    spans = spans_of(whole)
    told = [whole[start:end] for start, end in spans]
    opens = [at for at, (start, _) in enumerate(spans) if not at or "\n" in whole[spans[at - 1][1] : start]]
    first = sum(start < len(lead) for start, _ in spans)
    last = sum(start < len(lead) + len(text) for start, _ in spans)
    who = [(each.at, Relation(each.head, TOGETHER, each.tail)) for each in joinings(told)]
    who += [(each.at, Relation(each.maker, each.verb, each.thing)) for each in makings(told)]
    persons = [_draft(relation, told[at], at - first) for at, relation in who if first <= at < last]
    events = [
        _event_draft(link, told[link.at], link.at - first)
        for link in plot_links(told, opens)
        if first <= link.at < last
    ]
    return persons, events


def _kin(sentences: Sequence[str], before: str, known: frozenset[str]) -> list[TripleDraft]:
    """What `lineage` reads of kin and graves; 兄 and 弟 with the sentence that told the later of the two."""
    told, siblings = lineage_of(sentences, before, known)
    drafts = [_draft(Relation(*fact), sentences[at], at) for at, facts in enumerate(told) for fact in facts]
    for head, relation, tail in siblings:
        at = max((at for at, line in enumerate(sentences) if head in line or tail in line), default=-1)
        if at >= 0:
            drafts.append(_draft(Relation(head, relation, tail), sentences[at], at))
    return drafts


def _of_chronicle(told: Iterable[tuple[int, str, tuple[str, str, str]]]) -> list[TripleDraft]:
    return [_draft(Relation(*fact), sentence, at) for at, sentence, fact in told]


def _joined(
    drafts: Sequence[TripleDraft], kin: Sequence[TripleDraft], ours: Set[str], everywhere: bool
) -> list[TripleDraft]:
    """Both readings; of a sentence whose kin was read (in a chronicle of every one), the clauses' kin gives way."""
    read = {draft.sentence for draft in kin}
    return [*kin, *(d for d in drafts if not (everywhere or d.sentence in read) or d.relation not in ours)]


def _persons(drafts: Iterable[TripleDraft]) -> frozenset[str]:
    """Whoever has kin, a birth, a death or a grave, or was renamed."""
    found: set[str] = set()
    for draft in drafts:
        if draft.relation in KIN:
            found |= {draft.head, draft.tail}
        elif draft.relation in _OF_PERSONS or (draft.relation == ALIAS and draft.head.endswith(draft.tail)):
            found.add(draft.head)
    return frozenset(name for name in found if len(name) <= LONGEST_PERSON and name not in KIN)


def _all(sentences: Sequence[str], reading: Reading) -> Iterator[TripleDraft]:
    for at, sentence in enumerate(sentences):
        stated = [*_of_sentence(sentence, reading), *_of_speech(sentence, reading)]
        yield from (_draft(relation, sentence, at) for relation in stated)
        reading = replace(reading, topic=_topic(sentence, reading) or reading.topic)


def _of_sentence(sentence: str, reading: Reading) -> Iterator[Relation]:
    """Clause by clause: each may lean on the topic and on the kin that those before it named."""
    found = clauses(sentence)
    for clause in found:
        stated = list(relations(clause, reading))
        yield from stated
        roles = {(relation.head, relation.relation): relation.tail for relation in stated if relation.relation in KIN}
        topic = _clause_topic(clause, reading) or reading.topic
        reading = replace(reading, topic=topic, roles={**reading.roles, **roles})
    for clause, value in pairwise(found):
        yield from cleft(clause, value, reading)


def _of_speech(sentence: str, reading: Reading) -> Iterator[Relation]:
    """What is said in quotation marks, sentence by sentence; its left-out subjects stay open."""
    said = replace(reading, topic="")
    for start, end in quoted(sentence):
        for part in sentence_texts(sentence[start:end]) if end - start > SHORTEST_SPEECH else ():
            yield from _of_sentence(part, said)


def _first_topic(context: str) -> str:
    """Whom a document's summary begins with: the subject of a chunk that names none."""
    found = (_topic(sentence, Reading()) for sentence in sentence_texts(context)[:3])
    return next((topic for topic in found if topic), "")


def _topic(sentence: str, reading: Reading) -> str:
    """The first topic of the sentence's clauses."""
    return next((topic for clause in clauses(sentence) if (topic := _clause_topic(clause, reading))), "")


def _clause_topic(clause: Clause, reading: Reading) -> str:
    """The name or person before は; of a possessive the owner (お澄の墓所は … is about お澄)."""
    argument = clause.get("は")
    if argument is None or argument.is_time or argument.text in KIN:
        return ""
    owner = argument.parts[0]
    name = owner if len(argument.parts) > 1 and reading.is_name(owner) else entity(argument, reading)
    return name if reading.is_name(name) or type_of(name) == "Person" else ""


def _draft(relation: Relation, sentence: str, at: int) -> TripleDraft:
    return TripleDraft(
        head=relation.head,
        head_type=type_of(relation.head),
        relation=relation.relation,
        tail=relation.tail,
        tail_type=type_of(relation.tail, relation.relation),
        properties=dict(relation.properties),
        evidence=sentence,
        sentence=at,
    )


def _event_draft(link: Link, sentence: str, at: int) -> TripleDraft:
    return TripleDraft(
        head=link.effect,
        head_type="Event",
        relation=CAUSE,
        tail=link.cause,
        tail_type="Event",
        properties={**(INFERRED if link.inferred else {}), **({FIRST: negated(link.first)} if link.first else {})},
        evidence=sentence,
        sentence=at,
    )


def _aliases(drafts: Iterable[TripleDraft]) -> dict[str, str]:
    """Other name → first name of the persons that the text says were renamed (時綱は綱と名のった)."""
    return {
        d.tail: d.head
        for d in drafts
        if d.relation == ALIAS and (d.head.endswith(d.tail) or d.head.startswith(d.tail)) and d.head_type != "Place"
    }


def _unified(draft: TripleDraft, full: Mapping[str, str], renamed: Mapping[str, str]) -> TripleDraft:
    if draft.head_type == "Event":
        return draft
    head, tail = draft.head.lstrip("・、"), draft.tail.lstrip("・、")
    if draft.relation != ALIAS:
        head, tail = renamed.get(head, head), renamed.get(tail, tail)
    return draft.model_copy(update={"head": full.get(head, head), "tail": full.get(tail, tail)})


def _full_name(name: str, names: Iterable[str], persons: frozenset[str]) -> str:
    """The one longer name that ends with this one (景治 → 鵜飼谷景治), or the name itself."""
    if len(name) < 2 or name in KIN:
        return name
    longer = {
        other
        for other in names
        if len(other) > len(name) and other.endswith(name) and ({name, other} <= persons or same_name(name, other))
    }
    return longer.pop() if len(longer) == 1 else name


def _typed(drafts: Sequence[TripleDraft]) -> list[TripleDraft]:
    """One type a name: whoever has kin, a grave or a death is a Person everywhere in the text."""
    persons = _persons(drafts)

    def kind(name: str, found: str) -> str:
        return "Person" if name in persons and found != "Event" else found

    return [
        d.model_copy(update={"head_type": kind(d.head, d.head_type), "tail_type": kind(d.tail, d.tail_type)})
        for d in drafts
    ]


def _inverse(drafts: Sequence[TripleDraft]) -> Iterator[TripleDraft]:
    """A child's parent, a spouse's spouse: what 「XはYの長男である」 says of X."""
    female = {d.tail for d in drafts if _FEMALE.search(d.relation)} | {d.head for d in drafts if d.relation in _HUSBAND}
    fathers: set[tuple[str, int | None]] = set()
    for draft in drafts:
        relation = ""
        if _CHILD.match(draft.relation):
            second = (draft.tail, draft.sentence) in fathers
            relation = "母" if second or draft.head in female else "父"
            fathers |= {(draft.tail, draft.sentence)} if relation == "父" else set()
        elif draft.relation in _WIFE:
            relation = "夫"
        elif draft.relation in _HUSBAND:
            relation = "妻"
        if relation and draft.tail not in KIN:
            yield draft.model_copy(
                update={
                    "head": draft.tail,
                    "head_type": "Person",
                    "relation": relation,
                    "tail": draft.head,
                    "tail_type": "Person",
                }
            )


def _sound(draft: TripleDraft) -> bool:
    if draft.head == draft.tail or not draft.head or not draft.tail or not draft.relation:
        return False
    longest = LONGEST_EVENT if draft.head_type == "Event" else LONGEST_NAME
    return len(draft.head) <= longest and len(draft.tail) <= longest and not {draft.head, draft.tail} & PRONOUNS
