"""Fits the reader of family chronicles (`rag1/llm/rules/family.py`) on the annotated chronicles of `bench/families`.

python bench/fit_family.py             writes rag1/llm/rules/family_weights.json.gz
python bench/fit_family.py --folds 4   cross-validation: what it reads of chronicles that it was not fitted on
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from rag1.llm.rules import family
from rag1.llm.rules.family_facts import Told, settled
from rag1.llm.rules.family_features import RELATION, SLOTS, of_owner, of_slot
from rag1.llm.rules.family_items import GROUP, SEX, Item, Span, items
from rag1.llm.rules.family_names import BEGIN, INSIDE, OUTSIDE, features, of_text, spans, votes_of
from rag1.llm.rules.family_state import Scene, State
from rag1.llm.rules.family_values import CLASSES, chunks, of_chunk, verb_behind
from rag1.llm.rules.linear import Linear

HERE = Path(__file__).parent / "families"
KINDS = {"生地": "生まれ", "出身": "生まれ", "出生地": "生まれ", "葬地": "墓所", "墓": "墓所", "菩提寺": "墓所",
         "住所": "住居",
         "埋葬地": "墓所", "家業": "職業", "生業": "職業", "官職": "役職", "地位": "役職", "屋号": "店"}  # fmt: skip
WIVES = frozenset(
    [
        "妻",
        "室",
        "正室",
        "側室",
        "後妻",
        "先妻",
        "前妻",
        "継室",
        "女房",
        "夫人",
        "内室",
        "嫁",
        "妾",
        "奥方",
        "後室",
        "継妻",
        "配偶者",
    ]
)
SAME = {"二男": "次男", "二女": "次女", "嫡子": "嫡男", "倅": "息子", "一人息子": "息子", "子息": "息子", "末子": "子"}
SAME |= dict.fromkeys(["末娘", "一人娘", "ひとり娘", "息女", "愛娘"], "娘")
MANY = frozenset(["子", "子供", "子ども", "男子", "女子", "男児", "女児", "娘", "息子"])
KEPT = 0.02
"""Weights nearer to 0 than this are left out of the file."""

Pair = tuple[str, str, str]
"""Wife and husband, parent and child, or elder and younger, and the annotator's word."""
Example = tuple[list[list[str]], list[bool]]
"""The features of all candidates, and which of them are right."""


@dataclass(frozen=True)
class Chronicle:
    id: str
    forms: dict[str, str]
    sentences: tuple[str, ...]
    facts: tuple[tuple[int, str, str, str], ...]

    def spans(self, sentence: str) -> tuple[Span, ...]:
        names = re.compile("|".join(map(re.escape, sorted(self.forms, key=len, reverse=True))))
        return tuple((match.start(), match.end(), self.forms[match[0]]) for match in names.finditer(sentence))


def read_chronicle(path: Path) -> Chronicle:
    """See `bench/families/README.md` for the format."""
    forms: dict[str, str] = {}
    sentences: list[str] = []
    facts: list[tuple[int, str, str, str]] = []
    for line in path.read_text(encoding="utf-8").split("\n---", 1)[0].split("\n"):
        if line.startswith("#"):
            name, _, others = line[1:].partition("=")
            forms |= {form.strip(): name.strip() for form in [name, *re.split("[,、]", others)] if form.strip()}
        elif line.startswith("\t"):
            head, relation, tail = (part.strip() for part in line.split("|"))
            facts.append((len(sentences) - 1, head, relation, tail))
        elif line.strip():
            sentences.append(line.strip())
    return Chronicle(path.stem, forms, tuple(sentences), tuple(facts))


# What is right


def pairs(text: Chronicle) -> list[dict[str, list[Pair]]]:
    """The kin that each sentence tells, by relation."""
    names = set(text.forms.values())
    women = {tail for _, _, word, tail in text.facts if word in WIVES or SEX.get(word) == "f"}
    women |= {head for _, head, word, _ in text.facts if word == "夫"}
    found: list[dict[str, list[Pair]]] = [defaultdict(list) for _ in text.sentences]
    for at, head, word, other in text.facts:
        tail, group = text.forms.get(other, other), GROUP.get(word, "")
        if tail not in names:
            continue
        if word in WIVES:
            found[at]["spouse"].append((tail, head, word))
        elif group == "spouse" and SEX.get(word) == "m" and (word == "夫" or head in women):
            found[at]["spouse"].append((head, tail, word))
        elif group in {"child", "elder"}:
            relation = "child" if group == "child" else "sib"
            found[at][relation].append((head, tail, word) if group == "child" else (tail, head, word))
        elif group in {"parent", "younger"}:
            relation = "child" if group == "parent" else "sib"
            found[at][relation].append((tail, head, word) if group == "parent" else (head, tail, word))
    return found


