"""Moodle XML, Aiken, CSV and Anki's text: what is read, and where what isn't stands."""

from __future__ import annotations

from fractions import Fraction

import pytest

from quizapp.authoring.formats.aiken import read_aiken
from quizapp.authoring.formats.anki_text import read_anki
from quizapp.authoring.formats.intake import Intake
from quizapp.authoring.formats.moodle_read import read_moodle
from quizapp.authoring.formats.question import Choose, Essay, Number, Option, Question, ShortAnswer
from quizapp.authoring.formats.source import Source
from quizapp.authoring.formats.spreadsheet import read_csv


def places(found: Intake) -> list[tuple[int, int]]:
    return [(trouble.line, trouble.column) for trouble in found.troubles]


def moodle(*questions: str) -> Intake:
    return read_moodle(Source("quiz.xml", "\n".join(('<?xml version="1.0"?>', "<quiz>", *questions, "</quiz>"))))


def asked(kind: str, inner: str, stem: str = "Q?") -> str:
    name = "<name><text>A name</text></name>"
    text = f'<questiontext format="html"><text><![CDATA[{stem}]]></text></questiontext>'
    return f'<question type="{kind}">{name}{text}{inner}</question>'


def answer(share: str, text: str, extra: str = "") -> str:
    return f'<answer fraction="{share}" format="html"><text>{text}</text>{extra}</answer>'


A, B = answer("100", "a", "<feedback><text>yes</text></feedback>"), answer("0", "b")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        (asked("multichoice", f"<single>true</single>{A}{B}"), Choose((Option("a", True, "yes"), Option("b", False)))),
        (
            asked("multichoice", f"<shuffleanswers>0</shuffleanswers>{A}{B}"),
            Choose((Option("a", True, "yes"), Option("b", False)), False),
        ),
        (
            asked("multichoice", "<single>false</single>" + answer("50", "a") + answer("50", "b") + answer("-50", "c")),
            Choose((Option("a", True), Option("b", True), Option("c", False))),
        ),
        (
            asked("truefalse", answer("100", "true") + answer("0", "false")),
            Choose((Option("True", True), Option("False", False)), False),
        ),
        (
            asked(
                "numerical",
                answer("100", "2.5", "<tolerance>0.1</tolerance>") + "<units><unit><unit_name>m</unit_name></unit></units>",
            ),
            Number(Fraction(5, 2), Fraction(1, 10), "m"),
        ),
        (asked("shortanswer", answer("100", "Paris") + answer("100", "pari*")), ShortAnswer(("Paris", "pari*"))),
        (
            asked("essay", "<graderinfo format='plain_text'><text>Look for *x*</text></graderinfo>"),
            Essay(model_answer="Look for \\*x\\*"),
        ),
    ],
)
def test_moodle_kinds(text: str, body: object) -> None:
    found = moodle(text)
    assert found.troubles == []
    assert [question.body for question in found.questions] == [body]


def test_moodle_around_a_question() -> None:
    more = "<defaultgrade>2.0000000</defaultgrade><idnumber>Nr 7</idnumber><generalfeedback><text>Because.</text></generalfeedback>"
    more += "<hint><text>Think</text></hint><tags><tag><text>DDP hooks</text></tag><tag><text>level-5</text></tag></tags>"
    stem = "<p>Is <code>x_1</code> &lt; 2 * <em>y</em>?</p><ul><li>so</li></ul>"
    found = moodle(asked("multichoice", more + A + B, stem))
    assert found.questions == [
        Question(
            id="nr-7",
            stem="Is `x_1` < 2 \\* *y*?\n\n- so",
            body=Choose((Option("a", True, "yes"), Option("b", False))),
            title="A name",
            explanation="Because.",
            points=2,
            hint="Think",
            topics=("ddp-hooks",),
            difficulty=5,
            line=3,
            column=1,
        )
    ]


def dataset(name: str, value: str) -> str:
    ends = "<minimum><text>1</text></minimum><maximum><text>9</text></maximum>"
    items = f"<dataset_items><dataset_item><number>1</number><value>{value}</value></dataset_item></dataset_items>"
    return f"<dataset_definition><name><text>{name}</text></name>{ends}{items}</dataset_definition>"


def test_a_calculated_question_becomes_its_first_variant() -> None:
    data = "<dataset_definitions>" + dataset("S", "6.0") + dataset("n", "4") + "</dataset_definitions>"
    key = answer("100", "pow({S},2)/{n}", "<tolerance>0.01</tolerance><tolerancetype>1</tolerancetype>")
    found = moodle(asked("calculated", key + data, "Is {S} over {n} or {={S}/{n}}?"))
    assert found.troubles == []
    assert [(question.stem, question.body) for question in found.questions] == [
        ("Is 6 over 4 or 1.5?", Number(Fraction(9), Fraction(9, 100))),
    ]
    assert "S = 6 (of 1 to 9)" in found.losses[0].detail
    assert "can't be worked out" in moodle(asked("calculated", answer("100", "atan2({S},1)") + data)).troubles[0].message


