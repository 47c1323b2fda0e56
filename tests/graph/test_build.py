"""Building whole graphs: what the sample's graph says, trial and budget, resuming after a kill, filling stores."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from rag1.chunk.chunkers import Recursive
from rag1.chunk.chunks import Chunks
from rag1.errors import BudgetSpent, CallFailed, ConfigError, GraphDown, TooManyFailures
from rag1.graph.build import Built, Recipe, get_built, open_graph
from rag1.graph.compose import Composer
from rag1.graph.extract_rules import Rules
from rag1.graph.extract_run import Effort
from rag1.graph.extract_tasks import TypedRelations
from rag1.graph.falkordb import OpenFalkorDB
from rag1.graph.fill import fill, holds, mentions
from rag1.graph.model import Entity, Triple
from rag1.graph.resolve import Resolver
from rag1.graph.store import GraphStore, OpenGraph
from rag1.llm.tasks import Triples
from tests.fake_llm import FakeLlm, status
from tests.graph.build_run import COUNT, recipe
from tests.graph.building import Scripted, client, one_sentence_chunks, parents, said, sample, text_asked

TYPES = {"Person", "Place", "Object", "Event", "Organization", "Time", "Quantity"}


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("artifacts"))


@pytest.fixture(scope="module")
def rules() -> Recipe:
    return Recipe(Chunks(sample(), Recursive()), Rules(), Resolver(), Composer())


@pytest.fixture(scope="module")
def built(rules: Recipe, artifacts: str) -> Built:
    """The sample's graph by the offline rules."""
    return get_built(rules, artifacts, Effort())


# --- what the sample's graph says ------------------------------------------------------------------------


CHRONICLE = {
    ("鵜飼谷時綱", "父", "鵜飼谷重臣"),
    ("鵜飼谷景治", "父", "鵜飼谷時綱"),
    ("鵜飼谷景治", "母", "楓"),
    ("鵜飼谷時綱", "妻", "楓"),
    ("楓", "父", "梶井主膳"),
    ("鵜飼谷景治", "妻", "美緒"),
    ("美緒", "父", "志津屋宗七"),
    ("鵜飼谷景明", "母", "美緒"),
    ("鵜飼谷景明", "父", "鵜飼谷景治"),
    ("鵜飼谷明良", "父", "鵜飼谷景明"),
    ("黒瀬修吾", "母", "小夜"),
    ("小夜", "父", "鵜飼谷時綱"),
    ("鵜飼谷時貞", "父", "鵜飼谷重臣"),
    ("鵜飼谷重臣", "妻", "お澄"),
    ("梶井主膳", "墓所", "白蓼寺"),
    ("鵜飼谷重臣", "墓所", "霧岳寺"),
    ("志津屋宗七", "墓所", "青柳寺"),
    ("鵜飼谷時綱", "墓所", "松韻寺"),
    ("楓", "墓所", "渓声寺"),
    ("お澄", "墓所", "常灯寺"),
}
"""All that the ten chains of the chronicle go over, with 綱 and 時綱 one, 葬地 a 墓所 and 室 a 妻."""


def test_the_chronicles_kin_and_graves_are_in_the_graph(built: Built) -> None:
    assert said([t for t in built.triples if t.doc_id == "ukaidani"]) >= CHRONICLE


def test_companions_and_makers_are_in_the_graph(built: Built) -> None:
    found = said([t for t in built.triples if t.doc_id == "kane"])
    assert {("良念", "一緒", "おふじ"), ("源造", "一緒", "藤兵衛")} <= found
    assert {("与茂七", "作る", "撞木の綱"), ("おまつ", "作る", "祝いの餅"), ("杉谷銀右衛門", "鋳る", "鐘")} <= found


@pytest.mark.parametrize(
    ("effect", "cause"),
    [("鼠が増え", "玉虫がいなくな"), ("玉虫を寺から出", "和尚が怒"), ("材木を寄こせ", "小学校が一月に焼け")],
)
def test_causes_are_in_the_graph(built: Built, effect: str, cause: str) -> None:
    links = [t for t in built.triples if t.relation == "原因" and t.doc_id == "kane"]
    assert any(effect in t.head and cause in t.tail for t in links)


def test_the_rope_of_the_bell_is_not_the_man_of_the_chronicle(built: Built) -> None:
    assert [m.doc_id for m in built.merges if m.alias == "綱"] == ["ukaidani"]


