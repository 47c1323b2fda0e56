"""Features by which the learned reader of families chooses who is meant: at a word of kin, at a verb, at a value."""

from __future__ import annotations

from collections.abc import Iterator

from rag1.llm.rules.family_items import SEX, between
from rag1.llm.rules.family_state import Candidate, Scene, key_at

SLOTS = {"spouse": "WH", "marry": "WH", "parent": "PC", "child": "PC", "birth": "PC", "elder": "EY", "younger": "EY"}
"""What a word or verb of each group tells: wife and husband, parent and child, elder and younger."""
RELATION = {
    "spouse": "spouse", "marry": "spouse", "parent": "child", "child": "child", "birth": "child", "elder": "sib",
    "younger": "sib",
}  # fmt: skip
_BOTH = frozenset({"夫婦", "夫妻", "二人", "両人", "ふたり"})
"""Words for the couple last told of."""
_NAMED_BY = {("parent", "P"), ("elder", "E"), ("child", "C"), ("younger", "Y")}
"""Whose sex the word itself tells."""


def wanted_sex(group: str, slot: str, word: str) -> str:
    """The sex that somebody in a slot must have, "" for either."""
    if slot in "WH":
        return "f" if slot == "W" else "m"
    return SEX.get(word, "") if (group, slot) in _NAMED_BY else ""


def of_slot(scene: Scene, slot: str) -> list[tuple[str, list[str]]]:
    """(name, features) of everybody who may fill a slot of the word at `scene`; "" is nobody."""
    word = scene.found[scene.first]
    kind, lemma = f"{word.group}.{slot}", f"{word.lemma}.{slot}"
    sex = wanted_sex(word.group, slot, word.text)
    rows = [
        (
            who.name,
            [
                *_named_here(scene, who, kind, lemma),
                *_told_before(scene, who, kind, lemma, slot),
                *_place(scene, who, kind, lemma),
                *_fitting(scene, who, kind, lemma, slot),
                f"{slot}|g|{sex}|{scene.state.gender(who.name)}",
                f"{slot}|tg|{sex}|{scene.state.sex.get(who.name, '')}",
            ],
        )
        for who in scene.candidates()
    ]
    return [*rows, ("", list(_nobody(scene, kind, lemma)))]


def of_owner(scene: Scene, kind: str, verb: str) -> list[tuple[str, list[str]]]:
    """(name, features) of everybody of whom a value may be told; each feature also without the kind of value."""
    lemma = f"{kind}.{verb}"
    rows = []
    for who in scene.candidates():
        own = [*_named_here(scene, who, kind, lemma), *_told_before(scene, who, kind, lemma, "X")]
        own += _place(scene, who, kind, lemma)
        shared = [f"X|{feature.partition('|')[2]}" for feature in own if feature.startswith(f"{kind}|")]
        rows.append((who.name, [*own, *shared]))
    return rows


def _named_here(scene: Scene, who: Candidate, kind: str, lemma: str) -> Iterator[str]:
    """How a name stands to the word, where the sentence names him."""
    found, before, behind = scene.found, scene.key(-1), scene.key(1)
    if who.before >= 0:
        way, persons = between(found, who.before, scene.first), min(who.between_before, 3)
        mark = found[who.before + 1].key if who.before + 1 < scene.first else "0"
        mark2 = f"{mark} {found[who.before + 2].key if who.before + 2 < scene.first else '0'}"
        far = min(scene.first - who.before, 12) // 2
        yield from (f"{kind}|B|{way}", f"{lemma}|B|{way}", f"{kind}|Bf|{mark}|{persons}", f"{kind}|Bp|{mark}|{before}")
        yield from (f"{kind}|Bn|{persons}", f"{kind}|Bfx|{mark}|{behind}", f"{lemma}|Bf|{mark}")
        yield from (f"{lemma}|Bfx|{mark}|{behind}", f"{kind}|Bpn|{way}|{behind}", f"{kind}|Bd|{far}|{mark}")
        yield f"{kind}|Bf2|{mark2}|{persons}"
    if who.after >= 0:
        way, persons = between(found, scene.last, who.after), min(who.between_after, 3)
        mark = key_at(found, who.after + 1)
        yield from (f"{kind}|A|{way}", f"{lemma}|A|{way}", f"{kind}|Af|{way}|{mark}", f"{kind}|An|{persons}")
        yield from (f"{kind}|Afp|{mark}|{min(persons, 2)}", f"{kind}|Ax|{way}|{before}", f"{lemma}|Af|{mark}")
        yield f"{kind}|Afp2|{mark} {key_at(found, who.after + 2)}"