def right(
    found: Sequence[Item], place: int, told: dict[str, list[Pair]], whole: dict[str, list[Pair]], topic: str
) -> tuple[set[str], set[str]] | None:
    """Who fills the two slots of a word; nobody where it tells nothing new; None where the annotation does not say."""
    item = found[place]
    relation = RELATION[item.group]
    options = told.get(relation, [])
    if not options:
        here = {other.text for other in found if other.kind == "person"} | {topic}
        return None if any(a in here and b in here for a, b, _ in whole[relation]) else (set(), set())
    if item.kind == "kin":
        options = _by_word(item, options)
        if item.group in {"child", "elder", "younger"} and options:
            options = _nearest(found, place, options)
    return ({a for a, _, _ in options}, {b for _, b, _ in options}) if options else None


def _by_word(item: Item, options: list[Pair]) -> list[Pair]:
    word = SAME.get(item.text, item.text)
    exact = [option for option in options if SAME.get(option[2], option[2]) == word]
    alike = [option for option in options if item.text in SEX and SEX.get(option[2]) == SEX[item.text]]
    if exact:
        return exact
    if item.group in {"child", "elder", "younger"} and alike:
        return alike
    return options if item.text not in SEX or item.group in {"parent", "spouse"} or item.text in MANY else []


def _nearest(found: Sequence[Item], place: int, options: list[Pair]) -> list[Pair]:
    """Of several children of one rank the one named next to the word; all of them where one word tells them all."""
    word = found[place].text
    own = 0 if found[place].group == "elder" else 1
    if word in MANY and sum(item.text == word for item in found) == 1:
        return options

    def far(option: Pair) -> int:
        ways = [
            at - place if at > place else 2 * (place - at)
            for at, item in enumerate(found)
            if item.kind == "person" and item.text == option[own]
        ]
        return min(ways, default=99)

    who = min(options, key=far)[own]
    return [option for option in options if option[own] == who]


def remember(state: State, told: dict[str, list[Pair]]) -> None:
    """What a sentence really tells, for those behind it."""
    if told.get("child"):
        state.last_children = []
        state.last_parents = tuple(dict.fromkeys(parent for parent, _, _ in told["child"]))
    for wife, husband, _ in told.get("spouse", ()):
        state.marry(wife, husband)
    for parent, child, word in told.get("child", ()):
        if word in SEX:
            state.sex[child if GROUP[word] == "child" else parent] = SEX[word]
        state.born(parent, child)
    for elder, younger, word in told.get("sib", ()):
        state.sex[elder if GROUP[word] == "elder" else younger] = SEX[word]


# Examples


def kin_examples(text: Chronicle) -> Iterator[tuple[str, Example]]:
    told, state = pairs(text), State()
    whole: dict[str, list[Pair]] = defaultdict(list)
    for sentence_pairs in told:
        for relation, options in sentence_pairs.items():
            whole[relation] += options
    for sentence, options in zip(text.sentences, told, strict=True):
        found = items(sentence, text.spans(sentence))
        for place, item in enumerate(found):
            answer = right(found, place, options, whole, state.topic) if item.group in SLOTS else None
            if answer is None:
                continue
            for slot, who in zip(SLOTS[item.group], answer, strict=True):
                rows = of_slot(Scene(found, place, place, state), slot)
                marks = [name in who if name else not who for name, _ in rows]
                if any(marks):
                    yield f"{RELATION[item.group]} {slot}", ([features for _, features in rows], marks)
            if RELATION[item.group] == "child" and all(answer):
                state.last_parents = tuple(sorted(answer[0]))
        remember(state, options)
        state.read(found)


def value_examples(text: Chronicle) -> Iterator[tuple[list[str], int, list[Example]]]:
    """(features of a chunk, its class, whose it is)."""
    told, state = pairs(text), State()
    for at, sentence in enumerate(text.sentences):
        found = items(sentence, text.spans(sentence))
        labels: dict[tuple[int, int], list[tuple[str, str]]] = defaultdict(list)
        for number, head, word, value in text.facts:
            relation = KINDS.get(word, word)
            chunk = _chunk(found, sentence, value) if number == at and relation in CLASSES else None
            if chunk:
                labels[chunk].append((relation, head))
        for chunk in chunks(found):
            owners = []
            for relation in {relation for relation, _ in labels[chunk]}:
                rows = of_owner(Scene(found, *chunk, state), relation, verb_behind(found, chunk[1]))
                marks = [(relation, name) in labels[chunk] for name, _ in rows]
                if any(marks):
                    owners.append(([features for _, features in rows], marks))
            kind = CLASSES.index(labels[chunk][0][0]) if labels[chunk] else 0
            yield of_chunk(found, chunk, sentence), kind, owners
        remember(state, told[at])
        state.read(found)


