"""Noun phrases of marked text (`kin_marks`): the one a part ends with, those of a list, those of who was born."""

from __future__ import annotations

import re

from rag1.llm.rules.kin_marks import CHAIN


def last_phrase(rest: str) -> str:
    """The noun phrase that a part ends with, without what modifies it: 「町長をつとめた堀江正膳の娘の美代である」."""
    body = re.sub(
        r"(?:と\{(?:いう|伝わる|定める|する|伝える|決める|呼ぶ|申す|聞く)\}|に\{(?:ある|営む|設ける)\})[^⟨⟩]*$",
        "",
        rest,
    )
    match = re.search(
        rf"((?:{CHAIN}[、と])*{CHAIN})(?:の⟨(?:二人|三人|四人|五人)⟩)?(?:である|であった|だった|だ|です|で|に)?[、。]?$",
        body,
    )
    return str(match[1]) if match else ""


def listed(phrases: str) -> list[str]:
    return [match[0] for match in re.finditer(CHAIN, phrases)]


def born(rest: str) -> list[str]:
    """The phrases of those who were born: 「に生まれたのが忠明である」「には、長女の雪、次女の花があった」."""
    if match := re.search(r"\{(?:生まれる|できる|授かる|もうける)\}た(?:の|⟨子⟩)[がは]、?(.*)$", rest):
        return listed(last_phrase(match[1]))
    body = re.sub("^(?:に|には|にも|から)、?", "", rest)
    match = re.search(
        rf"((?:{CHAIN}[、と])*{CHAIN})[がを]\{{(?:生まれる|ある|いる|できる|もうける|儲ける|授かる|なす|産む)\}}", body
    )
    return listed(match[1]) if match else []
