"""Text to Cypher on both stores: what goes back to the model, what is changed, what is said of rows and failures."""

from __future__ import annotations

import pytest

from rag1.errors import ConfigError
from rag1.llm.offline import OfflineLlm
from rag1.retrieve.expand import Expander
from rag1.types import ABSTENTION, Query

from .conftest import CORPUS, Make, Script

GRAVE = Query("1", "太一の父の妻の父の墓所は何という寺か。")
RIGHT = "MATCH (n {name: '太一'})-[:`父`]->(x) RETURN x.name AS name"


def test_a_chain_is_answered_with_the_sentences_behind_it(cypher_for: Make) -> None:
    answer = cypher_for(OfflineLlm())(GRAVE)
    assert answer.text == "松風寺"
    assert answer.evidence.split("｜｜") == [
        "太一の父は源次である。", "源次の室はお咲である。", "お咲の父は弥平である。", "弥平の葬地は松風寺である。",
    ]  # fmt: skip
    places = {item.span for item in answer.support if item.by == "graph:cypher"}
    assert {CORPUS["ie"].text[slice(*place)] for place in places if place} == set(answer.evidence.split("｜｜"))


def test_a_name_cut_short_leads_to_its_owner(cypher_for: Make) -> None:
    assert cypher_for(OfflineLlm())(Query("1", "源の妻は誰か。")).text == "お咲"


def test_an_error_goes_back_with_its_reason(cypher_for: Make) -> None:
    model = Script(["MATCH (n RETURN n", "MATCH (n) RETURN missing.name AS name", RIGHT])
    answer = cypher_for(model)(GRAVE)
    assert answer.text == "源次"
    first, second, third = model.asked
    assert (first.previous, first.error) == ("", "")
    assert (second.previous, second.error.startswith("refused: ")) == ("MATCH (n RETURN n", True)
    assert third.previous == "MATCH (n) RETURN missing.name AS name"
    assert "missing" in third.error
    assert [step.detail.splitlines()[0].split(":")[0] for step in answer.trace] == ["refused", "error", "1 rows"]


def test_an_empty_result_goes_back_and_is_no_failure(cypher_for: Make) -> None:
    model = Script(["MATCH (n {name: '太郎'})-[:`父`]->(x) RETURN x.name AS name", RIGHT])
    assert cypher_for(model)(GRAVE).text == "源次"
    assert model.asked[1].error == "the statement ran and found nothing"
    nobody = cypher_for(Script(["MATCH (n {name: '太郎'}) RETURN n.name"]))(GRAVE)
    assert (nobody.text, nobody.stop, nobody.flags) == (ABSTENTION, "no_evidence", ("cypher_empty",))
    assert "the same statement again" in nobody.trace[-1].detail


def test_a_statement_that_never_runs_is_an_error(cypher_for: Make) -> None:
    answer = cypher_for(Script(["DROP", "MERGE (n) RETURN n", "CREATE (n)"]), max_repairs=2)(GRAVE)
    assert (answer.text, answer.stop, answer.flags) == (ABSTENTION, "error", ("cypher_failed",))
    assert answer.error == "no statement could be run: refused: CREATE is not a reading clause at 0"
    assert len(answer.trace) == 3


def test_repairs_are_bounded_and_can_be_left_out(cypher_for: Make) -> None:
    wrong = [f"MATCH (n {{name: '{n}'}}) RETURN n.name" for n in range(9)]
    model, alone = Script(wrong), Script(wrong)
    cypher_for(model, max_repairs=3)(GRAVE)
    cypher_for(alone, repairs=False)(GRAVE)
    assert (len(model.asked), len(alone.asked)) == (4, 1)
    with pytest.raises(ConfigError, match="max_repairs"):
        cypher_for(model, max_repairs=-1)


