"""A sentence as clauses: nouns with their particles, and the predicate they lead to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rag1.llm.rules.kinship import KIN
from rag1.llm.rules.words import Word, nounlike, quoted, words, wordset
from rag1.text.numbers import numbers

_TIME = re.compile(
    "[0-9０-９一二三四五六七八九十百元幾].*(?:年|月|日|時|世紀|歳|晩|朝|夜|ころ|頃|前|後|目)$|"
    "^(?:.*の)?(?:春|夏|秋|冬|朝|晩|夜|昼|夕方|夕べ|翌[日年朝晩]|元日|大晦日|[昨今明]日|去年|来年|今年|末|ころ|頃|とき|時|のち|たび)$"
)
_COMPOUND_PARTICLES = (
    ("と", "一緒", "に"), ("と", "いっしょ", "に"), ("と", "共", "に"), ("と", "とも", "に"), ("と", "二人", "で"),
    ("と", "ふたり", "で"), ("に", "よっ", "て"), ("に", "よる"), ("の", "ため", "に"), ("の", "せい", "で"),
    ("の", "ため"), ("の", "おかげ", "で"), ("に", "とっ", "て"), ("に", "おい", "て"), ("と", "し", "て"),
    ("と", "ともに"), ("とともに",),
)  # fmt: skip
_AUXILIARIES = wordset(
    "て で いる い た ある あっ しまう しまっ くる き いく いっ おく おい "
    "もらう もらっ くれる くれ やる やっ の のだ ん"
)
_APART = wordset("みな 皆 先年 昨年 翌年 生涯 現在 代々 晩年 以後 以来 当時 今 いま のち 後 二人 三人 全員")
COPULA = frozenset({"だ", "で", "だっ", "です", "でし", "である", "であっ", "であり", "なり"})


@dataclass(frozen=True, slots=True)
class Argument:
    """A noun with the particle after it: `parts` are the nouns of its の-chain, the last one its head."""

    text: str
    particle: str
    parts: tuple[str, ...]
    start: int

    @property
    def head(self) -> str:
        return self.parts[-1]

    @property
    def is_time(self) -> bool:
        return bool(_TIME.search(self.text)) and len(self.text) <= 16

    @property
    def is_quantity(self) -> bool:
        return any(q.start == 0 and q.end == len(self.text) and q.unit for q in numbers(self.text))


@dataclass(frozen=True, slots=True)
class Clause:
    """`predicate` is a dictionary form, or である after a noun (then the noun is the last argument, particle "")."""

    arguments: tuple[Argument, ...]
    predicate: str
    negated: bool = False
    passive: bool = False
    modifies: str = ""
    link: str = ""
    start: int = 0
    end: int = 0

    def get(self, *particles: str) -> Argument | None:
        return next((a for a in self.arguments if a.particle in particles), None)


@lru_cache(maxsize=4096)
def clauses(sentence: str) -> tuple[Clause, ...]:
    """The clauses of a sentence in order; a noun before は is an argument of every clause up to the next は."""
    return tuple(_Parser(sentence, words(sentence)).run())


class _Parser:
    """Reads a sentence once from left to right."""

    def __init__(self, text: str, found: Sequence[Word]) -> None:
        self.text, self.found = text, found
        self.quotes = {start - 1: end + 1 for start, end in quoted(text)}
        self.pending: list[Argument] = []
        self.done: list[Clause] = []
        self.topic: Argument | None = None

    def run(self) -> list[Clause]:
        at = 0
        while at < len(self.found):
            word = self.found[at]
            if nounlike(word) or word.start in self.quotes or word.pos[0] == "代名詞":
                at = self._noun(at)
            elif word.pos[0] in {"動詞", "形容詞"}:
                at = self._predicate(at)
            else:
                at += 1
        return self.done

    def _noun(self, at: int) -> int:
        """Reads a の-chain of nouns and its particle; a noun before a copula or する closes a clause."""
        start, parts, last = self.found[at].start, [], at
        while True:
            last = self._one(at)
            parts.append(self._surface(at, last))
            if last + 1 < len(self.found) and self.found[last].surface == "の" and self._starts_noun(last + 1):
                at = last + 1
                continue
            break
        end = self.found[last - 1].end
        particle, after = self._particle(last)
        text = parts[0] if len(parts) == 1 else self.text[start:end]
        argument = Argument(text, particle, tuple(parts), start)
        if self._is_copula(last) or self._names_somebody(last, parts[-1]):
            return self._close("である", (*self._arguments(), replace(argument, particle="")), last, start)
        if last < len(self.found) and self.found[last].norm == "為る" and self.found[last].pos[0] == "動詞":
            return self._close(parts[-1] + "する", self._arguments(), last, start)
        self._push(argument)
        return after

    def _one(self, at: int) -> int:
        """Index after one noun: a quotation, or a run of noun-like words."""
        if self.found[at].start in self.quotes:
            end = self.quotes[self.found[at].start]
            return next((i for i in range(at, len(self.found)) if self.found[i].start >= end), len(self.found))
        last = at + 1
        while last < len(self.found) and nounlike(self.found[last]) and self.found[last].start not in self.quotes:
            if self.found[last - 1].surface in _APART and self.found[last].is_proper_noun:
                break  # みな光雲寺に, 先年浄念寺に: no part of the name
            last += 1
        return last

    def _surface(self, first: int, last: int) -> str:
        return self.text[self.found[first].start : self.found[last - 1].end].strip("「」『』")

    def _starts_noun(self, at: int) -> bool:
        word = self.found[at]
        return (nounlike(word) or word.start in self.quotes or word.pos[0] == "代名詞") and word.surface not in {
            "は",
            "が",
        }

    def _particle(self, at: int) -> tuple[str, int]:
        surfaces = tuple(word.surface for word in self.found[at : at + 3])
        for compound in _COMPOUND_PARTICLES:
            if surfaces[: len(compound)] == compound:
                return "".join(compound), at + len(compound)
        if surfaces and self.found[at].pos[0] == "助詞":
            double = "".join(surfaces[:2])
            return (
                (double, at + 2)
                if double in {"とは", "には", "では", "へは", "からは", "とも"}
                else (surfaces[0], at + 1)
            )
        return "", at

    def _is_copula(self, at: int) -> bool:
        if at >= len(self.found):
            return bool(self.topic or self.pending)
        word = self.found[at]
        if word.surface == "。" and (self.topic or self.pending):
            return True
        if word.surface == "で" and word.pos[0] == "助動詞":
            return True
        return word.surface in COPULA - {"で"} and word.pos[0] == "助動詞"

    def _names_somebody(self, at: int, noun: str) -> bool:
        """「父は正興で、母は…」「長男が正純、次男が…」: a name before a comma, of someone just called by kinship."""
        about = self.pending[-1] if self.pending else self.topic
        if about is None or about.particle not in {"は", "が", "も"} or about.head not in KIN or noun in KIN:
            return False
        surfaces = [word.surface for word in self.found[at : at + 2]]
        return surfaces[:1] == ["、"] or surfaces == ["で", "、"]

    def _push(self, argument: Argument) -> None:
        if argument.particle in {"は", "とは", "も"} or (argument.particle == "" and self._topic_lacks(argument)):
            self.topic = argument if argument.particle else self.topic
        if argument.particle not in {"は", "とは", "も"}:
            self.pending.append(argument)

    def _topic_lacks(self, argument: Argument) -> bool:
        return self.topic is None and not argument.is_time

    def _arguments(self) -> tuple[Argument, ...]:
        return ((replace(self.topic, particle="は"),) if self.topic else ()) + tuple(self.pending)

    def _predicate(self, at: int) -> int:
        word = self.found[at]
        if (
            word.is_a("動詞", "非自立可能")
            and self.done
            and at
            and self.found[at - 1].surface in {"て", "で"}
            and not self.pending
        ):
            return at + 1
        return self._close(word.lemma, self._arguments(), at + 1, word.start)

    def _close(self, predicate: str, arguments: tuple[Argument, ...], at: int, start: int) -> int:
        """Ends a clause: reads auxiliaries, negation, passive, the connective, and the noun it may modify."""
        negated = passive = False
        while at < len(self.found) and self._is_auxiliary(at):
            word = self.found[at]
            negated |= word.norm in {"ない", "無い", "ず", "ぬ", "まい"}
            passive |= word.norm in {"れる", "られる"}
            at += 1
        link, at = self._link(at)
        modifies = (
            self._surface(at, self._one(at)) if not link and at < len(self.found) and self._starts_noun(at) else ""
        )
        end = self.found[min(at, len(self.found)) - 1].end
        begin = min((a.start for a in arguments), default=start)
        self.done.append(Clause(arguments, predicate, negated, passive, modifies, link, begin, end))
        self.pending = []
        return at

    def _is_auxiliary(self, at: int) -> bool:
        word = self.found[at]
        if (
            word.surface in {"の"}
            and self.found[at + 1 : at + 2]
            and self.found[at + 1].surface in {"は", "が", "で", "を"}
        ):
            return False
        return word.pos[0] == "助動詞" or word.surface in _AUXILIARIES

    def _link(self, at: int) -> tuple[str, int]:
        surfaces = [word.surface for word in self.found[at : at + 3]]
        joined = "".join(surfaces)
        for link in (
            "ために",
            "せいで",
            "おかげで",
            "のは",
            "ので",
            "ため",
            "から",
            "のが",
            "と",
            "が",
            "ば",
            "けれど",
        ):
            if joined.startswith(link):
                length, taken = 0, 0
                while length < len(link):
                    length += len(surfaces[taken])
                    taken += 1
                return link, at + taken
        return ("、", at + 1) if surfaces and surfaces[0] == "、" else ("", at)
