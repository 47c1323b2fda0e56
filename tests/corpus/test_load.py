"""Folders, files and zips of Japanese text become documents."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from rag1.corpus.load import archive, file, folder
from rag1.corpus.notation import Aozora
from rag1.errors import DataError, InputError
from rag1.text.locate import locate

AOZORA = Aozora()
STORY = "霧の町\r\n山田一郎\r\n\r\n　朝《あさ》、霧が出た。［＃「霧」に傍点］\r\n\r\n底本：「全集」\r\n"


def test_a_folder_in_natural_order_with_ids_and_titles(tmp_path: Path) -> None:
    for name in ("10.txt", "2.txt", "note.md"):
        (tmp_path / name).write_bytes(STORY.encode("cp932"))
    corpus = folder(str(tmp_path), AOZORA)
    assert [d.id for d in corpus] == ["2", "10"]
    assert corpus["2"].title == "霧の町"
    assert corpus["2"].text.strip() == "朝、霧が出た。"
    assert corpus.readings["2"]["朝"] == ("あさ",)


def test_offsets_lead_back_to_the_raw_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(STORY.encode("utf-8"))
    corpus = file(str(path), AOZORA)
    place = corpus["a"].text.index("霧が")
    assert STORY[corpus.raw_offsets["a"][place]] == "霧"
    assert corpus.raw_span("a", (place, place)) is None
    found = locate("朝、霧が出た。", tuple(corpus))
    start, end = corpus.raw_span(found.doc_id, found.span) or (0, 0)
    assert STORY[start:end] == "朝《あさ》、霧が出た。"
    assert corpus.raw_span("b", (0, 1)) is None


def test_plain_text_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_bytes("報告書\r\n\r\n売上は三億円。\r\n".encode("utf-16"))
    document = file(str(tmp_path / "p.txt"), AOZORA)["p"]
    assert (document.title, document.text) == ("報告書", "報告書\n\n売上は三億円。\n")


def test_a_zip_made_on_windows(tmp_path: Path) -> None:
    path = tmp_path / "novels.zip"
    with zipfile.ZipFile(path, "w") as bundle:
        info = zipfile.ZipInfo("dir/kiri.txt")
        bundle.writestr(info, STORY.encode("cp932"))
    assert [d.id for d in archive(str(path), AOZORA)] == ["kiri"]


def test_every_unreadable_file_is_named_at_once(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(b"ok\n\x81\xff")
    with pytest.raises(DataError) as caught:
        folder(str(tmp_path), AOZORA)
    assert [fault.split(":")[0] for fault in caught.value.faults] == ["a.txt", "b.txt"]


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_no_folder_or_no_text_is_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=rf"corpus\.path .*{name}"):
        folder(str(tmp_path / name), AOZORA)


TITLES = {
    "1": ("流行暗殺節", "佐々木味津三"),
    "2": ("小説　不如帰", "徳冨蘆花"),
    "3": ("カインの末裔", "有島武郎"),
    "4": ("競漕", "久米正雄"),
    "5": ("芽生", "島崎藤村"),
    "6": ("サーカスの怪人", "江戸川乱歩"),
    "7": ("死生に関するいくつかの断想", "小泉八雲"),
}


def test_the_seven_novels(shared_data: Path) -> None:
    corpus = folder(str(shared_data / "novels"), AOZORA)
    assert [d.id for d in corpus] == list("1234567")
    for document in corpus:
        title, author = TITLES[document.id]
        assert document.title.replace("　", " ").startswith(title.replace("　", " ").split(" ")[0])
        assert author[-2:] in document.meta["author"]
        for mark in ("《", "》", "［＃", "底本：", "----"):
            assert mark not in document.text, (document.id, mark)


def zipped(path: Path, data: bytes = b"", **names: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in names.items():
            bundle.writestr(name, text or data)
    return path


def test_names_in_a_zip_lead_nowhere(tmp_path: Path) -> None:
    path = zipped(
        tmp_path / "z.zip", **{"../../up.txt": b"a", "..\\w.txt": b"b", "/root.txt": b"c", "._m.txt": b"\xff"}
    )
    assert [d.id for d in archive(str(path), AOZORA)] == ["root", "up", "w"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_zip_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    many = {f"{n}.txt": b"a" * 60 * 1024 * 1024 for n in range(5)}
    with pytest.raises(InputError, match="314,572,800 bytes of text, over the limit of 268,435,456"):
        archive(str(zipped(tmp_path / "many.zip", **many)), AOZORA)
    with pytest.raises(InputError, match="over the limit of 67,108,864 bytes once unpacked"):
        archive(str(zipped(tmp_path / "one.zip", **{"a.txt": b"a" * 65 * 1024 * 1024})), AOZORA)


@pytest.mark.parametrize("fault", ["bytes", "encrypted", "method"])
def test_a_zip_that_cannot_be_unpacked_is_one_line(tmp_path: Path, fault: str) -> None:
    path = zipped(tmp_path / "z.zip", **{"x.txt": STORY.encode() * 50})
    data = bytearray(path.read_bytes())
    central = data.index(b"PK\x01\x02")
    if fault == "bytes":
        data[60] ^= 0xFF
    elif fault == "encrypted":
        data[6] |= 1
        data[central + 8] |= 1
    else:
        data[8] = data[central + 10] = 97
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"z\.zip' cannot be read as a zip"):
        archive(str(path), AOZORA)


@pytest.mark.parametrize("pattern", ["", "/etc/*"])
def test_what_is_no_pattern_is_named(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(InputError, match=r"corpus\.pattern .* is no pattern"):
        folder(str(tmp_path), AOZORA, pattern=pattern)


def test_names_made_under_cp932_and_hidden_files(tmp_path: Path) -> None:
    for name in ("霧.txt".encode("cp932"), b"a\nb.txt", b"._a.txt"):
        (tmp_path / os.fsdecode(name)).write_text("霧が出た。", encoding="utf-8")
    assert [d.id for d in folder(str(tmp_path), AOZORA)] == ["a_b", "霧"]


def test_quotation_marks_of_another_kind_of_text_are_no_ruby(tmp_path: Path) -> None:
    text = "報告《第一号》では、新刊《霧の町》の売上は三億円。\n"
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (tmp_path / "b.txt").write_text("朝《あさ》、霧《きり》が出た。《霧》とは何か。\n", encoding="utf-8")
    corpus = folder(str(tmp_path), AOZORA)
    assert corpus["a"].text == text
    assert corpus["b"].text.startswith("朝、霧が出た。")


def test_the_novels_that_are_not_here_yet_say_how_to_get_them(tmp_path: Path, root: Path) -> None:
    node = OmegaConf.load(root / "conf" / "corpus" / "novels.yaml")
    with pytest.raises(InputError) as caught:
        folder(str(tmp_path / "novels"), AOZORA, remedy=node.remedy)
    assert str(caught.value).endswith(
        "is not a folder; they are not here yet: run python scripts/fetch_novels.py, "
        "or give your own: corpus=folder corpus.path=…"
    )
