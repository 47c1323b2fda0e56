"""Tokens as clauses: noun phrases with their particles, the predicate they lead to, relative clauses at their noun."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rag1.llm.rules.prose_tokens import Kind, Tok
from rag1.llm.rules.words import words, wordset

_NOMINAL = frozenset({"person", "role", "noun", "quote"})
_FORMAL = wordset(
    "後 のち 頃 ころ 際 年 ため 為 こと 事 とき 時 まま うち 内 前 折 途中 縁 もの 物 翌年 日 春 夏 秋 冬 間 "
    "あいだ 矢先 ところ 所 "
    "たび 度 以上 一方 かたわら 傍ら 最中 由 よし はず わけ ほど 程 帰り 晩 朝 夜 夕 直後 直前 当時 さなか "
    "代わり 頃合い 結果 甲斐"
)
"""Nouns that a clause before them does not describe: it tells when, why or that."""
_PLACE_LIKE = re.compile(
    "(?:寺|院|町|村|国|城|屋敷|家|方|所|地|山|川|里|島|浜|道|上|下|中|内|外|先|宅|店|宿|陣|年|月|日|歳|時)$"
)
_BESIDES = wordset("並ぶ ならぶ 隣り合う 望む 願う ちなむ 因む 従う")
"""Verbs that say how the next one is done: what stands before them belongs to that one too."""
_DEATH = {
    "没": "没する",
    "死去": "死去する",
    "病没": "病没する",
    "歿": "没する",
    "卒": "没する",
    "戦死": "戦死する",
    "病死": "病死する",
    "早世": "早世する",
}


@dataclass(frozen=True, slots=True)
class Unit:
    """One noun of a phrase. `link`: how it is joined to the one before it: の ・ 、 と である =, "" for the first."""

    kind: Kind
    text: str
    link: str
    start: int
    end: int


@dataclass(slots=True)
class Phrase:
    """Units in order; `rel` is the clause that describes it."""

    units: list[Unit]
    rel: Clause | None = None
    demonstrative: str = ""

    @property
    def start(self) -> int:
        return self.units[0].start

    @property
    def end(self) -> int:
        return self.units[-1].end

    @property
    def last(self) -> Unit:
        return self.units[-1]

    def text(self, sentence: str) -> str:
        return sentence[self.start : self.end]

    @property
    def called(self) -> Unit | None:
        """The name before it: 「『上毛評論』という雑誌」."""
        if self.rel is None or self.rel.predicate not in {"いう", "言う", "云う", "称する", "号する"}:
            return None
        value = next((arg for arg in self.rel.args if arg.particle == "と"), None)
        return value.phrase.last if value is not None else None

    @property
    def has_kin(self) -> bool:
        return any(unit.kind in {"person", "role"} for unit in self.units)


@dataclass(slots=True)
class Arg:
    phrase: Phrase
    particle: str
    time: bool = False
    comma: bool = False


@dataclass(slots=True)
class Clause:
    """`predicate`: a verb's dictionary form, or である with `noun`. `modifies`: what a relative clause describes."""

    args: list[Arg]
    predicate: str
    form: str = ""
    passive: bool = False
    negated: bool = False
    causative: bool = False
    noun: Phrase | None = None
    modifies: Phrase | None = None
    start: int = 0
    end: int = 0
    topic: Arg | None = None

    def get(self, *particles: str) -> Arg | None:
        return next((arg for arg in self.args if arg.particle in particles and not arg.time), None)


