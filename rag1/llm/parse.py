"""A model's text to a typed reply, as models really write; what cannot be read is an `UnreadableReply`.

Read in this order: a JSON value anywhere in the text (the last that fits), lines with field markers
(「回答：…」「evidence: …」), and text that is itself a reply (a bare label, a list, prose where prose was asked for).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from rag1.errors import UnreadableReply
from rag1.llm.jsontext import values_in
from rag1.llm.wire import clean_json
from rag1.types import ABSTENTION

R = TypeVar("R", bound=BaseModel)

THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
THOUGHT_END = re.compile(r"^.*?</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
OPEN_THOUGHT = re.compile(r"^\s*<(?:think|thinking|reasoning)>", re.IGNORECASE)
SPECIAL = re.compile(r"(?:<\|[a-z_]{2,20}\|>|</s>|<end_of_turn>)$")
FENCE = re.compile(r"^\s*```[^\n`]*\n(.*?)\n?```\s*$", re.DOTALL)

ALIASES = {
    "answer": ("answer", "final answer", "回答", "答え", "解答", "最終回答"),
    "evidence": ("evidence", "根拠", "証拠", "エビデンス", "引用"),
    "confidence": ("confidence", "確信度", "信頼度", "自信度"),
    "question": ("question", "質問", "新しい質問"),
    "label": ("label", "評価", "判定", "ラベル"),
    "reason": ("reason", "理由"),
    "kind": ("kind", "種類", "分類"),
    "text": ("text", "本文", "要約"),
    "cypher": ("cypher", "クエリ"),
    "thought": ("thought", "考え", "思考"),
    "score": ("score", "点数", "スコア"),
    "index": ("index", "番号"),
}
_EVIDENCE = "|".join(ALIASES["evidence"])
TRAILING = re.compile(
    rf"(?:[ \t\u3000]*[/／|｜,、;；][ \t\u3000]*|[ \t\u3000]+|(?<=。))\**({_EVIDENCE})\**[ \t]*[:：][ \t*]*"
    rf"|【({_EVIDENCE})】[ \t]*[:：]?",
    re.IGNORECASE,
)
"""A marker of the evidence within the answer's line, after a break in it: 「回答：A 根拠：B」."""

UNKNOWN = (
    "(?:分|わ)か(?:りません(?:でした)?|らない(?:です)?|らず|らん|りかねます)|判(?:りません|らない)|"
    "不明(?:である|です)?|不詳|未詳|記載(?:なし|無し)|(?:読み取|読みと)れ(?:ません|ない)|"
    "(?:回答|解答|判断|特定|確認)(?:不能|不可|(?:は|が)?でき(?:ません(?:でした)?|ない))|答えられ(?:ません|ない)|"
    "(?:記載|情報|記述|手がかり)(?:が|は)(?:(?:あり|見つかり)ません(?:でした)?|ない)|存じません|知りません|"
    "(?:記載|記述|言及)(?:は|が)?(?:されて|して)い(?:ません|ない)|"
    "(?:i do not|i don't|i don’t) know|i(?:'m| am) not sure|i cannot answer|unknown|not known|n/a|cannot be determined|"
    "(?:it is )?not (?:stated|mentioned)|"
    "the (?:context|passage|text|document) does not (?:say|tell|state|mention)(?: it| this)?"
)
LONGEST_ABSTENTION = 80
DECORATION = re.compile(r"^[\s「『\"'*`]+|[\s」』\"'*`。.!]+$")
SOURCE = "文脈|本文|資料|情報|コンテキスト|文書|文章|質問"
FROM = f"(?:この|その|与えられた|提供された|上記の)?(?:{SOURCE})(?:から|だけ|のみ|内|に|で|は|の|中|、)*"
SO = "(?:記載|情報|記述|手がかり|言及)(?:が|は)?(?:ない|無い|ありません|見つからない|されていない)(?:ため|ので|から)、?"
SORRY = "申し訳(?:ありません|ございません)(?:が)?、?"
ABSTAINS = re.compile(f"(?:{SORRY})?(?:{FROM})?(?:{SO}(?:{FROM})?)?(?:その答えは|答えは)?(?:{UNKNOWN})(?:ため)?")


def parse_reply(text: str, reply: type[R]) -> R:
    """The reply in a model's text. Raises UnreadableReply with the text kept whole."""
    body = strip_wrapping(text)
    trouble = f"no {' / '.join(reply.model_fields)} in it"
    for candidate in _candidates(body, reply):
        try:
            return reply.model_validate(candidate)
        except ValidationError as error:
            trouble = _first_trouble(error)
    raise UnreadableReply(f"the reply is no {reply.__name__}: {trouble}", raw=text)


