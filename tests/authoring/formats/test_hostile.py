"""Files that are broken, or meant to break us: a clear refusal with its place, in little time, nothing written elsewhere."""

from __future__ import annotations

import io
import struct
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from quizapp.authoring.formats import source
from quizapp.authoring.formats.bring_in import Imported, bring_in
from quizapp.authoring.formats.report import Unreadable

GOOD = "<question type='numerical'><name><text>{0}</text></name><questiontext><text>{0}?</text></questiontext>{1}</question>"
RIGHT = "<answer fraction='100'><text>3</text></answer>"


def brought(content: bytes | str, name: str, folder: Path, format: str | None = None, encoding: str | None = None) -> Imported:
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return bring_in(file, folder / "bank.yaml", format, encoding)


def places(found: Imported) -> list[tuple[int, int]]:
    return [(trouble.line, trouble.column) for trouble in found.troubles]


LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE quiz [\n  <!ENTITY a "ha">\n'
    + "".join(f'  <!ENTITY {b} "{f"&{a};" * 10}">\n' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>\n<quiz><question type='essay'><questiontext><text>&i;</text></questiontext></question></quiz>"
)
OUTSIDE = '<!DOCTYPE quiz [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<quiz><question type="essay">&x;</question></quiz>'


@pytest.mark.parametrize(("text", "line"), [(LAUGHS, 2), (OUTSIDE, 1)])
def test_entity_bombs_and_outside_entities(text: str, line: int, tmp_path: Path) -> None:
    began = time.process_time()
    found = brought(text, "quiz.xml", tmp_path, "moodle")
    assert found.questions == 0
    assert places(found) == [(line, 1)]
    assert "entities" in found.troubles[0].message
    assert time.process_time() - began < 2


def test_xml_that_is_too_deep(tmp_path: Path) -> None:
    found = brought("<quiz>" + "<a>" * 5000, "quiz.xml", tmp_path)
    assert "levels deep" in found.troubles[0].message
    html = "<quiz>" + GOOD.format("deep", RIGHT).replace("deep?", "<![CDATA[" + "<div>" * 5000 + "]]>") + "</quiz>"
    assert "nested" in brought(html, "quiz.xml", tmp_path).troubles[0].message


def test_xml_that_breaks_in_the_middle(tmp_path: Path) -> None:
    """What was whole before the break and what comes after it is imported; the break has its line and column."""
    text = "\n".join(("<quiz>", GOOD.format("one", RIGHT), "<question><name>", GOOD.format("two", RIGHT), "</quiz>"))
    found = brought(text, "quiz.xml", tmp_path)
    assert "id: one" in found.text
    assert "id: two" in found.text
    assert found.questions == 2
    assert [trouble.line for trouble in found.troubles] == [5]
    assert found.troubles[0].file == str(tmp_path / "quiz.xml")


def test_xml_with_a_thousand_breaks_ends(tmp_path: Path) -> None:
    began = time.process_time()
    found = brought("<quiz>" + "<question></x>\n" * 1000, "quiz.xml", tmp_path)
    assert 0 < len(found.troubles) <= 50
    assert time.process_time() - began < 10


@pytest.mark.parametrize(("name", "place"), [("quiz.gift", (3, 6)), ("quiz.txt", (3, 6))])
def test_an_unclosed_brace(name: str, place: tuple[int, int], tmp_path: Path) -> None:
    found = brought("One {=a ~b}\n\nTwo? {=a\n\nThree {=x ~y}\n", name, tmp_path)
    assert found.questions == 2
    assert places(found) == [place]
    assert "isn't closed" in found.troubles[0].message


GIFT = "Größe? {=groß ~klein}\n"


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (GIFT.encode("utf-8-sig"), None),
        (GIFT.encode("utf-16"), None),
        (b"\xfe\xff" + GIFT.encode("utf-16-be"), None),
        (GIFT.encode("utf-32"), None),
        (GIFT.replace("\n", "\r\n").encode(), None),
        (GIFT.replace("\n", "\r").encode(), None),
        (GIFT.encode("latin-1"), "latin-1"),
        (GIFT.encode("utf-16-le"), "utf-16-le"),
    ],
)
def test_encodings(raw: bytes, encoding: str | None, tmp_path: Path) -> None:
    found = brought(raw, "quiz.gift", tmp_path, encoding=encoding)
    assert found.troubles == ()
    assert "text: groß\n" in found.text