@pytest.mark.parametrize(
    ("texts", "expected", "said"),
    [
        ((asked("multichoice", A + B), asked("cloze", "")), [(4, 1)], "'cloze'"),
        ((asked("numerical", "\n " + answer("100", "2,5")),), [(4, 2)], "'2,5' is no number"),
        ((asked("numerical", answer("0", "2")),), [(3, 1)], "no number that is right"),
        ((asked("multichoice", A + "\n<answer fraction='x'><text>b</text></answer>"),), [(4, 1)], "is no number"),
        ((asked("essay", "").replace("<![CDATA[Q?]]>", "<p>Q</p>"),), [(3, 90)], "inside <text>"),
        (("<thing/>",), [(3, 1)], "where <question> is wanted"),
    ],
)
def test_moodle_faults(texts: tuple[str, ...], expected: list[tuple[int, int]], said: str) -> None:
    found = moodle(*texts)
    assert places(found) == expected
    assert said in found.troubles[0].message


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (asked("multichoice", "<defaultgrade>0.5</defaultgrade>" + A + B), "points"),
        (asked("multichoice", A + B, "<img src='@@PLUGINFILE@@/x.png' alt='a graph'>Q"), "markup"),
        (asked("multichoice", A + B).replace("]]></text>", "]]></text><file name='x.png' encoding='base64'>AAAA</file>"), "file"),
        (asked("shortanswer", "<usecase>1</usecase>" + answer("100", "x")), "capitals"),
        (asked("description", ""), "question"),
        (asked("multichoice", "<hint><text>1</text></hint><hint><text>2</text></hint>" + A + B), "hint"),
    ],
)
def test_moodle_losses(text: str, what: str) -> None:
    found = moodle(text)
    assert found.troubles == []
    assert what in {loss.what for loss in found.losses}


def test_aiken() -> None:
    found = read_aiken(
        Source(
            "q.txt",
            "What?\nB is here.\nA. one\nB) *two*\nANSWER: B\n\nNo answer\nA. x\nB. y\n\nNext?\nA. x\nC. y\nANSWER: A\nANSWER: A\n",
        )
    )
    assert [(question.stem, question.body) for question in found.questions] == [
        ("What?  \nB is here.", Choose((Option("one", False), Option("\\*two\\*", True))))
    ]
    assert places(found) == [(7, 1), (13, 1), (15, 1)]


@pytest.mark.parametrize(
    ("text", "said"), [("Q?\nA. x\nB. y\nANSWER: C", "none of the options"), ("Q?\nANSWER: A", "without options")]
)
def test_aiken_faults(text: str, said: str) -> None:
    assert said in read_aiken(Source("q.txt", text)).troubles[0].message


def test_csv() -> None:
    text = """\
Question;Option 1;Option 2;Correct answer;Feedback;Tags;Marks;Level;Colour
What?;one;"two; or more";2;Since.;ddp, tokens;3;4;red
Number?;;;2.5;;;;;
Capital?;;;Paris | Lutetia;;;;;
Say.;;;;;;;;
Wrong?;a;b;C;;;;;
Cells?;a;b;A;;;;;;;;
"""
    found = read_csv(Source("q.csv", text))
    assert [question.body for question in found.questions] == [
        Choose((Option("one", False), Option("two; or more", True))),
        Number(Fraction(5, 2), Fraction(0)),
        ShortAnswer(("Paris", "Lutetia")),
        Essay(),
    ]
    first = found.questions[0]
    assert (first.explanation, first.topics, first.points, first.difficulty) == ("Since.", ("ddp", "tokens"), 3, 4)
    assert places(found) == [(6, 1), (7, 1)]
    assert [(loss.item, loss.what) for loss in found.losses] == [(None, "column")]


@pytest.mark.parametrize(("text", "said"), [("a,b\nc,d", "no column `question`"), ("", "")])
def test_csv_that_is_none(text: str, said: str) -> None:
    found = read_csv(Source("q.csv", text))
    assert found.questions == []
    assert said in "".join(trouble.message for trouble in found.troubles)


def test_anki_gives_our_own_notes_back() -> None:
    head = "#separator:tab\n#html:true\n#notetype column:1\n#tags column:6\n"
    front, back = "<p>Which?</p><ol type=A><li>one</li><li>two</li></ol>", "<p><b>A</b>: one</p>"
    row = "\t".join(("quizapp", f'"{front}"', back, "<p>Since.</p>", "pick-one", "ddp level-3\n"))
    (question,) = read_anki(Source("notes.txt", head + row)).questions
    assert (question.id, question.stem, question.explanation) == ("pick-one", "Which?\n\n1. one\n2. two", "**A**: one\n\nSince.")
    assert (question.topics, question.difficulty) == (("ddp",), 3)


def test_anki() -> None:
    text = """\
#separator:tab
#html:true
#guid column:1
#deck column:2
#tags column:5
x1\tDDP::Hooks\tWhat is <b>R</b>?\tThe world size\tlevel-2 ranks
x2\tDDP::Hooks\t"Why ""divide""?"\tBecause the hook sums over all the ranks.\t
x3\tDDP\tThe mean is {{c1::sum::operation}} by n.\t\t
x4\tDDP\t\tnothing\t
x5\tDDP\t[sound:a.mp3]Hear\tfoo\t
"""
    found = read_anki(Source("notes.txt", text))
    assert [(question.stem, question.body) for question in found.questions] == [
        ("What is **R**?", ShortAnswer(("The world size",))),
        ('Why "divide"?', Essay(model_answer="Because the hook sums over all the ranks.")),
        ("The mean is [operation] by n.", ShortAnswer(("sum",))),
        ("Hear", ShortAnswer(("foo",))),
    ]
    assert [question.topics for question in found.questions[:2]] == [("ranks",), ("hooks",)]
    assert found.questions[0].difficulty == 2
    assert places(found) == [(9, 1)]
    assert {loss.what for loss in found.losses} == {"marking", "file"}
