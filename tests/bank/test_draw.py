"""Variants from seeds: pinned for ever, within ranges and constraints, or a clear error."""

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.bank.draw import DrawError, Stream, draw, shown_choices
from quizapp.bank.load import load
from quizapp.model.question import Checkpoint, Choice, ChoicePart, Variable
from quizapp.model.variant import Variant


def item(constraints: tuple[str, ...] = (), **variables: Variable) -> Checkpoint:
    choices = (Choice(id="a", value="1", key=True), Choice(id="b", value="2", misconception="x"))
    return Checkpoint(
        id="an-item", kind="checkpoint", topics=("t",), difficulty=1, stem="s", explanation="e", choices=choices,
        variables=variables, constraints=constraints,
    )  # fmt: skip


N = Variable(value=(2, 4), range=(1, 9), distinct=True)
S = Variable(value=6, range=(-5, 1000))
FOUR = ChoicePart(kind="choice", choices=tuple(Choice(id=name, text=name.upper()) for name in ("p", "q", "r", "s")))


def test_what_a_stream_gives_is_pinned() -> None:
    stream = Stream("two", "words")
    assert [stream.below(10) for _ in range(12)] == [7, 8, 9, 5, 6, 6, 0, 3, 4, 0, 5, 3]
    assert Stream("x").shuffled(6) == [0, 2, 5, 1, 3, 4]
    assert Stream("big").below(10**30) == 143761684632051774432050944393


def test_what_a_seed_gives_is_pinned() -> None:
    drawn = [draw(item(n=N, S=S), seed).values for seed in (0, 1, -1, 10**30)]
    pairs = [(tuple(map(int, values["n"])), int(values["S"])) for values in drawn]
    assert pairs == [((2, 7), 107), ((6, 5), 287), ((2, 1), 249), ((5, 2), 965)]
    orders = ["".join(option.id for option in shown_choices(FOUR, Variant(seed, {}))) for seed in range(6)]
    assert orders == ["rsqp", "sqpr", "srqp", "rpsq", "qpsr", "sqpr"]


def test_without_a_seed_the_banks_own_values_and_order() -> None:
    variant = draw(item(n=N, S=S), None)
    assert (variant.seed, variant.values) == (None, {"n": (Fraction(2), Fraction(4)), "S": Fraction(6)})
    assert [(option.letter, option.id, option.text) for option in shown_choices(FOUR, variant)] == [
        ("A", "p", "P"), ("B", "q", "Q"), ("C", "r", "R"), ("D", "s", "S")
    ]  # fmt: skip


def test_options_stay_in_order_where_the_part_says_so() -> None:
    part = FOUR.model_copy(update={"shuffle": False})
    assert all([option.id for option in shown_choices(part, Variant(seed, {}))] == list("pqrs") for seed in range(10))


def test_options_show_values_and_fill_slots() -> None:
    part = ChoicePart(
        kind="choice",
        shuffle=False,
        choices=(Choice(id="a", value="n[0]/3", key=True), Choice(id="b", text="{{ sum(n) }} of {{ n }}", value="7", note="no")),
    )
    first, second = shown_choices(part, draw(item(n=N), None))
    assert (first.text, first.value, first.key) == ("2/3", Fraction(2, 3), True)
    assert (second.text, second.value, second.note) == ("6 of 2, 4", Fraction(7), "no")


@given(st.integers())
def test_draws_keep_ranges_distinctness_and_constraints(seed: int) -> None:
    values = draw(item(("n[0] < n[1]", "S % 2 == 0"), n=N, S=S), seed).values
    first, second = values["n"]
    assert 1 <= first < second <= 9
    assert -5 <= values["S"] <= 1000
    assert values["S"] % 2 == 0


@given(st.integers())
def test_a_variable_added_later_changes_no_other(seed: int) -> None:
    assert draw(item(n=N), seed).values["n"] == draw(item(n=N, S=S), seed).values["n"]


def test_a_variable_without_range_keeps_its_value() -> None:
    assert draw(item(n=N, m=Variable(value=3)), 5).values["m"] == 3


def test_every_value_and_every_order_comes_up_about_as_often() -> None:
    values = Counter(draw(item(m=Variable(value=1, range=(1, 6))), seed).values["m"] for seed in range(1200))
    assert sorted(values) == [1, 2, 3, 4, 5, 6]
    assert all(140 < count < 260 for count in values.values())
    orders = Counter(tuple(option.id for option in shown_choices(FOUR, Variant(seed, {}))) for seed in range(2400))
    assert len(orders) == 24
    assert all(60 < count < 145 for count in orders.values())


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (item(("m > 9",), m=Variable(value=1, range=(1, 9))), "no values within the ranges"),
        (item(m=Variable(value=1, range=(9, 1))), "is empty"),
        (item(n=Variable(value=(1, 2, 3), range=(1, 2), distinct=True)), "3 distinct numbers don't fit"),
        (item(("1/(m - 2) > 0",), m=Variable(value=1, range=(2, 2))), "can't be evaluated: a division by zero"),
    ],
)
def test_where_nothing_can_be_drawn_it_is_said(made: Checkpoint, message: str) -> None:
    with pytest.raises(DrawError, match=message):
        draw(made, 1)


def test_an_item_from_a_file_draws_as_one_built_here(folder: Path) -> None:
    loaded = load([folder]).items["pick"].item
    assert draw(loaded, 3) == draw(loaded.model_copy(), 3)
    assert draw(loaded, 3) != draw(loaded, 4)