def unify_abstention(answer: str) -> str:
    """「分かりません」 for every way of saying so; other answers as they are."""
    if len(answer) > LONGEST_ABSTENTION:
        return answer
    plain = unicodedata.normalize("NFKC", answer).lower()
    return ABSTENTION if ABSTAINS.fullmatch(DECORATION.sub("", plain)) else answer


def strip_wrapping(text: str) -> str:
    """Text without thoughts, special tokens at its end, byte order mark and carriage returns."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = THOUGHT.sub("", text) if "</" in text else text
    text = THOUGHT_END.sub("", text, count=1) if re.search(r"^[^{\[]*</think", text[:200_000]) else text
    if OPEN_THOUGHT.match(text):
        return ""
    text = text.strip()
    while special := SPECIAL.search(text, max(0, len(text) - 24)):
        text = text[: special.start()].rstrip()
    return text


def _candidates(body: str, reply: type[BaseModel]) -> Iterator[Any]:
    for value in reversed(_cleaned(values_in(body))):
        for shape in _shapes(value, reply):
            yield _fit(shape, reply)
    if marked := _marked(body, reply):
        yield _fit(marked, reply)
    if not body.startswith(("{", "[")) and (bare := _bare(body, reply)) is not None:
        yield _fit(bare, reply)


def _cleaned(values: Iterator[Any]) -> list[Any]:
    """A JSON escape can bring back what `wire.clean` took out of the text."""
    try:
        return [clean_json(value) for value in values]
    except RecursionError:
        return []


# --- shapes of JSON --------------------------------------------------------------------------------------


def _shapes(value: Any, reply: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """`value` as the reply's object: itself, an array for its one list, or an object nested too deep."""
    many = _list_field(reply)
    if isinstance(value, list):
        if many:
            yield {many: value}
        if len(value) == 1:
            yield from _shapes(value[0], reply)
    elif isinstance(value, dict):
        inner = [each for each in value.values() if isinstance(each, dict)]
        own = {_field_of(str(key), reply) for key in value} & set(reply.model_fields)
        if own and not (len(value) == 1 and inner):
            yield value
        for each in inner:
            yield from _shapes(each, reply)
        if many and not own and len(value) == 1 and isinstance(only := next(iter(value.values())), list):
            yield {many: only}


def _list_field(reply: type[BaseModel]) -> str:
    """The name of the only field, where it is a list."""
    names = list(reply.model_fields)
    return names[0] if len(names) == 1 and _is_list(reply, names[0]) else ""


def _is_list(reply: type[BaseModel], name: str) -> bool:
    return get_origin(reply.model_fields[name].annotation) in (tuple, list)


def _fit(value: dict[str, Any], reply: type[BaseModel]) -> dict[str, Any]:
    fitted = {_field_of(str(key), reply): each for key, each in value.items()}
    return {name: _fit_value(reply, name, each) for name, each in fitted.items() if name in reply.model_fields}


def _fit_value(reply: type[BaseModel], name: str, value: Any) -> Any:
    """A number where text is due as text, a list of texts as a line, a label as it is spelt, an abstention as ours."""
    kinds = _kinds(reply, name)
    if kinds.choices and isinstance(value, str):
        return _choice(value, kinds.choices)
    if kinds.text and isinstance(value, int | float) and not isinstance(value, bool):
        return None if isinstance(value, float) and not math.isfinite(value) else str(value)
    if kinds.text and isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        value = "、".join(value)
    if name in ("answer", "text", "cypher") and isinstance(value, str):
        # An empty answer is a reply gone wrong; None makes the validation say so instead of passing it on.
        value = (unify_abstention(value.strip()) if name == "answer" else value.strip()) or None
    if kinds.model and isinstance(value, list):
        return [_fit(each, kinds.model) if isinstance(each, dict) else each for each in value]
    if name == "confidence":
        return _share(value)
    if isinstance(value, dict) and name == "properties":
        return {str(key): "" if each is None else str(each) for key, each in value.items()}
    return value


def _share(value: Any) -> float | None:
    """A number in [0, 1], else None: an estimate that cannot be read is no reason to lose the answer."""
    try:
        share = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return share if 0 <= share <= 1 else None