def test_the_sweet_in_four_spellings_is_one(built: Built) -> None:
    group = {m.alias for m in built.merges if m.doc_id == "tsuyukusa"} | {
        m.canonical for m in built.merges if m.doc_id == "tsuyukusa"
    }
    assert {"つゆくさあめ", "露草飴", "つゆ草飴", "ツユクサ飴"} <= group


def test_every_triple_stands_where_it_says(built: Built, rules: Recipe) -> None:
    for t in built.triples:
        assert t.span
        text = rules.chunks.corpus[t.doc_id].text[t.span[0] : t.span[1]]
        assert text == t.evidence or t.derived
        assert t.evidence.startswith(text)
        assert t.chunk_id in rules.chunks.by_id


def test_another_resolution_reads_nothing_again(built: Built, rules: Recipe, artifacts: str) -> None:
    other = get_built(replace(rules, resolver=Resolver(spelling=False, relations=False)), artifacts, Effort())
    assert other.folder.parent == built.folder.parent
    assert other.folder != built.folder
    assert other.merges == ()
    assert ("葬地", "霧岳寺") in {(t.relation, t.tail) for t in other.triples}


# --- trial, failures, price ------------------------------------------------------------------------------


def test_a_graph_that_would_be_empty_stops_after_the_trial(tmp_path: Path) -> None:
    model = Scripted(lambda *_: Triples(triples=()))
    chunks = one_sentence_chunks(a="一。二。三。四。五。", b="六。七。八。九。十。")
    with pytest.raises(TooManyFailures, match="the graph would be empty: no triple from 4 chunks"):
        get_built(Recipe(chunks, TypedRelations(model), Resolver(), Composer()), str(tmp_path), Effort(trial=4))
    assert sorted(task.text for task, _ in model.asked) == ["一。", "七。", "二。", "六。"]


def test_a_model_that_fails_stops_after_the_trial_and_says_why(tmp_path: Path) -> None:
    model = Scripted(lambda *_: CallFailed("HTTP 500"))
    chunks = one_sentence_chunks(a="一。二。三。四。五。")
    with pytest.raises(TooManyFailures, match=r"no triple from 2 chunks \(CallFailed: HTTP 500\)"):
        get_built(Recipe(chunks, TypedRelations(model), Resolver(), Composer()), str(tmp_path), Effort(trial=2))
    assert len(model.asked) == 4  # each chunk twice


def test_a_price_over_the_budget_stops_before_the_rest_and_the_trial_is_kept(tmp_path: Path) -> None:
    """100 prompt and 10 completion tokens of gpt-4.1-mini: 0.000056 usd a chunk, 0.00168 for thirty."""
    with FakeLlm(reply=parents) as fake:
        plan = recipe(fake.base_url, tmp_path)
        with pytest.raises(BudgetSpent, match=r"the trial cost 0\.0002 usd, the other 26 chunks .* 0\.0015 more"):
            get_built(plan, str(tmp_path), Effort(trial=4, usd=0.001))
        assert fake.asked() == 4
        built = get_built(recipe(fake.base_url, tmp_path), str(tmp_path), Effort(trial=4, usd=0.002))
        assert fake.asked() == 30
    assert built.report["chunks"] == 30
    assert built.report["usd"] == pytest.approx(26 * 0.000056)


def test_the_runs_own_budget_counts_as_well(tmp_path: Path) -> None:
    with FakeLlm(reply=parents) as fake:
        chunks = one_sentence_chunks(a="".join(f"子{n}は親{n}の子である。" for n in range(30)))
        extractor = TypedRelations(client(fake.base_url, tmp_path, usd=0.001))
        with pytest.raises(BudgetSpent, match=r"over budget.usd=0.001"):
            get_built(Recipe(chunks, extractor, Resolver(), Composer()), str(tmp_path), Effort(trial=3))
        assert fake.asked() == 3


def test_some_failed_chunks_are_counted_and_the_graph_is_built(tmp_path: Path) -> None:
    def broken(body: dict[str, object]) -> str:
        return "{}" if "a3は" in text_asked(body) else parents(body)

    with FakeLlm(reply=broken) as fake:
        built = get_built(recipe(fake.base_url, tmp_path), str(tmp_path), Effort())
    assert (built.report["failed"], built.report["chunks"]) == (1, 30)
    assert len([t for t in built.triples if t.relation == "子"]) == 29


