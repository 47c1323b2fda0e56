"""Routers and the pipeline behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from rag1.chunk.chunkers import Sentences
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.errors import ConfigError
from rag1.graph.model import Entity, Triple
from rag1.graph.store import GraphStore
from rag1.llm.offline import OfflineLlm
from rag1.route.keyword import ChunksHolding, GraphHolding, KeywordRouter
from rag1.route.profiles import open_profiles
from rag1.route.routers import FusedRouter, LlmRouter, VoteRouter
from rag1.route.scope import RoutedPipeline, kept
from rag1.route.titles import Titles
from rag1.types import Answer, Chunk, Document, Query, Route

SEA = Document("sea", "港の灯", "鈴木は港で船を待った。\n鈴木と花子は歩いた。\n花子は港にいた。")
HILL = Document("hill", "丘の羊", "鈴木は丘にいた。\n鈴木は羊を見た。\n鈴木は眠った。\n鈴木は起きた。")
CORPUS = Corpus((SEA, HILL))
CHUNKS = Chunks(CORPUS, Sentences(1, 1))


@dataclass(frozen=True)
class Fixed:
    """A voter with its mind made up."""

    votes: Mapping[str, float]

    def __call__(self, query: Query) -> Mapping[str, float]:
        return self.votes


@dataclass(frozen=True)
class Echo:
    """A pipeline that answers with the scope it was given."""

    def __call__(self, query: Query) -> Answer:
        return Answer(query.id, " ".join(sorted(query.scope)))


def keyword() -> KeywordRouter:
    return KeywordRouter(OfflineLlm(), CORPUS, ChunksHolding(CHUNKS))


def test_keyword_counts_chunks_that_hold_all_entities() -> None:
    route = keyword()(Query("1", "鈴木と花子は何をしましたか。"))
    assert route.ranking == (("sea", 1.0), ("hill", 0.0))
    assert route.reason == "all of 2 entities"


def test_keyword_falls_back_to_any_entity() -> None:
    """No chunk holds both 花子 and 羊: the sea has two chunks with 花子, the hill one with 羊."""
    route = keyword()(Query("1", "花子と羊は会いましたか。"))
    assert route.ranking == (("sea", 2.0), ("hill", 1.0))
    assert route.reason == "any of 2 entities"


def test_keyword_without_a_find() -> None:
    assert keyword()(Query("1", "潜水艦は浮かびましたか。")).ranking == (("sea", 0.0), ("hill", 0.0))


def test_keyword_within_the_scope() -> None:
    route = keyword()(Query("1", "鈴木と花子は何をしましたか。", frozenset({"hill"})))
    assert route.ranking == (("hill", 4.0),)
    assert route.reason == "any of 2 entities"


def test_a_name_with_quotes_in_the_graph(store: GraphStore) -> None:
    name = """O'Brien "オ" `x` \\ }) RETURN 1 //"""
    store.write_documents([Document("d", "題", "")])
    store.write_chunks([Chunk("d:0-1", "d", "x", (0, 1)), Chunk("d:1-2", "d", "y", (1, 2))])
    store.write_entities([Entity(name, aliases=("オブライエン",))])
    store.write_triples([Triple(name, "見る", "海", chunk_id="d:0-1", doc_id="d")])
    assert GraphHolding(store)(name) == {"d:0-1": "d"}
    assert GraphHolding(store)("オブライエン") == {"d:0-1": "d"}
    assert GraphHolding(store)("'") == {}


def test_one_voter() -> None:
    route = VoteRouter(CORPUS, Fixed({"hill": 2.0, "sea": 1.0}), "fixed")(Query("1", "？"))
    assert route == Route((("hill", 2.0), ("sea", 1.0)), 0.5, "fixed")


def test_fused_averages_scaled_votes() -> None:
    """a: sea 1, hill 0; b: sea 1, hill 0; c: sea 0, hill 1. The first leads by 2/3 to 1/3."""
    voters = {
        "a": Fixed({"sea": 9.0, "hill": 3.0}),
        "b": Fixed({"sea": 0.2}),
        "c": Fixed({"hill": 100.0, "sea": 99.0}),
    }
    route = FusedRouter(Titles(CORPUS), voters)(Query("1", "誰が待ちましたか。"))
    assert dict(route.ranking) == pytest.approx({"sea": 2 / 3, "hill": 1 / 3})
    assert route.margin == pytest.approx(0.5)
    assert route.reason == "a: sea, b: sea, c: hill"


def test_fused_by_ranks() -> None:
    voters = {"a": Fixed({"sea": 9.0, "hill": 3.0}), "b": Fixed({}), "c": Fixed({"sea": 1.0})}
    route = FusedRouter(Titles(CORPUS), voters, "ranks")(Query("1", "誰が待ちましたか。"))
    assert dict(route.ranking) == pytest.approx({"sea": (1 / 61 + 1 / 61) / 3, "hill": 1 / 62 / 3})


def test_a_title_beats_all_voters() -> None:
    route = FusedRouter(Titles(CORPUS), {"a": Fixed({"sea": 9.0})})(Query("1", "「丘の羊」の語り手は誰ですか。"))
    assert route == Route((("hill", 1.0), ("sea", 0.0)), 1.0, "title: hill")


def test_the_model_picks_or_does_not(tmp_path: Path) -> None:
    router = LlmRouter(OfflineLlm(), open_profiles(CORPUS, str(tmp_path)))
    assert router(Query("1", "「丘の羊」の語り手は誰ですか。")).ranking == (("hill", 1.0), ("sea", 0.0))
    none = router(Query("2", "なぜですか。"))
    assert (none.margin, none.reason) == (0.0, "llm: no choice")


ROUTE = Route((("a", 0.9), ("b", 0.8), ("c", 0.1), ("d", 0.0)), 0.11)


@pytest.mark.parametrize(
    ("top", "margin", "scope"),
    [(1, 0.0, "a"), (3, 0.1, "a"), (2, 0.2, "ab"), (9, 0.2, "abc"), (1, 0.5, "a")],
)
def test_a_thin_margin_keeps_more(top: int, margin: float, scope: str) -> None:
    assert kept(ROUTE, top, margin) == frozenset(scope)


def test_a_route_that_nothing_speaks_for_keeps_all() -> None:
    assert kept(Route((("a", 0.0), ("b", 0.0)), 0.0), 1, 0.0) == frozenset()


def test_the_pipeline_sees_the_scope_and_the_answer_the_route() -> None:
    routed = RoutedPipeline(Echo(), VoteRouter(CORPUS, Fixed({"hill": 2.0}), "fixed"))
    answer = routed(Query("1", "？"))
    assert answer.text == "hill"
    assert answer.route == Route((("hill", 2.0), ("sea", 0.0)), 1.0, "fixed")
    assert answer.trace[0].detail == "hill (margin 1.00; fixed)"


def test_a_given_scope_is_never_touched() -> None:
    routed = RoutedPipeline(Echo(), VoteRouter(CORPUS, Fixed({"hill": 2.0}), "fixed"))
    answer = routed(Query("1", "？", frozenset({"sea"})))
    assert (answer.text, answer.route) == ("sea", None)


@pytest.mark.parametrize(("top", "margin", "named"), [(0, 0.0, "router.top is 0"), (1, 1.5, "router.margin is 1.5")])
def test_settings_out_of_range(top: int, margin: float, named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        RoutedPipeline(Echo(), VoteRouter(CORPUS, Fixed({}), ""), top, margin)
