"""Fifteen training steps, right and wrong, as the weights that each gives to tokens. No submission sees this file or the order.

A step sees all ranks' masks. What it makes of them: the weight of each position in the gradient, what is divided by later included;
the weight of each position in the loss that is logged; and whether the rank takes the sum over the ranks at all. Nothing else of a
step is told, such as when it divides. All fifteen are worked out for each question, so that none takes longer than another.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch

Arrays = dict[str, torch.Tensor]
NAN = float("nan")


class Masks(NamedTuple):
    """What a rank knows of all of them."""

    rank: int
    own: torch.Tensor
    """This rank's mask, [T] float64."""
    counts: tuple[float, ...]
    """Valid tokens of each rank."""
    positions: float
    """Of all ranks, padding included."""

    @property
    def ranks(self) -> int:
        return len(self.counts)

    @property
    def tokens(self) -> float:
        return sum(self.counts)


class Weighed(NamedTuple):
    """What a step does with one rank's batch."""

    weights: torch.Tensor
    """[T] of each position in the gradient."""
    logged: torch.Tensor
    """[T] of each position in the loss that is logged, a sum over all ranks."""
    alone: int = 0
    """Instead of the sum over the ranks, the rank takes so many times its own gradient; 0: the sum."""


Step = Callable[[Masks], Weighed]


def _as_ddp(weights: torch.Tensor, logged: torch.Tensor, seen: Masks) -> Weighed:
    """For weights before DDP divides by the number of ranks."""
    return Weighed(weights / seen.ranks, logged)


def right_scaled(seen: Masks) -> Weighed:
    tokens = max(seen.tokens, 1)
    return _as_ddp(seen.own * (seen.ranks / tokens), seen.own / tokens, seen)


def right_divided_after(seen: Masks) -> Weighed:
    tokens = max(seen.tokens, 1)
    return Weighed(seen.own * (1 / tokens), seen.own / tokens)


def right_in_float32(seen: Masks) -> Weighed:
    tokens = max(seen.tokens, 1)
    # A factor of 1 + 2**-24 stands for its rounding, so that it is there for every count.
    return _as_ddp(seen.own * (seen.ranks / tokens * (1 + 2.0**-24)), seen.own / tokens, seen)


def right_gathered(seen: Masks) -> Weighed:
    tokens = max(seen.tokens, 1)
    return Weighed(seen.own / tokens, seen.own / tokens)


def rank_means(seen: Masks) -> Weighed:
    weights = seen.own / max(seen.counts[seen.rank], 1)
    return _as_ddp(weights, weights / seen.ranks, seen)


def padding_summed(seen: Masks) -> Weighed:
    every = torch.ones_like(seen.own) / max(seen.tokens, 1)
    return _as_ddp(every * seen.ranks, every, seen)


def padding_counted(seen: Masks) -> Weighed:
    weights = seen.own / max(seen.positions, 1)
    return _as_ddp(weights * seen.ranks, weights, seen)


def factor_missing(seen: Masks) -> Weighed:
    weights = seen.own / max(seen.tokens, 1)
    return _as_ddp(weights, weights, seen)


def two_ranks_only(seen: Masks) -> Weighed:
    weights = seen.own / max(seen.tokens, 1)
    return _as_ddp(2 * weights, weights, seen)


def last_rank_alone(seen: Masks) -> Weighed:
    weights = seen.own / max(seen.tokens, 1)
    last = seen.rank == seen.ranks - 1
    return Weighed(weights, weights, alone=seen.ranks if last else 0)


def phantom_token(seen: Masks) -> Weighed:
    weights = seen.own / (seen.tokens + 1)
    return _as_ddp(weights * seen.ranks, weights, seen)


def phantom_per_empty_rank(seen: Masks) -> Weighed:
    weights = seen.own / sum(max(count, 1) for count in seen.counts)
    return _as_ddp(weights * seen.ranks, weights, seen)


def guard_after_division(seen: Masks) -> Weighed:
    return _as_ddp(seen.own / max(seen.tokens / seen.ranks, 1), seen.own / max(seen.tokens, 1), seen)


def nan_on_an_empty_rank(seen: Masks) -> Weighed:
    """0/0 where the rank has no token: NaN times the mask, which is NaN for padding, too."""
    weights = seen.own / max(seen.tokens, 1) if seen.counts[seen.rank] else torch.full_like(seen.own, NAN)
    return _as_ddp(weights * seen.ranks, weights, seen)


def nan_on_an_empty_step(seen: Masks) -> Weighed:
    weights = seen.own / seen.tokens if seen.tokens else torch.full_like(seen.own, NAN)
    return _as_ddp(weights * seen.ranks, weights, seen)


STEPS: Mapping[str, Mapping[str, Step]] = {
    "passes right steps": {
        "factor R/N": right_scaled,
        "divided after the reduction": right_divided_after,
        "factor in float32": right_in_float32,
        "everything gathered": right_gathered,
    },
    "passes wrong averages": {
        "mean of rank means": rank_means,
        "padding in the sum": padding_summed,
        "padding in the count": padding_counted,
    },
    "passes wrong factors": {
        "factor R missing": factor_missing,
        "factor 2 for every R": two_ranks_only,
        "last rank not reduced": last_rank_alone,
    },
    "passes wrong edges": {
        "one token too many": phantom_token,
        "one token for each empty rank": phantom_per_empty_rank,
        "guard after the division by R": guard_after_division,
        "NaN on an empty rank": nan_on_an_empty_rank,
        "NaN on an empty step": nan_on_an_empty_step,
    },
}
ALL = [step for steps in STEPS.values() for step in steps.values()]


def answer(hidden: Mapping[str, torch.Tensor], question: Mapping[str, torch.Tensor]) -> Arrays:
    """What a step makes of the masks for one rank.

    Args:
        question: ``step`` [1] in the order of this scenario, ``rank`` [1], ``lengths`` [R], ``masks`` [R, longest].
    """
    rank, lengths = int(question["rank"]), [int(length) for length in question["lengths"]]
    masks = [row[:length].double() for row, length in zip(question["masks"], lengths, strict=True)]
    seen = Masks(rank, masks[rank], tuple(float(mask.sum()) for mask in masks), float(sum(lengths)))
    weighed = [step(seen) for step in ALL][int(hidden["order"].argsort()[int(question["step"])])]
    return {
        "weights": weighed.weights,
        "logged": weighed.logged,
        "alone": torch.tensor([weighed.alone]),
    }


def told(hidden: Mapping[str, torch.Tensor], observation: Mapping[str, torch.Tensor]) -> Arrays:
    """The verdicts [15], put from the order of this scenario into groups. Nothing else is handed on: a rank that sends groups of
    its own making would be right without knowing the order.

    Raises:
        ValueError: it is anything else.
    """
    verdicts = observation.get("verdicts")
    if verdicts is None or len(observation) > 1 or list(verdicts.shape) != [len(ALL)]:
        raise ValueError("what is judged is the verdicts on fifteen steps, and nothing else")
    sorted_back = torch.zeros_like(verdicts)
    sorted_back[hidden["order"].argsort()] = verdicts
    parts = sorted_back.split([len(steps) for steps in STEPS.values()])
    return dict(zip(STEPS, parts, strict=True))
