"""Relation names by meaning: other names of a type, compositions as paths, what is told apart, what is shown."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from rag1.cypher.parse import parse
from rag1.cypher.relations import CALIBRATED, Relations, comparable, merged
from rag1.embed.use import UseEmbedder
from rag1.errors import ConfigError, CypherSyntax
from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import ComposeRelation, RelationPath


@dataclass
class Plane:
    """Two dimensions by hand: the angle of each name in degrees; a name without one stands at 90."""

    angles: dict[str, float]
    name: str = "plane"
    dimensions: int = 2
    asked: list[str] = field(default_factory=list)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        turns = np.radians([self.angles.get(text, 90.0) for text in texts])
        return np.stack([np.cos(turns), np.sin(turns)], axis=1).astype(np.float32)

    documents = queries


def test_a_type_the_graph_lacks_becomes_those_that_mean_it() -> None:
    (only,) = Relations()("MATCH (n)-[:墓所]->(x) RETURN x.name", ["葬地", "父"])
    assert only.query == "MATCH (n)-[:`葬地`]->(x) RETURN x.name"
    assert only.notes == ("墓所 → 葬地",)


def test_a_type_under_several_names_gets_them_all() -> None:
    (only,) = Relations()("MATCH (n)-[:`墓所`]->(x) RETURN x.name", ["葬地", "墓所", "父"])
    assert only.query == "MATCH (n)-[:`墓所`|`葬地`]->(x) RETURN x.name"


def test_vectors_join_what_no_table_knows() -> None:
    plane = Plane({"所属球団": 0, "チーム": 20, "監督": 60})
    like = Relations(plane, threshold=(0.9, 0.99)).alternatives("所属球団", ["監督", "チーム"])
    assert like == ("チーム",)  # cos 20° = .94, cos 60° = .5


def test_a_type_that_is_there_is_joined_only_where_nearly_sure() -> None:
    plane = Plane({"所属球団": 0, "チーム": 20, "球団名": 5})
    like = Relations(plane, threshold=(0.9, 0.99)).alternatives("所属球団", ["所属球団", "チーム", "球団名"])
    assert like == ("所属球団", "球団名")  # cos 5° = .996


def test_each_name_is_embedded_once() -> None:
    plane = Plane({})
    relations = Relations(plane, threshold=(0.9, 0.9))
    for _ in range(3):
        relations("MATCH ()-[:住む]->(x) RETURN x", ["建てる", "BORN_IN"])
    assert sorted(plane.asked) == ["born in", "住む", "建てる"]


def test_a_composed_relation_becomes_a_path() -> None:
    first, as_given = Relations()("MATCH (n)-[:祖父]->()-[:墓所]->(x) RETURN x.name", ["父", "母", "葬地"])
    assert first.query == "MATCH (n)-[:`父`|`母`]->()-[:`父`]->()-[:`葬地`]->(x) RETURN x.name"
    assert first.notes == ("墓所 → 葬地", "祖父 → 父|母 · 父")
    assert as_given.query == "MATCH (n)-[:祖父]->()-[:`葬地`]->(x) RETURN x.name"


def test_a_path_goes_against_the_arrow_where_the_relation_did() -> None:
    first, *_ = Relations()("MATCH (x)<-[:義父]-(n) RETURN x", ["妻", "父"])
    assert first.query == "MATCH (x)<-[:`父`]-()<-[:`妻`]-(n) RETURN x"


def test_a_relation_that_is_there_is_tried_before_its_composition() -> None:
    first, second = Relations()("MATCH (n)-[:祖父]->(x) RETURN x", ["祖父", "父", "母"])
    assert first == type(first)("MATCH (n)-[:祖父]->(x) RETURN x")
    assert second.notes == ("祖父 → 父|母 · 父",)


def test_the_mother_is_presumed_last_to_be_the_fathers_wife() -> None:
    found = Relations()("MATCH (n)-[:母]->(x) RETURN x", ["父", "妻", "母"])
    assert [one.notes for one in found] == [(), ("母 → 父 · 妻",)]


def test_the_model_composes_what_the_table_does_not_know() -> None:
    class Model:
        def __call__(self, task: ComposeRelation, *, repeat: int = 0) -> RelationPath:
            assert (task.relation, task.known) == ("勤務地", ("会社", "所在地"))
            return RelationPath(path=("会社", "所在地"))

    first, *_ = Relations(llm=Model())("MATCH (n)-[:勤務地]->(x) RETURN x", ["会社", "所在地"])
    assert first.query == "MATCH (n)-[:`会社`]->()-[:`所在地`]->(x) RETURN x"


def test_only_the_types_change() -> None:
    query = "MATCH (墓所:墓所 {墓所: '墓所'})-[r:墓所 {墓所: 1}]->(x) // 墓所\nWHERE x.墓所 = '[:墓所]' RETURN x"
    (only,) = Relations()(query, ["葬地"])
    assert only.query == query.replace("[r:墓所 ", "[r:`葬地` ")
    assert parse(only.query)


def test_a_variable_on_a_composed_relation_leaves_it_as_it_is() -> None:
    (only,) = Relations()("MATCH (n)-[r:祖父]->(x) RETURN r", ["父", "母"])
    assert only.query == "MATCH (n)-[r:祖父]->(x) RETURN r"


@pytest.mark.parametrize(
    ("a", "b", "may"),
    [
        ("父", "母", False),
        ("生年", "没年", False),
        ("長男", "次男", False),
        ("墓所", "葬地", True),
        ("出生地", "生地", True),
    ],
)
def test_relatives_and_opposites_are_never_joined_by_cosine(a: str, b: str, may: bool) -> None:
    assert comparable(a, b) is comparable(b, a) is may


def test_compositions_join_only_where_they_combine_to_nothing_else() -> None:
    father, mother, brother = ("父",), ("母",), ("兄",)
    assert merged([(father, father), (mother, father)]) == [(("父", "母"), ("父",))]
    crossed = [(father, brother), (mother, father)]  # together they would also mean 父·父 and 母·兄
    assert merged(crossed) == crossed


def test_without_a_calibrated_embedder_a_threshold_is_asked_for() -> None:
    with pytest.raises(ConfigError, match="'plane'"):
        Relations(Plane({}))("MATCH ()-[:住む]->(x) RETURN x", ["建てる"])
    with pytest.raises(ConfigError, match="give two"):
        Relations(Plane({}), threshold=(0.9,))("MATCH ()-[:住む]->(x) RETURN x", ["建てる"])


def test_a_statement_that_cannot_be_read_is_said() -> None:
    with pytest.raises(CypherSyntax):
        Relations()("MATCH (n-[:父]->(x) RETURN x", ["父"])


def test_the_embedder_at_its_own_threshold() -> None:
    relations = Relations(UseEmbedder(), OfflineLlm())
    assert relations.least == CALIBRATED["use-multilingual-v3"]
    types = ["埋葬地", "出身校", "血液型", "身長"]
    assert relations.alternatives("葬られた場所", types) == ("埋葬地",)
    assert relations.alternatives("卒業した学校", types) == ("出身校",)
    assert relations.alternatives("天気", types) == ()


def test_questions_at_once_embed_each_type_once() -> None:
    @dataclass
    class Slow(Plane):
        def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
            time.sleep(0.05)
            return super().queries(texts)

    embedder = Slow({})
    relations = Relations(embedder, threshold=(0.5, 0.9))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: relations.cosines("墓所", ["葬地", "住所"]), range(4)))
    assert sorted(embedder.asked) == ["住所", "墓所", "葬地"]