class _Kinds:
    """What a field takes: text, None, one of some choices, or a list of models."""

    def __init__(self, annotation: Any) -> None:
        args = get_args(annotation)
        literal = get_origin(annotation) is Literal
        self.text = annotation is str or (str in args and not literal and get_origin(annotation) not in (tuple, dict))
        self.optional = NoneType in args
        self.choices: tuple[str, ...] = args if literal else ()
        item = args[0] if args and get_origin(annotation) in (tuple, list) else None
        self.model: type[BaseModel] | None = item if isinstance(item, type) and issubclass(item, BaseModel) else None


@lru_cache(maxsize=512)
def _kinds(reply: type[BaseModel], name: str) -> _Kinds:
    return _Kinds(reply.model_fields[name].annotation)


def _choice(value: str, choices: tuple[str, ...]) -> str:
    plain = value.strip().strip("*\"'「」。. ").lower()
    return next((each for each in choices if each.lower() == plain), value)


def _first_trouble(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(str(part) for part in first['loc']) or 'value'}: {first['msg']}"


# --- field markers ---------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _names(reply: type[BaseModel]) -> dict[str, str]:
    return {alias: name for name in reply.model_fields for alias in (name, *ALIASES.get(name, ()))}


def _field_of(key: str, reply: type[BaseModel]) -> str:
    """The field that a key means; the key itself when none."""
    plain = unicodedata.normalize("NFKC", key).strip().lower().replace("_", " ")
    return _names(reply).get(plain) or _names(reply).get(plain.replace(" ", "_")) or key


@lru_cache(maxsize=256)
def _marker(reply: type[BaseModel]) -> re.Pattern[str]:
    names = "|".join(sorted((re.escape(name).replace("_", "[ _]") for name in _names(reply)), key=len, reverse=True))
    return re.compile(
        rf"^[ \t>*#\-・【\[]*({names})[ \t*]*(?:[】\]][ \t*]*[:：]?|[:：])[ \t*]*", re.IGNORECASE | re.MULTILINE
    )


def _marked(body: str, reply: type[BaseModel]) -> dict[str, Any]:
    """Fields by their markers; the first of a name counts. Text before the first marker is prose."""
    fenced = FENCE.match(body)
    body = fenced[1] if fenced else body
    marks = list(_marker(reply).finditer(body))
    if not marks:
        return {}
    if len(marks) == 1 and "evidence" in reply.model_fields and _field_of(marks[0][1], reply) != "evidence":
        marks += list(TRAILING.finditer(body, marks[0].end()))[:1]
    ends = [mark.start() for mark in marks[1:]] + [len(body)]
    fields: dict[str, Any] = {}
    for mark, end in zip(marks, ends, strict=True):
        name = _field_of(next(filter(None, mark.groups())), reply)
        fields.setdefault(name, _marked_value(body[mark.end() : end], reply, name))
    return {name: value for name, value in fields.items() if value not in ("", [])}


def _marked_value(text: str, reply: type[BaseModel], name: str) -> Any:
    if _is_list(reply, name):
        return _items(text) or [each.strip() for each in re.split(r"[、,，;；]", text) if each.strip()]
    text = text.strip().removesuffix("```").strip()
    bold = re.fullmatch(r"\*\*(.+?)\*\*|__(.+?)__", text, re.DOTALL)
    text = (bold[1] or bold[2]) if bold else text.removesuffix("**").strip()
    if _kinds(reply, name).optional and text.lower() in ("none", "null"):
        return None
    return text


# --- text that is itself a reply -------------------------------------------------------------------------


def _bare(body: str, reply: type[BaseModel]) -> dict[str, Any] | None:
    fenced = FENCE.match(body)
    plain = (fenced[1] if fenced else body).strip()
    if not plain:
        return None
    required = [name for name, each in reply.model_fields.items() if each.is_required()]
    if len(required) == 1:
        return _bare_field(plain, reply, required[0])
    return None


def _bare_field(plain: str, reply: type[BaseModel], name: str) -> dict[str, Any] | None:
    if _is_list(reply, name):
        items = _items(plain)
        return {name: items} if items else None
    if choices := _kinds(reply, name).choices:
        return {name: plain} if _choice(plain, choices) in choices else None
    if name in ("text", "cypher"):
        return {name: plain}
    return {name: plain} if name == "answer" and unify_abstention(plain) == ABSTENTION else None


def _items(text: str) -> list[str]:
    """The items of a text all of whose lines are bulleted or numbered; else none."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    bullets = [re.match(r"(?:[-*・•]|\d{1,3}[.．)）、:：])\s*(.+)", line) for line in lines]
    return [each[1].strip() for each in bullets if each] if lines and all(bullets) else []
