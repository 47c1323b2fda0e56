"""Other wordings of a question for searching, and the statement that would answer it."""

from __future__ import annotations

import re

from rag1.llm.rules.question import Asks, read_question
from rag1.llm.rules.words import content_words
from rag1.llm.tasks import GenerateQueries, Text, Wordings, WritePassage

_TAIL = re.compile(r"(?:(?:です|でしょう|だろう|ます|でした|ました)?か|の|とは|は)?[。？?.．\s]*$")
_STAND_IN: dict[Asks, str] = {
    "person": "その人",
    "time": "その時",
    "place": "その場所",
    "quantity": "それだけ",
    "why": "そのため",
}
_SYNONYMS = {
    "妻": "夫人", "夫": "主人", "父": "父親", "母": "母親", "墓": "墓所", "死ぬ": "亡くなる", "亡くなる": "死ぬ",
    "作る": "製作", "書く": "執筆", "住む": "住居", "値段": "価格", "理由": "ため", "生まれる": "誕生",
    "お金": "金", "医者": "医師", "学校": "学舎", "仕事": "職業", "家": "住居", "病気": "病", "手紙": "書簡",
}  # fmt: skip


def generate_queries(task: GenerateQueries) -> Wordings:
    """Up to `n`: content words, normalised forms, the statement, readings, near synonyms; never the question itself."""
    found = content_words(task.question)
    about = f"{task.about} " if task.about else ""
    candidates = [
        about + " ".join(word.surface for word in found),
        about + " ".join(word.norm for word in found),
        statement(task.question),
        about + " ".join(_SYNONYMS.get(word.norm, word.norm) for word in found),
        " ".join(word.surface for word in found if word.is_proper_noun or word.is_number),
        " ".join(word.reading for word in found if word.reading),
        " ".join(word.norm for word in found if word.pos[0] == "名詞"),
        *(f"{word.surface}とは" for word in found if word.pos[0] == "名詞"),
    ]
    unique = dict.fromkeys(text.strip() for text in candidates)
    return Wordings(queries=tuple(text for text in unique if text and text != task.question)[: task.n])


def statement(question: str) -> str:
    """The question in declarative form: 「XはどこでYしたか」 → 「XはYした。」."""
    asked = read_question(question)
    stem = _TAIL.sub("", question.strip())
    if asked.asked:
        start, end = asked.asked
        after = re.sub("^(?:という|といった|の)?", "", stem[end:])
        stem = stem[:start] + after if asked.noun else stem[:start] + re.sub("^(?:で|に|が|を|は|から|と)", "", after)
    return (re.sub("(?:のは|のが|は|が|を|、)$", "", stem) or question).strip() + "。"


def write_passage(task: WritePassage) -> Text:
    """The statement, opened by the title and closed by a stand-in for what is asked."""
    lead = f"{task.about}。" if task.about else ""
    stand_in = _STAND_IN.get(read_question(task.question).asks, "")
    return Text(text=lead + statement(task.question) + (f"{stand_in}である。" if stand_in else ""))
