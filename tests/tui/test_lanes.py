"""Collectives of the ranks side by side."""

from hypothesis import given
from hypothesis import strategies as st

from quizapp.model.verdict import Place, RankReport
from quizapp.tui.lanes import explained, lanes

WAITING = RankReport(
    rank=0,
    state="waiting",
    collectives=("#1 broadcast([6] float64, from rank 0)", "#2 all_reduce([] int64) at line 7"),
    place=Place(line=7),
)
GONE = RankReport(
    rank=1, state="finished", collectives=("#1 broadcast([6] float64, from rank 0)", "#2 all_reduce([6] float64) in backward")
)


def test_what_differs_is_marked_and_where_each_rank_stands_is_said() -> None:
    drawn = lanes([WAITING, GONE], 100)
    assert drawn is not None
    lines = drawn.plain.split("\n")
    assert "rank 0" in lines[0]
    assert "rank 1" in lines[0]
    assert lines[1].startswith("#1   broadcast")
    assert lines[2].startswith("#2 ≠ all_reduce([] int64) at line 7")
    assert "all_reduce([6] float64) in backward" in lines[2]
    assert "… waits, line 7" in lines[-1]
    assert "✓ returned" in lines[-1]


def test_a_rank_that_never_came_has_a_gap() -> None:
    drawn = lanes([WAITING, GONE.model_copy(update={"collectives": GONE.collectives[:1]})], 100)
    assert drawn is not None
    assert "│ —" in drawn.plain
    assert "#2 ≠" in drawn.plain


def test_lines_of_one_call_at_two_places_are_no_difference() -> None:
    there = GONE.model_copy(update={"collectives": ("#2 all_reduce([] int64) at line 9",)})
    drawn = lanes([WAITING.model_copy(update={"collectives": WAITING.collectives[1:]}), there], 100)
    assert drawn is not None
    assert "≠" not in drawn.plain


def test_calls_among_other_ranks_are_no_difference() -> None:
    """Each of two ranks is alone in its group; then one misses a call of both."""
    alone = [f"#1 all_reduce([] int64, among ranks {rank}) at line 4" for rank in (0, 1)]
    first, second = (WAITING.model_copy(update={"collectives": (call,)}) for call in alone)
    drawn = lanes([first.model_copy(update={"collectives": (alone[0], "#2 all_reduce([] int64) at line 5")}), second], 120)
    assert drawn is not None
    assert [line.split()[1] for line in drawn.plain.splitlines()[1:3]] == ["all_reduce([]", "≠"]


def test_what_a_program_wrote_into_the_journal_is_drawn_as_any_text() -> None:
    odd = ("#1 all_reduce([1,,2], among ranks , ,) at line 3", "#2 all_reduce([], among ranks ٣, 0", "#3 among ranks 0,")
    drawn = lanes([WAITING.model_copy(update={"collectives": odd}), GONE.model_copy(update={"collectives": odd[::-1]})], 100)
    assert drawn is not None
    assert "among ranks" in drawn.plain


def test_calls_before_the_last_that_were_kept_of_some_rank_are_no_gap() -> None:
    later = GONE.model_copy(update={"collectives": ("#2 all_reduce([] int64) at line 7", "#3 all_reduce([] int64) at line 9")})
    drawn = lanes([WAITING, later], 100)
    assert drawn is not None
    assert "#1" not in drawn.plain
    assert drawn.plain.count("≠") == 1


def test_what_stands_in_the_lanes_is_explained_and_nothing_else() -> None:
    told = explained([WAITING, GONE], "\n" * 6 + "    logits = model(features)\n")
    assert "≠" in told
    assert "[6] float64: shape" in told
    assert "[]: a single number" in told
    assert "In backward DDP" in told
    assert "a line that doesn't name it" in told
    assert "without a line" in told
    assert "SIGABRT" not in told
    same = RankReport(rank=0, state="waiting", collectives=("#1 all_reduce([] int64) at line 1",))
    assert explained([same, same.model_copy(update={"rank": 1})], "dist.all_reduce(count)\n") == "[]: a single number."


def test_too_narrow_or_nothing_to_draw() -> None:
    assert lanes([WAITING, GONE], 40) is None
    assert lanes([WAITING], 100) is None
    assert lanes([WAITING.model_copy(update={"collectives": ()})] * 2, 100) is None


@given(st.lists(st.lists(st.text(max_size=60), max_size=5), min_size=2, max_size=4), st.integers(40, 200))
def test_any_calls_fit_the_columns(calls: list[list[str]], columns: int) -> None:
    ranks = [
        RankReport(
            rank=rank, state="running", collectives=tuple(f"#{n + 1} {' '.join(text.split())}" for n, text in enumerate(own))
        )
        for rank, own in enumerate(calls)
    ]
    drawn = lanes(ranks, columns)
    assert drawn is None or all(len(line) <= columns for line in drawn.plain.split("\n"))
