"""Triples from GiNZA's dependency trees and entities: subject, predicate and each object or adjunct of a clause."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import lru_cache
from threading import Lock
from typing import Any

from rag1.llm.tasks import TripleDraft

SUBJECTS = frozenset({"nsubj", "csubj"})
OBJECTS = frozenset({"obj", "iobj", "obl"})
_TYPES = {
    "Person": ("Person", "Name_Other", "God"),
    "Place": ("City", "Province", "Country", "GPE", "Location", "Facility", "Station", "River", "Mountain", "Island"),
    "Organization": ("Organization", "Company", "School", "Political", "Corporation"),
    "Time": ("Date", "Time", "Period", "Era", "Day"),
    "Quantity": ("N_", "Money", "Age", "Physical", "Percent", "Countx", "Weight", "Number"),
    "Event": ("Event", "Incident"),
}
_lock = Lock()


@lru_cache(maxsize=1)
def _model() -> Any:
    with warnings.catch_warnings():
        # spaCy's own dependencies warn about each other's versions at load.
        warnings.simplefilter("ignore")
        import spacy

        return spacy.load("ja_ginza")


def ginza_drafts(text: str) -> list[TripleDraft]:
    """Drafts in text order; evidence is the sentence. One thread at a time: the pipeline is not made for several."""
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = _model()(text)
    kinds = {token.i: _kind(entity.label_) for entity in parsed.ents for token in entity}
    return [draft for sentence in parsed.sents for draft in _of_sentence(sentence, kinds)]


def _of_sentence(sentence: Any, kinds: dict[int, str]) -> Iterator[TripleDraft]:
    for token in sentence:
        subject = next((child for child in token.children if child.dep_ in SUBJECTS), None)
        if subject is None:
            continue
        if token.pos_ in {"NOUN", "PROPN"}:
            yield from _copula(subject, token, kinds, sentence)
        for child in token.children if token.pos_ == "VERB" else ():
            if child.dep_ in OBJECTS:
                yield _draft(subject, token.lemma_, child, kinds, sentence)


def _copula(subject: Any, value: Any, kinds: dict[int, str], sentence: Any) -> Iterator[TripleDraft]:
    """XのYはZだ is X - Y -> Z; XはZだ is X - である -> Z."""
    owner = next((child for child in subject.children if child.dep_ == "nmod"), None)
    if owner is not None:
        yield _draft(owner, _phrase(subject, False), value, kinds, sentence)
    else:
        yield _draft(subject, "である", value, kinds, sentence)


def _draft(head: Any, relation: str, tail: Any, kinds: dict[int, str], sentence: Any) -> TripleDraft:
    return TripleDraft(
        head=_phrase(head),
        head_type=kinds.get(head.i, "Object"),
        relation=relation,
        tail=_phrase(tail),
        tail_type=kinds.get(tail.i, "Object"),
        evidence=sentence.text.strip(),
    )


def _phrase(token: Any, modifiers: bool = True) -> str:
    """The noun with its compound parts and, where asked, what belongs to it by の."""
    wanted = {"compound", "nummod", "nmod"} if modifiers else {"compound"}
    start = min([token.i, *(child.left_edge.i for child in token.children if child.dep_ in wanted)])
    return str(token.doc[start : token.i + 1].text).strip()


def _kind(label: str) -> str:
    return next((kind for kind, starts in _TYPES.items() if label.startswith(starts)), "Object")
