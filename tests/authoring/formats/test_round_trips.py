"""What goes out comes back, except for what the two reports say."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from banks import checkpoint, items, round_trip
from hypothesis import HealthCheck, Phase, given, settings

from quizapp.authoring.formats.markup import to_html
from quizapp.authoring.formats.question import Choose, Essay, Number, Question
from quizapp.model.question import Choice, Item


def one_emphasis(html: str) -> str:
    """HTML in which emphasis within, or right beside, emphasis of the same kind is one."""
    for tag in ("em", "strong"):
        depth, found = 0, []
        for piece in re.split(f"(</?{tag}>)", html):
            depth += {f"<{tag}>": 1, f"</{tag}>": -1}.get(piece, 0)
            if (piece, depth) in ((f"<{tag}>", 1), (f"</{tag}>", 0)) or "<" not in piece[:1] or not piece.endswith(f"{tag}>"):
                found.append(piece)
        html = "".join(found).replace(f"</{tag}><{tag}>", "")
    return html


def shown(text: str | None) -> str:
    """What a reader sees of a Markdown text, whatever the white space between its blocks and between the entries of a list."""
    html = " ".join(one_emphasis(to_html(text or "")).split())
    return html.replace("<li> <p>", "<li>").replace("</p> </li>", "</li>").replace("</p> <ul>", " <ul>")


def differences(sent: Question, came: Question) -> Iterator[str]:
    """The fields, by the report's words, in which a question came back different."""
    for what, one, other in (
        ("id", sent.id, came.id),
        ("topics", sent.topics, came.topics),
        ("difficulty", sent.difficulty, came.difficulty),
        ("points", sent.points, came.points),
        ("stem", shown(sent.stem), shown(came.stem)),
        ("title", " ".join((sent.title or "").split()), came.title or ""),
        ("hint", shown(sent.hint), shown(came.hint)),
        ("explanation", shown(sent.explanation), shown(came.explanation)),
    ):
        if one != other:
            yield what
    match sent.body, came.body:
        case Choose() as one, Choose() as other:
            pairs = list(zip(one.options, other.options, strict=True))
            if any((shown(a.text), a.key) != (shown(b.text), b.key) for a, b in pairs):
                yield "options"
            if any(shown(a.note) != shown(b.note) for a, b in pairs):
                yield "option-notes"
            if one.shuffle != other.shuffle:
                yield "order"
        case Number() as one, Number() as other:
            if float(one.key) != pytest.approx(float(other.key), rel=1e-11):
                yield "key"
            if float(one.tolerance) != pytest.approx(float(other.tolerance), rel=1e-5):
                yield "tolerance"
            if one.unit != other.unit:
                yield "unit"
            if one.wrong != other.wrong:
                yield "wrong-numbers"
        case Essay(), Essay():
            if sent.body.rubric != came.body.rubric:
                yield "rubric"
        case _:
            yield "kind"


def check(found: tuple[Item, ...], format: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sent, came, lost, imported = round_trip(found, format, Path(folder))
    assert imported.troubles == ()
    left_out = {loss.item for loss in lost if loss.what == "question"}
    kept = [question for question in sent if question.id not in left_out]
    assert len(came) == len(kept)
    for one, other in zip(kept, came, strict=True):
        said = {loss.what for loss in lost if loss.item == one.id} | {
            loss.what for loss in imported.losses if loss.item == other.id
        }
        # A changed unit stands in the text; lost markup may be anywhere.
        said |= {"stem"} if "unit" in said else set()
        said |= {"stem", "options"} if "markup" in said else set()
        # What the importer writes into a bank that has no place for it.
        said |= {"topics", "difficulty", "explanation"} & said
        assert set(differences(one, other)) <= said, (one, other)


# Shrinking a bank takes minutes; a failure is printed as found.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
PROPERTY = settings(max_examples=15, deadline=None, phases=PHASES, suppress_health_check=[HealthCheck.too_slow])


HARD = (
    checkpoint(choices=(
        Choice(id="a", text="`` ` ``", key=True, note="a ` \\` [note](https://example.org/a_b?c=d&e=f)"),
        Choice(id="b", text="_*one* and_ *an*_other_", note="*of*_*]* a_ **mean**"),
    )),
    checkpoint(choices=(Choice(id="a", text="{= ~\\[", key=True), Choice(id="b", text="{=x}"))),
    checkpoint(stem="````python\n```\n````\n\n```\n\n  b\n```\n\n` `", explanation="```\n```"),
    checkpoint(stem="+ one\n\n- two\n\n* three", explanation="1. one\n\n1) two\n\nand\n\n1. three"),
)  # fmt: skip
"""Code, emphasis and lists that once came back otherwise."""


@pytest.mark.parametrize("format", ["moodle", "gift", "csv"])
@pytest.mark.parametrize("item", HARD, ids=["options", "formulas", "blocks", "lists"])
def test_what_once_came_back_otherwise(item: Item, format: str) -> None:
    check((item,), format)


@PROPERTY
@given(items())
def test_gift(found: tuple[Item, ...]) -> None:
    check(found, "gift")


@PROPERTY
@given(items())
def test_moodle(found: tuple[Item, ...]) -> None:
    check(found, "moodle")


@PROPERTY
@given(items())
def test_csv(found: tuple[Item, ...]) -> None:
    check(found, "csv")


@PROPERTY
@given(items())
def test_aiken(found: tuple[Item, ...]) -> None:
    check(found, "aiken")
