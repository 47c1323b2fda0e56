"""Every router's config builds, and `router=fused` finds the documents that gold names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from rag1.build import Workshop
from rag1.corpus.questions import read_golds, read_questions
from rag1.types import Query, Router


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("artifacts"))


@pytest.fixture(autouse=True)
def _conf(root: Path) -> Iterator[None]:
    OmegaConf.register_new_resolver("root", lambda: str(root), replace=True)
    with initialize_config_dir(str(root / "conf"), version_base=None):
        yield


def build(artifacts: str, *overrides: str) -> Router:
    config = compose("config", overrides=[f"artifacts={artifacts}", *overrides])
    return Workshop()(config.router.router)  # type: ignore[no-any-return]


def wrong(router: Router, questions: Path) -> tuple[Sequence[str], int]:
    """Indexes of the questions whose first document no gold names, and how many were asked."""
    queries = read_questions(str(questions))
    golds = {g.query_id: g.doc_ids for g in read_golds(str(questions.with_name("gold.csv")), queries)}
    asked = [Query(q.id, q.text) for q in queries]
    return [q.id for q in asked if router(q).ranking[0][0] not in golds[q.id]], len(asked)


@pytest.mark.parametrize("name", ["bm25", "dense", "keyword", "llm"])
def test_every_router_builds_and_ranks_all_documents(artifacts: str, name: str) -> None:
    router = build(artifacts, "corpus=sample", f"router={name}")
    route = router(Query("1", "渡し守の佐平の舟を造ったのは誰ですか。"))
    assert len(route.ranking) == 9
    assert 0 <= route.margin <= 1


def test_fused_on_the_sample(artifacts: str, root: Path) -> None:
    faults, _ = wrong(build(artifacts, "corpus=sample", "router=fused"), root / "data/sample/questions.csv")
    assert not faults


def test_fused_on_the_novels(artifacts: str, root: Path, shared_data: Path) -> None:
    """95 % must hold; the sentence encoder reads the seven novels once (half a minute)."""
    router = build(artifacts, "corpus=novels", f"corpus.path={shared_data / 'novels'}", "router=fused")
    faults, asked = wrong(router, root / "bench/novels/questions.csv")
    assert len(faults) <= 0.05 * asked, faults