def test_xml_says_its_encoding(tmp_path: Path) -> None:
    text = "<?xml version='1.0' encoding='ISO-8859-1'?>\n<quiz>" + GOOD.format("Größe", RIGHT) + "</quiz>"
    found = brought(text.encode("latin-1"), "quiz.xml", tmp_path)
    assert found.troubles == ()
    assert "Größe?" in found.text


@pytest.mark.parametrize(
    ("raw", "encoding", "place", "said"),
    [
        (("ok {=a ~b}\n\n" + GIFT).encode("latin-1"), None, (3, 3), "not UTF-8 here"),
        (GIFT.encode("utf-16-le"), None, (1, 5), "not UTF-8 here"),
        ("abc".encode("utf-16-le"), None, (1, 2), "a zero byte"),
        (b"\xff\xfea", None, (1, 1), "not UTF-16-LE here"),
        (b"abc", "klingon", (1, 1), "there is no encoding"),
        (bytes(range(256)), None, (1, 1), ""),
    ],
)
def test_broken_encodings(raw: bytes, encoding: str | None, place: tuple[int, int], said: str, tmp_path: Path) -> None:
    with pytest.raises(Unreadable) as refusal:
        brought(raw, "quiz.gift", tmp_path, encoding=encoding)
    trouble = refusal.value.trouble
    assert said in trouble.message
    if said:
        assert (trouble.line, trouble.column) == place


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BYTES", 1000)
    with pytest.raises(Unreadable, match="larger than"):
        brought("x" * 1001, "quiz.gift", tmp_path)


def zipped(**files: bytes | str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_a_zip_of_questions(tmp_path: Path) -> None:
    found = brought(zipped(**{"a/one.gift": "One {=a ~b}", "two.gift": "One {=x ~y", "notes.pdf": b"%PDF"}), "quiz.zip", tmp_path)
    assert found.questions == 1
    assert [str(trouble).startswith(f"{tmp_path}/quiz.zip/two.gift:1:5:") for trouble in found.troubles] == [True]


@pytest.mark.parametrize("name", ["../evil.gift", "/etc/evil.gift", "a/../../evil.gift", "..\\evil.gift", "C:\\evil.gift"])
def test_paths_out_of_a_zip(name: str, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    with pytest.raises(Unreadable, match="leads out"):
        brought(zipped(**{name: "One {=a ~b}"}), "quiz.zip", inside)
    assert [path.name for path in tmp_path.rglob("*")] == ["inside", "quiz.zip"]


def test_a_zip_that_unpacks_to_gigabytes(tmp_path: Path) -> None:
    began = time.process_time()
    raw = bytearray(zipped(**{"big.gift": b"\0" * (40 << 20)}))
    with pytest.raises(Unreadable, match="unpacks to"):
        brought(bytes(raw), "quiz.zip", tmp_path)
    at = raw.index(b"PK\x01\x02")
    raw[at + 24 : at + 28] = struct.pack("<I", 4_000_000_000)
    with pytest.raises(Unreadable, match="unpacks to 4000000000"):
        brought(bytes(raw), "quiz.zip", tmp_path)
    assert time.process_time() - began < 5


def test_a_zip_that_lies_about_its_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BYTES", 100_000)
    raw = bytearray(zipped(**{"big.gift": b"\0" * 5_000_000}))
    at = raw.index(b"PK\x01\x02")
    raw[at + 24 : at + 28] = struct.pack("<I", 1000)
    with pytest.raises(Unreadable, match="unpack"):
        brought(bytes(raw), "quiz.zip", tmp_path)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"collection.anki2": b""}, "Notes in Plain Text"),
        ({"imsmanifest.xml": b""}, "QTI package"),
        ({"readme.md": b""}, "without a question file"),
    ],
)
def test_packages_that_are_not_read(files: dict[str, bytes], said: str, tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=said):
        brought(zipped(**files), "quiz.zip", tmp_path)
    with pytest.raises(Unreadable, match="not a zip"):
        brought(zipped(**files)[:-30], "quiz.zip", tmp_path)