def test_names_of_relations_are_set_right_and_shown(cypher_for: Make) -> None:
    written = "MATCH (n {name: '源次'})-[:妻]->()-[:父]->()-[:墓所]->(x) RETURN x.name AS name"
    answer = cypher_for(Script([written]))(GRAVE)
    assert answer.text == "松風寺"
    assert {"changed: 妻 → 室", "changed: 墓所 → 葬地"} <= set(answer.trace[0].detail.splitlines())
    assert cypher_for(Script([written]), relations=False)(GRAVE).stop != "answered"


def test_arrows_are_set_right_and_shown(cypher_for: Make) -> None:
    written = "MATCH (x:Place)-[:葬地]->(n:Person {name: '弥平'}) RETURN x.name AS name"
    answer = cypher_for(Script([written]))(GRAVE)
    assert answer.text == "松風寺"
    assert "changed: (x:Place)-[:葬地]->(n:Person {name: '弥平'}) → (x:Place)<-[:葬地]-(n:Person {name: '弥平'})" in (
        answer.trace[0].detail
    )
    assert cypher_for(Script([written]), direction=False)(GRAVE).text == ABSTENTION


def test_a_cut_is_said(cypher_for: Make) -> None:
    everyone = "MATCH (n:Person) RETURN n.name AS name"
    assert cypher_for(Script([everyone]))(GRAVE).flags == ()
    assert cypher_for(Script([everyone]), limit=2)(GRAVE).flags == ("rows_cut",)
    assert cypher_for(Script([f"{everyone} LIMIT 2"]))(GRAVE).flags == ("rows_cut",)


def test_all_values_of_a_column_are_the_answer(cypher_for: Make) -> None:
    written = "MATCH (n {name: '太一'})-[:育てる]->(x) RETURN x.name AS name ORDER BY name"
    answer = cypher_for(Script([written]))(GRAVE)
    assert set(answer.text.split("、")) == {"三郎", "四郎"}
    assert answer.evidence == "太一は三郎と四郎を育てた。"


def test_a_number_stands_on_what_was_counted(cypher_for: Make) -> None:
    written = "MATCH (n {name: '太一'})-[:育てる]->(x) RETURN count(x) AS n"
    answer = cypher_for(Script([written]))(Query("1", "太一は何人を育てたか。"))
    assert (answer.text, answer.evidence) == ("2", "太一は三郎と四郎を育てた。")


def test_other_wordings_are_tried_in_turn(cypher_for: Make) -> None:
    class Wordings(Script):
        def __call__(self, task: object, *, repeat: int = 0) -> object:
            if type(task).__name__ == "GenerateQueries":
                return type("Reply", (), {"queries": ("太一の親父は誰か。",)})()
            return super().__call__(task, repeat=repeat)

    model = Wordings(["MATCH (n {name: '太郎'}) RETURN n.name", RIGHT])
    pipeline = cypher_for(model, expand=Expander(model, CORPUS, ("generate",), 1), repairs=False)
    assert pipeline(Query("1", "太一の父は誰か。")).text == "源次"
    assert [task.question for task in model.asked] == ["太一の父は誰か。", "太一の親父は誰か。"]


def test_a_scope_leaves_out_what_other_documents_tell(cypher_for: Make) -> None:
    inside = cypher_for(Script([RIGHT]))(Query("1", GRAVE.text, frozenset({"ie"})))
    outside = cypher_for(Script([RIGHT]))(Query("1", GRAVE.text, frozenset({"other"})))
    assert (inside.text, outside.text) == ("源次", ABSTENTION)
    assert "out of scope" in outside.trace[0].detail


def test_the_schema_shows_what_the_question_needs_but_not_the_answer(cypher_for: Make) -> None:
    model = Script([RIGHT])
    cypher_for(model)(Query("1", "源の妻の父は誰か。"))
    lines = model.asked[0].schema_text.splitlines()
    assert "Name: 源次 (in the question: 源)" in lines
    assert lines.index("Path: ({name: 源次})-[:`室`]->()-[:`父`]->()") < lines.index("Path: ({name: 源次})<-[:`父`]-()")
    assert "(:Person)-[:`葬地`]->(:Place)" in lines
    assert "弥平" not in model.asked[0].schema_text
