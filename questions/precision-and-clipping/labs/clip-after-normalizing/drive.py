"""Calls the entry with a window's gradient sums: replicated ones, then shards, with a low and with a high limit. Another window
goes before, with a token more in each microbatch: what is kept from it is wrong in this one.

Observation: ``replicated`` [2, 8] and ``replicated_norm`` [2], ``sharded`` [2, entries of this rank] and ``sharded_norm`` [2];
rows are the low and the high limit. The gradient has two tensors, of 5 and of 3 entries.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.distributed as dist

from quizapp_sandbox.contract import Invalid, Scenario, numbers

TENSORS = (5, 3)


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    shard = scenario.shard(rank)
    masks = [shard[f"mask.{k}"] for k in range(scenario.microbatches)]
    sums = [(shard[f"rows.{k}"] * mask[:, None]).sum(0) for k, mask in enumerate(masks)]
    return {
        "sums": sums,
        "counts": [int(mask.sum()) for mask in masks],
        "limits": [float(scenario.shared["low_limit"]), float(scenario.shared["high_limit"])],
        "rank": rank,
        "world_size": scenario.world_size,
    }


def _checked(value: object, shapes: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradient, flattened, and the norm."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise Invalid("return two things: the list of gradients, and the norm before clipping")
    gradients, norm = value
    if not isinstance(gradients, tuple | list) or len(gradients) != len(shapes):
        raise Invalid(f"the first thing returned must be a list of {len(shapes)} tensors, shaped like those of one microbatch")
    flat = [numbers(one, f"gradient {index}", shape).reshape(-1) for index, (one, shape) in enumerate(zip(gradients, shapes))]
    return torch.cat([part.double() for part in flat]), numbers(norm, "norm", ()).double()


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    own = [list(total.split(TENSORS)) for total in inputs["sums"]]
    whole = torch.stack(inputs["sums"])
    dist.all_reduce(whole, group=group)
    size, rank = inputs["world_size"], inputs["rank"]
    shards = [[part.tensor_split(size)[rank] for part in total.split(TENSORS)] for total in whole]
    found = {}
    entry(
        [[part.clone() for part in row] for row in own],
        [count + 1 for count in inputs["counts"]],
        max(inputs["limits"]),
        False,
        group,
    )
    for name, gradients in (("replicated", own), ("sharded", shards)):
        shapes = [list(part.shape) for part in gradients[0]]
        pairs = []
        for limit in inputs["limits"]:
            fresh = [[part.clone() for part in row] for row in gradients]
            pairs.append(_checked(entry(fresh, list(inputs["counts"]), limit, name == "sharded", group), shapes))
        found[name] = torch.stack([gradient for gradient, _ in pairs])
        found[f"{name}_norm"] = torch.stack([norm for _, norm in pairs])
    return found