def _told_before(scene: Scene, who: Candidate, kind: str, lemma: str, slot: str) -> Iterator[str]:
    """Topics, and of one whom the sentence does not name: how he was told of before."""
    state, before, behind, name = scene.state, scene.key(-1), scene.key(1), who.name
    led, persons = bool(scene.persons_before), min(sum(item.kind == "person" for item in scene.found), 2)
    topic = scene.clause_topic
    if who.here:
        first = next((item.text for item in scene.found if item.kind == "person"), "")
        yield from (f"{kind}|T|{name == first}|{led}", f"{kind}|ctop|{name == topic}|{before}")
        yield from (f"{lemma}|ctop|{name == topic}", f"{kind}|ctop|{name == topic}|{behind}|")
        yield f"{kind}|new|{name not in state.named_in}|{who.place[0]}"
        return
    both = next((item.text for item in scene.found[: scene.first] if item.text in _BOTH), "")
    yield from (f"{kind}|both|{both}|{name in state.couple}", f"{kind}|both|{bool(both)}|{name in state.couple}|{led}")
    goes_on, rank, couple = name == state.topic, min(who.rank, 4), name in state.couple
    ago = min(state.sentence - state.named_in.get(name, state.sentence), 4)
    yield from (f"{kind}|Dr|{rank}|{led}", f"{kind}|DT|{goes_on}|{led}{persons}|{before}", f"{kind}|Dd|{ago}")
    yield from (
        f"{lemma}|DT|{goes_on}|{led}",
        f"{kind}|DTn|{goes_on}|{behind}|{led}",
        f"{kind}|DT2|{goes_on}|{bool(topic)}",
    )
    yield from (f"{kind}|Dc|{couple}|{led}{persons}", f"{lemma}|Dc|{couple}|{before}", f"{kind}|DcN|{couple}|{behind}")
    yield from (f"{kind}|DTc|{goes_on}|{couple}|{min(rank, 2)}", f"{kind}|DT3|{goes_on}|{persons}")
    yield f"{kind}|D|{scene.key(-2)} {before}|{goes_on}"
    if slot != "X":
        child = name in state.last_children
        yield from (f"{kind}|Dlc|{child}|{led}", f"{lemma}|Dlc|{child}|{before}")


def _place(scene: Scene, who: Candidate, kind: str, lemma: str) -> Iterator[str]:
    place, before, behind = "+".join(who.place), scene.key(-1), scene.key(1)
    yield from (f"{kind}|cat|{place}|{before}|{behind}", f"{kind}|cat|{place}", f"{lemma}|cat|{place}")
    yield from (f"{kind}|catn|{place}|{behind} {scene.key(2)}", f"{lemma}|catn|{place}|{behind}")
    yield f"{lemma}|catp|{place}|{before}"


def _fitting(scene: Scene, who: Candidate, kind: str, lemma: str, slot: str) -> Iterator[str]:
    """What was told of him before: whose kin he is, whether the slot is filled already."""
    state, name, before = scene.state, who.name, scene.key(-1)
    place = who.place[0]
    if slot == "P":
        last = name in state.last_parents
        yield from (
            f"{kind}|lp|{last}|{bool(scene.persons_before)}",
            f"{lemma}|lp|{last}",
            f"{kind}|lpc|{last}|{place}",
        )
        yield from (f"{kind}|lp|{last}|{before}|{scene.key(1)}", f"{kind}|hc|{bool(state.children[name])}")
    if slot == "C":
        parents = state.parents[name].values()
        yield from (
            f"{kind}|lpC|{any(parent in state.last_parents for parent in parents)}",
            f"{kind}|hp|{bool(parents)}",
        )
        yield f"{kind}|hp|{bool(parents)}|{place[0]}"
    if slot in "WH":
        yield from (f"{kind}|hs|{bool(state.spouses[name])}", f"{kind}|hs|{bool(state.spouses[name])}|{place[0]}")
    if slot in "EY":
        yield f"{kind}|hpe|{bool(state.parents[name])}|{place[0]}"
    left = next((scene.found[at].text for at in reversed(scene.persons_before) if scene.found[at].text != name), "")
    right = next((scene.found[at].text for at in scene.persons_after if scene.found[at].text != name), "")
    for label, other in (("pt", state.topic), ("near", left), ("aft", right), ("ct", scene.clause_topic)):
        kin = state.kin(name, other)
        yield from (
            f"{kind}|kin{label}|{kin}",
            f"{lemma}|kin{label}|{kin}",
            f"{kind}|kin{label}|{kin}|{place}|{before}",
        )


def _nobody(scene: Scene, kind: str, lemma: str) -> Iterator[str]:
    before, behind = scene.key(-1), scene.key(1)
    left, right = bool(scene.persons_before), bool(scene.persons_after)
    persons = min(len({item.text for item in scene.found if item.kind == "person"}), 3)
    yield from (
        f"{kind}|0",
        f"{lemma}|0",
        f"{kind}|0|{before}|{behind}",
        f"{lemma}|0|n{behind}",
        f"{lemma}|0|p{before}",
    )
    yield from (f"{kind}|0|{left}{right}", f"{lemma}|0|{left}{right}", f"{kind}|0|n{persons}")
    yield from (f"{kind}|0|n{behind} {scene.key(2)}", f"{kind}|0|p{scene.key(-2)} {before}")
