"""A relative clause at the beginning of a clause, as a clause of its own: what it tells came first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag1.llm.rules.causes import LEAD
from rag1.llm.rules.events import FORMAL
from rag1.llm.rules.pieces import Piece
from rag1.llm.rules.words import Word, nounlike, wordset


@dataclass(frozen=True, slots=True)
class Modified:
    """A relative clause at the beginning of a clause: `text` as a clause of its own, `rest` what is left."""

    text: str
    rest: str


_HEARING = wordset("聞く 知る 知らせる 分かる 見る 気付く")


def modifier(piece: Piece) -> Modified | None:
    """「倒れた大杉は斜面を…」 → 大杉が倒れた; 「油の切れた灯台の灯が…」 → 灯台の油が切れた; None if there is none."""
    found = _without_lead(piece.found)
    for at, word in enumerate(found[:-1]):
        if word.surface in {"は", "も", "、"} and word.pos[0] in {"助詞", "補助記号"}:
            return None
        if not _adnominal(word, found[at + 1]):
            continue
        heard = [n for n, each in enumerate(found[:at]) if each.surface == "と" and found[n + 1].norm in _HEARING]
        if heard:  # 味噌がないと聞いた殿さま: what was heard
            rest = "".join(each.surface for each in found[at + 1 :])
            return Modified("".join(each.surface for each in found[: heard[0]]), rest)
        head = _run_after(found, at + 1)
        if (
            not head
            or head in {"そう", "よう"}
            or (head in FORMAL and head != "所")
            or found[at + 1].norm in FORMAL - {"所"}
        ):
            return None
        return _modified(found, at, head) if _stands_first(found, at + 1) else None
    return None


def _stands_first(found: Sequence[Word], at: int) -> bool:
    """Is the noun (with its の-chain) what the clause is about, or where or from where it happens?"""
    while at < len(found) and (nounlike(found[at]) or found[at].surface == "の"):
        at += 1
    return at < len(found) and found[at].surface in {"は", "が", "も", "に", "から", "で", "、"}


def _adnominal(word: Word, following: Word) -> bool:
    ends = word.pos[0] in {"動詞", "助動詞", "形容詞"} and re.match("連体形|終止形", word.pos[5])
    happened = word.norm in {"た", "ない", "無い", "ぬ", "ず"} and word.pos[0] in {"助動詞", "形容詞"}
    quality = word.pos[0] == "形容詞" and word.pos[5].startswith("連体形")
    named = nounlike(following) and not following.is_number
    return bool(ends) and (happened or quality) and named and word.surface not in {"な", "の"}


def _without_lead(found: Sequence[Word]) -> Sequence[Word]:
    """Without 「けれども、」「同じ夜の十一時ごろ、」: short pieces before a comma that hold no verb."""
    start = 0
    for at, word in enumerate(found):
        if word.surface == "、":
            start = at + 1
        elif word.pos[0] in {"動詞", "形容詞"} or (word.surface in {"は", "が"} and word.pos[0] == "助詞"):
            break
    start += _lead(found[start:])
    while start < len(found) and found[start].pos[0] in {"接続詞", "連体詞", "補助記号", "感動詞"}:
        start += 1
    return found[start:]


def _lead(found: Sequence[Word]) -> int:
    """Words of それでも, ところで … at the beginning."""
    match = LEAD.match("".join(word.surface for word in found))
    length = taken = 0
    while match and length < len(match[0]):
        length += len(found[taken].surface)
        taken += 1
    return taken


def _run_after(found: Sequence[Word], start: int) -> str:
    end = start
    while end < len(found) and nounlike(found[end]):
        end += 1
    return "".join(word.surface for word in found[start:end])


def _modified(found: Sequence[Word], at: int, head: str) -> Modified:
    before = "".join(word.surface for word in found[: at + 1])
    rest = "".join(word.surface for word in found[at + 1 :])
    own = [n for n, word in enumerate(found[:at]) if word.surface in {"が", "の"} and word.pos[0] == "助詞"]
    direct = next((n for n in reversed(own) if found[n + 1].pos[0] in {"動詞", "形容詞", "副詞"}), None)
    if found[at + 1].norm == "所":
        return Modified(before, rest.split("から、", 1)[-1].split("から", 1)[-1])
    if direct is None:
        return Modified(f"{head}が{before}", rest)
    left = "".join(word.surface for word in found[:direct])
    right = "".join(word.surface for word in found[direct + 1 : at + 1])
    return Modified(f"{head}の{left}が{right}", rest)
