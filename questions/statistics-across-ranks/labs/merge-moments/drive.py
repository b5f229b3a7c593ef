"""Calls ``merge_moments(count, mean, var, group)`` once on each rank with the moments of its own samples.

The third feature is near 2**40 with a spread of about 1, and its mean is the same on all ranks: one that float32 can't hold, and
whose square float64 can, times any count. A rank without samples has the count 0 and NaN for mean and variance, as an empty
tensor's are. Observation: ``count`` [], ``mean`` [2], the large mean less 2**40 (apart, so that the large feature doesn't set the
scale of the others, nor its own size that of its error), ``var`` [3], ``unbiased`` [3].
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from quizapp_sandbox.contract import Scenario, returned

BASE = 2.0**40
LARGE, LARGE_IN_A_CROWD, CROWD = BASE + 2.0**16, BASE + 2.0**20, 257
LARGE_MEAN = "large_mean_beyond_2**40"


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    shard = scenario.shard(rank)
    samples = shard["samples"][: int(shard["mask.0"].sum())] + shard["centre"]
    mean = samples.mean(dim=0)
    var = (samples - mean).square().mean(dim=0)  # what torch.var gives, without its warning where a rank has no sample
    if len(samples):
        mean[2] = LARGE_IN_A_CROWD if int(scenario.shared["dealt"].sum()) >= CROWD else LARGE
    count = torch.tensor(float(len(samples)), dtype=torch.float64, device=scenario.device)
    return {"count": count, "mean": mean, "var": var}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    merged = entry(inputs["count"].clone(), inputs["mean"].clone(), inputs["var"].clone(), group)
    found = returned(merged, {"count": (), "mean": (3,), "var": (3,), "unbiased": (3,)})
    mean = found.pop("mean")
    return {**found, "mean": mean[:2], LARGE_MEAN: mean[2].double() - BASE}
