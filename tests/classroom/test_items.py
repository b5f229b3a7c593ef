"""Item analysis: numbers checked by hand and by another route, and what is said of items."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.classroom.attempts import Attempt
from quizapp.classroom.items import Analysis, Option, alpha, analyse

KEYS = ("a", "b", "c", "d")


def attempts(points: list[list[int]], in_class: bool = True) -> list[Attempt]:
    return [
        Attempt(f"s{row:02}", KEYS[column], "main", value, 1, "right" if value else "wrong", in_class)
        for row, values in enumerate(points)
        for column, value in enumerate(values)
        if value is not None
    ]


def analysed(found: list[Attempt], **options: list[Option]) -> Analysis:
    return analyse(found, {(item, "main"): tuple(given) for item, given in options.items()}, {"m": "The mean of means"})


def test_alpha_of_a_worked_example() -> None:
    """Variances of the items 0.25, 0.24, 0.24 by hand, of the totals 1.29: 3/2 (1 - 0.73/1.29)."""
    points = [[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 1]]
    spread = [np.var(column) for column in zip(*points, strict=True)]
    wanted = 1.5 * (1 - sum(spread) / np.var([sum(row) for row in points]))
    assert alpha(points) == pytest.approx(wanted)
    assert spread == pytest.approx([0.25, 0.24, 0.24])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=4, max_size=30))
def test_discrimination_by_another_route(points: list[list[int]]) -> None:
    found = analysed(attempts(points))
    table = np.array(points, dtype=float)
    for column, one in enumerate(found.items):
        rest = np.delete(table, column, axis=1).mean(axis=1)
        assert one.difficulty == pytest.approx(table[:, column].mean())
        if table[:, column].std() == 0 or rest.std() < 1e-12:
            assert one.discrimination is None
        else:
            assert one.discrimination == pytest.approx(np.corrcoef(table[:, column], rest)[0, 1], abs=1e-9)


def test_fewer_than_two_items_or_equal_totals_have_no_alpha() -> None:
    assert alpha([[1], [0], [1]]) is None
    assert alpha([[1, 0], [0, 1], [1, 0]]) is None
    assert alpha([[1, 0], [0, 0]]) is None


def test_a_class_member_without_a_row_left_it_out_a_learner_did_not() -> None:
    found = attempts([[1, 1], [1, None], [0, 0]])  # type: ignore[list-item]
    assert [(one.students, one.omitted) for one in analysed(found).items] == [(3, 0), (3, 1)]
    learners = attempts([[1, 1], [1, None], [0, 0]], in_class=False)  # type: ignore[list-item]
    assert [(one.students, one.omitted) for one in analysed(learners).items] == [(3, 0), (2, 0)]


def test_options_and_what_is_said_of_them() -> None:
    """Good students take `trap` and weak ones the key; nobody takes `idle`."""
    options = [Option("key", "1", True, None), Option("trap", "2", False, "m"), Option("idle", "3", False, "m")]
    found = []
    for number in range(20):
        good = number < 12
        found.append(Attempt(f"s{number:02}", "a", "main", 0 if good else 1, 1, "x", True, chosen=("trap" if good else "key",)))
        found.append(Attempt(f"s{number:02}", "b", "main", 1 if good else 0, 1, "x", True))
    result = analysed(found, a=options)
    rates = {one.option.id: (one.count, one.rate, one.rest) for one in result.items[0].options}
    assert rates == {"key": (8, 0.4, 0.0), "trap": (12, 0.6, 1.0), "idle": (0, 0.0, None)}
    said = " | ".join(one.why for one in result.look_at if one.item == "a")
    assert "who does well elsewhere does worse here (discrimination -1.00)" in said
    assert "more chose trap (12) than the key (8)" in said
    assert "almost nobody chose idle" in said
    assert "who chose trap does better elsewhere" in said


def test_few_students_blame_no_item() -> None:
    assert analysed(attempts([[0, 1], [1, 0], [0, 1]])).look_at == ()


def test_hard_easy_and_omitted_items_are_named() -> None:
    found = attempts([[0, 1, 1]] * 11 + [[1, 1, 0]])
    found += [Attempt(f"s{row:02}", "d", "main", 0, 1, "missing" if row < 6 else "right", True) for row in range(12)]
    said = [(one.item, one.why.partition(":")[0]) for one in analysed(found).look_at]
    assert {("a", "hard"), ("b", "easy"), ("d", "6 of 12 left it out")} <= set(said)


def test_misconceptions_by_frequency_with_the_students() -> None:
    found = [
        Attempt(name, "a", "main", 0, 1, "wrong", True, misconceptions=shown)
        for name, shown in (("ada", ("m",)), ("ben", ("n", "m")), ("cee", ()))
    ]
    assert [(one.id, one.title, one.students) for one in analysed(found).misconceptions] == [
        ("m", "The mean of means", ("ada", "ben")),
        ("n", "n", ("ben",)),
    ]


def test_identical_programs_are_named() -> None:
    found = [
        Attempt(name, "a", "main", 1, 1, "pass", True, program=digest) for name, digest in (("ada", "x"), ("ben", "x"), ("cee", ""))
    ]
    assert analysed(found).identical == ((("a", "main"), ("ada", "ben")),)