@pytest.mark.parametrize("options", [{"trial": 0}, {"workers": 0}, {"max_failed": 1.5}])
def test_a_bad_effort_is_told(options: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="effort"):
        Effort(**options)  # type: ignore[arg-type]


# --- killed in the middle --------------------------------------------------------------------------------


def test_a_killed_build_pays_for_no_chunk_twice(tmp_path: Path, root: Path) -> None:
    """Answered requests are counted where they are answered: at the endpoint. What was in hand at the kill is asked
    again, as nobody got its answer."""
    with FakeLlm(reply=parents, latency=0.05) as fake:
        command = [sys.executable, "-m", "tests.graph.build_run", fake.base_url, str(tmp_path)]
        with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
            until = time.monotonic() + 60
            while fake.asked() < 12 and time.monotonic() < until:
                time.sleep(0.005)
            process.kill()
            assert process.stdout
            assert process.stdout.read() == ""
        (journal,) = (tmp_path / "graph").glob("*/journal.jsonl")
        kept = journal.read_text(encoding="utf-8").count("\n")
        before = fake.asked()
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=100, check=False)
        assert done.stdout == "done\n", done.stderr
        asked = Counter(text_asked(seen.body) for seen in fake.log)
    assert 8 <= kept < 2 * COUNT
    assert len(asked) == 2 * COUNT
    assert len(fake.log) - before == 2 * COUNT - kept
    assert sum(asked.values()) - len(asked) <= 2  # one in hand for each worker


# --- stores ----------------------------------------------------------------------------------------------


def opened(opener: OpenGraph, rules: Recipe, artifacts: str, effort: Effort = Effort()) -> GraphStore:  # noqa: B008
    return open_graph(opener, rules.chunks, rules.extractor, rules.resolver, rules.composer, artifacts, effort)


def test_the_graph_is_the_same_on_every_store(opener: tuple[OpenGraph, Path], rules: Recipe, artifacts: str) -> None:
    whole = rules.chunks.corpus
    chronicle = replace(whole, documents=(whole["ukaidani"],))
    rules = replace(rules, chunks=replace(rules.chunks, corpus=chronicle))
    store = opened(opener[0], rules, artifacts)
    built = get_built(rules, artifacts, Effort())
    counts = store.counts()
    assert (counts["documents"], counts["chunks"]) == (1, len(rules.chunks.items))
    assert counts["entities"] == len({name for t in built.triples for name in (t.head, t.tail)})
    assert counts["relations"] == len({t.identity() for t in built.triples})
    facts = store.neighbours(["鵜飼谷時綱"])
    assert ("鵜飼谷時綱", "墓所", "松韻寺") in said(facts)
    grave = next(f for f in facts if f.relation == "墓所")
    assert (grave.evidence, grave.derived) == ("綱の墓所は松韻寺にある。", False)
    assert any(f.derived for f in facts)
    assert "綱" in next(e for e in store.entities() if e.name == "鵜飼谷時綱").aliases
    assert store.match_names("日比野道甫の墓")[0].name == "日比野道甫"
    store.clear()
    store.close()


def test_an_open_graph_is_opened_and_a_damaged_one_filled_again(rules: Recipe, artifacts: str, built: Built) -> None:
    store = opened(OpenFalkorDB(), rules, artifacts)
    whole = store.counts()
    place = built.folder.with_name(f"{built.folder.name}-store")
    stamp = (place / "loaded.json").stat().st_mtime_ns
    opened(OpenFalkorDB(), rules, artifacts).close()
    assert (place / "loaded.json").stat().st_mtime_ns == stamp
    store.clear()
    store.prepare()
    assert not holds(store, place, built.triples)
    again = opened(OpenFalkorDB(), rules, artifacts)
    assert again.counts() == whole
    again.close()
    store.close()


def test_no_model_is_asked_when_the_store_is_down(tmp_path: Path) -> None:
    model = Scripted(lambda *_: Triples(triples=()))
    chunks = one_sentence_chunks(a="一。")
    nowhere = OpenFalkorDB(url=f"unix://{tmp_path}/nothing.sock")
    start = time.monotonic()
    with pytest.raises(GraphDown):
        open_graph(nowhere, chunks, TypedRelations(model), Resolver(), Composer(), str(tmp_path), Effort())
    assert time.monotonic() - start < 15
    assert model.asked == []


