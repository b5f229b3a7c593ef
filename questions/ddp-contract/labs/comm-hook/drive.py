"""Registers the entry as DDP's communication hook and back-propagates each rank's own token mean, once for each window.

A rank without a valid token back-propagates a zero that is tied to the model. The parameters are the two halves of the
classifier's weight, each in a bucket of its own. Observation: ``gradients`` [windows, P] float64, what `.grad` then holds.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

from quizapp_sandbox.contract import Invalid, Scenario
from quizapp_sandbox.drives.blocks import Classifier, by_window, microbatches_of

BUCKET_MIB = 0.0001
"""Smaller than either parameter, so that each is a bucket."""


class HookState:
    """What the hook is given beside the bucket. The hook may add attributes; it is the same object in all steps."""

    def __init__(self, group: dist.ProcessGroup) -> None:
        self.group = group
        self.tokens = torch.zeros((), dtype=torch.float64)
        """[] float64, set anew before each step: the valid tokens of this rank."""
        self.positions = 0
        """Positions of this rank in this step, padding included."""


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    return {"weight": scenario.shared["weight"], "windows": by_window(scenario, microbatches_of(scenario, rank))}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: dist.ProcessGroup) -> dict[str, torch.Tensor]:
    model = Classifier(inputs["weight"])
    replica = DistributedDataParallel(model, process_group=group, bucket_cap_mb=BUCKET_MIB)
    state = HookState(group)
    faults: list[BaseException] = []
    warm = False

    def hook(state: HookState, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
        if not warm:
            untouched: torch.futures.Future[torch.Tensor] = torch.futures.Future()
            untouched.set_result(bucket.buffer())
            return untouched
        try:
            future = entry(state, bucket)
            if not isinstance(future, torch._C.Future):  # what a Work gives; torch.futures.Future derives from it
                raise Invalid(f"the hook returned a {type(future).__name__}; return a torch.futures.Future that holds a tensor")
            return future
        except BaseException as error:  # on its way through autograd's threads it would lose its type
            faults.append(error)
            raise

    replica.register_comm_hook(state, hook)
    # DDP's first backward has all gradients in one bucket; it makes buckets of the wanted size after it, in order of arrival.
    replica(torch.zeros_like(inputs["windows"][0][0].features)).sum().backward()
    warm = True
    rows = []
    for ((features, targets, mask),) in inputs["windows"]:
        state.tokens = mask.sum().to(torch.float64)
        state.positions = len(mask)
        replica.zero_grad()
        losses = cross_entropy(replica(features), targets, reduction="none")
        try:
            (losses[mask].sum() / mask.sum().clamp(min=1)).backward()
        except RuntimeError:
            if faults:
                raise faults[0] from None
            raise
        rows.append(torch.cat([parameter.grad.reshape(-1) for parameter in (model.upper, model.lower)]).clone())
    return {"gradients": torch.stack(rows)}
