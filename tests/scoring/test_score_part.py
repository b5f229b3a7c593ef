"""The door of the room: every kind finds its scorer, and slots of the bank's texts are filled in."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from pydantic import TypeAdapter

from quizapp.model.question import Part
from quizapp.model.variant import ShownChoice, Variant
from quizapp.scoring.score import AnswerError, filled_rubric, score_part

VARIANT = Variant(None, {"n": Fraction(6)})
TITLES = {"raw-sum": "the sum itself"}


def part(**fields: Any) -> Part:
    made: Part = TypeAdapter(Part).validate_python({"id": "main", **fields})
    return made


def test_choice() -> None:
    asked = part(
        kind="choice", choices=[{"id": "x", "value": "n", "key": True}, {"id": "y", "value": "n/2", "note": "half of {{ n }}"}]
    )
    shown = [
        ShownChoice("A", "x", "6", Fraction(6), True, None, None),
        ShownChoice("B", "y", "3", Fraction(3), False, None, "half of {{ n }}"),
    ]
    assert score_part(asked, VARIANT, shown, "6", stem="", titles={}).points == 1
    assert "half of 6." in score_part(asked, VARIANT, shown, "b", stem="", titles={}).criteria[0].reason


def test_numeric() -> None:
    asked = part(kind="numeric", key="n/4", wrong=[{"value": "n", "misconception": "raw-sum"}])
    assert score_part(asked, VARIANT, (), "3/2", stem="", titles=TITLES).points == 1
    assert score_part(asked, VARIANT, (), "6", stem="", titles=TITLES).misconceptions == ("raw-sum",)


def test_symbolic() -> None:
    symbols = {"x": {"range": [1, 9], "meaning": "a number"}}
    asked = part(
        kind="symbolic", key="x*x", symbols=symbols, wrong=[{"value": "x", "misconception": "raw-sum", "note": "not {{ n }}"}]
    )
    assert score_part(asked, VARIANT, (), "x^2", stem="", titles=TITLES).points == 1
    assert "not 6." in score_part(asked, VARIANT, (), "x", stem="", titles=TITLES).criteria[0].reason


TEXT = {
    "kind": "text",
    "points": 2,
    "rubric": {
        "criteria": [
            {
                "id": "count",
                "points": 2,
                "description": "Divides by all {{ n }} tokens.",
                "accept": ["divide by the {{ n }} tokens of all ranks together"],
                "groups": [["divide", "denominator"], ["{{ n }}", "all"]],
                "follow_up": "What are there {{ n }} of?",
            }
        ],
        "misconceptions": [
            {"id": "raw-sum", "accept": ["add up {{ n }} things"], "refute": ["not {{ n }} things"], "follow_up": "Why {{ n }}?"}
        ],
    },
}


def test_text_with_slots() -> None:
    asked = part(**TEXT)
    right = score_part(asked, VARIANT, (), "I divide by 6 tokens, over all ranks together.", stem="How?", titles=TITLES)
    assert right.points == 2
    wrong = score_part(asked, VARIANT, (), "I would have to look it up somewhere.", stem="How?", titles=TITLES)
    assert wrong.criteria[0].reason == "Missing: Divides by all 6 tokens."
    assert wrong.follow_up == "What are there 6 of?"


def test_slots_in_an_answer_are_only_text() -> None:
    score = score_part(
        part(**TEXT), VARIANT, (), "I divide by {{ 1/0 }} and by {{ n }} tokens of all ranks.", stem="How?", titles=TITLES
    )
    assert "1/0" in score.criteria[0].reason or score.criteria[0].met != "met"


def test_a_rubric_without_slots_stays_the_same_object() -> None:
    plain = part(kind="text", rubric={"criteria": [{"id": "a", "points": 1, "description": "d", "accept": ["e f g"]}]})
    assert plain.kind == "text"
    assert filled_rubric(plain.rubric, {}) is plain.rubric


def test_code_is_the_judges() -> None:
    with pytest.raises(TypeError):
        score_part(part(kind="code", folder="labs/x"), VARIANT, (), "print()", stem="", titles={})


def test_what_can_not_be_read_is_an_answer_error() -> None:
    with pytest.raises(AnswerError):
        score_part(part(kind="numeric", key="n"), VARIANT, (), "1,5", stem="", titles={})
