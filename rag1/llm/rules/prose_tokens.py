"""A sentence as tokens whose names are known: person, role, noun, verb, copula, particle, mark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rag1.llm.rules.prose_names import People
from rag1.llm.rules.prose_roles import NOT_AFTER, ROLE_WORDS
from rag1.llm.rules.words import Word, nounlike, quoted, words, wordset

Kind = Literal["person", "role", "noun", "quote", "verb", "copula", "particle", "mark", "other"]
_STAND_IN = "太郎"
_LONGEST_QUOTE = 24
_TITLES = (
    "おじさん",
    "おばさん",
    "おじい",
    "おばあ",
    "兄さん",
    "姉さん",
    "じいさん",
    "ばあさん",
    "さん",
    "さま",
    "様",
    "殿",
    "どの",
    "氏",
    "翁",
    "公",
    "君",
    "ちゃん",
    "先生",
    "刀自",
    "嬢",
)
_HELPING = wordset("て で た だ ない ぬ ん ます です らしい そう よう つつ ながら")
_AFTER_TE = wordset("居る 有る 来る 行く 仕舞う 置く 見る 貰う 呉れる 遣る 頂く 下さる 為る おる 上げる")
_TIMES = re.compile(
    "(?:[0-9０-９一二三四五六七八九十百元]+(?:年|月|日|歳|代|世紀|度|回|回忌)|時代|年間|のち|後|頃|ころ|とき|時|晩年|生涯|当時|翌年|若年|幼時|幼年|若いころ|以来|以後|その後|ほどなく|今|いま|現在|今日|末|はじめ|初め|なかば|半ば|明治|大正|昭和|戦前|戦後|維新後|没後|死後)$"
)


@dataclass(frozen=True, slots=True)
class Tok:
    """`text` as written (a person: the full name); `lemma` of a verb is its dictionary form.

    `form`: "attr" before a noun it modifies, "nominal" before の + は/が, "end" at a sentence's end, else "on".
    """

    kind: Kind
    text: str
    start: int
    end: int
    lemma: str = ""
    form: str = ""
    passive: bool = False
    negated: bool = False
    causative: bool = False

    @property
    def is_time(self) -> bool:
        return self.kind == "noun" and bool(_TIMES.search(self.text))


def tokens(sentence: str, people: People) -> list[Tok]:
    """Names of `people` first, then Sudachi's words between them."""
    names = _names(sentence, people)
    plain, shifts = _with_stand_ins(sentence, names)
    return _Reader(sentence, words(plain), names, shifts).run()


def _names(sentence: str, people: People) -> list[tuple[int, int, str]]:
    if people.pattern is None:
        return []
    return [(m.start(), m.end(), people.canonical.get(m[0], m[0])) for m in people.pattern.finditer(sentence)]


def _with_stand_ins(sentence: str, names: Sequence[tuple[int, int, str]]) -> tuple[str, list[tuple[int, int]]]:
    """The sentence with every name as 太郎, and (place there, what to add for the place here) in order."""
    out, at, shifts, shift = "", 0, [(0, 0)], 0
    for start, end, _ in names:
        out += sentence[at:start] + _STAND_IN
        shift += (end - start) - len(_STAND_IN)
        shifts.append((len(out), shift))
        at = end
    return out + sentence[at:], shifts