def _chunk(found: Sequence[Item], sentence: str, value: str) -> tuple[int, int] | None:
    """The chunk that a value ends with."""
    for match in re.finditer(re.escape(value), sentence):
        for first, last in reversed(chunks(found)):
            if (
                found[first].start < match.end()
                and found[last].end > match.start()
                and found[last].end <= match.end() + 2
            ):
                return first, last
    return None


def name_tags(text: Chronicle) -> list[list[int]]:
    rows = []
    for sentence in text.sentences:
        tags = [OUTSIDE] * len(sentence)
        for start, end, _ in text.spans(sentence):
            tags[start:end] = [BEGIN, *[INSIDE] * (end - start - 1)]
        rows.append(tags)
    return rows


# Fitting


def fit_softmax(
    rows: Sequence[Iterable[str]], labels: Sequence[int], classes: int, least: int = 3, l2: float = 0.5
) -> Linear:
    """Softmax regression: minimises -Σ log p(label) + l2/2 |w|² by L-BFGS."""
    known, matrix = _matrix(rows, least)
    wanted = np.asarray(labels)
    one_hot = np.eye(classes)[wanted]

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = flat.reshape(-1, classes)
        scores = matrix @ weights
        scores -= scores.max(1, keepdims=True)
        raised = np.exp(scores)
        total = raised.sum(1, keepdims=True)
        value = -(scores[np.arange(len(wanted)), wanted] - np.log(total[:, 0])).sum() + 0.5 * l2 * (weights**2).sum()
        return value, (matrix.T @ (raised / total - one_hot) + l2 * weights).ravel()

    found = minimize(loss, np.zeros(len(known) * classes), jac=True, method="L-BFGS-B", options={"maxiter": 120})
    return _linear(known, found.x.reshape(-1, classes))


def fit_choice(examples: Sequence[Example], least: int = 2, l2: float = 0.8) -> Linear:
    """Which candidate is right: minimises -Σ log Σ_right p(candidate) + l2/2 |w|², p a softmax over candidates."""
    rows = [row for candidates, _ in examples for row in candidates]
    good = np.asarray([mark for _, marks in examples for mark in marks])
    sizes = [len(marks) for _, marks in examples]
    starts = np.cumsum([0, *sizes[:-1]])
    group = np.repeat(np.arange(len(sizes)), sizes)
    known, matrix = _matrix(rows, least)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = matrix @ weights
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[group])
        total, hit = np.add.reduceat(raised, starts), np.add.reduceat(np.where(good, raised, 0.0), starts) + 1e-12
        value = (np.log(total) - np.log(hit)).sum() + 0.5 * l2 * (weights @ weights)
        slope = raised / total[group] - np.where(good, raised, 0.0) / hit[group]
        return value, matrix.T @ slope + l2 * weights

    found = minimize(loss, np.zeros(len(known)), jac=True, method="L-BFGS-B", options={"maxiter": 150})
    return _linear(known, found.x[:, None])


def _matrix(rows: Sequence[Iterable[str]], least: int) -> tuple[dict[str, int], csr_matrix]:
    counts = Counter(feature for row in rows for feature in set(row))
    known = {feature: at for at, feature in enumerate(sorted(name for name, count in counts.items() if count >= least))}
    columns, ends = [], [0]
    for row in rows:
        columns += [known[feature] for feature in row if feature in known]
        ends.append(len(columns))
    return known, csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(rows), len(known)))


def _linear(known: dict[str, int], weights: np.ndarray) -> Linear:
    kept = {feature: [round(float(w), 2) for w in weights[at]] for feature, at in known.items()}
    return Linear(weights.shape[1], {feature: row for feature, row in kept.items() if max(map(abs, row)) >= KEPT})


def fit(texts: Sequence[Chronicle]) -> dict[str, Linear]:
    by_slot: dict[str, list[Example]] = defaultdict(list)
    for text in texts:
        for slot, example in kin_examples(text):
            by_slot[slot].append(example)
    told = [row for text in texts for row in value_examples(text)]
    first, second = fit_names(texts)
    return {
        "names": first,
        "names again": second,
        "value": fit_softmax([row for row, _, _ in told], [kind for _, kind, _ in told], len(CLASSES)),
        "owner": fit_choice([example for _, _, owners in told for example in owners]),
        **{slot: fit_choice(examples) for slot, examples in sorted(by_slot.items())},
    }


