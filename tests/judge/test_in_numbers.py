"""The sentence that puts a verdict's weights into two numbers."""

from quizapp.judge.in_numbers import in_numbers
from quizapp.model.verdict import TokenWeight


def weight(
    rank: int, token: int, wanted: float, given: float | None, valid: bool = True, microbatch: int = 0, step: int = 0
) -> TokenWeight:
    return TokenWeight(rank=rank, microbatch=microbatch, token=token, valid=valid, wanted=wanted, given=given, step=step)


def test_both_numbers_are_said() -> None:
    told = in_numbers([weight(0, 0, 1 / 3, 1 / 2), weight(1, 0, 1 / 3, 1 / 4), weight(1, 1, 1 / 3, 1 / 4)])
    assert told == "If the losses were 1 (rank 0), 2 and 3 (rank 1), the objective would be 2; with these weights it is 7/4."
    told = in_numbers([weight(0, 0, 1 / 4, 1 / 2), *(weight(1, token, 1 / 4, 1 / 6) for token in range(3))])
    assert told == "If the losses were 1 (rank 0), 2 to 4 (rank 1), the objective would be 5/2; with these weights it is 2."


def test_padding_that_counts_is_called_padding() -> None:
    rounding = weight(1, 0, 0.0, 1e-17, valid=False)
    told = in_numbers([weight(0, 0, 1.0, 0.5), weight(0, 1, 0.0, 0.5, valid=False), rounding])
    assert told is not None
    assert "2 (rank 0, padding)" in told
    assert told.endswith("the objective would be 1; with these weights it is 3/2.")


def test_one_token_and_several_microbatches() -> None:
    assert in_numbers([weight(0, 0, 1.0, 0.25)]) == ("If its loss were 1, the objective would be 1; with these weights it is 1/4.")
    told = in_numbers([weight(0, 0, 0.5, 0.5), weight(0, 0, 0.5, 0.25, microbatch=1)])
    assert told is not None
    assert "2 (rank 0, microbatch 2)" in told


def test_nothing_is_said_where_there_is_nothing_to_say() -> None:
    assert in_numbers([]) is None
    assert in_numbers([weight(0, 0, 0.5, 0.5)]) is None
    assert in_numbers([weight(0, 0, 0.5, None)]) is None


def test_many_tokens_share_a_loss_for_each_rank() -> None:
    told = in_numbers([weight(token // 6, token, 1 / 9, 1 / 12 if token < 6 else 1 / 6) for token in range(9)])
    assert told == "If each loss were 1 on rank 0 and 2 on rank 1, the objective would be 4/3; with these weights it is 3/2."


def test_of_several_steps_the_first_that_differs() -> None:
    first, second = weight(0, 0, 1.0, 1.0), weight(0, 0, 1.0, 1.0, microbatch=1, step=1)
    leak = weight(0, 0, 0.0, 1.0, step=1)
    told = in_numbers([first, second, leak])
    assert told == (
        "If the losses were 1 (rank 0, microbatch 1), 2 (rank 0, microbatch 2), the objective of step 2 would be 2; "
        "with these weights it is 3."
    )


def test_numbers_that_stand_beside_each_other_are_written_alike() -> None:
    told = in_numbers([weight(0, 0, 256 / 257, 1.0), weight(1, 0, 1 / 257, 1 / 64)])
    assert told == "If the losses were 1 (rank 0), 2 (rank 1), the objective would be 1.004; with these weights it is 1.031."


def test_the_part_of_an_objective_with_other_terms() -> None:
    told = in_numbers([weight(0, 0, 0.75, 0.5)], ["the smoothing part of the loss"])
    assert told == "If its loss were 1, the token losses' part of the objective would be 3/4; with these weights it is 1/2."