def test_html_that_would_run(tmp_path: Path) -> None:
    """Scripts and handlers of foreign HTML are gone, and said to be."""
    evil = "<script>alert(1)</script><p onclick='x()'>Hi <img src=x onerror=y()></p><a href='javascript:z()'>there</a>"
    found = brought("<quiz>" + GOOD.format("q", RIGHT).replace("q?", f"<![CDATA[{evil}]]>") + "</quiz>", "quiz.xml", tmp_path)
    assert {loss.detail for loss in found.losses} == {"<script>", "<img>"}
    assert "alert" not in found.text
    assert "onerror" not in found.text
    assert "onclick" not in found.text


def test_slots_of_ours_in_foreign_texts(tmp_path: Path) -> None:
    found = brought(
        "[markdown]What is \\{\\{ x \\}\\} in `\\{\\{y\\}\\}`? {=a ~b}\n\n[plain]\\{\\{\\{z {=a ~b}", "quiz.gift", tmp_path
    )
    assert found.troubles == ()
    assert found.questions == 2
    assert "{{" not in found.text


def test_an_unclosed_quote_costs_one_row(tmp_path: Path) -> None:
    text = 'question,a,b,answer\n"one, x,y,A\ntwo?,x,y,A\n' + "three?,x,y,B\n" * 2
    found = brought(text, "quiz.csv", tmp_path)
    assert found.questions == 3
    assert places(found) == [(2, 1)]


MANY = 20_000


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{" * MANY, "quiz.gift"),
        ("{=a ~b}" * MANY, "quiz.gift"),
        ("// " + "[id:" * MANY + "\nQ{=a ~b}", "quiz.gift"),
        ("Q{" + "=a ~b" * MANY + "}", "quiz.gift"),
        ("[html]Q" + "<a " * MANY + "{=a ~b}", "quiz.gift"),
        ("[html]Q<a " + "a='" * MANY + ">{=a ~b}", "quiz.gift"),
        ("[html]Q" + "<!-- >" * MANY + "{=a ~b}", "quiz.gift"),
        ("[html]Q" + "<p>" * MANY + "{=a ~b}", "quiz.gift"),
        ("[html]Q" + "<!x>" * MANY + "{=a ~b}", "quiz.gift"),
        ("[markdown]" + "`" * MANY + "\\{\\{ x{=a ~b}", "quiz.gift"),
        ("Q{" + "\\" * MANY, "quiz.gift"),
        ("#html:true\n" + "{{c1::" * MANY + "\tb", "notes.txt"),
        ("#html:true\n" + "[sound:" * MANY + "\tb", "notes.txt"),
        ("<!-- -->" * 600 + "x", "quiz.xml"),
        ("<quiz>" + GOOD.format("q", RIGHT).replace("q?", "<![CDATA[" + "<b" * MANY + "]]>") + "</quiz>", "quiz.xml"),
        ("<quiz>" + GOOD.replace("numerical", "calculated").format("q", RIGHT.replace("3", "pow(" * MANY)) + "</quiz>", "quiz.xml"),
        ("question,a\n" + ('"x,\n' + "\n" * 300) * 500, "quiz.csv"),
        ("A. x\n" * MANY, "quiz.aiken"),
        ("x" * 300_000 + " {=a ~b}", "quiz.gift"),
        ("[markdown]" + "x" * 300_000 + " {=a ~b}", "quiz.gift"),
    ],
    ids=range(20),
)
def test_no_text_takes_long(text: str, name: str, tmp_path: Path) -> None:
    began = time.process_time()
    with suppress(Unreadable):
        assert brought(text, name, tmp_path).questions <= 1
    assert time.process_time() - began < 8
