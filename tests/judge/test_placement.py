"""Where ranks run is a pure choice of world size and GPUs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.judge.placement import Placement, place


@pytest.mark.parametrize(
    ("world_size", "gpus", "wanted"),
    [
        (2, 0, Placement("gloo", ("cpu", "cpu"))),
        (2, 1, Placement("gloo", ("cuda:0", "cuda:0"))),
        (3, 2, Placement("gloo", ("cuda:0", "cuda:1", "cuda:0"))),
        (2, 2, Placement("nccl", ("cuda:0", "cuda:1"))),
        (2, 8, Placement("nccl", ("cuda:0", "cuda:1"))),
        (1, 1, Placement("nccl", ("cuda:0",))),
    ],
)
def test_place(world_size: int, gpus: int, wanted: Placement) -> None:
    assert place(world_size, gpus) == wanted


@given(st.integers(1, 16), st.integers(0, 16))
def test_nccl_only_with_a_gpu_for_each_rank(world_size: int, gpus: int) -> None:
    placed = place(world_size, gpus)
    assert len(placed.devices) == world_size
    assert (placed.collectives == "nccl") == (gpus >= world_size)
    if placed.collectives == "nccl":
        assert len(set(placed.devices)) == world_size
    assert placed.device == ("cuda" if gpus else "cpu")
