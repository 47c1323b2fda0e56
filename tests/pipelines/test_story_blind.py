"""Prose that was written before the rules were looked at: four families, four tales of cause and effect.

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
STORIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "浦戸の塩が赤茶けたのはなぜですか。": ("shiogama", ("錆",)),
    "浦戸の塩が売れなくなったおおもとの原因は何ですか。": ("shiogama", ("大雨",)),
    "お澄は誰と一緒に町へ薬を買いに行きましたか。": ("shiogama", ("与吉",)),
    "塩釜を作ったのは誰ですか。": ("shiogama", ("源右衛門",)),
    "おとよが蕎麦の種をまかなかったのはなぜですか。": ("hachi", ("金がない",)),
    "丘の果樹園に実がつかなかった根本の原因は何ですか。": ("hachi", ("店を火事で焼かれ",)),
    "久保田は誰と一緒に町へ下りましたか。": ("hachi", ("森川",)),
    "巣箱は誰が作ったものですか。": ("hachi", ("辰造",)),
    "鳴瀬島小学校の開校が延期された根本の原因は何か。": ("naruse", ("沖田", "油", "忘れ")),
    "左官の仕事が中断したのは、さかのぼれば誰が何をしたためか。": ("naruse", ("沖田", "油", "忘れ")),
    "三宅の白根山への旅に同行したのは誰か。": ("naruse", ("辰巳", "久米", "森内")),
    "三宅が所持している方位磁針を作ったのは誰か。": ("naruse", ("相良",)),
    "湊祭りが取りやめになったそもそもの原因は何か。": ("minato", ("仁平", "消し忘れ")),
    "庄屋の蔵で味噌が仕込めなかったのは、もとはといえば誰が何をしたせいか。": ("minato", ("仁平", "消し忘れ")),
    "与吉の都への旅の供をしたのは誰か。すべて挙げよ。": ("minato", ("猿", "岩風", "妙信")),
    "与吉がかぶっている笠を作ったのは誰か。": ("minato", ("宗助",)),
}
"""Question → the story and what its answer must hold. Before the rules were mended for them, the four questions of
`naruse` had one right answer (graphrag and graph_subgraph: the maker) and those of `minato` none in any pipeline."""
MISSED: dict[str, set[str]] = {
    "graphrag": set(),
    "graph_entities": set(),
    "graph_nodes": set(),
    "graph_triples": set(),
    "graph_subgraph": set(),
}
"""What each pipeline does not answer, though the graph holds it."""
LONGEST = 60
"""Characters of an answer: one clause or a list, not the text around it."""


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
    wrong = {
        question: text
        for question, text in answers.items()
        if len(text) > LONGEST or not all(word in text for word in STORIES[question][1])
    }
    assert set(wrong) <= MISSED[name], wrong


def test_every_link_of_a_cause_is_quoted(causal: tuple[str, object]) -> None:
    question = "鳴瀬島小学校の開校が延期された根本の原因は何か。"
    evidence = ask(causal[1], Query("1", question, frozenset({"naruse"}))).evidence.splitlines()
    story = (HERE / "stories" / "naruse.txt").read_text(encoding="utf-8")
    assert all(line in story for line in evidence)
    assert {"目印の灯を失った貨物船の北斗丸は、午前二時に黒根の浅瀬へ乗り上げた。"} < set(evidence)
