"""A small finished run, made by the real writers: what the pages, the tracker and the comparison are tested on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from omegaconf import OmegaConf

from rag1.report.runs import Run, read_run
from rag1.run.record import dumps, to_record
from rag1.score.answers import CharacterF1, ExactMatch, RuleJudge
from rag1.score.evidence import EvidenceVerbatim
from rag1.score.table import score_answers, write_scores
from rag1.types import ABSTENTION, Answer, Chunk, Document, Gold, Query, Retrieved, Step, Usage

HARBOUR = Document("港", "港の灯", "お雪は灯台守の娘だった。\n父は三十年、灯台を守った。\n船は二十日に港を出た。")
HILL = Document("丘", "丘の家", "丘の上に古い家があった。猫が一匹いた。<b>太字</b>と札にあった。")
DOCUMENTS = (HARBOUR, HILL)

QUERIES = (
    Query("1", "お雪は誰の娘か。"),
    Query("2", "父は何年灯台を守ったか。"),
    Query("3", "丘の家に何がいたか。"),
    Query("4", "札に何とあったか。<script>alert(1)</script>"),
    Query("5", "船長の名は何か。"),
)
GOLDS = (
    Gold("1", ("灯台守",), ("お雪は灯台守の娘だった。",), frozenset({"港"}), "extraction"),
    Gold("2", ("三十年",), ("父は三十年、灯台を守った。",), frozenset({"港"}), "counting"),
    Gold("3", ("猫",), ("猫が一匹いた。",), frozenset({"丘"}), "extraction"),
    Gold("4", ("太字",), ("<b>太字</b>と札にあった。",), frozenset({"丘"}), "extraction"),
    Gold("5", ("分かりません",), (), frozenset(), "unanswerable"),
)
RECIPE = {
    "pipeline": {"_target_": "rag1.pipelines.hybrid.Hybrid", "k": 8},
    "llm": {"api_key": "sk-abcdefghijklmnop1234", "key_env": "OPENAI_API_KEY", "max_tokens": 1024},
    "outputs": "outputs",
    "meta": {"commit": "abc123def456", "pipeline": "hybrid"},
}


def found(document: Document, start: int, end: int, score: float) -> Retrieved:
    chunk = Chunk.cut(document, start, end)
    return Retrieved(chunk.id, chunk.text, chunk.doc_id, chunk.span, score, "bm25")


def answer(index: str, text: str, evidence: str, confidence: float, *support: Retrieved) -> Answer:
    steps = (Step("search", "2 found", 0.01), Step("read", "answered", 0.02))
    usage = Usage(requests=2, prompt_tokens=120, completion_tokens=8, usd=0.0004)
    return Answer(index, text, evidence, support, usage=usage, trace=steps, confidence=confidence, seconds=0.03)


ANSWERS = (
    answer("1", "灯台守", "お雪は灯台守の娘だった。", 0.9, found(HARBOUR, 0, 12, 2.5), found(HILL, 0, 12, 0.5)),
    answer("2", "二十年", "父は三十年、灯台を守った。", 0.4, found(HARBOUR, 13, 26, 1.5)),
    answer("3", "猫", "猫が一匹いた。", 0.8, found(HILL, 12, 19, 1.0)),
    answer("4", "<img src=x onerror=alert(1)>太字", "<b>太字</b>と札にあった。", 0.6, found(HILL, 19, 34, 1.0)),
    replace(answer("5", ABSTENTION, "なし", 0.1), stop="error", error="TimeoutError: 30 s"),
)


def make_run(folder: Path, changed: Mapping[str, str] | None = None, golds: tuple[Gold, ...] = GOLDS) -> Run:
    """A run folder of the five questions; `changed` gives other answers by index."""
    folder.mkdir(parents=True)
    answers = tuple(replace(one, text=(changed or {}).get(one.query_id, one.text)) for one in ANSWERS)
    lines = [dumps(to_record(one, query)) for one, query in zip(answers, QUERIES, strict=True)]
    (folder / "answers.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    scorers = (RuleJudge(), ExactMatch(), CharacterF1(), EvidenceVerbatim(DOCUMENTS))
    write_scores(score_answers(answers, golds, scorers), folder / "scores.json")
    (folder / "run.yaml").write_text(OmegaConf.to_yaml(OmegaConf.create(RECIPE)), encoding="utf-8")
    return read_run(folder)
