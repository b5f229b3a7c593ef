"""What is drawn from data alone: weights as bars, inline marks, tables, how long ago."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.color import Color
from textual.theme import Theme

from quizapp.model.alike import Alike, alike
from quizapp.model.verdict import ListedRow, Listing, RankReport, ScenarioVerdict, TokenWeight, Verdict
from quizapp.tui import themes
from quizapp.tui.code_editor import COLOURS
from quizapp.tui.inline import inline
from quizapp.tui.signs import ago
from quizapp.tui.table import rows
from quizapp.tui.terms import terms_in
from quizapp.tui.verdict import error_text, listing_table, notation, rank_lines, sections
from quizapp.tui.weights import figure, rank_bars, remark, size_bar, weight_bars

NUMBERS = st.one_of(st.none(), st.floats(-10, 10), st.just(math.nan), st.just(math.inf))


def weight(
    rank: int = 0, token: int = 0, wanted: float = 0.25, given: float | None = 0.25, valid: bool = True, microbatch: int = 0
) -> TokenWeight:
    return TokenWeight(rank=rank, microbatch=microbatch, token=token, valid=valid, wanted=wanted, given=given)


WEIGHTS = st.lists(
    st.builds(weight, st.integers(0, 3), st.integers(0, 5), st.floats(0, 1), NUMBERS, st.booleans(), st.integers(0, 2)),
    max_size=30,
)


@given(WEIGHTS, st.integers(60, 200))
def test_any_weights_fit_the_columns(weights: list[TokenWeight], columns: int) -> None:
    drawn = weight_bars(weights, columns).plain
    assert all(len(line) <= columns for line in drawn.split("\n"))
    assert sum(group.tokens for group in alike(weights)) == len(weights)


@given(WEIGHTS, st.lists(NUMBERS, min_size=3, max_size=3), st.integers(60, 200))
def test_any_weights_of_ranks_fit_the_columns(weights: list[TokenWeight], also: list[float | None], columns: int) -> None:
    by_rank = [weights, *([one.model_copy(update={"given": given}) for one in weights] for given in also)]
    assert all(len(line) <= columns for line in rank_bars(by_rank, columns).plain.split("\n"))


def test_a_factor_of_many_digits_fits_beside_a_weight_of_many() -> None:
    by_rank = [[weight(given=None)]] + [[weight(given=given)] for given in (None, -2.7664747530476607e-05)]
    drawn = rank_bars(by_rank, 60).plain
    assert "-2.766e-05  ✗ -0.00011 x wanted" in drawn
    assert max(map(len, drawn.split("\n"))) <= 60


def test_ranks_with_different_gradients_show_each_token_s_weight_on_each_rank() -> None:
    def held(rank: int) -> tuple[TokenWeight, ...]:
        return tuple(
            weight(owner, token, (token <= owner) / 3, 2 * (token <= owner) * (owner == rank) / 3, token <= owner)
            for owner in range(2)
            for token in range(3)
        )

    apart = ScenarioVerdict(
        name="uneven", world_size=2, counts=((1,), (2,)), outcome="wrong", message="they differ", weights_by_rank=(held(0), held(1))
    )
    verdict = Verdict(
        outcome="wrong", points=0, max_points=1, seed=1, summary=f"1 of 1 scenario fails. With {apart.called}: they differ.",
        scenarios=(apart,), counterexample=apart, backend="local", sandbox="none", device="cpu", collectives="gloo", milliseconds=1,
    )  # fmt: skip
    drawn = {caption: text.plain for caption, text in sections(verdict, "", {}, {}, 74)}
    (caption,) = (caption for caption in drawn if caption.startswith("Weights"))
    lines = drawn[caption].split("\n")
    assert [" ".join(line.replace("█", "").split()) for line in lines[1:5]] == [
        "rank 0: 1 token", "wanted 1/3", "rank 0 has 2/3 ✗ 2 x wanted", "rank 1 has 0 ✗ left out"
    ]  # fmt: skip
    assert "padded" not in drawn[caption]
    assert "the objective would be 2; with the weights on rank 0 it is 2/3." in drawn[caption]
    assert not any(caption.startswith("Smallest") for caption in drawn), "it is the same scenario"


def test_a_listing_gives_the_numbers_to_check_by_hand() -> None:
    listed = ListedRow(rank=0, microbatch=0, values=(1.5, 3.0)), ListedRow(rank=1, microbatch=1, values=(0.25, 1.0))
    table = listing_table(Listing(each="sample", columns=("loss", "tokens"), rows=listed, note="No repeats.")).plain.split("\n")
    assert [line.split() for line in table] == [
        ["sample", "rank", "microbatch", "loss", "tokens"], ["0", "0", "1", "1.5000", "3"], ["1", "1", "2", "0.2500", "1"],
        ["No", "repeats."],
    ]  # fmt: skip


def test_a_tiny_weight_below_zero_fits_a_narrow_screen() -> None:
    drawn = weight_bars([weight(wanted=1.0, given=-2.1448277082608975e-06, valid=False)], 60).plain
    assert max(len(line) for line in drawn.split("\n")) <= 60
    assert "✗ -2.1e-06 x wanted" in drawn


def test_like_tokens_of_several_microbatches_stand_together() -> None:
    one, two, three = (weight(0, 0, microbatch=k) for k in range(3))
    other, fourth = weight(1, 0, given=0.5), weight(1, 0, microbatch=3)
    names = [line.partition("  wanted")[0] for line in weight_bars([one, two, three], 100).plain.split("\n")]
    assert names[0] == "rank 0: 3 tokens"
    lines = weight_bars([one, three, other, fourth, weight(2, 0), weight(2, 0, microbatch=1)], 100).plain.split("\n")
    assert [line.partition(":")[0] for line in lines[::2]] == [
        "rank 0 microbatches 1 and 3", "rank 1 microbatch 1", "rank 1 microbatch 4", "rank 2 microbatches 1 and 2"
    ]  # fmt: skip
    assert weight_bars([one, two, three, other, fourth], 100).plain.startswith("rank 0 microbatches 1 to 3: 3 tokens")


def test_like_tokens_stand_together() -> None:
    weights = [weight(0, 0), weight(0, 1), weight(1, 0, given=0.5), weight(1, 1, given=0.5), weight(1, 2, 0, 0, valid=False)]
    assert alike(weights) == [Alike(0, 0, True, 0.25, 0.25, 2), Alike(1, 0, True, 0.25, 0.5, 2), Alike(1, 0, False, 0.0, 0.0, 1)]
    lines = weight_bars(weights, 80).plain.split("\n")
    assert lines[0].startswith("rank 0: 2 tokens  wanted ███")
    assert lines[0].endswith("1/4")
    assert lines[1].endswith("1/4  ✓ as wanted")
    assert lines[3].endswith("1/2  ✗ 2 x wanted")
    assert lines[3].count("█") in (2 * lines[2].count("█"), 2 * lines[2].count("█") + 1)
    assert lines[4:] == ["padding: 1 position  wanted 0, given 0  ✓ as wanted"]
    counted = [weight(0, 0), weight(0, 1, 0, 0.25, valid=False), weight(0, 2, 0, 0.25, valid=False)]
    assert "rank 0: 2 padded" in weight_bars(counted, 80).plain
    assert "✗ must not count" in weight_bars(counted, 80).plain


@pytest.mark.parametrize(
    ("wanted", "given_", "words"),
    [
        (0.25, 0.25, "✓ as wanted"),
        (0.25, 0.25 + 1e-12, "✓ as wanted"),
        (0.25, 0.0, "✗ left out"),
        (0.0, 0.1, "✗ must not count"),
        (0.25, 0.125, "✗ 1/2 x wanted"),
        (0.25, -0.25, "✗ -1 x wanted"),
        (0.25, None, "✗ not a number"),
        (0.25, math.nan, "✗ not a number"),
    ],
)
def test_remarks(wanted: float, given_: float | None, words: str) -> None:
    assert remark(wanted, given_, 0.25)[0] == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / 6, "1/6"),
        (2.0, "2"),
        (7 / 11, "7/11"),
        (0.0, "0"),
        (1e-15, "0"),
        (0.12347771, "0.1235"),
        (None, "no number"),
        (-0.5, "-1/2"),
    ],
)
def test_figures(value: float | None, text: str) -> None:
    assert figure(value, 1.0) == text


def test_the_smallest_weight_still_has_a_sliver() -> None:
    assert size_bar(1e-4, 1.0, 20) == "▏"
    assert size_bar(1.0, 1.0, 20) == "█" * 20
    assert size_bar(0.0, 1.0, 20) == ""


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("divide by `N`, **once**", "divide by N, once"),
        ("R*L_r/N and R*L_r*N", "R*L_r/N and R*L_r*N"),
        ("the *global* mean", "the global mean"),
        ("folded\nlines\n\nand a paragraph", "folded lines\nand a paragraph"),
        ("a list:\n- one\n- two", "a list:\n- one\n- two"),
        ("[red]no markup[/] {{", "[red]no markup[/] {{"),
        ("(1/R) * sum * N", "(1/R) * sum * N"),
        ("`a*b*c`", "a*b*c"),
    ],
)
def test_inline_marks(text: str, plain: str) -> None:
    assert inline(text).plain == plain


@given(st.text(st.sampled_from("ab*`_ \n[]{}-R/"), max_size=60))
def test_inline_loses_nothing_but_marks(text: str) -> None:
    kept = "".join(text.split()).replace("*", "").replace("`", "")
    assert "".join(inline(text).plain.split()).replace("*", "").replace("`", "") == kept


def test_a_table_lines_up() -> None:
    assert rows(("a", "long"), [[("x", ""), ("1", "")], [("yyy", ""), ("2", "")]]).plain == "a    long\nx    1\nyyy  2"


def test_a_ranks_line_is_cut_and_a_lost_line_is_no_error() -> None:
    from quizapp.model.verdict import Place

    ranks = (
        RankReport(rank=0, state="waiting", collective="all_reduce", place=Place(line=1)),
        RankReport(rank=1, state="raised", place=Place(line=99), message="ValueError: no\npass: 4 of 4"),
    )
    lines = rank_lines(ranks, "x = " + "y" * 200, 40).plain.split("\n")
    assert lines[0] == "rank 0: waiting, last collective: all_reduce"
    assert len(lines[1]) == 40
    assert lines[1].endswith("…")
    assert lines[3:] == ["  line 99: ", "  ValueError: no", "  pass: 4 of 4"]


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=5, minutes=59), "5 hours ago"),
        (timedelta(days=2), "2 days ago"),
        (timedelta(seconds=-30), "just now"),
    ],
)
def test_ago(gap: timedelta, words: str) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    assert ago(now - gap, now) == words


def test_signs_are_told_in_what_the_lab_counts() -> None:
    assert notation("1/N, not 1/n_r", "samples") == "N samples on all ranks, n_r samples on rank r"
    assert notation("over R windows", "samples") == "R ranks, a window: the microbatches of one optimizer step"
    assert notation("no sign", "samples") == ""


def luminance(colour: Color) -> float:
    """WCAG 2's relative luminance."""
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in colour.normalized]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Color, other: Color) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("theme", "least"), [(themes.DAYLIGHT, 4.5), (themes.HIGH_CONTRAST, 7.0)], ids=["light", "contrast"])
def test_what_is_written_can_be_read(theme: Theme, least: float) -> None:
    colours = {**theme.to_color_system().generate(), **theme.variables}
    texts = ["foreground", "foreground-muted", "text-muted", "text-primary", "text-success", "text-warning", "text-error"]
    inks = [*(colours[name] for name in (*texts, "text-accent")), *COLOURS[theme.name].values()]
    for ground in ("background", "surface", "primary-muted"):
        for ink in inks:
            assert contrast(Color.parse(ink), Color.parse(colours[ground])) >= least, (ink, ground)
    for ink, ground in (("footer-key-foreground", "panel"), ("foreground", "input-selection-background")):
        below = Color.parse(colours["background"]) + Color.parse(colours[ground])
        assert contrast(Color.parse(colours[ink]), below) >= least, (ink, ground)


