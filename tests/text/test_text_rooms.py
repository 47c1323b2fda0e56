"""Encodings, token counts, tokenizers, sentences and the place of evidence."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag1.errors import DataError
from rag1.text.aozora import parse
from rag1.text.encoding import decode
from rag1.text.locate import locate
from rag1.text.sentences import LONGEST_QUOTE, sentences
from rag1.text.tokenize import BigramTokenizer, SudachiTokenizer, morphemes
from rag1.text.tokens import count_tokens, truncate_tokens
from rag1.types import Document


class TestDecode:
    @pytest.mark.parametrize(
        ("encoding", "named"),
        [("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("cp932", "cp932"), ("utf-16", "utf-16")],
    )
    def test_each_encoding_is_told(self, encoding: str, named: str) -> None:
        text = "髙橋さんは①へ\r\n行った\n"
        decoded = decode(text.encode(encoding), "a.txt")
        assert (decoded.text, decoded.encoding) == (text, named)

    def test_a_fault_names_file_line_and_byte(self) -> None:
        with pytest.raises(DataError) as error:
            decode("よい行\n".encode("cp932") + b"\x81\xff", "話.txt")
        assert "話.txt" in str(error.value)
        assert "cp932: line 2, byte 7 (0x81)" in str(error.value)

    def test_a_mark_decides(self) -> None:
        with pytest.raises(DataError, match="utf-8-sig: line 1, byte 3"):
            decode(b"\xef\xbb\xbf\x82\xa0", "a.txt")


class TestTokens:
    def test_counts(self) -> None:
        assert count_tokens("") == 0
        assert count_tokens("hello world") == 2
        assert count_tokens("<|endoftext|>") > 1

    @given(st.text(max_size=60), st.integers(min_value=0, max_value=30))
    def test_truncation_keeps_the_limit_and_the_beginning(self, text: str, limit: int) -> None:
        start = truncate_tokens(text, limit)
        assert text.startswith(start)
        assert count_tokens(start) <= limit
        assert start == text or count_tokens(text) > limit

    def test_a_character_is_not_cut(self) -> None:
        text = "𠮷野家の鰻"
        assert all(text.startswith(truncate_tokens(text, limit)) for limit in range(12))


class TestTokenizers:
    def test_content_words_in_normal_form(self) -> None:
        assert SudachiTokenizer()("附属品を持って行った。") == ["付属", "品", "持つ", "行く"]
        assert SudachiTokenizer(normalized=False, content_words=False)("犬は　走る。") == ["犬", "は", "走る", "。"]

    def test_bigrams_stay_within_words(self) -> None:
        assert BigramTokenizer()("桃太郎、Ａb犬 猫") == ["桃太", "太郎", "ab", "b犬", "猫"]

    def test_names_tell_settings_apart(self) -> None:
        names = {t.name for t in (SudachiTokenizer(), SudachiTokenizer("A"), SudachiTokenizer(normalized=False))}
        assert len(names) == 3

    @pytest.mark.parametrize(
        "text", ["", "犬😀が𠮷野家で", "㍿" * 9_000, "ﷺ" * 6_000, "犬が走る。" * 5_000, "あ" * 20_000]
    )
    def test_morphemes_cover_any_length(self, text: str) -> None:
        words = morphemes(text)
        assert "".join(word.surface for word in words) == text
        assert all(text[word.start : word.end] == word.surface for word in words)

    def test_proper_nouns(self) -> None:
        words = {word.surface: word for word in morphemes("桃太郎が鬼ヶ島へ行く。")}
        assert words["桃太郎"].is_proper_noun
        assert words["行く"].is_content_word
        assert not words["へ"].is_content_word

    def test_many_threads(self) -> None:
        texts = [f"桃太郎は{n}匹の鬼を見た。" * 50 for n in range(24)]
        alone = [SudachiTokenizer()(text) for text in texts]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(SudachiTokenizer(), texts)) == alone


class TestSentences:
    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("彼は来た。犬も来た。", ["彼は来た。", "犬も来た。"]),
            ("「おい。行くぞ。」と彼は言った。「待て！」", ["「おい。行くぞ。」と彼は言った。", "「待て！」"]),
            ("「行け。」彼は走った。", ["「行け。」", "彼は走った。"]),
            ("一行目\n二行目。\n\n三行目", ["一行目\n", "二行目。\n\n", "三行目"]),
            ("３．５里を走る．終り．", ["３．５里を走る．", "終り．"]),
            ("何だ！？　分からぬ……。", ["何だ！？", "　分からぬ……。"]),
            ("「閉じない。まだある。\n次。", ["「閉じない。", "まだある。\n", "次。"]),
            ("彼は（泣いた。そして）笑った。", ["彼は（泣いた。そして）笑った。"]),
            ("」変な閉じ。", ["」変な閉じ。"]),
            ("", []),
        ],
    )
    def test_split(self, text: str, parts: list[str]) -> None:
        assert [text[start:end] for start, end in sentences(text)] == parts

    def test_a_long_speech_is_split_all_the_same(self) -> None:
        text = "「" + "そうです。" * (LONGEST_QUOTE // 4) + "」\n"
        assert max(end - start for start, end in sentences(text)) <= 10

    @given(st.text(alphabet="彼は「」『』（）。！？\n　…．3", max_size=60))
    def test_spans_cover_the_text(self, text: str) -> None:
        spans = sentences(text)
        assert "".join(text[start:end] for start, end in spans) == text
        assert all(start < end for start, end in spans)


class TestLocate:
    documents = (
        Document("a", "甲", "　昔、老人が山へ行った。\n彼は二十五本の木を伐った。"),
        Document("b", "乙", "　少女は海で、青い貝がらを三つ拾って母に見せた。"),
    )

    @pytest.mark.parametrize(
        ("evidence", "doc_id", "passage", "how"),
        [
            ("老人が山へ行った", "a", "老人が山へ行った", "exact"),
            ("25本の木", "a", "二十五本の木", "normalised"),
            ("老人が山へ行った．", "a", "老人が山へ行った。", "normalised"),
            ("行った。彼は", "a", "行った。\n彼は", "normalised"),
            ("青い貝殻を三つ拾って母に見せた", "b", "青い貝がらを三つ拾って母に見せた", "near"),
        ],
    )
    def test_found(self, evidence: str, doc_id: str, passage: str, how: str) -> None:
        found = locate(evidence, self.documents)
        text = {d.id: d.text for d in self.documents}[found.doc_id]
        assert (found.doc_id, found.how) == (doc_id, how)
        assert text[slice(*found.span)].strip("、") == passage
        assert (found.similarity == 1.0) == (how != "near")

    @pytest.mark.parametrize("evidence", ["", "　\n", "宇宙船は火星に着陸した"])
    def test_not_found(self, evidence: str) -> None:
        assert locate(evidence, self.documents).how == "none"

    def test_evidence_longer_than_the_document(self) -> None:
        found = locate(self.documents[1].text + "そして家へ帰った。", self.documents)
        assert (found.doc_id, found.how) == ("b", "near")
        assert found.span == (1, len(self.documents[1].text))

    @settings(max_examples=30, deadline=None)
    @given(st.data())
    def test_any_passage_of_a_novel_is_found_at_its_place(self, shared_data: Path, data: st.DataObject) -> None:
        text = parse(decode((shared_data / "novels/4.txt").read_bytes(), "4.txt").text).text
        start = data.draw(st.integers(0, len(text) - 60))
        passage = text[start : start + 60]
        found = locate(passage.replace("。", "．").replace("\n", ""), [Document("4", "競漕", text)])
        assert found.how != "none"
        assert abs(found.span[0] - start) <= 6
        assert found.similarity > 0.9