class _Reader:
    """Words with stand-ins → tokens, from left to right."""

    def __init__(
        self, text: str, found: Sequence[Word], names: Sequence[tuple[int, int, str]], shifts: Sequence[tuple[int, int]]
    ) -> None:
        self.text, self.found, self.shifts = text, found, shifts
        self.names = {start: (end, name) for start, end, name in names}
        self.quotes = {start - 1: end + 1 for start, end in quoted(text)}
        self.out: list[Tok] = []

    def here(self, place: int) -> int:
        shift = 0
        for there, add in self.shifts:
            if there > place:
                break
            shift = add
        return place + shift

    def run(self) -> list[Tok]:
        at = 0
        while at < len(self.found):
            at = self._next(at)
        return self.out

    def _next(self, at: int) -> int:
        word = self.found[at]
        start = self.here(word.start)
        if start in self.names:
            end, name = self.names[start]
            self.out.append(Tok("person", name, start, end))
            title = next((word for word in _TITLES if self.text.startswith(word, end)), "")
            return self._to(at, end + len(title))
        if start in self.quotes and self.quotes[start] - start <= _LONGEST_QUOTE + 2:
            end = self.quotes[start]
            self.out.append(Tok("quote", self.text[start + 1 : end - 1], start, end))
            return self._to(at, end)
        if (nounlike(word) and word.surface != "・") or word.pos[0] == "代名詞":
            return self._run(at)
        if word.pos[0] in {"動詞", "形容詞", "形状詞"}:
            return self._verb(at, "")
        if word.pos[0] == "助動詞" and word.norm in {"だ", "です", "也", "なり"}:
            return self._copula(at)
        kind: Kind = "particle" if word.pos[0] == "助詞" else "mark" if word.pos[0] == "補助記号" else "other"
        self.out.append(Tok(kind, word.surface, start, self.here(word.end - 1) + 1))
        return at + 1

    def _to(self, at: int, end: int) -> int:
        while at < len(self.found) and self.here(self.found[at].start) < end:
            at += 1
        return at

    def _run(self, at: int) -> int:
        """A run of noun-like words up to a name or a role, which stand for themselves."""
        first = at
        while at < len(self.found):
            word = self.found[at]
            start = self.here(word.start)
            if start in self.names or start in self.quotes or word.surface == "・":
                break
            if not (nounlike(word) or (word.pos[0] == "代名詞" and at == first)):
                break
            role = self._role(at)
            if role:
                self._noun(first, at)
                end = start + len(role)
                after = self._to(at, end)
                if role == "嫁" and after < len(self.found) and self.found[after].norm == "為る":
                    return self._verb(after, "嫁")
                self.out.append(Tok("role", role, start, end))
                polite = next(
                    (word for word in ("さん", "さま", "様", "ちゃん", "はん") if self.text.startswith(word, end)), ""
                )
                at = first = self._to(at, end + len(polite))
                continue
            if at > first and _cuts(self.found[at - 1], word):
                self._noun(first, at)
                first = at
            at += 1
            if word.pos[0] == "代名詞":
                break
        if at > first:
            follows = self.found[at] if at < len(self.found) else None
            if follows is not None and follows.norm == "為る" and follows.pos[0] == "動詞":
                return self._verb(at, self._cut(first, at))
        self._noun(first, at)
        return max(at, first)

    def _role(self, at: int) -> str:
        """The role word that begins here, if it ends where a word ends and makes no other word with what follows."""
        start = self.here(self.found[at].start)
        if at and nounlike(self.found[at - 1]) and self.found[at - 1].is_number and self.found[at].surface in "子男女":
            return ""
        joined = at > 0 and nounlike(self.found[at - 1]) and self.found[at - 1].surface != "・"
        joined = (
            joined and self.here(self.found[at - 1].start) not in self.names and not self.found[at - 1].is_proper_noun
        )
        for role in ROLE_WORDS:
            if not self.text.startswith(role, start) or (joined and len(role) == 1):
                continue
            end = start + len(role)
            borders = {self.here(word.start) for word in self.found[at : at + 6]}
            borders |= {self.here(word.end - 1) + 1 for word in self.found[at : at + 6]}
            after = self.text[end : end + 1]
            if (
                end in borders
                and not (after in NOT_AFTER and end not in self.names)
                and not self._number_before(at, role)
            ):
                return role
        return ""

    def _daughter(self, end: int) -> bool:
        """「盛遠の女」 is his daughter; 「村の女」 is not."""
        last = self.out[-2] if len(self.out) > 1 and self.out[-1].text == "の" else None
        return (
            last is not None
            and (last.kind == "person" or bool(re.search("(?:人|者|師|守|工|主|頭|家|屋|長|末|上|下)$", last.text)))
            and self.text[end : end + 1] in "、のでをとがに。"
        )

    def _number_before(self, at: int, role: str) -> bool:
        return (
            role in {"子", "孫"} and at > 0 and nounlike(self.found[at - 1]) and not self.found[at - 1].is_a("代名詞")
        )

    def _cut(self, first: int, last: int) -> str:
        return self.text[self.here(self.found[first].start) : self.here(self.found[last - 1].end - 1) + 1]

    def _noun(self, first: int, last: int) -> None:
        if last > first:
            text = self._cut(first, last)
            self.out.append(
                Tok("noun", text, self.here(self.found[first].start), self.here(self.found[last - 1].end - 1) + 1)
            )

    def _verb(self, at: int, stem: str) -> int:
        word = self.found[at]
        start = self.here(word.start) - len(stem)
        lemma = stem + "する" if stem else word.lemma
        if not stem and word.pos[0] == "形状詞":
            lemma = word.surface
        at += 1
        seen: list[Word] = [word]
        while at < len(self.found) and self._helps(at, seen[-1]):
            seen.append(self.found[at])
            at += 1
        norms = {w.norm for w in seen[1:]}
        self.out.append(
            Tok(
                "verb", self.text[start : self.here(seen[-1].end - 1) + 1], start, self.here(seen[-1].end - 1) + 1,
                lemma,
                self._form(at, seen[-1]), bool(norms & {"れる", "られる"}), bool(norms & {"ない", "無い", "ず", "ぬ"}),
                bool(norms & {"せる", "させる", "しめる"}),
            )
        )  # fmt: skip
        return at

    def _helps(self, at: int, before: Word) -> bool:
        word = self.found[at]
        if word.pos[0] == "助動詞" and not (
            word.norm in {"だ", "です"} and before.pos[0] == "形状詞" and word.surface == "で"
        ):
            return True
        if word.pos[0] == "助詞" and word.surface in {"て", "で"} and word.is_a("助詞", "接続助詞"):
            return True
        return (
            word.pos[0] in {"動詞", "形容詞"}
            and word.norm in _AFTER_TE
            and before.surface in {"て", "で", "ちゃ", "じゃ"}
        )

    def _copula(self, at: int) -> int:
        first = at
        seen = [self.found[at]]
        at += 1
        while at < len(self.found) and (
            self.found[at].pos[0] == "助動詞"
            or (self.found[at].norm in {"有る", "御座る", "居る"} and self.found[at].pos[0] == "動詞")
        ):
            seen.append(self.found[at])
            at += 1
        start, end = self.here(self.found[first].start), self.here(seen[-1].end - 1) + 1
        negated = any(w.norm in {"ない", "無い", "ぬ"} for w in seen)
        if (
            at < len(self.found)
            and self.found[at].surface == "は"
            and at + 1 < len(self.found)
            and self.found[at + 1].norm == "無い"
        ):
            negated, at, end = True, at + 2, self.here(self.found[at + 1].end - 1) + 1
        self.out.append(
            Tok("copula", self.text[start:end], start, end, "である", self._form(at, seen[-1]), negated=negated)
        )
        return at

    def _form(self, at: int, last: Word) -> str:
        if at >= len(self.found) or self.found[at].surface in {"。", "」", "？", "！"}:
            return "end"
        word = self.found[at]
        if (
            word.surface == "の"
            and at + 1 < len(self.found)
            and self.found[at + 1].surface in {"は", "が", "も"}
            and last.pos[5].startswith(("連体", "終止"))
        ):
            return "nominal"
        if last.pos[5].startswith(("連用", "未然", "仮定", "命令")) or last.surface in {"て", "で"}:
            return "on"
        noun = (
            nounlike(word)
            or word.pos[0] == "代名詞"
            or self.here(word.start) in self.names
            or self.here(word.start) in self.quotes
        )
        return "attr" if noun and word.surface not in {"の", "こと"} else "on"


def _cuts(before: Word, word: Word) -> bool:
    """A time or a pronoun before a noun is no part of it: 「翌年江戸」, 「先年浄念寺」."""
    if before.surface in {"ため", "とき", "のち", "まま", "うち", "ところ", "こと"}:
        return True
    if before.is_a("名詞", "普通名詞", "副詞可能") and not word.is_a("接尾辞"):
        return True
    return (
        before.is_a("名詞", "普通名詞", "助数詞可能")
        and before.surface in {"年", "月", "日"}
        and not word.is_number
        and not word.is_a("接尾辞")
        and word.surface not in {"間", "生まれ", "頃"}
    )


def nouns_of(found: Sequence[Tok]) -> Iterator[Tok]:
    return (tok for tok in found if tok.kind in {"person", "role", "noun", "quote"})