@dataclass
class Parser:
    """Reads a sentence's tokens once; `done`: the clauses in order, a relative one before the one that holds it."""

    found: Sequence[Tok]
    args: list[Arg] = field(default_factory=list)
    done: list[Clause] = field(default_factory=list)
    topic: Arg | None = None
    used: bool = True
    rel: Clause | None = None
    demonstrative: str = ""
    gapped: list[tuple[Arg, list[Arg]]] = field(default_factory=list)

    def run(self) -> list[Clause]:
        at = 0
        while at < len(self.found):
            tok = self.found[at]
            if tok.kind in _NOMINAL:
                at = self._argument(at)
            elif tok.kind == "verb":
                at = self._verb(at)
            elif tok.kind == "copula":
                at = self._copula(at)
            elif tok.text in {"（", "("}:
                at = self._closing(at)
            else:
                if tok.text in {"。", "．"}:
                    self._end(tok.end)
                elif tok.text in {"、", "，"}:
                    self._comma(at)
                elif tok.kind == "other":
                    self.demonstrative = tok.text
                at += 1
        self._end(self.found[-1].end if self.found else 0)
        return self.done

    def _closing(self, at: int) -> int:
        while at < len(self.found) and self.found[at].text not in {"）", ")"}:
            at += 1
        return at + 1

    def _kind(self, at: int) -> str:
        return self.found[at].kind if at < len(self.found) else ""

    def _text(self, at: int) -> str:
        return self.found[at].text if at < len(self.found) else ""

    def _phrase(self, at: int) -> tuple[Phrase, int]:
        tok = self.found[at]
        units = [Unit(tok.kind, tok.text, "", tok.start, tok.end)]
        at += 1
        while True:
            if self._text(at) in {"（", "("}:
                at = self._closing(at)
            link, after = self._joined(at, units)
            if not link:
                break
            tok = self.found[after]
            units.append(Unit(tok.kind, tok.text, link, tok.start, tok.end))
            at = after + 1
        phrase = Phrase(units, self.rel, self.demonstrative)
        if self.rel is not None:
            self.rel.modifies = phrase
        self.rel, self.demonstrative = None, ""
        return phrase, at

    def _joined(self, at: int, units: Sequence[Unit]) -> tuple[str, int]:
        """How the next noun is joined to the phrase so far, and where it stands; "" where it is not."""
        last, text = units[-1], self._text(at)
        if self._kind(at) in _NOMINAL:
            time = self.found[at].is_time or any(
                u.kind == "noun" and Tok("noun", u.text, 0, 0).is_time for u in units[-1:]
            )
            return ("", at) if time and last.kind != "quote" else ("=", at)
        if self._kind(at + 1) not in _NOMINAL:
            if (
                text == "の"
                and self._kind(at + 1) == "other"
                and self._kind(at + 2) in _NOMINAL
                and self._text(at + 1) in {"同じ", "その"}
            ):
                return "", at
            return "", at
        if text in {"の", "・"}:
            return text, at + 1
        if self._kind(at) == "copula" and self.found[at].form == "attr":
            return "である", at + 1
        following = self.found[at + 1]
        if (
            text == "、"
            and last.kind in {"role", "noun"}
            and following.kind == "person"
            and last.text not in _FORMAL
            and not Tok("noun", last.text, 0, 0).is_time
        ):
            return ("、", at + 1) if not self._many_after(at + 1) or last.kind == "role" else ("", at)
        if text == "と" and last.kind in {"person", "role"} and following.kind in {"person", "role"}:
            return "と", at + 1
        return "", at

    def _many_after(self, at: int) -> bool:
        return self._text(at + 1) == "、" and self._kind(at + 2) == "person"

    def _argument(self, at: int) -> int:
        phrase, at = self._phrase(at)
        time = phrase.last.kind == "noun" and Tok("noun", phrase.last.text, 0, 0).is_time
        time = time or (
            phrase.last.text in {"うち", "とき", "のち", "あと", "ころ", "まま", "さなか"} and phrase.rel is not None
        )
        particle = ""
        while self._kind(at) == "particle":
            particle += self._text(at)
            at += 1
        if (
            particle in {"と", "に"}
            and self._kind(at) == "verb"
            and self.found[at].text in {"して", "よって", "とって", "おいて", "よる", "対して", "ついて", "つき"}
        ):
            particle += self.found[at].text
            at += 1
            while self._kind(at) == "particle":
                particle += self._text(at) if self._text(at) not in {"は", "も"} else ""
                at += 1
        particle = re.sub("^(?:のみ|だけ|ばかり|さえ|すら)(?=[がをにはも])", "", particle)
        if not particle and self._kind(at) == "copula":
            return self._close_copula(at, phrase)
        if particle == "で" and self._text(at) == "、" and self._is_somebody(phrase):
            self._emit(Clause([*self.args], "である", "on", noun=phrase, start=phrase.start, end=phrase.end))
            self.args = []
            return at
        if particle == "で" and len(phrase.units) == 1 and phrase.last.kind == "role" and self._kind(at) in _NOMINAL:
            return at
        arg = Arg(phrase, particle, time, self._text(at) == "、")
        opens = not particle and self.topic is None and not self.args and not self.done and phrase.last.kind == "person"
        if opens and len(phrase.units) == 1 and self._text(at) == "、" and self._kind(at + 1) not in {"person", "role"}:
            arg = Arg(phrase, "は")
            particle = "は"
        if (particle == "は" or (particle == "も" and phrase.has_kin)) and not time:
            if self.topic is not None and not self.used and self.args:
                self.gapped.append((self.topic, self.args))
                self.args = []
            self.topic, self.used = arg, False
        else:
            self.args.append(arg)
        return at

    def _is_somebody(self, phrase: Phrase) -> bool:
        """「正室は…の梅姫で、」: a person or what somebody is, of a topic or after one."""
        if phrase.last.kind in {"person", "role"} or phrase.last.text.endswith(
            ("人", "者", "人物", "男", "女", "師", "家")
        ):
            return True
        waits = self.topic is not None and not self.used and self.topic.phrase.has_kin and phrase.last.kind == "noun"
        return (
            waits
            and not _PLACE_LIKE.search(phrase.last.text)
            and not any(w.is_proper_noun for w in words(phrase.last.text))
        )

    def _comma(self, at: int) -> None:
        """「父は正興、母は…」: a bare noun before a comma ends a clause where another topic follows."""
        if not self.args or self.args[-1].particle or self.args[-1].time:
            return
        last = self.args[-1].phrase
        if last.last.text in _DEATH:
            self._dead(last)
            return
        ahead = at + 1
        while self._kind(ahead) in _NOMINAL or self._text(ahead) in {"の", "・"}:
            ahead += 1
        listed = len(self.args) > 1 and self.args[-2].particle == "が" and self.args[-2].phrase.last.kind == "role"
        naming = self._text(ahead) == "を" and self._text(ahead - 1) in {"名", "号", "法名", "幼名", "俳号", "通称"}
        if (listed or (self.topic is not None and not self.used)) and (self._text(ahead) in {"は", "が"} or naming):
            self._bare()

    def _dead(self, phrase: Phrase) -> None:
        self.args.pop()
        self._emit(Clause([*self.args], _DEATH[phrase.last.text], "on", start=phrase.start, end=phrase.end))
        self.args = []

    def _bare(self) -> None:
        phrase = self.args.pop().phrase
        for arg in [a for a in self.args if not a.particle and not a.time and a.phrase.last.kind == "role"]:
            self.args.remove(arg)
            self.done.append(
                Clause(
                    [*([self.topic] if self.topic else [])],
                    "である",
                    "end",
                    noun=arg.phrase,
                    start=arg.phrase.start,
                    end=arg.phrase.end,
                    topic=self.topic,
                )
            )
        self._emit(Clause([*self.args], "である", "end", noun=phrase, start=phrase.start, end=phrase.end))
        self.args = []

    def _end(self, place: int) -> None:
        if self.args and not self.args[-1].particle and not self.args[-1].time:
            if self.args[-1].phrase.last.text in _DEATH:
                self._dead(self.args[-1].phrase)
            else:
                self._bare()
        elif self.args and self.args[-1].particle.endswith(("と", "に", "へ", "を")):
            self._emit(Clause([*self.args], "", "end", start=self.args[0].phrase.start, end=place))
        self.args, self.topic, self.used, self.rel, self.gapped = [], None, True, None, []

    def _verb(self, at: int) -> int:
        tok = self.found[at]
        attr = tok.form == "attr" and self._kind(at + 1) in _NOMINAL
        if attr and self._text(at + 1) not in _FORMAL and not self.found[at + 1].is_time:
            self._relative(tok)
            return at + 1
        if tok.lemma in _BESIDES and tok.form == "on" and self.args:
            return at + 1
        for topic, args in self.gapped:
            self.done.append(
                Clause(
                    [topic, *args],
                    tok.lemma,
                    "on",
                    tok.passive,
                    tok.negated,
                    tok.causative,
                    start=topic.phrase.start,
                    end=args[-1].phrase.end,
                    topic=topic,
                )
            )
        self.gapped = []
        form = "on" if attr else tok.form
        if (
            tok.lemma in {"ない", "無い"}
            and self.done
            and self.args
            and self.args[-1].phrase.last.text in {"こと", "事"}
        ):
            self.done[-1].negated = True
        clause = Clause(
            [*self.args], tok.lemma, form, tok.passive, tok.negated, tok.causative, start=tok.start, end=tok.end
        )
        self._emit(clause)
        self.args = []
        if tok.form == "nominal":
            self.topic, self.used = None, True
            return at + 1
        return at + 1

    def _relative(self, tok: Tok) -> None:
        """Arguments since the last topic or comma belong to the relative clause; those before it wait."""
        first = 0
        for i, arg in enumerate(self.args):
            if arg.comma and i < len(self.args) - 1:
                first = i + 1
        for i, arg in enumerate(self.args[:-1]):
            if (
                arg.particle == "が"
                and arg.phrase.has_kin
                and any(a.particle in {"の", "が"} for a in self.args[i + 1 :])
            ):
                first = max(first, i + 1)
        taken, self.args = self.args[first:], self.args[:first]
        start = taken[0].phrase.start if taken else tok.start
        clause = Clause(taken, tok.lemma, "attr", tok.passive, tok.negated, tok.causative, start=start, end=tok.end)
        self.done.append(clause)
        self.rel = clause

    def _copula(self, at: int) -> int:
        """A copula without a noun before it: 「…のである」."""
        return at + 1

    def _close_copula(self, at: int, phrase: Phrase) -> int:
        tok = self.found[at]
        if (
            self.topic is not None
            and self.args
            and not self.args[-1].particle
            and not self.args[-1].time
            and self.args[-1].comma
        ):
            self._bare()
        self._emit(
            Clause([*self.args], "である", tok.form, negated=tok.negated, noun=phrase, start=phrase.start, end=tok.end)
        )
        self.args = []
        return at + 1

    def _emit(self, clause: Clause) -> None:
        clause.topic = self.topic
        if self.topic is not None:
            clause.args = [self.topic, *clause.args]
            clause.start = min(clause.start, self.topic.phrase.start) if not self.used else clause.start
            self.used = True
        clause.start = min([clause.start, *(arg.phrase.start for arg in clause.args if arg is not self.topic)])
        self.done.append(clause)


def clauses_of(found: Sequence[Tok]) -> list[Clause]:
    return Parser(found).run()
