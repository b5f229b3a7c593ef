"""The playground's arithmetic: the canon's figures, and laws that hold for any counts."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.bank.find import bank_folders
from quizapp.bank.load import load
from quizapp.practice.playground import WAYS, Setup, SetupError, outcome, read_setup

BY_ID = {way.id: way for way in WAYS}
TOKENS = st.integers(0, 9)


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    ranks, microbatches = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    counts = tuple(tuple(draw(TOKENS) for _ in range(microbatches)) for _ in range(ranks))
    sums = tuple(tuple(Fraction(draw(st.integers(0, 20))) if count else Fraction(0) for count in rank) for rank in counts)
    return Setup(counts, sums, draw(st.integers(1, 4)))


@pytest.mark.parametrize(
    ("counts", "sums", "way", "wanted", "given"),
    [
        ("1 | 3", "4 | 0", "rank-means", "1", "2"),
        ("2 | 4", "6 | 6", "rank-means", "2", "9/4"),
        ("2 | 1 | 3", "4 | 5 | 3", "rank-means", "2", "8/3"),
        ("1+3", "4+6", "microbatch-means", "5/2", "3"),
        ("1+3", "4+6", "right", "5/2", "5/2"),
        ("2 | 4", "6 | 6", "no-factor", "2", "1"),
        ("2 | 4", "6 | 6", "padding", "2", "3/2"),
        ("2 | 4", "6 | 6", "summed", "2", "9/2"),
        ("2 | 4", "6 | 6", "sum", "2", "6"),
    ],
)
def test_figures(counts: str, sums: str, way: str, wanted: str, given: str) -> None:
    made = outcome(read_setup(counts, sums), BY_ID[way])
    assert (made.wanted, made.given) == (Fraction(wanted), Fraction(given))


def test_a_short_window_divided_by_the_planned_number() -> None:
    made = outcome(read_setup("2", "6", planned="4"), BY_ID["planned"])
    assert (made.wanted, made.given) == (3, Fraction(3, 4))


def test_an_empty_rank_is_told() -> None:
    made = outcome(read_setup("0 | 3", "0 | 6"), BY_ID["rank-means"])
    assert (made.wanted, made.given) == (2, 1)
    assert "rank 0" in made.notes[0]
    assert "NaN" in made.notes[0]
    assert outcome(read_setup("0 | 0", ""), BY_ID["rank-means"]).given is None


def test_equal_counts_hide_the_mistake_and_it_is_said() -> None:
    made = outcome(read_setup("2 | 2", "6 | 2"), BY_ID["rank-means"])
    assert made.is_right
    assert any("luck" in note for note in made.notes)


def test_equal_means_with_other_weights_are_told() -> None:
    made = outcome(read_setup("1 | 3", "2 | 6"), BY_ID["rank-means"])
    assert made.given == made.wanted
    assert not made.is_right
    assert any("weights don't" in note for note in made.notes)


@given(setups())
def test_the_right_way_gives_the_mean_and_weights_that_add_up_to_one(setup: Setup) -> None:
    made = outcome(setup, BY_ID["right"])
    if setup.tokens:
        assert made.is_right
        assert made.given == made.wanted == sum(map(sum, setup.sums)) / Fraction(setup.tokens)
        assert sum(cell.wanted * cell.tokens for cell in made.cells) == 1


@given(setups(), st.sampled_from(WAYS))
def test_means_are_what_the_weights_say(setup: Setup, way: object) -> None:
    made = outcome(setup, way)  # type: ignore[arg-type]
    total = sum(((c.given or Fraction(0)) * setup.sums[c.rank][c.microbatch] for c in made.cells), Fraction(0))
    assert made.given is None or made.given == total
    assert len(made.cells) == setup.ranks * setup.microbatches


@given(setups())
def test_what_is_typed_is_what_is_read(setup: Setup) -> None:
    counts = " | ".join("+".join(map(str, rank)) for rank in setup.counts)
    sums = " | ".join("+".join(map(str, rank)) for rank in setup.sums)
    assert read_setup(counts, sums, str(setup.planned)) == setup


@pytest.mark.parametrize(
    ("counts", "sums", "planned", "said"),
    [
        ("", "", "", "valid tokens"),
        ("1 | x", "", "", "'x'"),
        ("1 | -3", "", "", "'-3'"),
        ("1+2 | 3", "", "", "same number of microbatches"),
        ("1 || 3", "", "", "missing"),
        ("1 | 3", "4", "", "as many"),
        ("1 | 3", "4 | 1/0", "", "loss sums"),
        ("0 | 3", "4 | 0", "", "rank 0 has a loss"),
        ("1 | 3", "", "0", "planned"),
        ("|".join("1" * 17), "", "", "17 ranks"),
        ("12345678", "", "", "no count"),
    ],
)
def test_what_cannot_be_used_is_said(counts: str, sums: str, planned: str, said: str) -> None:
    with pytest.raises(SetupError, match=said.replace("|", r"\|")):
        read_setup(counts, sums, planned)


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=5))
def test_any_text_is_read_or_refused(counts: str, sums: str, planned: str) -> None:
    try:
        setup = read_setup(counts, sums, planned)
    except SetupError:
        return
    for way in WAYS:
        outcome(setup, way)


def test_each_wrong_way_is_in_the_registry() -> None:
    registry = load(bank_folders(())).registry
    assert {way.misconception for way in WAYS} - {None} <= set(registry)