def fit_names(texts: Sequence[Chronicle], parts: int = 3) -> tuple[Linear, Linear]:
    """Both taggers; the second is fitted on what a first one finds in texts that it was not fitted on."""

    def first(chosen: Sequence[Chronicle]) -> Linear:
        rows = [row for text in chosen for sentence in text.sentences for row in features(sentence)]
        return fit_softmax(rows, [tag for text in chosen for tags in name_tags(text) for tag in tags], 3)

    rows, labels = [], []
    for part in range(parts):
        model = first([text for at, text in enumerate(texts) if at % parts != part])
        for text in [text for at, text in enumerate(texts) if at % parts == part]:
            votes = votes_of(text.sentences, [features(sentence) for sentence in text.sentences], model)
            rows += [row for sentence in of_text(text.sentences, votes) for row in sentence]
            labels += [tag for tags in name_tags(text) for tag in tags]
    return first(texts), fit_softmax(rows, labels, 3)


# Measuring


def measure(texts: Sequence[Chronicle], models: dict[str, Linear], known_names: bool) -> dict[str, np.ndarray]:
    """Hits, found and wanted: names, kin (as pairs, completed alike on both sides) and values."""
    counts: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(3, int))
    for text in texts:
        full = text.forms if known_names else family.persons_of(text.sentences, models)
        real = {form for form in text.forms if form in "".join(text.sentences)}
        counts["names"] += [len(real & set(full)), len(full), len(real)]
        to_real = {
            name: text.forms.get(name)
            or next((text.forms[f] for f, n in full.items() if n == name and f in text.forms), name)
            for name in full.values()
        }
        named = [tuple((s, e, to_real[n]) for s, e, n in spans(sentence, full)) for sentence in text.sentences]
        reading = family.read(text.sentences, named, models)
        got, want = _pairs_of(reading.told), _pairs_of(_annotated(text))
        for relation in ("spouse", "child", "sib"):
            counts[relation] += [len(got[relation] & want[relation]), len(got[relation]), len(want[relation])]
        _measure_values(text, reading, counts)
    return counts


def _annotated(text: Chronicle) -> list[Told]:
    return [
        Told(at, relation, a, b, word, 1.0)
        for at, told in enumerate(pairs(text))
        for relation, options in told.items()
        for a, b, word in options
    ]


def _pairs_of(told: Sequence[Told]) -> dict[str, set[tuple[str, str]]]:
    found = settled(told, {})
    return {
        "spouse": {(min(a, b), max(a, b)) for a, others in found.spouses.items() for b in others},
        "child": {(parent, child) for child, parents in found.parents.items() for parent in parents},
        "sib": set(found.siblings),
    }


def _measure_values(text: Chronicle, reading: family.Reading, counts: dict[str, np.ndarray]) -> None:
    real = [
        (head, KINDS.get(word, word), value) for _, head, word, value in text.facts if KINDS.get(word, word) in CLASSES
    ]
    got = {(value.owner, value.relation, value.text) for value in reading.values}

    def same(one: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
        return one[:2] == other[:2] and (one[2] in other[2] or other[2] in one[2])

    for relation in CLASSES[1:]:
        mine, theirs = [v for v in got if v[1] == relation], [v for v in real if v[1] == relation]
        hits = sum(any(same(v, w) for w in mine) for v in theirs)
        counts[relation] += [hits, len(mine), len(theirs)]


def write(models: dict[str, Linear], path: Path) -> None:
    plain = {
        name: {"classes": model.classes, "weights": {f: list(w) for f, w in sorted(model.weights.items())}}
        for name, model in models.items()
    }
    path.write_bytes(gzip.compress(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode(), mtime=0))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--folds", type=int, default=0)
    arguments.add_argument("--known-names", action="store_true", help="the annotated names in place of those found")
    chosen = arguments.parse_args()
    texts = [read_chronicle(path) for path in sorted(HERE.glob("*.txt"))]
    if not chosen.folds:
        write(fit(texts), family.WEIGHTS)
        print(f"{len(texts)} chronicles → {family.WEIGHTS.name}, {family.WEIGHTS.stat().st_size / 1024:.0f} KiB")
        return
    total: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(3, int))
    for fold in range(chosen.folds):
        models = fit([text for at, text in enumerate(texts) if at % chosen.folds != fold])
        for name, counts in measure(texts[fold :: chosen.folds], models, chosen.known_names).items():
            total[name] += counts
    print(f"{len(texts)} chronicles, {chosen.folds} folds")
    for name, (hits, found, wanted) in total.items():
        precision, recall = hits / max(1, found), hits / max(1, wanted)
        print(f"  {name:8s} precision {precision:.3f}  recall {recall:.3f}  ({hits}/{found}/{wanted})")


if __name__ == "__main__":
    sys.exit(main())
