"""Wordings of a question for searching: the original first, none twice, what was left out put back from the router."""

from __future__ import annotations

import pytest

from rag1.corpus.corpus import Corpus
from rag1.errors import ConfigError
from rag1.llm.offline import OfflineLlm
from rag1.retrieve.expand import Expander, Way
from rag1.types import Document, Query

CORPUS = Corpus((Document("akari", "港の灯", "お雪は灯台守の娘だった。"), Document("oka", "丘の家", "猫が一匹いた。")))
ASKED = Query("1", "お雪は誰の娘か。")


def expander(*ways: Way, n: int = 3) -> Expander:
    return Expander(OfflineLlm(), CORPUS, ways, n)


@pytest.mark.parametrize("ways", [(), ("generate",), ("hyde",), ("entities",), ("generate", "hyde", "entities")])
def test_the_original_comes_first_and_nothing_twice(ways: tuple[Way, ...]) -> None:
    wordings = expander(*ways)(ASKED)
    assert wordings[0] == ASKED.text
    assert len(wordings) == len(set(wordings)) == len([text for text in wordings if text.strip()])
    assert (len(wordings) > 1) == bool(ways)


def test_n_is_the_most_that_generate_adds() -> None:
    assert [len(expander("generate", n=n)(ASKED)) for n in (0, 1, 2)] == [1, 2, 3]


def test_names_alone_and_a_passage_that_is_no_question() -> None:
    assert "お雪" in expander("entities")(ASKED)[1]
    assert "誰" not in expander("hyde")(ASKED)[1]


def test_the_title_of_the_one_document_in_scope_is_put_back() -> None:
    asked = Query("1", "誰の娘か。", frozenset({"akari"}))
    assert any("港の灯" in text for text in expander("generate")(asked)[1:])
    both = Query("1", "誰の娘か。", frozenset({"akari", "oka"}))
    assert not any("港の灯" in text for text in expander("generate", "hyde")(both))


def test_a_wrong_setting_is_named() -> None:
    with pytest.raises(ConfigError, match="no way named 'guess'; there are generate, hyde, entities"):
        expander("guess")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"expander\.n -1"):
        expander("generate", n=-1)