def test_types_of_one_name_are_labels_of_one_node_or_nodes_of_their_own(tmp_path: Path) -> None:
    chunks = one_sentence_chunks(d="松は庭にある。松は町の子である。")
    first, second = chunks.items
    triples = [
        Triple("松", "ある", "庭", "Tree", "Place", doc_id="d", chunk_id=first.id),
        Triple("町", "子", "松", "Place", "Person", doc_id="d", chunk_id=second.id),
    ]
    entities = [Entity("松", ("Tree", "Person"), {"高さ": "三間"}), Entity("庭", ("Place",)), Entity("町", ("Place",))]
    labels = {}
    for key in ("name", "name_and_type"):
        store = OpenFalkorDB(node_key=key)(tmp_path / "server", key)  # type: ignore[arg-type]
        fill(store, tmp_path / key, chunks, entities, triples)
        labels[key] = sorted(set(e.labels) & {"Tree", "Person"} for e in store.entities() if e.name == "松")
        assert all(e.properties == {"高さ": "三間"} for e in store.entities() if e.name == "松")
        store.clear()
        store.close()
    assert labels == {"name": [{"Tree", "Person"}], "name_and_type": [{"Tree"}, {"Person"}]} or labels == {
        "name": [{"Tree", "Person"}],
        "name_and_type": [{"Person"}, {"Tree"}],
    }


def test_mentions_are_names_and_aliases_in_the_text_longest_first() -> None:
    chunks = one_sentence_chunks(a="大綱は切れた。時綱は寝た。綱は歩く。鵜飼谷時綱。", b="時綱。")
    triples = [Triple("鵜飼谷時綱", "持つ", "大綱", "Person", "Object", doc_id="a")]
    entities = [Entity("鵜飼谷時綱", ("Person",), {}, ("時綱", "綱")), Entity("大綱", ("Object",))]
    found = {(chunks.by_id[chunk].text, name) for chunk, name in mentions(chunks, entities, triples)}
    assert found == {("大綱は切れた。", "大綱"), ("時綱は寝た。", "鵜飼谷時綱"), ("鵜飼谷時綱。", "鵜飼谷時綱")}


# --- the command -----------------------------------------------------------------------------------------


def command(root: Path, outputs: Path, *options: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, str(root / "scripts/build_graph.py"), f"outputs={outputs}", *options]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False, cwd=outputs)


def test_the_command_builds_and_shows(tmp_path: Path, root: Path) -> None:
    done = command(root, tmp_path, "corpus.pattern=ukaidani.txt", "show=merges")
    assert done.returncode == 0, done.stderr
    assert "綱 → 鵜飼谷時綱 [ukaidani] (statement: 時綱は「時」の字を削って" in done.stdout
    rows = dict(line.rsplit(maxsplit=1) for line in done.stdout.splitlines()[-12:])
    assert (rows["documents"], rows["triples skipped"], rows["usd to build"]) == ("1", "0", "0.0000")
    assert int(rows["relations"]) > 100


def test_the_command_tells_a_mistake_in_one_line(tmp_path: Path, root: Path) -> None:
    done = command(root, tmp_path, "show=all")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: show=all is none of summary, merges, triples, skipped, schema\n"
    down = command(root, tmp_path, f"graph.url=unix://{tmp_path}/nothing.sock")
    assert down.returncode == 5
    assert down.stderr.startswith("error: FalkorDB at unix://")


@pytest.mark.parametrize("script", ["build_graph.py", "plot_graph.py"])
def test_the_commands_say_how_they_are_called(root: Path, script: str) -> None:
    line = [sys.executable, str(root / "scripts" / script), "--help"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert f"python scripts/{script} corpus=sample" in done.stdout


def test_an_endpoint_that_refuses_the_key_ends_the_build_at_once(tmp_path: Path) -> None:
    from rag1.errors import AuthError

    with FakeLlm({"*": [status(401, message="no such key").forever()]}) as fake:
        with pytest.raises(AuthError):
            get_built(recipe(fake.base_url, tmp_path), str(tmp_path), Effort())
        assert fake.asked() == 1
