"""Calls ``evaluate(batches, dataset_length, group)`` once on each rank.

Samples that the masks call valid are numbered over the ranks in order; a padded position is a repeat of one of the first
samples, whichever rank has it. A rank that was dealt nothing gets no batch. Observation: ``loss``, ``perplexity``, ``accuracy``.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch

from quizapp_sandbox.contract import Scenario, returned


class Batch(NamedTuple):
    """What the model made of one batch of b samples."""

    index: torch.Tensor
    """[b] int64: which sample of the data set, 0 .. dataset_length - 1."""
    loss_sum: torch.Tensor
    """[b] float64: the sum of the sample's token losses."""
    tokens: torch.Tensor
    """[b] int64: the sample's valid tokens."""
    correct: torch.Tensor
    """[b] int64: 1 where the sample was answered right, else 0."""


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    dealt, slots, shard = scenario.shared["dealt"], scenario.shared["slots"], scenario.shard(rank)
    length = int(dealt.sum())
    tables = {name: scenario.shared[name] for name in ("token_loss", "tokens", "correct")}
    batches = []
    for k in range(scenario.microbatches if int(dealt[rank].sum()) else 0):
        mask = shard[f"mask.{k}"].bool()
        before = rank * scenario.microbatches + k
        fresh = int(dealt.reshape(-1)[:before].sum())
        repeat = int((slots - dealt).reshape(-1)[:before].sum())
        index = torch.where(mask, fresh + mask.cumsum(0) - 1, (repeat + (~mask).cumsum(0) - 1) % length)
        tokens = tables["tokens"][index]
        batches.append(Batch(index, tables["token_loss"][index] * tokens, tokens, tables["correct"][index]))
    return {"batches": batches, "length": length, "device": scenario.device}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    with torch.device(inputs["device"]):  # a rank without a batch has no tensor that would tell it where to make its own
        figures = entry(list(inputs["batches"]), inputs["length"], group)
    return returned(figures, {"loss": (), "perplexity": (), "accuracy": ()})
