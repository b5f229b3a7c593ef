"""QTI packages have the parts that Canvas looks for, Anki packages the notes and ids that Anki goes by."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from banks import checkpoint
from defusedxml.ElementTree import fromstring

from quizapp.authoring.formats.anki_package import guid, write_apkg
from quizapp.authoring.formats.numeral import read_number
from quizapp.authoring.formats.qti_write import write_qti
from quizapp.authoring.formats.question import Choose, Essay, Expression, Number, Option, Point, Question, Quiz, ShortAnswer
from quizapp.authoring.formats.send_out import send_out
from quizapp.model.question import Item

Q = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"
P = "{http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1}"
C = "{http://canvas.instructure.com/xsd/cccv1p0}"
THIRD = read_number("8/3")
WIDTH = read_number("0.01")
assert THIRD is not None
assert WIDTH is not None
ONE = Choose((Option("`a`", True, "yes & so"), Option("b < c", False)))
SEVERAL = Choose((Option("a", True), Option("b", True), Option("c", False, "no")))
QUIZ = Quiz(
    "averages",
    "Averages & more",
    "About *means*.",
    (
        Question("one", "Which of `x < y`?", ONE, "Title <1>", "Since **a**.", points=3),
        Question("several", "Which?", SEVERAL),
        Question("number", "How many?", Number(THIRD, WIDTH, "tokens"), explanation="Divide."),
        Question("short", "Word?", ShortAnswer(("mean & sum", "average"))),
        Question("essay", "Why?", Essay((Point(2, "Says *why*."),), ("And then?",)), points=2),
        Question("expression", "Which?", Expression("R/N", (("R", "ranks"), ("N", "tokens")), (("1/N", "the factor forgotten"),))),
    ),
)


def opened(raw: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(raw))


def assessment() -> Element:
    archive = opened(write_qti(QUIZ))
    manifest = fromstring(archive.read("imsmanifest.xml"))
    href = manifest.find(f"{P}resources/{P}resource[@type='imsqti_xmlv1p2']/{P}file").attrib["href"]
    root: Element = fromstring(archive.read(href))
    return root


def item(number: int) -> Element:
    return assessment().findall(f".//{Q}item")[number]


def entry(holder: Element, label: str) -> str | None:
    fields = holder.findall(f".//{Q}qtimetadatafield")
    return next((field.findtext(f"{Q}fieldentry") for field in fields if field.findtext(f"{Q}fieldlabel") == label), None)


def test_the_manifest_names_all_files() -> None:
    archive = opened(write_qti(QUIZ))
    manifest = fromstring(archive.read("imsmanifest.xml"))
    assert manifest.findtext(f"{P}metadata/{P}schema") == "IMS Content"
    resources = manifest.findall(f"{P}resources/{P}resource")
    named = {file.attrib["href"] for resource in resources for file in resource.findall(f"{P}file")}
    assert named | {"imsmanifest.xml"} == set(archive.namelist())
    questions, settings = resources
    assert questions.attrib["type"] == "imsqti_xmlv1p2"
    assert questions.find(f"{P}dependency").attrib["identifierref"] == settings.attrib["identifier"]  # type: ignore[union-attr]
    assert settings.attrib["type"] == "associatedcontent/imscc_xmlv1p1/learning-application-resource"
    meta = fromstring(archive.read(settings.attrib["href"]))
    assert meta.tag == f"{C}quiz"
    assert meta.attrib["identifier"] == questions.attrib["identifier"] == assessment().find(f"{Q}assessment").attrib["ident"]  # type: ignore[union-attr]
    assert (meta.findtext(f"{C}title"), meta.findtext(f"{C}points_possible")) == ("Averages & more", "9.0")
    assert entry(assessment(), "qmd_assessmenttype") == "Assessment"


@pytest.mark.parametrize(
    ("number", "kind", "points"),
    [
        (0, "multiple_choice_question", "3"),
        (1, "multiple_answers_question", "1"),
        (2, "numerical_question", "1"),
        (3, "short_answer_question", "1"),
        (4, "essay_question", "2"),
        (5, "essay_question", "1"),
    ],
)
def test_each_question_says_its_type(number: int, kind: str, points: str) -> None:
    assert (entry(item(number), "question_type"), entry(item(number), "points_possible")) == (kind, points)
    assert item(number).find(f"{Q}presentation/{Q}material/{Q}mattext").attrib["texttype"] == "text/html"  # type: ignore[union-attr]


def scored(number: int) -> Element:
    """The condition that gives all points."""
    conditions = item(number).findall(f".//{Q}respcondition")
    return next(condition for condition in conditions if condition.findtext(f"{Q}setvar") == "100").find(f"{Q}conditionvar")  # type: ignore[return-value]


def labels(number: int) -> list[str]:
    return [label.attrib["ident"] for label in item(number).findall(f".//{Q}response_label")]


def test_choices() -> None:
    first, second = labels(0)
    assert first.isdecimal()
    assert entry(item(0), "original_answer_ids") == f"{first},{second}"
    assert scored(0).findtext(f"{Q}varequal") == first
    assert item(0).find(f".//{Q}response_lid").attrib["rcardinality"] == "Single"  # type: ignore[union-attr]
    texts = [text.text for text in item(0).findall(f".//{Q}response_label//{Q}mattext")]
    assert texts == ["<code>a</code>", "b &lt; c"]
    notes = {note.attrib["ident"]: note.findtext(f".//{Q}mattext") for note in item(0).findall(f"{Q}itemfeedback")}
    assert notes == {"general_fb": "<p>Since <strong>a</strong>.</p>", f"{first}_fb": "<p>yes &amp; so</p>"}
    linked = {shown.attrib["linkrefid"] for shown in item(0).findall(f".//{Q}displayfeedback")}
    assert linked == set(notes)


def test_several_answers() -> None:
    both = scored(1).find(f"{Q}and")
    assert both is not None
    assert [element.text for element in both.findall(f"{Q}varequal")] == labels(1)[:2]
    assert [element.text for element in both.findall(f"{Q}not/{Q}varequal")] == labels(1)[2:]
    assert item(1).find(f".//{Q}response_lid").attrib["rcardinality"] == "Multiple"  # type: ignore[union-attr]


def test_numbers_and_words() -> None:
    either = scored(2).find(f"{Q}or")
    assert either is not None
    assert either.findtext(f"{Q}varequal") == "2.66666666667"
    assert (either.findtext(f"{Q}and/{Q}vargte"), either.findtext(f"{Q}and/{Q}varlte")) == ("2.65666666667", "2.67666666667")
    assert item(2).find(f".//{Q}render_fib").attrib["fibtype"] == "Decimal"  # type: ignore[union-attr]
    assert "Unit: tokens" in (item(2).findtext(f"{Q}presentation/{Q}material/{Q}mattext") or "")
    assert [element.text for element in scored(3).findall(f"{Q}varequal")] == ["mean & sum", "average"]


def test_the_same_quiz_gives_the_same_bytes() -> None:
    assert write_qti(QUIZ) == write_qti(QUIZ)


def notes(raw: bytes, folder: Path) -> dict[str, tuple[list[str], str, int]]:
    """Notes by guid: fields, tags, time of change."""
    file = folder / "collection.anki2"
    file.write_bytes(opened(raw).read("collection.anki2"))
    connection = sqlite3.connect(file)
    rows = connection.execute("select guid, flds, tags, mod from notes").fetchall()
    cards = connection.execute("select count(*) from cards").fetchone()[0]
    decks = connection.execute("select decks, models from col").fetchone()
    connection.close()
    assert cards == len(rows)
    assert '"quizapp"' in decks[1]
    return {key: (fields.split("\x1f"), tags, changed) for key, fields, tags, changed in rows}


def exported(item: Item, folder: Path) -> bytes:
    out = folder / "deck.apkg"
    return send_out([item], "anki", out, id="bank-1", title="Bank: one").files[out]


def test_anki_knows_a_question_again_after_an_edit(tmp_path: Path) -> None:
    before = notes(exported(checkpoint(), tmp_path), tmp_path)
    after = notes(exported(checkpoint(stem="Which *one*?", title="New", difficulty=5), tmp_path), tmp_path)
    assert list(before) == list(after) == [guid("bank-1", "pick")]
    ((fields, tags, _),) = after.values()
    assert fields == [
        "<p><b>New</b></p><p>Which <em>one</em>?</p><ol type=A><li>one</li><li>two</li></ol>",
        "<p><strong>A</strong>: one</p>\n<ul>\n<li><strong>B</strong>: mean-of-rank-means</li>\n</ul>",
        "<p>One.</p>",
        "pick",
    ]
    assert tags.split() == ["ddp", "level-5"]
    assert guid("bank-1", "pick") == "7ef952714895606927a4", "a guid never changes"


def test_anki_takes_the_newer_note(tmp_path: Path) -> None:
    """Anki updates a note when the package's is newer; the deck and the type of note keep their ids."""
    old, new = (opened(write_apkg(QUIZ, timestamp=when)) for when in (1_700_000_000.0, 1_700_000_100.0))
    found = []
    for name, archive in (("old", old), ("new", new)):
        file = tmp_path / name
        file.write_bytes(archive.read("collection.anki2"))
        with sqlite3.connect(file) as connection:
            rows = connection.execute("select guid, mid, mod from notes order by guid").fetchall()
            deck = connection.execute("select distinct did from cards").fetchall()
        found.append(([row[:2] for row in rows], deck, {row[2] for row in rows}))
    assert found[0][:2] == found[1][:2]
    assert found[0][2] == {1_700_000_000}
    assert found[1][2] == {1_700_000_100}
    assert len(found[0][0]) == len(QUIZ.questions)


def test_anki_shows_what_no_machine_marks(tmp_path: Path) -> None:
    by_id = {fields[3]: fields for fields, _, _ in notes(write_apkg(QUIZ), tmp_path).values()}
    assert "2 points: Says <em>why</em>." in by_id["essay"][1]
    assert "And then?" in by_id["essay"][1]
    assert "<code>R/N</code>" in by_id["expression"][1]
    assert "8/3" in by_id["number"][1]
