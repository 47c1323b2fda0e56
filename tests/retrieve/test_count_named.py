"""How many persons, places and kinds a text names at all: lists made by reading, and questions that are not counted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from rag1.chunk.chunkers import Recursive
from rag1.chunk.chunks import Chunks
from rag1.corpus.corpus import Corpus
from rag1.corpus.load import RawFile, assemble, folder
from rag1.corpus.notation import Aozora
from rag1.llm.offline import OfflineLlm
from rag1.retrieve.count import MOST_NAMED, CountRetriever, RubyAliases
from rag1.retrieve.count_named import things_named
from rag1.retrieve.count_open import open_class
from rag1.types import Document, Query, Retrieved


def counter(corpus: Corpus) -> CountRetriever:
    chunks = Chunks(corpus, Recursive(512, 24))
    return CountRetriever(OfflineLlm(), chunks, RubyAliases(chunks))


@pytest.fixture(scope="module")
def sample(root: Path) -> CountRetriever:
    return counter(folder(str(root / "data/sample/stories"), Aozora()))


@pytest.fixture(scope="module")
def novels(shared_data: Path) -> CountRetriever:
    return counter(folder(str(shared_data / "novels"), Aozora()))


def ask(counting: CountRetriever, doc_id: str, question: str) -> list[Retrieved]:
    return counting(Query("1", question, frozenset({doc_id})), 3)


def named(counting: CountRetriever, doc_id: str, kind: str) -> set[str]:
    aliases = counting.aliases
    text = counting.chunks.corpus[doc_id].text
    return set(things_named(kind, text, lambda name: aliases(name, doc_id)))


PERSONS = {
    "daisho": "浅黄宗助 おとせ 花邑天声 おろく 常磐",
    "kaban": "荻野市兵衛 三沢玄道 花邑天声 おとせ おろく 小室太一郎 湯浅彦三郎 丹波",
    "kane": "杉谷銀右衛門 古畑孫六 徹山 与茂七 良念 おふじ 秋浦素月 源造 おまつ 藤兵衛",
    "kiri": "佐平 徳右衛門 浩吉 ふさ 鷺沢 倉橋千代 倉橋庄蔵",
    "sokuryo": "大江田弘毅 志村欣一 熊吉 弥太 音松 ふさ 浩吉 狩野伝右衛門 小室太一郎",
    "tokei": "桂木惣介 池端嘉平 湯浅とめ 湯浅彦三郎 おきく 正太",
    "tomoshibi": "倉橋庄蔵 湊 千代 洋一 早川貞次 松葉民平 門倉 おきく 佐平 鳴海藤吉 岡野留吉 辰巳春次",
    "tsuyukusa": "おしま こだま 権左衛門 彦市 了海",
    "ukaidani": "鵜飼谷重臣 お澄 久七 鵜飼谷時綱 鵜飼谷時貞 時丸 楓 梶井主膳 お蔦 鵜飼谷景治 小夜 志津屋宗七 美緒 "
    "お勢 黒瀬寛斎 黒瀬修吾 鵜飼谷景明 千景 景友 琴 日比野道甫 鵜飼谷明良",
}
"""Everybody whom a story names, by the name it mostly goes by. The cat 玉虫,
the ox 甚六 and the cormorant 七郎 are none; nor is 志村, who is 浩吉 there, nor おいね, whose name only a bell has."""


@pytest.mark.parametrize("story", PERSONS)
def test_persons_of_the_stories(sample: CountRetriever, story: str) -> None:
    assert named(sample, story, "人物") == set(PERSONS[story].split())


@pytest.mark.parametrize(
    ("novel", "persons"),
    [
        ("3", "広岡仁右衛門 佐藤与十 川森 笠井 松川 岩田"),
        ("7", "万右衛門 お増 成松一郎 お乃登 杉本嘉作"),
    ],
)
def test_persons_of_the_novels(novels: CountRetriever, novel: str, persons: str) -> None:
    assert named(novels, novel, "人物") == set(persons.split())


def test_what_a_reader_knows_and_the_text_does_not_say(novels: CountRetriever) -> None:
    """Novel 1 names 17 persons. That 桂小五郎 is 木戸孝允 is history, and 大西郷 is in no dictionary."""
    plot = "大楽源太郎 富永有隣 小河真文 古松簡二 高田源兵衛 初岡敬治 岡崎恭輔 神代直人 小久保薫 市原小次郎"
    told = {*plot.split(), *["富田金丸", "石井利惣太", "大村益次郎", "山県狂介", "伊藤俊輔", "桂小五郎", "西郷"]}
    found = named(novels, "1", "人物")
    assert (found - told, told - found) == ({"木戸孝允"}, {"西郷"})


@pytest.mark.parametrize(
    ("story", "kind", "things"),
    [
        ("kane", "村", "柿平村 三ツ俣村"),
        ("sokuryo", "村", "鹿鳴村 沢渡村"),
        ("kaban", "駅", "白砂駅"),
        ("kiri", "川", "八重川"),
        ("kiri", "灯台", "鴫崎灯台"),
        (
            "ukaidani",
            "寺",
            "霧岳寺 常灯寺 明照寺 白蓼寺 萩尾寺 松韻寺 渓声寺 青柳寺 潮見寺 雪庵寺 花房寺 円座寺 雁来寺 芦辺寺 "
            "梢月寺 澄江寺",
        ),
        ("tsuyukusa", "鳥", "鶍"),  # also いすか, in kana
        ("tomoshibi", "国", ""),
    ],
)
def test_places_and_kinds_of_the_stories(sample: CountRetriever, story: str, kind: str, things: str) -> None:
    assert named(sample, story, kind) == set(things.split())


@pytest.mark.parametrize(
    ("novel", "kind", "things"),
    [
        ("1", "寺", "光安院 本能寺"),
        ("3", "村", "Ｋ村"),
        ("3", "鳥", "烏 つぐみ しじゅうから 郭公"),
        ("3", "国", ""),  # 露西亜人 and 日本海 are no countries
        ("7", "寺", "天王寺"),
        ("7", "村", "杉上村"),
        ("7", "国", "日本"),
        ("7", "魚", "フナ 金魚 鯉"),
    ],
)
def test_places_and_kinds_of_the_novels(novels: CountRetriever, novel: str, kind: str, things: str) -> None:
    assert named(novels, novel, kind) == set(things.split())


TALE = """三人の話
ある人

