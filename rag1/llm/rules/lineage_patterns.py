"""Patterns over marked text (`kin_marks`) of what a family's prose says."""

from __future__ import annotations

import re

from rag1.llm.rules.kin_marks import (
    CHAIN,
    CHILDREN,
    DAUGHTERS,
    ELDER,
    GRAVES,
    NOUN,
    REMAINS,
    ROLES,
    YOUNGER,
)


def any_of(names: frozenset[str]) -> str:
    return "⟨(?:" + "|".join(sorted(names, key=len, reverse=True)) + ")⟩"


BRIDES = DAUGHTERS | frozenset({"姉", "妹", "姪", "孫娘"})
LAZY = f"{NOUN}(?:の{NOUN})*?"
PHRASE = f"(?:{CHAIN}、)?{CHAIN}"
BETWEEN = "⟨(?:あいだ|間|仲)⟩"
END = r"(?:である|であった|だった|だ|です|で)?(?:と\{いう\}.*)?[。、]?$"
SPLIT = re.compile(
    rf"(?<=[^⟩⟨、はもがに])、|(?<=⟩)、(?=(?:その)?{any_of(ROLES | GRAVES)}[はが])"
    rf"|(?<=⟩に)、(?={CHAIN}の{any_of(GRAVES)}は)"
)
RELEVANT = re.compile(
    "|".join(sorted({*ROLES, *GRAVES, *REMAINS}, key=len, reverse=True))
    + "|葬|埋め|眠|嫁|娶|めとる|結ばれ|結婚|産|もうけ|生まれ|授か|号し|名の|名乗|呼|称し|名を|あいだ|間"
)
COUPLE = re.compile(rf"^({LAZY})と({LAZY})の{BETWEEN}(.*)$")
WITH = re.compile(rf"^(?:({LAZY})[はが]、?)?(?:.*?、)?({PHRASE})との{BETWEEN}(.*)$")
THEM = re.compile(rf"^⟨(?:二人|ふたり|両人|夫婦|夫妻)⟩の{BETWEEN}(.*)$")
BLESSED = re.compile(rf"^({LAZY})と({LAZY})(?:は|には)、?(.*(?:恵まれる|授かる|もうける|⟨子⟩).*)$")
HAD = re.compile(
    rf"^({LAZY})(?:に|には|は)、?(?:[^、]*の)?⟨[^⟩]*子⟩が[^⟨]*(?:⟨[^⟩]*人⟩[^⟨]*)?\{{(?:ある|いる|できる|生まれる)\}}"
    rf"|^({LAZY})は、?(?:{NOUN}の)+⟨(?:父|母|親)⟩[とに]\{{なる\}}"
)
CLEFT = re.compile(rf"(?:^|、)(?:({LAZY})が)?[^はも]*のは、?(.*)$")
THEIR = re.compile(rf"^({LAZY})と({LAZY})の({any_of(CHILDREN)})(?:は|が)、?(.*)$")
LISTED = re.compile(
    rf"({any_of(CHILDREN | ELDER | YOUNGER)})[がはを]({CHAIN})(?=、|である|であった|だ|で|と\{{いう|。|$)"
)
TOPIC = re.compile(
    rf"^(?:[ぁ-ん]{{2,5}}?、?)?(?:⟨[^⟩]*[日年月春夏秋冬頃]⟩に?、?)?(その)?({PHRASE})(は|も|には|が)、?(.*)$"
)
TOLD_OF = re.compile(rf"^[^は、]*\{{[^}}]*\}}[^⟨⟩、]*({LAZY})(は|も)、(.*)$")
MARRIED_TO = re.compile(rf"^({LAZY})が\{{(?:嫁ぐ|嫁する)\}}だ?た?⟨(?:先|相手|家)⟩は、?(.*)$")
YOUNGEST = re.compile(rf"^⟨(?:末|下|上|次)⟩は、?({NOUN})と\{{いう\}}({any_of(CHILDREN)})")
HIS = re.compile(rf"その(?={any_of(ROLES | GRAVES)})")
NAMED = re.compile(rf"⟨名⟩[をは]({NOUN})(?:と|で|$)")
TAKEN = re.compile(rf"((?:{NOUN}の)*?{any_of(BRIDES)}(?:の|、){NOUN})を\{{(?:迎える|もらう|貰う)\}}")
MODIFIES = re.compile(r"^\{[^}]*\}[^⟨⟩、]*⟨")
TIME = re.compile("[年月日時春夏秋冬頃代後前]$|^(?:のち|いま|今|昔|はじめ|末|ころ|その後)$")
