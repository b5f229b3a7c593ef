"""GIFT: what Moodle's own documentation shows is read, and what is written is what Moodle reads."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from banks import checkpoint

from quizapp.authoring.formats.gift_read import read_gift
from quizapp.authoring.formats.intake import Intake
from quizapp.authoring.formats.question import Choose, Essay, Number, Option, ShortAnswer
from quizapp.authoring.formats.send_out import send_out
from quizapp.authoring.formats.source import Source


def read(text: str) -> Intake:
    return read_gift(Source("quiz.gift", text))


def options(*given: tuple[str, bool] | tuple[str, bool, str]) -> tuple[Option, ...]:
    return tuple(Option(*entry) for entry in given)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("Who?{=no one ~Grant ~Napoleon}", Choose(options(("no one", True), ("Grant", False), ("Napoleon", False)))),
        ("Who?{\n=no one\n#yes\n~Grant#no\n}", Choose(options(("no one", True, "yes"), ("Grant", False, "no")))),
        ("Who?{~%50%a ~%50%b ~%-50%c}", Choose(options(("a", True), ("b", True), ("c", False)))),
        ("So?{T}", Choose(options(("True", True), ("False", False)), shuffle=False)),
        ("So?{FALSE#bad#good}", Choose(options(("True", False, "bad"), ("False", True, "good")), shuffle=False)),
        ("Two plus two {=four =4 a}", ShortAnswer(("four", "4 a"))),
        ("Two plus two {=four}", ShortAnswer(("four",))),
        ("When?{#1822:5}", Number(Fraction(1822), Fraction(5))),
        ("Pi?{#3.14..3.16}", Number(Fraction(315, 100), Fraction(1, 100))),
        ("Pi?{#=3.1416:0.0005 =%50%3:0.5}", Number(Fraction("3.1416"), Fraction("0.0005"))),
        ("Write.{}", Essay()),
        ("[markdown]*Is* {=`a\\=\\{b\\}` ~c\\:\\\\d}", Choose(options(("`a={b}`", True), ("c:\\d", False)))),
        ("[html]<p>Is <b>x</b></p>{=<i>a</i> ~b}", Choose(options(("*a*", True), ("b", False)))),
    ],
)
def test_kinds(text: str, body: object) -> None:
    found = read(text)
    assert found.troubles == []
    assert [question.body for question in found.questions] == [body]


def test_everything_around_a_question() -> None:
    text = """\
$CATEGORY: $course$/top/Averages

// a comment [id:first-one] [tag:ddp] [tag:level-4]
::Title\\: here::Line one\\nline two{=a ~b####It is \\#1.}

Grant is {~buried =entombed ~living} in Grant's tomb.
"""
    first, second = read(text).questions
    assert (first.id, first.title, first.topics, first.difficulty) == ("first-one", "Title: here", ("ddp",), 4)
    assert (first.stem, first.explanation, first.line) == ("Line one  \nline two", "It is #1.", 4)
    assert (second.stem, second.topics, second.line) == ("Grant is [...] in Grant's tomb.", ("averages",), 6)


def test_matching_becomes_choices() -> None:
    found = read("Match.{=cat -> meow =dog -> bark =duck -> quack}")
    assert [question.stem for question in found.questions] == ["Match.\n\ncat", "Match.\n\ndog", "Match.\n\nduck"]
    assert [loss.what for loss in found.losses] == ["matching"]


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("ok{=a ~b}\n\n  Bad {=a ~b", (3, 7), "isn't closed"),
        ("Bad } x", (1, 5), "without a {"),
        ("::Title x{=a ~b}", (1, 1), "title that isn't closed"),
        ("One{=a ~b}\nTwo{=a ~b}", (2, 4), "second {"),
        ("Num\n{#abc}", (2, 3), "no number"),
        ("Num{#=%0%3}", (1, 6), "no number that is right"),
        ("One{~a ~b}", (1, 1), "without a right option"),
        ("One{=a ~a}", (1, 1), "two options that read 'a'"),
        ("One{=a ~}", (1, 1), "without text"),
        ("{=a ~b}", (1, 1), "question without text"),
        ("Match{=a -> b =c}", (1, 15), "without ->"),
    ],
)
def test_faults_have_places(text: str, place: tuple[int, int], said: str) -> None:
    found = read(text)
    assert [(trouble.line, trouble.column) for trouble in found.troubles] == [place]
    assert said in found.troubles[0].message
    assert found.troubles[0].mend


@pytest.mark.parametrize(
    ("text", "what", "detail"),
    [
        ("A{=a ~%30%b}", "partial-credit", "'b' earned 30 %"),
        ("A{~%80%a ~b =c}", "partial-credit", "'a' earned 80 %"),
        ("A{~%70%a ~%30%b ~%-50%c}", "partial-credit", "earns the same"),
        ("A{~%50%a ~%50%b ~c}", "partial-credit", "takes back"),
        ("A{~%100%a ~b}", "several", "one is to be chosen"),
        ("A{=4}", "short", "a number"),
        ("A{#3:2}", "tolerance", "more than a fifth"),
        ("A{#0:1}", "tolerance", "0.2"),
        ("A{#=3 =%0%4#near}", "wrong-numbers", "comments"),
        ("A{#=3 ~nope}", "wrong-numbers", "any other number"),
        ("Only a description.", "question", "asks nothing"),
        ("[html]<img src='x.png'>A{=a ~b}", "markup", "<img>"),
    ],
)
def test_losses_are_listed(text: str, what: str, detail: str) -> None:
    found = read(text)
    assert found.troubles == []
    assert any(loss.what == what and detail in loss.detail for loss in found.losses), found.losses


def test_what_is_written(tmp_path: Path) -> None:
    item = checkpoint(stem="Is `{a: 1}` = 2?\n\nSay.", title="A ~ b", hint="Look.", points=3)
    out = tmp_path / "quiz.gift"
    exported = send_out([item], "gift", out, id="b", title="B", titles={"mean-of-rank-means": "The mean of means"})
    assert exported.files[out].decode().split("\n", 2)[2] == (
        "// [id:pick] [tag:ddp] [tag:level-2]\n"
        "::A \\~ b::[markdown]Is `\\{a\\: 1\\}` \\= 2?\\n\\nSay. {\n"
        "\t=one\n\t~two#The mean of means\n\t####One.\n}\n"
    )
    assert {(loss.item, loss.what, loss.fate) for loss in exported.losses} == {
        ("pick", "misconceptions", "lost"),
        ("pick", "points", "lost"),
        ("pick", "hint", "lost"),
    }