def failing(name: str, factor: float, *counts: int) -> ScenarioVerdict:
    """A scenario in which each token weighs the same, ``factor`` times what it should."""
    total = sum(counts)
    weights = tuple(weight(rank, n, 1 / total, factor / total) for rank, count in enumerate(counts) for n in range(count))
    message = f"every valid token weighs {factor:g} times what it should"
    return ScenarioVerdict(
        name=name, world_size=len(counts), counts=tuple((n,) for n in counts), outcome="wrong", weights=weights, message=message
    )


def captions(told: ScenarioVerdict, smallest: ScenarioVerdict) -> list[str]:
    verdict = Verdict(
        outcome="wrong", points=0, max_points=1, seed=1, summary=f"All 2 scenarios fail. With {told.called}: {told.message}.",
        scenarios=(failing("even", 5, 2, 2), told), counterexample=smallest,
        backend="local", sandbox="none", device="cpu", collectives="gloo", milliseconds=1,
    )  # fmt: skip
    return [caption for caption, _ in sections(verdict, "", {}, {}, 100)]


def test_the_case_that_the_sentence_tells_of_is_drawn_where_the_smallest_one_is_off_by_another_factor() -> None:
    told = failing("uneven", 3.5, 1, 6)
    shown = captions(told, failing("smallest", 0.5, 1, 0))
    assert "Weights: uneven, 2 ranks, valid tokens 1 | 6" in shown
    assert "Smallest failing case: 2 ranks, valid tokens 1 | 0" in shown
    shown = captions(told, failing("smallest", 3.5, 1, 1))
    assert "Weights: the smallest failing case, 2 ranks, valid tokens 1 | 1" in shown
    assert not any(caption.startswith("Smallest") for caption in shown)


def test_words_of_a_text_are_explained_and_no_others() -> None:
    assert [word for word, _ in terms_in("Every rank all-reduces; DDP averages.")] == ["rank", "DDP", "all-reduce"]
    assert terms_in("A frank answer") == []


@pytest.mark.parametrize(("error", "text"), [(0.0, "0"), (1.4e-16, "1.4e-16"), (0.75, "0.75"), (3.69, "3.7"), (256.4, "256")])
def test_errors(error: float, text: str) -> None:
    assert error_text(error) == text
