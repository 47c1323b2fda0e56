"""A title in the question decides."""

from __future__ import annotations

import pytest

from rag1.corpus.corpus import Corpus
from rag1.route.titles import Titles
from rag1.types import Document, Query


def document(doc_id: str, title: str, author: str = "", text: str = "本文") -> Document:
    return Document(doc_id, title, text, {"author": author} if author else {})


CORPUS = Corpus(
    (
        document("2", "小説　不如帰", "徳冨蘆花"),
        document("4", "競漕", "久米正雄", "あの黒い自転車の話もした。"),
        document("5", "芽生", "島崎藤村"),
        document("8", "黒い自転車", "久米正雄"),
        document("9", "サーカスの怪人"),
    )
)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("「芽生」の父親の職業は何ですか。", {"5"}),
        ("『芽生』で次女はどうなりましたか。", {"5"}),
        ("草木の芽生の時期はいつですか。", set()),
        ("小説芽生の語り手は誰ですか。", {"5"}),
        ("小説「不如帰」の浪子の夫は誰ですか。", {"2"}),
        ("『小説　不如帰』の舞台はどこですか。", {"2"}),
        ("競漕で勝ったのは誰ですか。", set()),
        ("サーカスの怪人の正体は誰ですか。", {"9"}),
        ("｢ｻｰｶｽの怪人｣の正体は誰ですか。", {"9"}),
        ("「芽生」と「競漕」の語り手はそれぞれ誰ですか。", {"4", "5"}),
        ("島崎藤村の作品で亡くなった娘は何人ですか。", {"5"}),
        ("久米正雄の作品の舵手は誰ですか。", set()),
        ("久米正雄の「競漕」の舵手は誰ですか。", {"4"}),
        ("島崎藤村も読んだ「競漕」の舵手は誰ですか。", {"4"}),
        ("黒い自転車は誰のものですか。", set()),
        ("「黒い自転車」の語り手は誰ですか。", {"8"}),
        ("題は何ですか。", set()),
    ],
)
def test_titles(question: str, named: set[str]) -> None:
    assert Titles(CORPUS)(Query("1", question)) == named


def test_a_title_that_two_documents_share_decides_nothing() -> None:
    corpus = Corpus((document("a", "海辺の手紙"), document("b", "海辺の手紙")))
    assert Titles(corpus)(Query("1", "「海辺の手紙」の差出人は誰ですか。")) == frozenset()


def test_only_within_the_scope() -> None:
    assert Titles(CORPUS)(Query("1", "「芽生」の語り手は誰ですか。", frozenset({"2"}))) == frozenset()
