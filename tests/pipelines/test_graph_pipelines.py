"""The graph pipelines on a story that no rule was fitted to: causes told far apart, companions, makers.

`llm=offline`, no recording; what is right is read off the story itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from rag1.build import Workshop
from rag1.graph.neo4j import OpenNeo4j
from rag1.graph.store import OpenGraph
from rag1.types import Answer, Query

STORY = Path(__file__).parent / "story" / "suisha.txt"
PIPELINES = ["graphrag", "graph_entities", "graph_nodes", "graph_triples", "graph_subgraph"]
MILL = "祭りの朝に鳴瀬村の水車が回らなかったのは、もとをたどると何が原因ですか。"
ACTOR = "役者の春之丞が舞台に着くのが遅れたのは、もとをたどると何が原因ですか。"
WHY = {
    MILL: ("銀造は、子どもらに栗を盗まれた。", ("栗", "盗")),
    ACTOR: ("町に大きな料理屋が開いて、鮎がいくらあっても足りないのだという。", ("料理屋", "開")),
}
WHO = {
    "粉屋の仙吉は、誰と一緒に沼へのぼりましたか。": "お菊",
    "役者の春之丞は、誰と一緒に浅瀬を渡ってきましたか。": "権太",
    "鳴瀬村の水車の羽根を作ったのは誰ですか。": "辰五郎",
    "春之丞の衣装を縫ったのは誰ですか。": "おせん",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    register_resolvers()
    return tmp_path_factory.mktemp("outputs")


def workshop(outputs: Path, name: str, *overrides: str) -> tuple[Workshop, object]:
    story = ["corpus=folder", f"corpus.path={STORY.parent}", f"outputs={outputs}", "tracker=none"]
    return Workshop(), composed(CONF, [*story, f"pipeline={name}", *overrides])


def ask(pipeline: object, text: str) -> Answer:
    answer = pipeline(Query("1", text))  # type: ignore[operator]
    assert isinstance(answer, Answer)
    return answer


@pytest.fixture(scope="module", params=PIPELINES)
def pipeline(request: pytest.FixtureRequest, outputs: Path) -> Iterator[object]:
    build, config = workshop(outputs, request.param)
    yield build(config.pipeline)  # type: ignore[attr-defined]
    build(config.knowledge).close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("question", WHY)
def test_the_first_cause_is_found_over_several_sentences(pipeline: object, question: str) -> None:
    answer = ask(pipeline, question)
    sentence, words = WHY[question]
    *links, last = answer.evidence.splitlines()
    assert last == sentence
    assert links
    assert all(line in STORY.read_text(encoding="utf-8") for line in links)
    assert all(word in answer.text for word in words), answer.text


@pytest.mark.parametrize("question", WHO)
def test_companion_and_maker_are_named_with_their_sentence(pipeline: object, question: str) -> None:
    answer = ask(pipeline, question)
    assert answer.text == WHO[question]
    assert answer.evidence in STORY.read_text(encoding="utf-8")


@pytest.mark.parametrize("question", WHY)
@pytest.mark.parametrize("name", ["bm25", "vector"])
def test_the_three_best_sentences_do_not_hold_the_cause(outputs: Path, name: str, question: str) -> None:
    sentences = ["chunker=sentences", "chunker.window=1", "chunker.stride=1", "pipeline.k=3"]
    build, config = workshop(outputs, name, *sentences)
    answer = ask(build(config.pipeline), question)  # type: ignore[attr-defined]
    assert len(answer.support) == 3
    assert not any(WHY[question][0] in found.text for found in answer.support)


def test_the_summaries_of_communities_answer_with_evidence(outputs: Path) -> None:
    build, config = workshop(outputs, "graph_global")
    answer = ask(build(config.pipeline), "この話では、何と何が起こりますか。")  # type: ignore[attr-defined]
    assert answer.stop in ("answered", "no_evidence")
    assert any(step.name == "map" for step in answer.trace)
    maker = ask(build(config.pipeline), "春之丞の衣装を縫ったのは誰ですか。")  # type: ignore[attr-defined]
    assert (maker.text, maker.evidence) == ("おせん", "春之丞の衣装は、座頭の女房のおせんが縫った。")
    build(config.knowledge).close()  # type: ignore[attr-defined]


def test_the_same_answers_on_either_store(
    opener: tuple[OpenGraph, Path], outputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opener[0]
    overrides = ["graph=falkordb"]
    if isinstance(store, OpenNeo4j):
        monkeypatch.setenv("NEO4J_URI", store.uri)
        monkeypatch.delenv("NEO4J_PASSWORD", raising=False)
        overrides = ["graph=neo4j", "graph.replace=true"]
    build, config = workshop(outputs, "graphrag", *overrides)
    pipeline = build(config.pipeline)  # type: ignore[attr-defined]
    assert {q: ask(pipeline, q).text for q in WHO} == WHO
    assert {q: ask(pipeline, q).evidence.splitlines()[-1] for q in WHY} == {
        q: sentence for q, (sentence, _) in WHY.items()
    }
    build(config.knowledge).close()  # type: ignore[attr-defined]
