"""Numbers of things in words."""

from quizapp.model.nouns import numbered, points


def test_one_thing_is_said_in_the_singular() -> None:
    assert [numbered(number, "point") for number in (0, 1, 2)] == ["0 points", "1 point", "2 points"]
    assert (points(0, 1), points(1, 1), points(1, 2)) == ("0 of 1 point", "1 of 1 point", "1 of 2 points")