　庄屋の山田太郎兵衛と、娘のおきぬがいた。太郎兵衛は笑った。
「山田さん、隣の久七という男が来ます」とおきぬは言った。
　猫の名は「小六」といった。

［＃３字下げ］二［＃「二」は中見出し］
　清次と名のる若者が来た。
"""


@pytest.fixture(scope="module")
def tale() -> Corpus:
    return assemble([RawFile("tale.txt", TALE.encode("cp932"))], Aozora())


def only(found: Sequence[Retrieved]) -> Retrieved:
    assert len(found) == 1, found
    return found[0]


def test_the_line_lists_what_was_counted(tale: Corpus) -> None:
    found = only(counter(tale)(Query("1", "作中に名前の出てくる人物は何人ですか。"), 3))
    assert found.score == 4
    assert found.text.startswith("本文に名の出る人物は4人: 山田太郎兵衛=太郎兵衛=山田 3回（")
    assert "、おきぬ 2回（" in found.text
    assert found.text.splitlines()[1].startswith("例: 庄屋の山田太郎兵衛")


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("会話文に名前の出てくる人物は何人ですか。", 2),  # 山田, 久七
        ("地の文に名前が出てくる人物は全部で何人いますか。", 3),  # 山田, おきぬ, 清次
        ("「二」の章に名前の出てくる人物は何人ですか。", 1),
        ("『三人の話』には、何人の名前が出てきますか。", 4),
    ],
)
def test_speech_narration_and_chapters(tale: Corpus, question: str, number: int) -> None:
    assert only(counter(tale)(Query("1", question), 3)).score == number


@pytest.mark.parametrize(
    ("question", "counted"),
    [
        ("『海』に名前の出てくる人物は何人ですか。", "人物"),
        ("作中で名前のわかる登場人物は何人ですか。", "人物"),
        ("名前が出てくるのは何人ですか（猫も入れる）。", ""),
        ("名前が出てくるのは何人ですか（別名の人物は同じ一人とする）。", "人物"),
        ("作中に出てくる寺はいくつありますか。", "寺"),
        ("地名として挙がる国は何か国ですか。", "国"),
        ("何種類の魚が出てきますか。", "魚"),
        ("『海』に鳥は何種類出てきますか。", "鳥"),
        # narrowed by what is told: not a matter of names
        ("旅の供は何人ですか。", ""),
        ("殺された人は何人ですか。", ""),
        ("集まった客は何人ですか。", ""),
        ("名前の出てくる人物のうち、死んだのは何人ですか。", ""),
        ("名前のある子供は何人ですか。", ""),
        ("千代が名前を出す人物は何人ですか。", ""),
        ("五代の当主が葬られた寺はいくつですか。", ""),
        ("漁師が釣った魚は何種類ですか。", ""),
        # persons without a name may be meant
        ("登場人物は何人ですか。", ""),
        ("『海』に出てくる人は何人ですか。", ""),
        ("寺はいくつありますか。", ""),
    ],
)
def test_what_is_asked(question: str, counted: str) -> None:
    assert open_class(question) == counted


def test_none_found_is_not_claimed(tale: Corpus) -> None:
    assert counter(tale)(Query("1", "作中に出てくる寺はいくつですか。"), 3) == []


def test_too_many_to_be_sure_of(novels: CountRetriever) -> None:
    assert len(named(novels, "2", "人物")) > MOST_NAMED
    assert ask(novels, "2", "名前の出てくる人物は何人ですか。") == []


def test_chunks_count_no_persons(tale: Corpus) -> None:
    chunks = Chunks(tale, Recursive(512, 24))
    plain = CountRetriever(OfflineLlm(), chunks, RubyAliases(chunks), "chunks")
    assert plain(Query("1", "名前の出てくる人物は何人ですか。"), 3) == []


def test_names_that_ruby_joins_are_one() -> None:
    """Without the reading たろべえ would not be seen at all."""
    text = "庄屋の山田太郎兵衛がいた。たろべえは笑った。"
    corpus = Corpus((Document("d", "d", text),), {"d": {"山田太郎兵衛": ("たろべえ",)}})
    assert named(counter(corpus), "d", "人物") == {"山田太郎兵衛"}
    line = only(counter(corpus)(Query("1", "名前の出てくる人物は何人ですか。"), 3))
    assert "山田太郎兵衛=たろべえ 2回" in line.text
