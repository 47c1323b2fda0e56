"""Prose that was written before the rules were looked at: four families, two tales of cause and effect.

The families are told as an author tells them: couples and their children over several sentences, relative clauses,
passives, a name cut short, 「同じ寺」. `llm=offline`. What is held here is what the rules reach after they were mended
for this very prose. On prose they had not seen, each pipeline answered of the first and second family one of twenty at
most; of the third, mended for those, two to four of ten; of the fourth, mended for those too, none to two of ten.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from rag1.build import Workshop
from rag1.corpus.questions import read_golds, read_questions
from rag1.score.match import same
from rag1.types import Answer, Query

HERE = Path(__file__).parent / "story_blind"
FLOOR = {"cypher": 39, "agent": 38, "refine": 38, "decompose": 38}
"""Of forty; one of them the text does not answer."""
STORIES = {
    "浦戸の塩が赤茶けたのはなぜですか。": ("shiogama", "錆"),
    "浦戸の塩が売れなくなったおおもとの原因は何ですか。": ("shiogama", "大雨"),
    "お澄は誰と一緒に町へ薬を買いに行きましたか。": ("shiogama", "与吉"),
    "塩釜を作ったのは誰ですか。": ("shiogama", "源右衛門"),
    "おとよが蕎麦の種をまかなかったのはなぜですか。": ("hachi", "金がない"),
    "丘の果樹園に実がつかなかった根本の原因は何ですか。": ("hachi", "店を火事で焼かれ"),
    "久保田は誰と一緒に町へ下りましたか。": ("hachi", "森川"),
    "巣箱は誰が作ったものですか。": ("hachi", "辰造"),
}
MISSED = {
    "graphrag": {"塩釜を作ったのは誰ですか。"},
    "graph_entities": {"塩釜を作ったのは誰ですか。"},
    "graph_nodes": set[str](),
    "graph_triples": set[str](),
    "graph_subgraph": {"塩釜を作ったのは誰ですか。", "お澄は誰と一緒に町へ薬を買いに行きましたか。"},
}
"""What each pipeline does not answer, though the graph holds it."""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    register_resolvers()
    return tmp_path_factory.mktemp("outputs")


def built(outputs: Path, corpus: Path, name: str) -> Iterator[object]:
    settings = ["corpus=folder", f"corpus.path={corpus}", f"outputs={outputs}", "tracker=none", f"pipeline={name}"]
    build, config = Workshop(), composed(CONF, settings)
    yield build(config.pipeline)
    build(config.knowledge).close()


@pytest.fixture(scope="module", params=FLOOR)
def chains(request: pytest.FixtureRequest, outputs: Path) -> Iterator[tuple[str, object]]:
    for pipeline in built(outputs, HERE / "families", request.param):
        yield request.param, pipeline


@pytest.fixture(scope="module", params=MISSED)
def causal(request: pytest.FixtureRequest, outputs: Path) -> Iterator[tuple[str, object]]:
    for pipeline in built(outputs, HERE / "stories", request.param):
        yield request.param, pipeline


def ask(pipeline: object, query: Query) -> Answer:
    answer = pipeline(query)  # type: ignore[operator]
    assert isinstance(answer, Answer)
    return answer


def test_chains_over_four_families(chains: tuple[str, object]) -> None:
    name, pipeline = chains
    queries = read_questions(str(HERE / "families.csv"))
    golds = read_golds(str(HERE / "families_gold.csv"), queries)
    answers = [ask(pipeline, query) for query in queries]
    wrong = [
        f"{query.text} → {answer.text}"
        for query, gold, answer in zip(queries, golds, answers, strict=True)
        if not any(same(answer.text, told) for told in gold.answers)
    ]
    assert len(queries) - len(wrong) >= FLOOR[name], wrong


def test_causes_companions_and_makers(causal: tuple[str, object]) -> None:
    name, pipeline = causal
    answers = {
        question: ask(pipeline, Query("1", question, frozenset({document}))).text
        for question, (document, _) in STORIES.items()
    }
    wrong = {question: text for question, text in answers.items() if STORIES[question][1] not in text}
    assert set(wrong) <= MISSED[name], wrong
