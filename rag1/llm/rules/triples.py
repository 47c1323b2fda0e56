"""Relations read from text by rule: copula, possessive, verbs with を and に, cause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag1.llm.rules.words import Word, noun_phrases, sentence_texts, words
from rag1.llm.tasks import ExtractTriples, TripleDraft, Triples

CAUSE = "原因"
_OF = re.compile(
    r"^(?P<a>[^、。「」]+?)は、?(?P<b>[^、。「」は]+?)の(?P<r>[^、。「」のは]+?)(?:である|であった|だった|だ|です|でした|で、)"
)
_POSSESSIVE = re.compile(
    r"^(?P<a>[^、。「」のは]+)の(?P<r>[^、。「」のは]+)は、?(?P<b>[^、。]+?)(?:である|であった|だった|だ|です|でした|といった|という|と言った)"
)
_BECAUSE = re.compile(r"^(?P<cause>.+?)(?:ため|せいで|おかげで|ので|から)、?(?P<effect>[^。]+)。?$")


def extract_triples(task: ExtractTriples) -> Triples:
    drafts: list[TripleDraft] = []
    topic = ""
    for at, sentence in enumerate(sentence_texts(task.text)):
        topic = _topic(sentence) or topic
        for draft in _of_sentence(sentence, topic):
            drafts.append(draft.model_copy(update={"evidence": sentence, "sentence": at}))
    return Triples(triples=tuple(drafts))


def _topic(sentence: str) -> str:
    match = re.match("([^、。「」は]+?)は", sentence)
    return match[1] if match else ""


def _of_sentence(sentence: str, topic: str) -> Iterator[TripleDraft]:
    if match := _OF.match(sentence):
        yield TripleDraft(head=match["b"], relation=match["r"], tail=match["a"])
    if match := _POSSESSIVE.match(sentence):
        yield TripleDraft(head=match["a"], relation=match["r"], tail=match["b"])
    if match := _BECAUSE.match(sentence):
        yield TripleDraft(head=match["effect"].strip("、。"), relation=CAUSE, tail=match["cause"].strip("、。"))
    yield from _verbs(sentence, topic)


def _verbs(sentence: str, topic: str) -> Iterator[TripleDraft]:
    found = words(sentence)
    subject = topic
    for phrase in noun_phrases(found, sentence):
        particle = found[phrase.last].surface if phrase.last < len(found) else ""
        if particle in {"は", "が"}:
            subject = phrase.text
        elif particle in {"を", "に"} and subject and (verb := _verb_after(found, phrase.last + 1)):
            yield TripleDraft(head=subject, relation=verb, tail=phrase.text)


def _verb_after(found: tuple[Word, ...], at: int) -> str:
    return found[at].lemma if at < len(found) and found[at].pos[0] == "動詞" else ""
