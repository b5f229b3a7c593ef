"""Choices: which option is named, and what it earns."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from quizapp.model.question import ChoicePart
from quizapp.model.score import Score
from quizapp.model.variant import ShownChoice
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.choice import choose, score_choice

TITLES = {"mean-of-rank-means": "the mean of per-rank means"}


def shown(*options: dict[str, Any]) -> list[ShownChoice]:
    rows = []
    for letter, option in zip("ABCDEFG", options, strict=False):
        value = option.get("value")
        filled = {
            "text": str(value),
            "key": False,
            "misconception": None,
            "note": None,
            **option,
            "value": None if value is None else Fraction(value),
        }
        rows.append(ShownChoice(letter=letter, **filled))
    return rows


MEANS = shown(
    {"id": "three", "value": "3", "misconception": "mean-of-rank-means", "note": "(4 + 2)/2 averages the means"},
    {"id": "two-and-a-half", "value": "5/2", "text": "2.5", "key": True, "note": "10 tokens' worth over 4"},
    {"id": "ten", "value": "10", "misconception": "mean-of-rank-means"},
    {"id": "b", "value": "5"},
)
SCALARS = shown(
    {"id": "plain", "text": "`L_r/N`"},
    {"id": "compensated", "text": "R*L_r / N", "key": True},
    {"id": "local", "text": "Divide by the local count, then average."},
    {"id": "n-lower", "text": "n"},
    {"id": "n-upper", "text": "N"},
)


def part(keys: int = 1, points: int = 1) -> ChoicePart:
    options = [{"id": f"o{at}", "value": at, "key": at < keys} for at in range(4)]
    return ChoicePart.model_validate({"id": "mean", "kind": "choice", "points": points, "choices": options})


@pytest.mark.parametrize(
    ("answer", "id"),
    [
        ("three", "three"),
        ("2.5", "two-and-a-half"),
        ("5/2", "two-and-a-half"),
        ("2 1/2", "two-and-a-half"),
        ("2.50", "two-and-a-half"),
        ("3", "three"),
        ("3.0", "three"),
        ("= 3", "three"),
        ("A", "three"),
        ("a)", "three"),
        ("(C)", "ten"),
        ("c.", "ten"),
        ("[c]", "ten"),
        ("option C", "ten"),
        ("Answer: c", "ten"),
        ("b", "b"),
        ("B", "two-and-a-half"),
        ("d", "b"),
        (" ten ", "ten"),
    ],
)
def test_id_then_value_then_letter(answer: str, id: str) -> None:
    assert [choice.id for choice in choose(MEANS, answer)] == [id]


@pytest.mark.parametrize(
    ("answer", "id"),
    [
        ("L_r/N", "plain"),
        ("R * L_r/N", "compensated"),
        ("r*l_r/n", "compensated"),
        ("divide by the local count, then average", "local"),
        ("n", "n-lower"),
        ("N", "n-upper"),
    ],
)
def test_by_text(answer: str, id: str) -> None:
    assert [choice.id for choice in choose(SCALARS, answer)] == [id]


@pytest.mark.parametrize("answer", ["1", "2", "4", "first", "", "  ", "E", "z", "2.6", "threee", "A or B"])
def test_what_names_no_option_is_an_error_that_lists_them(answer: str) -> None:
    with pytest.raises(AnswerError) as caught:
        choose(MEANS, answer)
    assert "[two-and-a-half]" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_digit_is_a_value_and_never_a_position() -> None:
    options = shown({"id": "x", "value": "2"}, {"id": "y", "value": "1"}, {"id": "z", "text": "something else"})
    assert [c.id for c in choose(options, "1")] == ["y"]
    assert [c.id for c in choose(options, "2")] == ["x"]
    with pytest.raises(AnswerError):
        choose(options, "3")


def test_decimals_find_fractions() -> None:
    options = shown({"id": "x", "value": "8/3"}, {"id": "y", "value": "2"})
    assert [c.id for c in choose(options, "2.667")] == ["x"]
    with pytest.raises(AnswerError):
        choose(options, "2.67")


def test_two_options_that_look_alike_need_a_letter() -> None:
    options = shown({"id": "x", "value": "2"}, {"id": "y", "value": "2", "text": "2.0"})
    with pytest.raises(AnswerError, match="more than one"):
        choose(options, "4/2")
    assert [c.id for c in choose(options, "B")] == ["y"]


def test_an_overlong_answer_is_refused() -> None:
    with pytest.raises(AnswerError):
        choose(MEANS, "a, " * 2000)


def test_right() -> None:
    score = score_choice(part(), MEANS, "B", TITLES)
    assert (score.points, score.max_points, score.outcome, score.misconceptions) == (1, 1, "right", ())
    assert "10 tokens' worth over 4" in score.criteria[0].reason


def test_wrong_has_its_misconception_and_its_note() -> None:
    score = score_choice(part(points=2), MEANS, "3", TITLES)
    assert (score.points, score.max_points, score.outcome) == (0, 2, "wrong")
    assert score.misconceptions == ("mean-of-rank-means",)
    assert "(4 + 2)/2 averages the means." in score.criteria[0].reason
    assert score.criteria[0].id == "mean"


def test_wrong_without_a_note_has_the_title() -> None:
    assert "the mean of per-rank means" in score_choice(part(), MEANS, "ten", TITLES).criteria[0].reason


def test_wrong_without_a_misconception() -> None:
    score = score_choice(part(), MEANS, "5", TITLES)
    assert (score.points, score.misconceptions, score.criteria[0].reason) == (0, (), "D is wrong.")


def test_one_option_where_one_is_asked_for() -> None:
    with pytest.raises(AnswerError, match="One option"):
        score_choice(part(), MEANS, "a, b", TITLES)


SEVERAL = shown(
    {"id": "counts", "text": "counts", "key": True},
    {"id": "sums", "text": "sums", "key": True},
    {"id": "steps", "text": "steps", "misconception": "mean-of-rank-means"},
    {"id": "hosts", "text": "hosts and names"},
)


def several(answer: str, points: int = 2) -> Score:
    return score_choice(part(keys=2, points=points), SEVERAL, answer, TITLES)


@pytest.mark.parametrize(
    ("answer", "points", "outcome"),
    [
        ("counts, sums", 2, "right"),
        ("A,B", 2, "right"),
        ("b; a", 2, "right"),
        ("a and b", 2, "right"),
        ("a b", 2, "right"),
        ("a, a, b", 2, "right"),
        ("a", 1, "partial"),
        ("a, b, c", 1, "partial"),
        ("a, c", 0, "wrong"),
        ("c", 0, "wrong"),
        ("a, b, c, hosts and names", 0, "wrong"),
        ("hosts and names and counts", 0, "wrong"),
    ],
)
def test_several_keys(answer: str, points: int, outcome: str) -> None:
    score = several(answer)
    assert (score.points, score.outcome) == (points, outcome)


def test_several_keys_round_down() -> None:
    assert several("a", points=3).points == 1
    assert several("a", points=1).points == 0


def test_several_keys_explain_themselves() -> None:
    reason = several("a, c").criteria[0].reason
    assert "1 of the 2 right options" in reason
    assert "takes back" in reason
    assert several("a, c").misconceptions == ("mean-of-rank-means",)


def test_an_unknown_name_in_a_list_is_an_error() -> None:
    with pytest.raises(AnswerError, match="'x' names no option"):
        several("a, x")
