"""What a drive makes of what an entry returned."""

from collections.abc import Callable

import numpy
import pytest
import torch

from quizapp_sandbox.contract import Invalid, numbers, truth

MAKES: dict[str, Callable[[bool], object]] = {
    "Python's": bool,
    "numpy's": numpy.bool_,
    "an array": lambda value: numpy.array([value]),
    "a tensor": torch.tensor,
    "a tensor of one entry": lambda value: torch.tensor([[value]]),
    "a number": int,
    "numpy's number": numpy.int64,
    "a tensor's number": lambda value: torch.tensor(int(value)),
}
NO_VERDICTS = {
    "None (is a return statement missing?)": None,
    "a str": "True",
    "a float": 1.0,
    "a int": 2,
    "a list": [True],
    "a Tensor of shape [2], torch.bool": torch.tensor([True, True]),
    "a Tensor of shape [], torch.float64": torch.tensor(1.0, dtype=torch.float64),
    "a float64 of shape [], float64": numpy.float64(0.0),
    "a ndarray of shape [0], bool": numpy.zeros(0, dtype=bool),
}


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("value", [True, False])
def test_a_verdict_is_one_truth_value_of_whatever_make(make: str, value: bool) -> None:
    assert truth(MAKES[make](value)) is value


@pytest.mark.parametrize("said", NO_VERDICTS)
def test_anything_else_is_told_what_to_return(said: str) -> None:
    with pytest.raises(Invalid) as told:
        truth(NO_VERDICTS[said])
    assert str(told.value) == f"returned {said}; return True or False"


@pytest.mark.parametrize("value", [torch.tensor(2 + 5j), [2 + 5j], 2 + 5j, numpy.complex128(2)])
def test_the_real_part_of_a_number_is_not_taken_for_it(value: object) -> None:
    with pytest.raises(Invalid):
        numbers(value, "the factor", ())
    assert numbers(2, "the factor", ()).item() == numbers(torch.tensor([2.0]), "the factor", ()).item() == 2


def test_what_was_returned_is_kept_when_a_program_uses_its_buffer_again() -> None:
    buffer = torch.ones(2, dtype=torch.float64)
    kept = numbers(buffer, "the gradient", (2,))
    buffer.zero_()
    assert kept.tolist() == [1, 1]
